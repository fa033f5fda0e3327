"""``/settings panel``: moderators put the panel up in a channel, where it is pinned, or take it away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import discord
from discord import app_commands
from discord.app_commands import Transform

from commands.errors import Refusal
from commands.moderation import Channel, Room
from commands.names import Names
from commands.panel import Panel
from commands.services import Services

Line = Callable[[str], str]
Done = Callable[[discord.Interaction[Any], Line], Awaitable[None]]


def panel(services: Services, names: Names, group: app_commands.Group, done: Done) -> None:
    """Add the command to ``group``; ``done`` says what holds now, to whoever changed it and in the log."""
    made = Panel(services, names)
    renamed, described = names.options("channel")

    @group.command(name=names.name("subcommands.settings.panel"), description=names.description("subcommands.settings.panel"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    async def command(interaction: discord.Interaction, channel: Transform[Channel, Room] | None = None) -> None:
        guild_id = interaction.guild_id
        assert guild_id is not None
        await interaction.response.defer(ephemeral=True)
        before = services.store.panel(guild_id)
        if channel is None:
            await services.store.set_panel(guild_id, None)
            await _take_away(interaction.client, before)
            await done(interaction, partial(services.texts.say, "settings.panel_none"))
            return
        message = await _put_up(interaction, services, made, channel.id)
        if message is None:
            raise Refusal("settings.panel_closed", id=channel.id)
        await services.store.set_panel(guild_id, (channel.id, message.id))
        # Only now, so that a server is never without the one that it had.
        await _take_away(interaction.client, before)
        key = "settings.panel" if await _pinned(message) else "settings.panel_loose"
        await done(interaction, partial(_said, services, key, channel.id))

    assert command.parent is group


def _said(services: Services, key: str, channel_id: int, locale: str) -> str:
    return services.texts.say(key, locale, id=channel_id)


async def _put_up(
    interaction: discord.Interaction[Any], services: Services, made: Panel, channel_id: int
) -> discord.Message | None:
    """The panel in a channel of the server, in its language; ``None`` where nothing can be said there."""
    guild = interaction.guild
    channel = guild.get_channel_or_thread(channel_id) if guild else None
    if guild is None or not isinstance(channel, discord.abc.Messageable):
        return None
    embed, buttons = made.message(services.locale_for(None, str(guild.preferred_locale), guild.id, channel_id))
    try:
        return await channel.send(embed=embed, view=buttons)
    except discord.HTTPException:
        return None


async def _pinned(message: discord.Message) -> bool:
    """Whether a message could be pinned: that takes a permission, and a channel holds so many and no more."""
    try:
        await message.pin()
    except discord.HTTPException:
        return False
    return True


async def _take_away(client: discord.Client, place: tuple[int, int] | None) -> None:
    """Delete a panel, where it is still there."""
    if place:
        with suppress(discord.HTTPException):
            await client.get_partial_messageable(place[0]).get_partial_message(place[1]).delete()
