"""What people do: talk, use commands and menus, press buttons, fill in forms. Each waits for the bot's answer.

Discord's client lets people do only what they are offered; so does this, and raises NotOffered. With `forced=True` it sends the
same thing all the same, as a hand-made request would.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .announce import Announcer
from .command_limits import MESSAGE_MENU, USER_MENU
from .commands import Commands, NotOffered
from .gateway import Gateway
from .interactions import AUTOCOMPLETE, COMMAND, COMPONENT, MODAL_SUBMIT, Desk, Interaction, NotAnswered, submitted
from .limits import EPHEMERAL, Json, walk
from .messages import Messages
from .server import Server
from .state import Channel, Guild, Permission, User, World

Place = Guild | Channel | None
"""A guild stands for its first channel, None for the user's direct messages with the bot."""

HEARTBEATS_TO_SETTLE = 3


class People:
    """The users' side of a StandIn."""

    world: World
    messages: Messages
    commands: Commands
    gateway: Gateway
    desk: Desk
    announcer: Announcer
    server: Server
    sent: list[Json]

    def channel(self, place: Place, user: User) -> Channel:
        """The channel that a place stands for."""
        if isinstance(place, Channel):
            return place
        return self.world.dm(user) if place is None else place.channels[0]

    # Commands

    async def slash(
        self, place: Place, user: User, name: str, /, *, wait: bool = True, forced: bool = False, **options: Any
    ) -> Interaction:
        """Use a command by its plain name ("settings show"); `min_quant=` fills the option min-quant. Returns once answered."""
        word, *path = name.split()
        channel = self.channel(place, user)
        command = self.commands.find(word, channel.guild)
        if not forced:
            self.commands.check_offered(command, channel, user)
        data = self.commands.invocation(command, path, options, focus=None, forced=forced)
        return await self._send(COMMAND, user, channel, name, data, wait=wait)

    async def autocomplete(self, place: Place, user: User, name: str, option: str, typed: Any, /, **filled: Any) -> list[Json]:
        """Type into an option; returns the choices that the bot offers."""
        interaction = await self.start_autocomplete(place, user, name, option, typed, **filled)
        await self._answered(interaction)
        return interaction.choices or []

    async def start_autocomplete(
        self, place: Place, user: User, name: str, option: str, typed: Any, /, **filled: Any
    ) -> Interaction:
        """Type into an option without waiting for the choices."""
        word, *path = name.split()
        channel = self.channel(place, user)
        command = self.commands.find(word, channel.guild)
        self.commands.check_offered(command, channel, user)
        data = self.commands.invocation(command, path, {**filled, option: typed}, focus=option, forced=False)
        interaction = self._new(AUTOCOMPLETE, user, channel, name, data)
        node = data
        while node["options"] and "options" in node["options"][0]:
            node = node["options"][0]
        interaction.focused_type = next(given["type"] for given in node["options"] if given.get("focused"))
        self.desk.send(interaction)
        return interaction

    async def message_menu(
        self, message: Json, user: User, name: str, /, *, wait: bool = True, forced: bool = False
    ) -> Interaction:
        """Use a command of a message's menu."""
        channel = self.world.channels[message["channel_id"]]
        command = self.commands.find(name, channel.guild, MESSAGE_MENU)
        if not forced:
            self.commands.check_offered(command, channel, user)
        data = {"id": command["id"], "name": name, "type": MESSAGE_MENU, "target_id": message["id"]}
        data["resolved"] = {"messages": {message["id"]: message}}
        return await self._send(COMMAND, user, channel, name, data, wait=wait)

    async def user_menu(self, place: Place, user: User, name: str, target: User, /, *, wait: bool = True) -> Interaction:
        """Use a command of a member's menu."""
        channel = self.channel(place, user)
        command = self.commands.find(name, channel.guild, USER_MENU)
        self.commands.check_offered(command, channel, user)
        resolved: Json = {"users": {target.id: target.payload()}}
        if channel.guild:
            resolved["members"] = {target.id: channel.guild.member(target, channel, with_user=False)}
        data = {"id": command["id"], "name": name, "type": USER_MENU, "target_id": target.id, "resolved": resolved}
        return await self._send(COMMAND, user, channel, name, data, wait=wait)

    # Components and forms

    async def press(self, message: Json, user: User, custom_id: str, /, *, wait: bool = True, forced: bool = False) -> Interaction:
        """Press a button. Forced, also one that the message does not have: of an older version, say, or made up."""
        component = self._component(message, user, custom_id, forced=forced)
        data: Json = {"custom_id": custom_id, "component_type": component["type"], "id": component.get("id", 0)}
        return await self._press(message, user, data, component, wait=wait)

    async def select(
        self, message: Json, user: User, custom_id: str, values: Sequence[str], /, *, wait: bool = True, forced: bool = False
    ) -> Interaction:
        """Choose from a menu."""
        component = self._component(message, user, custom_id, forced=forced, kind=3)
        offered = [option["value"] for option in component.get("options") or []]
        low, high = component.get("min_values", 1), component.get("max_values", 1)
        if not forced and (not set(values) <= set(offered) or not low <= len(values) <= high):
            raise NotOffered(f"{custom_id} offers {offered}, {low} to {high} of them, not {list(values)}")
        data: Json = {"custom_id": custom_id, "component_type": component["type"], "id": component.get("id", 0)}
        return await self._press(message, user, data | {"values": list(values)}, component, wait=wait)

    async def submit(
        self, shown: Interaction, values: Mapping[str, Any] | None = None, /, *, wait: bool = True, **more: Any
    ) -> Interaction:
        """Fill in the form that the bot answered with, by the inputs' custom_ids, and send it off."""
        if shown.modal is None:
            raise NotOffered(f"{shown.name} was not answered by a form")
        filled = {**(values or {}), **more}
        known = {part["custom_id"] for part in walk(shown.modal["components"]) if part.get("custom_id")}
        if not filled.keys() <= known:
            raise NotOffered(f"the form has {sorted(known)}, not {sorted(filled.keys() - known)}")
        data: Json = {"custom_id": shown.modal["custom_id"], "components": submitted(shown.modal, filled)}
        interaction = self._new(MODAL_SUBMIT, shown.user, shown.channel, data["custom_id"], data)
        interaction.source, interaction.origin = shown.source, shown
        return await self._dispatch(interaction, wait=wait)

    async def forge(
        self, place: Place, user: User, kind: int, data: Json, /, *, message: Json | None = None, wait: bool = True
    ) -> Interaction:
        """Send an interaction that no client of Discord would send, with any data."""
        channel = self.channel(place, user)
        name = str(data.get("name") or data.get("custom_id"))
        return await self._send(kind, user, channel, name, data, source=message, wait=wait)

    def age(self, interaction: Interaction, seconds: float) -> None:
        """Make an interaction older than it is, to see what happens after 3 seconds or 15 minutes."""
        interaction.created -= seconds

    # Talk

    async def say(self, place: Place, user: User, text: str, /, *, reply_to: Json | None = None, ping: bool = True) -> Json:
        """Write a message, as a reply where one is given; returns it at once."""
        channel = self.channel(place, user)
        mine = self.world.permissions(user, channel)
        if not mine & Permission.SEND_MESSAGES:
            raise NotOffered(f"{user.name} may not write in #{channel.name}")
        parse = ["users", "roles"] + (["everyone"] if mine & Permission.MENTION_EVERYONE else [])
        data: Json = {"content": text, "allowed_mentions": {"parse": parse, "replied_user": ping}}
        if reply_to:
            data["message_reference"] = {"message_id": reply_to["id"]}
        message = self.messages.create(channel, user, data)
        self.announcer.said(message)
        return message

    async def edit(self, message: Json, text: str, /) -> None:
        """Change one's own message."""
        self.messages.edit(message, {"content": text, "allowed_mentions": {"parse": ["users"]}})
        self.announcer.edited(message)

    async def delete(self, message: Json, /) -> None:
        """Delete a message, as its author or a moderator does."""
        self.messages.delete(message)
        self.announcer.deleted(message)

    async def react(self, message: Json, user: User, emoji: str, /) -> None:
        self.announcer.reacted(message, user, self.messages.react(message, user, emoji), added=True)

    async def unreact(self, message: Json, user: User, emoji: str, /) -> None:
        self.announcer.reacted(message, user, self.messages.unreact(message, user, emoji), added=False)

    # What came of it

    def replies_to(self, message: Json) -> list[Json]:
        """The bot's replies to a message so far."""
        return [sent for sent in self.sent if sent.get("message_reference", {}).get("message_id") == message["id"]]

    async def replies(self, message: Json, count: int = 1, within: float = 10.0) -> list[Json]:
        """Wait for the bot's replies to a message. Raises NotAnswered."""
        await self.until(lambda: len(self.replies_to(message)) >= count, f"no {count} replies to {message['content']!r}", within)
        return self.replies_to(message)

    async def reply(self, message: Json, within: float = 10.0) -> Json:
        """Wait for the bot's reply to a message. Raises NotAnswered."""
        return (await self.replies(message, 1, within))[0]

    def sent_to(self, place: Place, user: User) -> list[Json]:
        """What the bot has sent to a channel so far, outside of interactions."""
        channel = self.channel(place, user)
        return [message for message in self.sent if message["channel_id"] == channel.id]

    def exists(self, message: Json) -> bool:
        """Whether a message has not been deleted."""
        return message["id"] in self.messages.by_id

    def pings(self, message: Json) -> set[str]:
        """Ids of those whom a message notifies, "everyone" included."""
        return self.messages.pings(message)

    async def until(self, done: Callable[[], bool], what: str, within: float = 10.0) -> None:
        """Wait until something is true of what the bot has sent. Raises NotAnswered."""
        try:
            async with asyncio.timeout(within):
                while not done():
                    await self.server.arrived.wait()
        except TimeoutError:
            raise NotAnswered(f"{what} within {within:g} s") from None

    async def settle(self, within: float = 10.0) -> None:
        """Wait until the bot has read all that it was told and no request of it is under way; to see that it stays silent.

        The bot reads in order, and answers a call for a heartbeat when it gets there. Several of them in turn give what it
        started meanwhile the time to reach its first request.
        """
        async with asyncio.timeout(within):
            for _ in range(HEARTBEATS_TO_SETTLE):
                for shard in list(self.gateway.by_shard):
                    await self.gateway.beat(shard)
                while self.server.under_way:
                    await self.server.arrived.wait()

    # Inside

    def _component(self, message: Json, user: User, custom_id: str, *, forced: bool, kind: int = 2) -> Json:
        found = next((part for part in walk(message["components"]) if part.get("custom_id") == custom_id), None)
        if forced:
            return found or {"type": kind, "custom_id": custom_id}
        if found is None:
            known = [part["custom_id"] for part in walk(message["components"]) if part.get("custom_id")]
            raise NotOffered(f"the message has {known}, not {custom_id!r}")
        if found.get("disabled"):
            raise NotOffered(f"{custom_id} is disabled")
        owner = (message.get("interaction_metadata") or {}).get("user", {}).get("id")
        if message["flags"] & EPHEMERAL and owner != user.id:
            raise NotOffered(f"{user.name} does not see this message")
        return found

    async def _press(self, message: Json, user: User, data: Json, component: Json, *, wait: bool) -> Interaction:
        channel = self.world.channels[message["channel_id"]]
        interaction = self._new(COMPONENT, user, channel, data["custom_id"], data)
        # The app is there on the same account as when it wrote the message.
        metadata = message.get("interaction_metadata") or {}
        interaction.owners = metadata.get("authorizing_integration_owners") or interaction.owners
        interaction.source = message
        if "id" not in component:
            # Clients look a component up in its message, so a forged one has to stand there.
            forged = component | {"id": 99, "style": 1, "label": "?", "options": []}
            interaction.shown = message | {"components": [*message["components"], {"type": 1, "id": 98, "components": [forged]}]}
        return await self._dispatch(interaction, wait=wait)

    def _new(self, kind: int, user: User, channel: Channel, name: str, data: Json) -> Interaction:
        return Interaction(kind, user, channel, name, data, self.commands.owners(channel, user))

    async def _send(
        self, kind: int, user: User, channel: Channel, name: str, data: Json, *, source: Json | None = None, wait: bool
    ) -> Interaction:
        interaction = self._new(kind, user, channel, name, data)
        interaction.source = source
        if source and kind == COMPONENT:
            # The app is there on the same account as when it wrote the message.
            interaction.owners = (source.get("interaction_metadata") or {}).get(
                "authorizing_integration_owners"
            ) or interaction.owners
        return await self._dispatch(interaction, wait=wait)

    async def _dispatch(self, interaction: Interaction, *, wait: bool) -> Interaction:
        self.desk.send(interaction)
        return await self._answered(interaction) if wait else interaction

    async def _answered(self, interaction: Interaction) -> Interaction:
        # Past its deadline no answer can come any more, so there is nothing to wait for.
        await interaction.acknowledged(self.desk.ack_deadline + 0.5)
        return await interaction.answered()
