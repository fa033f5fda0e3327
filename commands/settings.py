"""``/settings``: what moderators set for their server. Only they see the answers; changes go to the log channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import discord
from babel import Locale as BabelLocale
from discord import app_commands
from discord.app_commands import Transform

from answers.rendering.message import Message
from commands.autocomplete import Autocomplete
from commands.errors import Refusal, own_locale
from commands.hardware import context_of, least_quants
from commands.message import embed_of
from commands.moderation import Channel, ModeratorGroup, Room, RoomOrForum, write_down
from commands.names import Names
from commands.services import Services
from commands.settings_panel import panel
from commands.settings_picks import picks
from commands.store.servers import Mode
from commands.store.store import UNCHANGED, Unchanged

ASKERS = "asker"
"""The choice of commands.toml that takes a language back."""
NO_QUANT = "none"
"""The choice of commands.toml that takes a lowest quant back."""
NO_CONTEXT = frozenset(("0", "-"))
"""What is typed to take a default context back."""
MODES: Mapping[Mode, str] = {
    Mode.OFF: "mode.off",
    Mode.PRIVATE: "mode.private",
    Mode.SHORT: "mode.short",
    Mode.FULL: "mode.full",
    Mode.QUESTIONS: "mode.questions",
}
MOST_CHANNELS = 20
"""Channels that ``/settings show`` lists."""
Line = Callable[[str], str]


def settings(services: Services, names: Names, autocomplete: Autocomplete) -> app_commands.Group:
    """The command."""
    group = ModeratorGroup(names, "settings")
    said = _Said(services)
    languages = _languages(services, names)

    @group.command(name=names.name("subcommands.settings.show"), description=names.description("subcommands.settings.show"))
    async def show(interaction: discord.Interaction) -> None:
        await services.store.refresh()
        message = said.everything(_guild(interaction), own_locale(services, interaction))
        await interaction.response.send_message(embed=embed_of(message), ephemeral=True)

    renamed, described = names.options("channel", "mode", "language")

    @group.command(name=names.name("subcommands.settings.channel"), description=names.description("subcommands.settings.channel"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.choices(mode=names.choices("mode"), language=languages)
    async def channel(
        interaction: discord.Interaction,
        channel: Transform[Channel, RoomOrForum] | None = None,
        mode: str | None = None,
        language: str | None = None,
    ) -> None:
        guild_id, place = _guild(interaction), channel.id if channel else interaction.channel_id or 0
        line = partial(said.channel, guild_id, place)
        if mode is None and language is None:
            await interaction.response.send_message(line(own_locale(services, interaction), asks=True), ephemeral=True)
            return
        await interaction.response.defer(ephemeral=True)
        await services.store.change_channel(
            guild_id,
            place,
            mode=Mode(mode) if mode else UNCHANGED,
            language=_taken_back(language, ASKERS),
        )
        note = mode == Mode.QUESTIONS and not interaction.client.intents.message_content
        await _done(services, interaction, line, "settings.no_intent" if note else None)

    renamed, described = names.options("language")

    @group.command(name=names.name("subcommands.settings.language"), description=names.description("subcommands.settings.language"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.choices(language=languages)
    async def language(interaction: discord.Interaction, language: str) -> None:
        await interaction.response.defer(ephemeral=True)
        await services.store.change_server(_guild(interaction), language=_taken_back(language, ASKERS))
        await _done(services, interaction, partial(said.language, _guild(interaction)))

    renamed, described = names.options("context", "min-quant")
    lowest = [*least_quants(), *names.choices("min-quant")]

    @group.command(name=names.name("subcommands.settings.defaults"), description=names.description("subcommands.settings.defaults"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.choices(min_quant=lowest)
    async def defaults(
        interaction: discord.Interaction, context: app_commands.Range[str, 1, 20] | None = None, min_quant: str | None = None
    ) -> None:
        guild_id, line = _guild(interaction), partial(said.defaults, _guild(interaction))
        if context is None and min_quant is None:
            await interaction.response.send_message(line(own_locale(services, interaction)), ephemeral=True)
            return
        tokens = None if context is None or context.strip() in NO_CONTEXT else context_of(context)
        await interaction.response.defer(ephemeral=True)
        await services.store.change_server(
            guild_id, context=UNCHANGED if context is None else tokens, min_quality=_taken_back(min_quant, NO_QUANT)
        )
        await _done(services, interaction, line)

    renamed, described = names.options("channel")

    @group.command(name=names.name("subcommands.settings.log"), description=names.description("subcommands.settings.log"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    async def log(interaction: discord.Interaction, channel: Transform[Channel, Room] | None = None) -> None:
        guild_id = _guild(interaction)
        await interaction.response.defer(ephemeral=True)
        if channel is None:
            # The last line of a log says that it ends.
            await _write_down(services, interaction, said.log_off)
            await services.store.change_server(guild_id, log_channel_id=None)
            await interaction.followup.send(said.log_off(own_locale(services, interaction)), ephemeral=True)
            return
        line = partial(said.log, channel.id)
        if not await _write_down(services, interaction, line, channel.id):
            raise Refusal("settings.log_closed", id=channel.id)
        before = services.server(guild_id).log_channel_id
        await services.store.change_server(guild_id, log_channel_id=channel.id)
        if before not in (None, channel.id):
            await _write_down(services, interaction, line, before)
        await interaction.followup.send(line(own_locale(services, interaction)), ephemeral=True)

    async def done(interaction: discord.Interaction, line: Line) -> None:
        await _done(services, interaction, line)

    picks(services, names, autocomplete, group, done)
    panel(services, names, group, done)
    assert all(command.parent is group for command in (show, channel, language, defaults, log))
    return group


class _Said:
    """What is said of the settings, to moderators and in the log."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._say = services.texts.say

    def everything(self, guild_id: int, locale: str) -> Message:
        """All settings of a server."""
        server = self._services.server(guild_id)
        channels = [
            {
                "id": place,
                "mode": self._mode(channel.mode, locale) if channel.mode else "",
                "language": self._name(channel.language, locale),
            }
            for place, channel in sorted(server.channels.items())
        ]
        return self._services.texts.message(
            "settings.show",
            locale,
            language=self._name(server.language, locale),
            context=server.context,
            min_quality=server.min_quality,
            log_channel_id=server.log_channel_id,
            picks=server.picks,
            channels=channels[:MOST_CHANNELS],
            more=max(0, len(channels) - MOST_CHANNELS),
        )

    def channel(self, guild_id: int, channel_id: int, locale: str, asks: bool = False) -> str:
        """What holds in a channel; with ``asks``, also that something to change is missing."""
        held = self._services.server(guild_id).channel(channel_id)
        key = "settings.channel_asks" if asks else "settings.channel"
        return self._say(
            key, locale, id=channel_id, mode=self._mode(held.mode or Mode.FULL, locale), language=self._name(held.language, locale)
        )

    def language(self, guild_id: int, locale: str) -> str:
        """The language of public answers."""
        stated = self._services.server(guild_id).language
        return (
            self._say("settings.language", locale, language=self._name(stated, locale))
            if stated
            else self._say("settings.language_asker", locale)
        )

    def defaults(self, guild_id: int, locale: str) -> str:
        """What is taken for said."""
        held = self._services.server(guild_id)
        return self._say("settings.defaults", locale, context=held.context, min_quality=held.min_quality)

    def log(self, channel_id: int, locale: str) -> str:
        """Where changes are written down."""
        return self._say("settings.log", locale, id=channel_id)

    def log_off(self, locale: str) -> str:
        """That they are not any more."""
        return self._say("settings.log_off", locale)

    def _mode(self, mode: Mode, locale: str) -> str:
        return self._say(MODES[mode], locale)

    def _name(self, language: str | None, locale: str) -> str:
        """What a locale calls a language."""
        shown = BabelLocale.parse(self._services.locales.get(locale).babel)
        return (language and BabelLocale.parse(language, sep="-").get_display_name(shown)) or ""


