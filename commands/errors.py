"""What goes wrong, said to whoever asked: their own mistakes in a sentence, ours with a reference that the log holds too."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Any, cast

import discord
from discord import app_commands

from answers.errors import UsageError
from commands.store.database import Unwritable

if TYPE_CHECKING:
    from commands.services import HasServices, Services

_LOG = logging.getLogger("rigcheck")
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that are mistaken for one another."""

UNKNOWN_INTERACTION = 10062
"""Discord's code for an interaction that was not answered within three seconds."""
ALREADY_ANSWERED = 40060


class Refusal(UsageError):
    """The asker did something that cannot be answered; ``key`` is the text that says so."""

    def __init__(self, key: str, /, **figures: Any) -> None:
        super().__init__(key)
        self.key = key
        self.figures = figures


def services_of(interaction: discord.Interaction[Any]) -> Services:
    """The services of the client that an interaction came to, for what Discord's library makes by itself."""
    return cast("HasServices", interaction.client).services


def own_locale(services: Services, interaction: discord.Interaction[Any]) -> str:
    """The locale of what only the asker sees."""
    guild_locale = str(interaction.guild_locale) if interaction.guild_locale else None
    return services.locale_for(str(interaction.locale), guild_locale, public=False)


async def tell(interaction: discord.Interaction[Any], text: str) -> None:
    """A sentence that only the asker sees, whether or not the interaction was answered before; silent where it has died."""
    try:
        if interaction.response.is_done():
            await interaction.followup.send(text, ephemeral=True)
        else:
            await interaction.response.send_message(text, ephemeral=True)
    except discord.HTTPException as error:
        _LOG.info("an interaction could not be answered any more", extra={"code": error.code, "status": error.status})


async def report(interaction: discord.Interaction[Any], error: BaseException) -> None:
    """Say what went wrong. The one place that does so, for commands, buttons, selects and forms alike."""
    services = services_of(interaction)
    locale = own_locale(services, interaction)
    cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
    if isinstance(cause, Refusal):
        await tell(interaction, services.texts.say(cause.key, locale, **cause.figures))
    elif isinstance(cause, app_commands.MissingPermissions):
        await tell(interaction, services.texts.say("refused.moderators", locale))
    elif isinstance(cause, (app_commands.CommandNotFound, app_commands.CommandSignatureMismatch)):
        await tell(interaction, services.texts.say("error.old_command", locale))
    elif isinstance(cause, discord.HTTPException) and cause.code in {UNKNOWN_INTERACTION, ALREADY_ANSWERED}:
        _LOG.info("an interaction died before it was answered", extra={"code": cause.code, "what": _what(interaction)})
    elif isinstance(cause, Unwritable):
        reference = note(services, cause, _what(interaction))
        await tell(interaction, services.texts.say("error.not_stored", locale, code=reference))
    else:
        reference = note(services, cause, _what(interaction))
        await tell(interaction, services.texts.say("error.ours", locale, code=reference))


def note(services: Services, error: BaseException, what: str) -> str:
    """Log and count what went wrong on our side; the reference that the log has it under."""
    services.meter.failed()
    reference = "".join(secrets.choice(_LETTERS) for _ in range(4))
    _LOG.error("an answer failed", exc_info=(type(error), error, error.__traceback__), extra={"reference": reference, "what": what})
    return reference


def _what(interaction: discord.Interaction[Any]) -> str:
    """What was used: a command's name, or the kind of interaction; never what was typed into it."""
    command = interaction.command
    return command.qualified_name if command else interaction.type.name
