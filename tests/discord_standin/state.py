"""The world that the bot lives in: users, guilds with roles and channels, direct messages, and who may do what where."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from typing import Any

EPOCH_MS = 1_420_070_400_000
JOINED_AT = "2026-01-01T00:00:00+00:00"


class Permission:
    """The permissions that matter to a bot which answers questions, by Discord's bit numbers.

    Plain numbers, and no IntFlag: they are looked at several times for every message, in measurements too.
    """

    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_EXTERNAL_EMOJIS = 1 << 18
    USE_APPLICATION_COMMANDS = 1 << 31
    PIN_MESSAGES = 1 << 51


EVERYONE = (
    Permission.ADD_REACTIONS
    | Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.USE_APPLICATION_COMMANDS
)
IN_A_DM = EVERYONE | Permission.MENTION_EVERYONE | Permission.USE_EXTERNAL_EMOJIS
ALL = (1 << 53) - 1

TEXT, DM, GROUP = 0, 1, 3

_counter = itertools.count(1)


def snowflake(shard: int | None = None, shard_count: int = 1) -> str:
    """A fresh id; with `shard`, one that Discord's formula, (id >> 22) % shard_count, sends to that shard."""
    milliseconds = int(time.time() * 1000) - EPOCH_MS
    if shard is not None:
        milliseconds += (shard - milliseconds) % shard_count
    return str((milliseconds << 22) | (next(_counter) & 0x3FFFFF))


@dataclass(eq=False)
class User:
    """Somebody with a Discord account, and the language that their client is set to."""

    id: str
    name: str
    locale: str = "en-US"
    bot: bool = False
    accepts_dms: bool = True

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"

    def payload(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "username": self.name,
            "global_name": None if self.bot else self.name.capitalize(),
            "discriminator": "0",
            "avatar": None,
            "avatar_decoration_data": None,
            "collectibles": None,
            "primary_guild": None,
            "banner": None,
            "accent_color": None,
            "bot": self.bot,
            "system": False,
            "public_flags": 0,
            "flags": 0,
        }


@dataclass(eq=False)
class Role:
    """A role of a guild. The one with the guild's own id is @everyone."""

    id: str
    name: str
    permissions: int
    position: int

    def payload(self) -> dict[str, Any]:
        colours = {"primary_color": 0, "secondary_color": None, "tertiary_color": None}
        return {
            "id": self.id,
            "name": self.name,
            "permissions": str(self.permissions),
            "position": self.position,
            "color": 0,
            "colors": colours,
            "hoist": False,
            "managed": False,
            "mentionable": False,
            "description": None,
            "icon": None,
            "unicode_emoji": None,
            "flags": 0,
        }


@dataclass(eq=False)
class Channel:
    """A text channel of a guild, a direct message, or a group of people (the private channels of user installs)."""

    id: str
    type: int
    name: str = ""
    guild: Guild | None = None
    recipients: list[User] = field(default_factory=list)
    overwrites: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """By role or user id: kind (0 role, 1 member), what is allowed, what is denied."""

    def payload(self) -> dict[str, Any]:
        """As a guild's channel list, or for a private channel as the bot sees it."""
        if self.guild is None:
            group = {"owner_id": self.recipients[0].id, "name": self.name or None, "icon": None} if self.type == GROUP else {}
            people = [user.payload() for user in self.recipients]
            return {"id": self.id, "type": self.type, "recipients": people, "last_message_id": None, "flags": 0} | group
        overwrites = [
            {"id": key, "type": kind, "allow": str(allow), "deny": str(deny)}
            for key, (kind, allow, deny) in self.overwrites.items()
        ]
        return {
            "id": self.id,
            "type": self.type,
            "guild_id": self.guild.id,
            "name": self.name,
            "position": self.guild.channels.index(self) if self in self.guild.channels else 0,
            "permission_overwrites": overwrites,
            "nsfw": False,
            "parent_id": None,
            "topic": None,
            "flags": 0,
            "last_message_id": None,
            "rate_limit_per_user": 0,
        }


