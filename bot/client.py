"""The client: what it hears of Discord, what it hands on, and how it starts."""

from __future__ import annotations

import asyncio
import logging
from math import isfinite
from typing import Any

import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from bot import lean
from bot.settings import Settings
from bot.shards import Part, ShardHealth, Shards
from bot.sync import sync
from commands.chat import Chat
from commands.items import PressButton, PressSelect
from commands.names import Names
from commands.presses import Presses
from commands.services import Services
from commands.store.database import Unwritable
from commands.translator import Translator
from commands.tree import Tree, fill

_LOG = logging.getLogger("rigcheck")
_BETWEEN_IDENTIFIES_S = 5.0
"""Discord's pause between two shards of one bucket."""


def intents(message_content: bool) -> discord.Intents:
    """What the client hears: servers, and messages where it is spoken to; the content of all others only where that is wanted."""
    return discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=message_content)


class Client(discord.AutoShardedClient):
    """The bot. Built with its collaborators; ``start`` logs it in."""

    def __init__(
        self,
        services: Services,
        names: Names,
        *,
        message_content: bool = False,
        announces: bool = True,
        part: Part | None = None,
        **options: Any,
    ) -> None:
        """Args:
        services: what everything that answers is handed.
        names: what commands and options are called.
        message_content: ask for the intent that question channels need.
        announces: tell Discord the commands at the start, where they have changed.
        part: the shards of this process; without it all that Discord recommends.
        options: the library's own.
        """
        if part:
            options |= {"shard_ids": part.ids, "shard_count": part.count}
        super().__init__(
            intents=intents(message_content),
            allowed_mentions=discord.AllowedMentions.none(),
            # Nothing is ever looked up in what was said or who is there.
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            **options,
        )
        self.services = services
        self.presses = Presses(services, names)
        self.tree = Tree(self, services)
        self.names = names
        self._announces = announces
        self._part = part
        self.shard_states = Shards()
        self._identifies_at: dict[int, float] = {}
        self._max_concurrency: int | None = None
        self.chat = Chat(self, services, names)
        lean.hear_only(self, {"MESSAGE_CREATE": self.chat.may_concern, "MESSAGE_UPDATE": self.chat.may_concern})
        fill(self.tree, services, names, services.forget_person)

    async def setup_hook(self) -> None:
        """Before the first connection: everything that answers is in place, and Discord knows of it."""
        await self.prepare()
        if self._announces and await sync(self.tree, self.names, self.services):
            _LOG.info("told Discord the commands")

    async def prepare(self) -> None:
        """Have ready what answers."""
        await self.tree.set_translator(Translator(self.names))
        self.add_dynamic_items(PressButton, PressSelect)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait no longer between two shards than Discord asks for: so many may begin at once, each in a bucket of its own."""
        if self._max_concurrency is None and (self.shard_count or 1) > 1:
            # Only who has more than one shard needs to know.
            _, _, limits = await self.http.get_bot_gateway()
            self._max_concurrency = int(limits["max_concurrency"])
        bucket = (shard_id or 0) % (self._max_concurrency or 1)
        now = asyncio.get_running_loop().time()
        turn = max(now, self._identifies_at.get(bucket, float("-inf")) + _BETWEEN_IDENTIFIES_S)
        # Taken before it has come, so that two shards never wait for the same moment.
        self._identifies_at[bucket] = turn
        if turn > now:
            await asyncio.sleep(turn - now)

    def own_shards(self) -> list[int]:
        """The shards of this process; none until it is known how many there are."""
        return self._part.ids if self._part else list(range(self.shard_count or 0))

    def shard_health(self) -> list[ShardHealth]:
        """How each shard of this process is."""
        states, known = self.shard_states, self.shards
        found: list[ShardHealth] = []
        for shard in self.own_shards():
            latency = known[shard].latency if shard in known else float("inf")
            found.append(ShardHealth(shard, states.up_s(shard), latency if isfinite(latency) else None, states.losses(shard)))
        return found

    async def on_shard_connect(self, shard_id: int) -> None:
        """A shard has begun a session."""
        self.shard_states.connected(shard_id)

    async def on_shard_resumed(self, shard_id: int) -> None:
        """A shard goes on with its session."""
        self.shard_states.connected(shard_id)

    async def on_shard_disconnect(self, shard_id: int) -> None:
        """A shard has lost its connection."""
        self.shard_states.lost(shard_id)

    async def on_ready(self) -> None:
        """All shards are connected."""
        _LOG.info("ready", extra={"guilds": len(self.guilds), "shards": len(self.own_shards())})
        present = {guild.id for guild in self.guilds}
        for guild_id in self.services.store.servers():
            if guild_id not in present and (self._part is None or self._part.hears_of(guild_id)):
                # Removed while nobody was listening.
                await self._forget(guild_id)

    async def on_message(self, message: discord.Message) -> None:
        """Somebody wrote something."""
        await self.chat.said(message)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """A message was edited, however long ago it was written."""
        await self.chat.edited(payload)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """A message was deleted."""
        await self.chat.deleted([payload.message_id])

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Moderators deleted many messages at once."""
        await self.chat.deleted(sorted(payload.message_ids))

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Whatever comes from a component or a form that the library knows nothing of."""
        if interaction.type in {discord.InteractionType.component, discord.InteractionType.modal_submit}:
            await self.presses.unclaimed(interaction)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot has left a server, or was removed from it: its settings are forgotten."""
        self.services.conversations.forget_channels(frozenset(channel.id for channel in (*guild.channels, *guild.threads)))
        await self._forget(guild.id)
        _LOG.info("left a server", extra={"guild": guild.id})

    async def _forget(self, guild_id: int) -> None:
        try:
            await self.services.store.forget(guild_id)
        except Unwritable as error:
            _LOG.warning("a server's settings are forgotten at the next start, since they cannot be now: %s", error)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """What was set for a channel goes with it."""
        await self._left(channel.guild.id, channel.id)

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """The same for a thread."""
        await self._left(payload.guild_id, payload.thread_id)

    async def _left(self, guild_id: int, channel_id: int) -> None:
        self.services.conversations.forget_channels(frozenset((channel_id,)))
        server = self.services.server(guild_id)
        if channel_id in server.channels or channel_id == server.log_channel_id:
            await self.services.store.forget_channel(guild_id, channel_id)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """An event that nobody waits for an answer to went wrong."""
        _LOG.exception("an event failed", extra={"event": event_method})


def point_at(settings: Settings) -> None:
    """Have the library talk to the addresses in the settings."""
    # The bot never speaks, so nobody needs to hear which packages that would take.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    lean.answer_unechoed()
    lean.read_broken_text()
    Route.BASE = settings.api_base
    if settings.gateway:
        DiscordWebSocket.DEFAULT_GATEWAY = URL(settings.gateway)
