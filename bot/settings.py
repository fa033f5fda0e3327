"""What the operator sets, from the environment or from ``.env`` in the working directory; the environment wins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from answers.errors import RigcheckError, UsageError


class SettingsError(UsageError):
    """A setting is missing or cannot be what it is."""


class Unreachable(RigcheckError):
    """Discord cannot be reached, or is out of order; trying again later may help."""


class Settings(BaseSettings):
    """Every setting of the bot. Each is called ``RIGCHECK_`` and its name here, but for the token, which is ``DISCORD_TOKEN``."""

    model_config = SettingsConfigDict(env_prefix="RIGCHECK_", env_file=".env", env_file_encoding="utf-8", extra="ignore")

    token: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("DISCORD_TOKEN"))
    catalog: Path | None = None
    """``catalog.db``; without it the project's or the installed package's."""
    locales: Path | None = None
    """The folder of the locales; without it the project's or the installed package's."""
    state: Path = Path("state.db")
    """What moderators set; made where there is none."""
    api_base: str = Field(default="https://discord.com/api/v10", pattern=r"^https?://\S+[^/\s]$")
    gateway: str | None = Field(default=None, pattern=r"^wss?://\S+$")
    """The first address of the gateway; without it the one that Discord has."""
    log_format: Literal["text", "json"] = "text"
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    message_content: bool = False
    """Whether to ask for the privileged intent that question channels need."""
    home_guilds: Annotated[frozenset[int], NoDecode] = frozenset()
    """The servers whose moderators may reload the catalogue, apart by commas; none means those of every server."""
    health_port: int | None = Field(default=None, ge=0, le=65_535)
    """The port of 127.0.0.1 where a supervisor is told how the bot is; 0: one that is free, which the log names."""
    answer_within: float = Field(default=3.0, gt=0, le=900)
    """Seconds that Discord waits for an answer to an interaction."""
    reload_pause: float = Field(default=10.0, ge=0, le=86_400)
    """Seconds between two loads of the catalogue."""

    @field_validator("home_guilds", mode="before")
    @classmethod
    def _apart_by_commas(cls, value: Any) -> Any:
        return [part for part in value.replace(",", " ").split() if part] if isinstance(value, str) else value

    @field_validator("log_level", mode="before")
    @classmethod
    def _any_capitals(cls, value: Any) -> Any:
        return value.upper() if isinstance(value, str) else value

    @field_validator("catalog", "locales", "gateway", "health_port", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: Any) -> Any:
        return None if value == "" else value


def read_settings() -> Settings:
    """The settings of this process.

    Raises:
        SettingsError: one sentence naming the first setting that cannot be read; what it was set to is not repeated.
    """
    try:
        return Settings()
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        field = str(fault["loc"][0]) if fault["loc"] else ""
        name = field if field == "DISCORD_TOKEN" else f"RIGCHECK_{field.upper()}"
        raise SettingsError(f"{name} cannot be read: {fault['msg'][0].lower()}{fault['msg'][1:]}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f".env cannot be read: {error}") from error