@dataclass(eq=False)
class Guild:
    """A server. `has_bot` is false where only some of its members have installed the app for themselves."""

    id: str
    name: str
    locale: str
    owner: User
    has_bot: bool = True
    roles: dict[str, Role] = field(default_factory=dict)
    channels: list[Channel] = field(default_factory=list)
    members: dict[str, set[str]] = field(default_factory=dict)
    """By user id: the ids of the roles that the member has."""
    users: dict[str, User] = field(default_factory=dict)

    def permissions(self, user: User, channel: Channel | None = None) -> int:
        """What a member may do, in a channel where one is given, by Discord's order of precedence."""
        if user is self.owner:
            return ALL
        mine = self.members.get(user.id, set())
        value = self.roles[self.id].permissions
        for role in mine:
            value |= self.roles[role].permissions
        if value & Permission.ADMINISTRATOR:
            return ALL
        if channel is not None:
            value = self._overwritten(value, channel, user, mine)
        return value

    def _overwritten(self, value: int, channel: Channel, user: User, mine: set[str]) -> int:
        everyone = channel.overwrites.get(self.id)
        if everyone:
            value = value & ~everyone[2] | everyone[1]
        rules = [channel.overwrites[role] for role in mine if role in channel.overwrites]
        for _, _, deny in rules:
            value &= ~deny
        for _, allow, _ in rules:
            value |= allow
        own = channel.overwrites.get(user.id)
        if own:
            value = value & ~own[2] | own[1]
        # Whoever does not see a channel can do nothing in it.
        return value if value & Permission.VIEW_CHANNEL else 0

    def member(self, user: User, channel: Channel | None = None, *, with_user: bool = True) -> dict[str, Any]:
        """The member object; with a channel, also the permissions there, as interactions carry them."""
        payload: dict[str, Any] = {
            "roles": sorted(self.members.get(user.id, set())),
            "joined_at": JOINED_AT,
            "premium_since": None,
            "communication_disabled_until": None,
            "deaf": False,
            "mute": False,
            "pending": False,
            "flags": 0,
            "nick": None,
            "avatar": None,
            "banner": None,
        }
        if with_user:
            payload["user"] = user.payload()
        if channel is not None:
            payload["permissions"] = str(self.permissions(user, channel))
        return payload

    def partial(self) -> dict[str, Any]:
        return {"id": self.id, "locale": self.locale, "features": []}

    def payload(self) -> dict[str, Any]:
        """The guild object of the REST API."""
        nothing = (
            "icon splash banner description discovery_splash afk_channel_id system_channel_id rules_channel_id home_header "
            "public_updates_channel_id safety_alerts_channel_id application_id vanity_url_code widget_channel_id"
        )
        return dict.fromkeys(nothing.split()) | {
            "id": self.id,
            "name": self.name,
            "owner_id": self.owner.id,
            "preferred_locale": self.locale,
            "region": "deprecated",
            "roles": [role.payload() for role in self.roles.values()],
            "emojis": [],
            "stickers": [],
            "features": [],
            "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "mfa_level": 0,
            "premium_tier": 0,
            "premium_subscription_count": 0,
            "premium_progress_bar_enabled": False,
            "nsfw": False,
            "nsfw_level": 0,
            "system_channel_flags": 0,
            "afk_timeout": 300,
            "widget_enabled": False,
            "max_members": 500_000,
            "max_presences": None,
            "max_video_channel_users": 25,
            "max_stage_video_channel_users": 50,
        }

    def creation(self, me: User) -> dict[str, Any]:
        """What GUILD_CREATE says: of a guild's members only the bot itself, as without the members intent."""
        return self.payload() | {
            "joined_at": JOINED_AT,
            "large": False,
            "unavailable": False,
            "member_count": len(self.members),
            "channels": [channel.payload() for channel in self.channels],
            "members": [self.member(me)],
            **{key: [] for key in ("threads", "presences", "voice_states", "stage_instances")},
            **{key: [] for key in ("guild_scheduled_events", "soundboard_sounds")},
        }


class World:
    """Everything that exists, without anything that happens."""

    def __init__(self, bot_name: str, shard_count: int) -> None:
        self.shard_count = shard_count
        self.application_id = snowflake()
        # For applications made since 2017 the bot's user has the application's id.
        self.me = User(self.application_id, bot_name, bot=True)
        self.users: dict[str, User] = {self.me.id: self.me}
        self.guilds: dict[str, Guild] = {}
        self.channels: dict[str, Channel] = {}
        self._dms: dict[str, Channel] = {}

    def add_user(self, name: str, locale: str = "en-US", *, guilds: list[Guild] | None = None) -> User:
        """Somebody new, a member of the guilds given, or of all that there are."""
        user = User(snowflake(), name, locale)
        self.users[user.id] = user
        for guild in self.guilds.values() if guilds is None else guilds:
            self.join(guild, user)
        return user

    def add_guild(self, name: str, locale: str = "en-US", *, shard: int | None = None, has_bot: bool = True) -> Guild:
        """A guild with an owner and one channel, #general; whoever exists already is a member."""
        owner = self.add_user(f"{name.lower().replace(' ', '-')}-owner", guilds=[])
        guild = Guild(snowflake(shard, self.shard_count), name, locale, owner, has_bot)
        guild.roles[guild.id] = Role(guild.id, "@everyone", EVERYONE, 0)
        for user in self.users.values():
            if not user.bot:
                self.join(guild, user)
        if has_bot:
            self.join(guild, self.me)
        self.guilds[guild.id] = guild
        self.add_channel(guild, "general")
        return guild

    def join(self, guild: Guild, user: User) -> None:
        guild.members.setdefault(user.id, set())
        guild.users[user.id] = user

    def add_channel(self, guild: Guild, name: str) -> Channel:
        channel = Channel(snowflake(), TEXT, name, guild)
        guild.channels.append(channel)
        self.channels[channel.id] = channel
        return channel

    def add_private_channel(self, *people: User) -> Channel:
        """A conversation that the bot has no part in: of two people, or a group of more."""
        channel = Channel(snowflake(), GROUP if len(people) > 2 else DM, recipients=list(people))
        self.channels[channel.id] = channel
        return channel

    def add_role(self, guild: Guild, name: str, permissions: int, *members: User) -> Role:
        role = Role(snowflake(), name, permissions, len(guild.roles))
        guild.roles[role.id] = role
        for user in members:
            guild.members[user.id].add(role.id)
        return role

    def dm(self, user: User) -> Channel:
        """The direct messages between the bot and somebody."""
        if user.id not in self._dms:
            channel = self._dms[user.id] = Channel(snowflake(), DM, recipients=[user])
            self.channels[channel.id] = channel
        return self._dms[user.id]

    def is_bot_dm(self, channel: Channel) -> bool:
        return channel.type == DM and len(channel.recipients) == 1

    def permissions(self, user: User, channel: Channel) -> int:
        """What somebody may do in a channel, private ones included."""
        if channel.guild is None:
            return IN_A_DM
        return channel.guild.permissions(user, channel) if user.id in channel.guild.members else 0

    def shard_of(self, channel: Channel, shard_count: int) -> int:
        """Which shard hears of a channel; private ones all go to the first."""
        return (int(channel.guild.id) >> 22) % shard_count if channel.guild else 0