async def _done(services: Services, interaction: discord.Interaction, line: Line, note: str | None = None) -> None:
    """Say what holds now, to whoever changed it and in the log."""
    locale = own_locale(services, interaction)
    sentences = [line(locale), services.texts.say(note, locale) if note else ""]
    await interaction.followup.send("\n".join(filter(None, sentences)), ephemeral=True)
    await _write_down(services, interaction, line)


async def _write_down(services: Services, interaction: discord.Interaction, line: Line, channel_id: int | None = None) -> bool:
    who = interaction.user.id
    return await write_down(
        interaction.client,
        services,
        _guild(interaction),
        lambda locale: services.texts.say("settings.logged", locale, who=who, what=line(locale)),
        channel_id,
    )


def _guild(interaction: discord.Interaction) -> int:
    """The server that a command was used in; the group has refused all others."""
    assert interaction.guild_id is not None
    return interaction.guild_id


def _taken_back(value: str | None, nothing: str) -> str | Unchanged | None:
    return UNCHANGED if value is None else None if value == nothing else value


def _languages(services: Services, names: Names) -> list[app_commands.Choice[str]]:
    """Every locale by its own name, and the asker's."""
    every = services.locales.by_code.items()
    own = [app_commands.Choice(name=str(locale.terms["locale"]["name"]), value=code) for code, locale in every]
    return [*names.choices("language"), *own]
