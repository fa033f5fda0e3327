"""The commands that the bot registered: who is offered which where, and what a client sends when one is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .command_limits import SLASH, SUB_COMMAND, SUB_COMMAND_GROUP, check_commands
from .errors import missing_access, unknown_command
from .limits import Json
from .state import Channel, Guild, Permission, User, World, snowflake

IN_GUILD, IN_BOT_DM, IN_PRIVATE = 0, 1, 2
GUILD_INSTALL, USER_INSTALL = 0, 1
STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE, NUMBER = 3, 4, 5, 6, 7, 8, 9, 10


class NotOffered(Exception):
    """Discord's client does not let this user do that: no such command or choice here, or not for them."""


class Commands:
    """What is registered, for all servers and for single ones."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.by_scope: dict[str | None, list[Json]] = {}
        self.installed_by: set[str] = set()
        """Ids of the users who installed the app for themselves."""

    def put(self, body: list[Json], guild: str | None) -> list[Json]:
        """Replace all commands of a scope. Raises ApiError for what Discord refuses."""
        self._check_scope(guild)
        check_commands(body)
        old = {(command["name"], command["type"]): command["id"] for command in self.by_scope.get(guild, [])}
        self.by_scope[guild] = [self._stored(command, guild, old) for command in body]
        return self.by_scope[guild]

    def post(self, body: Json, guild: str | None) -> Json:
        """Add one command, or replace the one of the same name and kind."""
        self._check_scope(guild)
        check_commands([body], at_root=True)
        commands = self.by_scope.setdefault(guild, [])
        old = {(command["name"], command["type"]): command["id"] for command in commands}
        stored = self._stored(body, guild, old)
        commands[:] = [command for command in commands if command["id"] != stored["id"]] + [stored]
        return stored

    def get(self, guild: str | None) -> list[Json]:
        self._check_scope(guild)
        return self.by_scope.get(guild, [])

    def one(self, guild: str | None, command_id: str) -> Json:
        for command in self.get(guild):
            if command["id"] == command_id:
                return command
        raise unknown_command()

    def delete(self, guild: str | None, command_id: str) -> None:
        self.by_scope[guild].remove(self.one(guild, command_id))

    def _check_scope(self, guild: str | None) -> None:
        if guild is not None and (guild not in self.world.guilds or not self.world.guilds[guild].has_bot):
            raise missing_access()

    def _stored(self, command: Json, guild: str | None, old: dict[tuple[str, int], str]) -> Json:
        kind = command.get("type", SLASH)
        needed = command.get("default_member_permissions")
        stored: Json = {
            "id": old.get((command["name"], kind)) or snowflake(),
            "application_id": self.world.application_id,
            "version": snowflake(),
            "type": kind,
            "name": command["name"],
            "name_localizations": command.get("name_localizations"),
            "description": command.get("description") or "",
            "description_localizations": command.get("description_localizations"),
            "default_member_permissions": None if needed is None else str(needed),
            "dm_permission": command.get("dm_permission", True),
            "contexts": command.get("contexts"),
            "integration_types": command.get("integration_types") or [GUILD_INSTALL],
            "nsfw": bool(command.get("nsfw")),
        }
        if kind == SLASH:
            stored["options"] = command.get("options") or []
        if guild:
            stored["guild_id"] = guild
        return stored

    def find(self, name: str, guild: Guild | None, kind: int = SLASH) -> Json:
        """A registered command by its plain name. Raises NotOffered."""
        for scope in (guild.id if guild else None, None):
            for command in self.by_scope.get(scope, []):
                if command["name"] == name and command["type"] == kind:
                    return command
        known = sorted(command["name"] for commands in self.by_scope.values() for command in commands)
        raise NotOffered(f"there is no command {name!r} here; registered: {', '.join(known)}")

    def context(self, channel: Channel) -> int:
        if channel.guild:
            return IN_GUILD
        return IN_BOT_DM if self.world.is_bot_dm(channel) else IN_PRIVATE

    def owners(self, channel: Channel, user: User) -> dict[str, str]:
        """On whose account the app is there: the guild's, the user's, or both."""
        owners: dict[str, str] = {}
        if channel.guild and channel.guild.has_bot:
            owners[str(GUILD_INSTALL)] = channel.guild.id
        elif self.world.is_bot_dm(channel):
            owners[str(GUILD_INSTALL)] = "0"
        if user.id in self.installed_by:
            owners[str(USER_INSTALL)] = user.id
        return owners

    def check_offered(self, command: Json, channel: Channel, user: User) -> None:
        """Raise NotOffered where Discord's client would not list a command for a user."""
        context, label = self.context(channel), f"/{command['name']}"
        if command["contexts"] is not None and context not in command["contexts"]:
            raise NotOffered(f"{label} is not meant for such a channel (context {context})")
        if context == IN_BOT_DM and command["contexts"] is None and not command["dm_permission"]:
            raise NotOffered(f"{label} is not meant for direct messages")
        if not any(int(kind) in command["integration_types"] for kind in self.owners(channel, user)):
            raise NotOffered(f"{label} is not installed here, neither by the server nor by {user.name}")
        if channel.guild is None:
            return
        mine = self.world.permissions(user, channel)
        if not mine & Permission.USE_APPLICATION_COMMANDS:
            raise NotOffered(f"{user.name} may not use commands in #{channel.name}")
        needed = command["default_member_permissions"]
        if (
            needed is not None
            and (mine & Permission.ADMINISTRATOR == 0)
            and (int(needed) == 0 or mine & int(needed) != int(needed))
        ):
            raise NotOffered(f"{user.name} lacks the permissions for {label}")

    def invocation(self, command: Json, path: list[str], values: Mapping[str, Any], *, focus: str | None, forced: bool) -> Json:
        """The `data` that a client sends for a command, down its subcommands, with values checked as the client does."""
        data: Json = {"id": command["id"], "name": command["name"], "type": command["type"]}
        if "guild_id" in command:
            data["guild_id"] = command["guild_id"]
        node, leaf = data, command
        for part in path:
            leaf = next((option for option in leaf.get("options") or [] if option["name"] == part), leaf)
            if leaf.get("name") != part or leaf["type"] not in (SUB_COMMAND, SUB_COMMAND_GROUP):
                raise NotOffered(f"/{command['name']} has no subcommand {part!r}")
            child: Json = {"name": part, "type": leaf["type"], "options": []}
            node["options"], node = [child], child
        known = {option["name"]: option for option in leaf.get("options") or []}
        given = {(key if key in known else key.replace("_", "-")): value for key, value in values.items()}
        if not forced:
            _check_given(known, given, focus)
        resolved: Json = {}
        node["options"] = [self._option(known.get(key), key, value, focus, resolved) for key, value in given.items()]
        if resolved:
            data["resolved"] = resolved
        return data

    def _option(self, known: Json | None, key: str, value: Any, focus: str | None, resolved: Json) -> Json:
        option: Json = {"name": key, "type": known["type"] if known else STRING, "value": value}
        if isinstance(value, User | Channel) or (option["type"] == ROLE and hasattr(value, "id")):
            option["value"] = value.id
            kind = {User: "users", Channel: "channels"}.get(type(value), "roles")
            shown = value.payload()
            if isinstance(value, Channel):
                shown["permissions"] = str(self.world.permissions(self.world.me, value))
            resolved.setdefault(kind, {})[value.id] = shown
        if key == focus:
            option["focused"] = True
        return option


