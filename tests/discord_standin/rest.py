"""The routes of the REST API that a bot uses, and what they do. Each refuses by raising ApiError."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from . import errors
from .announce import Announcer
from .commands import Commands
from .errors import ApiError
from .gateway import MESSAGE_CONTENT, Gateway, application_flags, own_user
from .interactions import Desk
from .limits import EPHEMERAL, Json
from .messages import Messages, Upload
from .state import Channel, Guild, Permission, World


class Request(NamedTuple):
    """What a route gets to see."""

    body: Any
    files: Sequence[Upload]
    query: Any


Answer = tuple[int, Any]


class Rest:
    """One method for each route, named in ROUTES. Everything is done at once: no two requests see each other half done."""

    def __init__(
        self, world: World, messages: Messages, commands: Commands, gateway: Gateway, desk: Desk, announcer: Announcer
    ) -> None:
        self.world, self.messages, self.commands = world, messages, commands
        self.gateway, self.desk, self.announcer = gateway, desk, announcer
        self.sent: list[Json] = []
        """The messages that the bot sent outside of interactions, in order."""

    # The application

    def me(self, _: Request) -> Answer:
        return 200, own_user(self.world)

    def application(self, _: Request) -> Answer:
        flags = application_flags(self.gateway.settings.allowed_intents)
        nothing = ("icon", "team", "interactions_endpoint_url", "role_connections_verification_url")
        return 200, dict.fromkeys(nothing) | {
            "id": self.world.application_id,
            "type": None,
            "name": self.world.me.name,
            "description": "",
            "summary": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "verify_key": "0" * 64,
            "flags": flags,
            "flags_new": str(flags),
            "hook": True,
            "redirect_uris": [],
            "rpc_origins": [],
            "eligible_oauth2_scopes": [],
            "event_webhooks_status": 1,
            "explicit_content_filter": 0,
            "integration_types_config": {"0": {}, "1": {}},
            "approximate_guild_count": len(self.world.guilds),
            "approximate_user_install_count": len(self.commands.installed_by),
            "approximate_user_authorization_count": 0,
            "owner": own_user(self.world),
            "bot": self.world.me.payload(),
        }

    def gateway_url(self, _: Request) -> Answer:
        return 200, {"url": self.gateway.url}

    def gateway_bot(self, _: Request) -> Answer:
        limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": self.gateway.settings.max_concurrency}
        return 200, {"url": self.gateway.url, "shards": self.world.shard_count, "session_start_limit": limit}

    def put_commands(self, request: Request, app: str, guild: str | None = None) -> Answer:
        self._own(app)
        return 200, self.commands.put(request.body, guild)

    def post_command(self, request: Request, app: str, guild: str | None = None) -> Answer:
        self._own(app)
        return 201, self.commands.post(request.body, guild)

    def get_commands(self, _: Request, app: str, guild: str | None = None) -> Answer:
        self._own(app)
        return 200, self.commands.get(guild)

    def get_command(self, _: Request, app: str, command: str, guild: str | None = None) -> Answer:
        self._own(app)
        return 200, self.commands.one(guild, command)

    def delete_command(self, _: Request, app: str, command: str, guild: str | None = None) -> Answer:
        self._own(app)
        self.commands.delete(guild, command)
        return 204, None

    def _own(self, app: str) -> None:
        if app != self.world.application_id:
            raise ApiError(403, 20012, "You are not authorized to perform this action on this application")

    # Interactions

    def callback(self, request: Request, interaction: str, token: str) -> Answer:
        asked = str(request.query.get("with_response", "")).lower() in ("1", "true")
        answer = self.desk.callback(interaction, token, request.body, request.files, with_response=asked)
        return (200, answer) if asked else (204, None)

    def follow_up(self, request: Request, app: str, token: str) -> Answer:
        return 200, self.desk.follow_up(app, token, request.body, request.files)

    def edit_answer(self, request: Request, app: str, token: str, message: str) -> Answer:
        return 200, self.desk.edit(app, token, message, request.body, request.files)

    def get_answer(self, _: Request, app: str, token: str, message: str) -> Answer:
        return 200, self.desk.get(app, token, message)

    def delete_answer(self, _: Request, app: str, token: str, message: str) -> Answer:
        self.desk.delete(app, token, message)
        return 204, None

    # Messages

    def _channel(self, key: str, *needed: int) -> Channel:
        """A channel that the bot can see, and in which it may do what is needed."""
        channel = self.world.channels.get(key)
        if channel is None:
            raise errors.unknown_channel()
        if channel.guild is None:
            if not self.world.is_bot_dm(channel):
                raise errors.missing_access()
            return channel
        mine = self.world.permissions(self.world.me, channel)
        if not channel.guild.has_bot or not mine & Permission.VIEW_CHANNEL:
            raise errors.missing_access()
        if any(not mine & permission for permission in needed):
            raise errors.missing_permissions()
        return channel

    def send(self, request: Request, channel: str) -> Answer:
        needed = [Permission.SEND_MESSAGES]
        if request.body.get("embeds"):
            needed.append(Permission.EMBED_LINKS)
        if request.files:
            needed.append(Permission.ATTACH_FILES)
        place = self._channel(channel, *needed)
        if place.guild is None and not place.recipients[0].accepts_dms:
            raise errors.cannot_dm()
        reads = self.world.permissions(self.world.me, place) & Permission.READ_MESSAGE_HISTORY
        if request.body.get("message_reference") and not reads:
            raise errors.history_needed()
        body = request.body | {"flags": (request.body.get("flags") or 0) & ~EPHEMERAL}
        extra = {"nonce": body["nonce"]} if body.get("nonce") else {}
        if extra and body.get("enforce_nonce"):
            # Who asks twice for the same message, because the answer to the first time was lost, gets the same one.
            for sent in reversed(self.sent[-_NONCES_KEPT:]):
                if sent.get("nonce") == body["nonce"] and sent["channel_id"] == place.id:
                    return 200, sent
        message = self.messages.create(place, self.world.me, body, request.files, extra=extra)
        self.sent.append(message)
        self.announcer.said(message)
        return 200, message

    def edit(self, request: Request, channel: str, message: str) -> Answer:
        self._channel(channel)
        found = self.messages.find(channel, message)
        if found["author"]["id"] != self.world.me.id:
            raise errors.not_the_author()
        self.messages.edit(found, request.body, request.files)
        self.announcer.edited(found)
        return 200, found

    def delete(self, _: Request, channel: str, message: str) -> Answer:
        place = self._channel(channel)
        found = self.messages.find(channel, message)
        if found["author"]["id"] != self.world.me.id:
            if place.guild is None:
                raise errors.wrong_in_a_dm()
            self._channel(channel, Permission.MANAGE_MESSAGES)
        self.messages.delete(found)
        self.announcer.deleted(found)
        return 204, None

    def get_message(self, _: Request, channel: str, message: str) -> Answer:
        self._channel(channel, Permission.READ_MESSAGE_HISTORY)
        return 200, self._shown(self.messages.find(channel, message))

    def history(self, request: Request, channel: str) -> Answer:
        self._channel(channel, Permission.READ_MESSAGE_HISTORY)
        before, after = int(request.query.get("before", 1 << 63)), int(request.query.get("after", 0))
        all_here = [
            message
            for message in reversed(self.messages.by_id.values())
            if message["channel_id"] == channel and not message["flags"] & EPHEMERAL and after < int(message["id"]) < before
        ]
        return 200, [self._shown(message) for message in all_here[: int(request.query.get("limit", 50))]]

    def _shown(self, message: Json) -> Json:
        return self.messages.for_bot(message, may_read=bool(self.gateway.settings.allowed_intents & MESSAGE_CONTENT))

    def typing(self, _: Request, channel: str) -> Answer:
        self._channel(channel, Permission.SEND_MESSAGES)
        return 204, None

    def react(self, _: Request, channel: str, message: str, emoji: str) -> Answer:
        self._channel(channel, Permission.READ_MESSAGE_HISTORY, Permission.ADD_REACTIONS)
        found = self.messages.find(channel, message)
        shown = self.messages.react(found, self.world.me, unquote(emoji))
        self.announcer.reacted(found, self.world.me, shown, added=True)
        return 204, None

    def unreact(self, _: Request, channel: str, message: str, emoji: str) -> Answer:
        self._channel(channel)
        found = self.messages.find(channel, message)
        shown = self.messages.unreact(found, self.world.me, unquote(emoji))
        self.announcer.reacted(found, self.world.me, shown, added=False)
        return 204, None

    def pin(self, _: Request, channel: str, message: str) -> Answer:
        self._channel(channel, Permission.READ_MESSAGE_HISTORY, Permission.PIN_MESSAGES)
        found = self.messages.find(channel, message)
        found["pinned"] = True
        self.announcer.edited(found)
        return 204, None

    # Places and people

    def get_channel(self, _: Request, channel: str) -> Answer:
        return 200, self._channel(channel).payload()

    def open_dm(self, request: Request) -> Answer:
        user = self.world.users.get(str(request.body.get("recipient_id")))
        if user is None or user.bot:
            raise errors.unknown_user()
        return 200, self.world.dm(user).payload()

    def get_user(self, _: Request, user: str) -> Answer:
        if user not in self.world.users:
            raise errors.unknown_user()
        return 200, self.world.users[user].payload()

    def get_guild(self, _: Request, guild: str) -> Answer:
        return 200, self._guild(guild).payload()

    def get_channels(self, _: Request, guild: str) -> Answer:
        return 200, [channel.payload() for channel in self._guild(guild).channels]

    def get_member(self, _: Request, guild: str, user: str) -> Answer:
        found = self._guild(guild)
        if user not in found.users:
            raise errors.unknown_member()
        return 200, found.member(found.users[user])

    def _guild(self, key: str) -> Guild:
        guild = self.world.guilds.get(key)
        if guild is None or not guild.has_bot:
            raise errors.unknown_guild()
        return guild


_NONCES_KEPT = 100
"""Messages among which one that was asked for twice is looked for; with Discord it is those of some minutes."""
ROUTES = (  # those of the busiest hours first
    ("POST", "interactions/{interaction}/{token}/callback", "callback"),
    ("POST", "webhooks/{app}/{token}", "follow_up"),
    ("PATCH", "webhooks/{app}/{token}/messages/{message}", "edit_answer"),
    ("GET", "webhooks/{app}/{token}/messages/{message}", "get_answer"),
    ("DELETE", "webhooks/{app}/{token}/messages/{message}", "delete_answer"),
    ("POST", "channels/{channel}/messages", "send"),
    ("GET", "channels/{channel}/messages", "history"),
    ("GET", "channels/{channel}/messages/{message}", "get_message"),
    ("PATCH", "channels/{channel}/messages/{message}", "edit"),
    ("DELETE", "channels/{channel}/messages/{message}", "delete"),
    ("PUT", "channels/{channel}/messages/pins/{message}", "pin"),
    ("PUT", "channels/{channel}/messages/{message}/reactions/{emoji}/@me", "react"),
    ("DELETE", "channels/{channel}/messages/{message}/reactions/{emoji}/@me", "unreact"),
    ("POST", "channels/{channel}/typing", "typing"),
    ("GET", "channels/{channel}", "get_channel"),
    ("GET", "users/@me", "me"),
    ("POST", "users/@me/channels", "open_dm"),
    ("GET", "users/{user}", "get_user"),
    ("GET", "guilds/{guild}", "get_guild"),
    ("GET", "guilds/{guild}/channels", "get_channels"),
    ("GET", "guilds/{guild}/members/{user}", "get_member"),
    ("GET", "oauth2/applications/@me", "application"),
    ("GET", "applications/@me", "application"),
    ("GET", "gateway", "gateway_url"),
    ("GET", "gateway/bot", "gateway_bot"),
    ("PUT", "applications/{app}/commands", "put_commands"),
    ("POST", "applications/{app}/commands", "post_command"),
    ("GET", "applications/{app}/commands", "get_commands"),
    ("GET", "applications/{app}/commands/{command}", "get_command"),
    ("DELETE", "applications/{app}/commands/{command}", "delete_command"),
    ("PUT", "applications/{app}/guilds/{guild}/commands", "put_commands"),
    ("POST", "applications/{app}/guilds/{guild}/commands", "post_command"),
    ("GET", "applications/{app}/guilds/{guild}/commands", "get_commands"),
    ("GET", "applications/{app}/guilds/{guild}/commands/{command}", "get_command"),
    ("DELETE", "applications/{app}/guilds/{guild}/commands/{command}", "delete_command"),
)
