"""Gives Discord the names, descriptions and choices of the commands in every locale."""

from __future__ import annotations

from discord import Locale, app_commands
from discord.app_commands import TranslationContextTypes, locale_str

from commands.names import Names


class Translator(app_commands.Translator):
    """Looks a text up by the key that it carries."""

    def __init__(self, names: Names) -> None:
        super().__init__()
        self._names = names

    async def translate(self, string: locale_str, locale: Locale, context: TranslationContextTypes) -> str | None:
        """The text in a locale; ``None`` where it is the same there, or nobody has written one."""
        key = string.extras.get("key")
        found = self._names.translated(key, locale) if key else None
        return None if found == string.message else found