def _check_given(known: dict[str, Json], given: dict[str, Any], focus: str | None) -> None:
    for key, value in given.items():
        if key not in known:
            raise NotOffered(f"there is no option {key!r}; there are {', '.join(known)}")
        option = known[key]
        if key == focus:
            if not option.get("autocomplete"):
                raise NotOffered(f"option {key!r} has no autocomplete")
            continue
        _check_value(option, value)
    missing = [key for key, option in known.items() if option.get("required") and key not in given and focus is None]
    if missing:
        raise NotOffered(f"required options are missing: {', '.join(missing)}")


def _check_value(option: Json, value: Any) -> None:
    kinds: dict[int, type | tuple[type, ...]] = {
        STRING: str,
        INTEGER: int,
        BOOLEAN: bool,
        USER: User,
        CHANNEL: Channel,
        NUMBER: (int, float),
    }
    name, expected = option["name"], kinds.get(option["type"], object)
    if not isinstance(value, expected) or (isinstance(value, bool) and option["type"] in (INTEGER, NUMBER)):
        raise NotOffered(f"option {name!r} does not take {value!r}")
    choices = option.get("choices")
    if choices and value not in [choice["value"] for choice in choices]:
        raise NotOffered(f"option {name!r} offers {[choice['value'] for choice in choices]}, not {value!r}")
    size = len(value) if isinstance(value, str) else value
    low = option.get("min_length" if isinstance(value, str) else "min_value")
    high = option.get("max_length" if isinstance(value, str) else "max_value")
    if isinstance(value, str) and high is None:
        high = 6000
    if (low is not None and size < low) or (high is not None and size > high):
        raise NotOffered(f"option {name!r} takes {low} to {high}, not {value!r}")
