"""What only moderators may do: who they are, the channels they name, and where what they did is written down."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import discord
from discord import AppCommandOptionType, ChannelType, app_commands
from discord.app_commands import AppCommandChannel, AppCommandContext, AppCommandThread, AppInstallationType

from commands.names import Names
from commands.services import Services

_LOG = logging.getLogger("rigcheck")
_SPOKEN_IN = [
    *(ChannelType.text, ChannelType.news, ChannelType.voice, ChannelType.stage_voice),
    *(ChannelType.public_thread, ChannelType.private_thread, ChannelType.news_thread),
]
Channel = AppCommandChannel | AppCommandThread


class ModeratorGroup(app_commands.Group):
    """Commands that take Manage Server: Discord hides them from everybody else, and they are refused to them here again."""

    def __init__(self, names: Names, key: str) -> None:
        super().__init__(
            name=names.name(f"commands.{key}"),
            description=names.description(f"commands.{key}"),
            default_permissions=discord.Permissions(manage_guild=True),
            allowed_contexts=AppCommandContext(guild=True, dm_channel=False, private_channel=False),
            allowed_installs=AppInstallationType(guild=True, user=False),
        )

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Whether a moderator of the server asks.

        Raises:
            MissingPermissions: where it is anybody else, or no server.
        """
        if not is_moderator(interaction):
            raise app_commands.MissingPermissions(["manage_guild"])
        return True


def is_moderator(interaction: discord.Interaction[Any]) -> bool:
    """Whether whoever used this may manage the server that they used it in."""
    allowed = interaction.permissions
    return interaction.guild_id is not None and (allowed.manage_guild or allowed.administrator)


class Room(app_commands.Transformer):
    """An option that takes a channel in which people can write, whether or not the bot sees it."""

    @property
    def type(self) -> AppCommandOptionType:
        """What Discord shows."""
        return AppCommandOptionType.channel

    @property
    def channel_types(self) -> list[ChannelType]:
        """What Discord offers."""
        return [*_SPOKEN_IN]

    async def transform(self, interaction: discord.Interaction[Any], value: Any, /) -> Channel:
        """The channel as it is."""
        return value


class RoomOrForum(Room):
    """The same, and forums, whose posts do as the forum does."""

    @property
    def channel_types(self) -> list[ChannelType]:
        """What Discord offers; its own document of commands knows no media channels."""
        return [*_SPOKEN_IN, ChannelType.forum]


async def write_down(
    client: discord.Client, services: Services, guild_id: int, line: Callable[[str], str], channel_id: int | None = None
) -> bool:
    """Write a line into the log channel of a server; whether it stands there.

    Args:
        client: the bot.
        services: tells the log channel and its language.
        guild_id: the server.
        line: the line in a locale.
        channel_id: a channel of the server to write to instead.
    """
    place = channel_id or services.server(guild_id).log_channel_id
    guild = client.get_guild(guild_id)
    # A channel is only written to where it is of that server.
    channel = guild.get_channel_or_thread(place) if guild and place else None
    if guild is None or not isinstance(channel, discord.abc.Messageable):
        return False
    locale = services.locale_for(None, str(guild.preferred_locale), guild_id, place)
    try:
        await channel.send(line(locale))
    except discord.HTTPException as error:
        _LOG.info("the log channel could not be written to", extra={"guild": guild_id, "status": error.status, "code": error.code})
        return False
    return True
