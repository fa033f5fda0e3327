"""What Discord shows of the commands: names, descriptions and choices, from ``locales/<code>/commands.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discord import Locale, app_commands
from discord.app_commands import locale_str

from answers.errors import DataError
from answers.locales import DEFAULT_LOCALE, Locales, read_toml

FILE = "commands.toml"
_HOME = {"en": "US", "es": "ES"}
"""Discord's region of a folder that is called by its language alone."""


class Names:
    """Everything that is shown of the commands, in every locale that has a folder."""

    def __init__(self, locales: Locales) -> None:
        """Raises:
        DataError: where a file is missing or no TOML.
        """
        self._locales = locales
        self.own = {code: _flat(read_toml(file)) for code in locales.by_code if (file := locales.path / code / FILE).exists()}
        """Locale -> its own texts, by key."""
        if DEFAULT_LOCALE not in self.own:
            raise DataError(f"{locales.path} has no {DEFAULT_LOCALE}/{FILE}")

    def text(self, key: str, locale: str | None = None) -> str:
        """One text in a locale, or in the nearest one that has it.

        Raises:
            DataError: where English does not have it either.
        """
        chain = (*self._locales.get(locale).chain, DEFAULT_LOCALE)
        for code in chain:
            if key in self.own.get(code, {}):
                return self.own[code][key]
        raise DataError(f"{DEFAULT_LOCALE}/{FILE}: {key} is missing")

    def name(self, key: str) -> locale_str:
        """The name of a command, a subcommand or an option: its own key, spelled otherwise where a locale says so."""
        return locale_str(key.rpartition(".")[2], key=f"{key}.name")

    def description(self, key: str) -> locale_str:
        """The description of a command, a subcommand or an option."""
        return self._english(f"{key}.description")

    def menu(self, key: str) -> locale_str:
        """The label of a context menu."""
        return self._english(f"menus.{key}")

    def choices(self, key: str) -> list[app_commands.Choice[str]]:
        """The choices of an option whose labels are words."""
        start = f"choices.{key}."
        own = self.own[DEFAULT_LOCALE]
        return [
            app_commands.Choice(name=self._english(name), value=name.removeprefix(start)) for name in own if name.startswith(start)
        ]

    def options(self, *keys: str, **renamed: str) -> tuple[dict[str, locale_str], dict[str, locale_str]]:
        """The names and the descriptions of options, by the parameters that take them; ``renamed`` where those differ."""
        by_parameter = {key.replace("-", "_"): f"options.{key}" for key in keys}
        by_parameter |= {parameter: f"options.{key}" for parameter, key in renamed.items()}
        names = {parameter: self.name(key) for parameter, key in by_parameter.items()}
        return names, {parameter: self.description(key) for parameter, key in by_parameter.items()}

    def said(self, locale: str) -> dict[str, str]:
        """How somebody types each command, by its key: ``can_run`` -> ``/can-run``, ``privacy_delete`` -> ``/privacy delete``."""
        typed: dict[str, str] = {}
        for key in self.own[DEFAULT_LOCALE]:
            section, _, rest = key.partition(".")
            command, _, last = rest.removesuffix(".name").partition(".")
            if not key.endswith(".name") or section not in {"commands", "subcommands"} or last.count("."):
                continue
            shown = f"/{self.text(f'commands.{command}.name', locale)}"
            if section == "subcommands":
                shown += f" {self.text(key, locale)}"
            typed["_".join(part for part in (command, last) if part).replace("-", "_")] = shown
        return typed

    def translated(self, key: str, locale: Locale) -> str | None:
        """The text in one of Discord's locales; ``None`` where no folder is of that language."""
        code = self._folder(locale.value)
        return self.text(key, code) if code else None

    def _folder(self, discord_locale: str) -> str | None:
        if discord_locale in self.own:
            return discord_locale
        language, _, region = discord_locale.partition("-")
        return language if language in self.own and region == _HOME.get(language, region) else None

    def _english(self, key: str) -> locale_str:
        return locale_str(self.text(key), key=key)


def _flat(content: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in content.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = str(value)
    return flat
