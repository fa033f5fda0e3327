"""Tells the bot, by gateway events, what happened to messages where it can see."""

from __future__ import annotations

from typing import Any

from .gateway import DIRECT_MESSAGES, DIRECT_REACTIONS, GUILD_MESSAGES, GUILD_REACTIONS, MESSAGE_CONTENT, Gateway, NotConnected
from .limits import EPHEMERAL
from .messages import Messages
from .state import Channel, Permission, User, World

Json = dict[str, Any]


class Announcer:
    """Nothing is told of ephemeral messages, of channels that the bot may not see, and of other people's conversations."""

    def __init__(self, world: World, messages: Messages, gateway: Gateway) -> None:
        self.world, self.messages, self.gateway = world, messages, gateway

    def said(self, message: Json) -> None:
        self._message("MESSAGE_CREATE", message)

    def edited(self, message: Json) -> None:
        self._message("MESSAGE_UPDATE", message)

    def deleted(self, message: Json) -> None:
        channel = self.world.channels[message["channel_id"]]
        if message["flags"] & EPHEMERAL or not self._sees(channel):
            return
        data: Json = {"id": message["id"], "channel_id": channel.id}
        if channel.guild:
            data["guild_id"] = channel.guild.id
        self.gateway.tell(channel.guild, GUILD_MESSAGES if channel.guild else DIRECT_MESSAGES, "MESSAGE_DELETE", data)

    def reacted(self, message: Json, user: User, emoji: Json, *, added: bool) -> None:
        channel = self.world.channels[message["channel_id"]]
        if not self._sees(channel):
            return
        data: Json = {"user_id": user.id, "channel_id": channel.id, "message_id": message["id"], "emoji": emoji}
        data |= {"burst": False, "type": 0}
        if added:
            data["message_author_id"] = message["author"]["id"]
        if channel.guild:
            data["guild_id"] = channel.guild.id
            if added:
                data["member"] = channel.guild.member(user)
        event = "MESSAGE_REACTION_ADD" if added else "MESSAGE_REACTION_REMOVE"
        self.gateway.tell(channel.guild, GUILD_REACTIONS if channel.guild else DIRECT_REACTIONS, event, data)

    def _message(self, event: str, message: Json) -> None:
        channel = self.world.channels[message["channel_id"]]
        if message["flags"] & EPHEMERAL or not self._sees(channel):
            return
        try:
            intents = self.gateway.session(channel.guild).intents
        except NotConnected:
            return
        shown = self.messages.event(message, may_read=bool(intents & MESSAGE_CONTENT))
        self.gateway.tell(channel.guild, GUILD_MESSAGES if channel.guild else DIRECT_MESSAGES, event, shown)

    def _sees(self, channel: Channel) -> bool:
        if channel.guild is None:
            return self.world.is_bot_dm(channel)
        return channel.guild.has_bot and bool(self.world.permissions(self.world.me, channel) & Permission.VIEW_CHANNEL)
