"""Interactions: what a user's click or command sends to the bot, and the rules for the bot's answers.

An interaction must be answered once and within 3 seconds. Its token is then good for follow-ups and edits for 15 minutes.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

from .announce import Announcer
from .commands import GUILD_INSTALL, Commands
from .errors import (
    Form,
    already_acknowledged,
    dead_token,
    too_many_followups,
    unknown_interaction,
    unknown_message,
    unknown_webhook,
)
from .gateway import Gateway
from .limits import COMPONENTS_V2, EPHEMERAL, LOADING, Json, check_choices, check_modal
from .messages import MENU_ANSWER, SAID, SLASH_ANSWER, Messages, Upload
from .state import Channel, Guild, User, World, snowflake

COMMAND, COMPONENT, AUTOCOMPLETE, MODAL_SUBMIT = 2, 3, 4, 5
MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9
ANSWERS = {
    COMMAND: (MESSAGE, DEFERRED, MODAL),
    COMPONENT: (MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, MODAL),
    AUTOCOMPLETE: (CHOICES,),
    MODAL_SUBMIT: (MESSAGE, DEFERRED),
}
SETTABLE_FLAGS = EPHEMERAL | COMPONENTS_V2 | 1 << 2 | 1 << 12
FOLLOWUPS_OF_A_USER_INSTALL = 5

_tokens = itertools.count(1)


class NotAnswered(AssertionError):
    """The bot did not do in time what the user was waiting for."""


class Interaction:
    """One thing that a user did, and everything that the bot made of it."""

    def __init__(self, kind: int, user: User, channel: Channel, name: str, data: Json, owners: dict[str, str]) -> None:
        self.id = snowflake()
        self.token = f"tok-{next(_tokens)}-{self.id}"
        self.type = kind
        self.user, self.channel = user, channel
        self.name = name
        """The command, or the custom_id that was pressed; for failure messages."""
        self.data = data
        self.owners = owners
        self.source: Json | None = None
        """The message that was pressed on."""
        self.shown: Json | None = None
        """That message as the bot is to see it, where it is forged."""
        self.origin: Interaction | None = None
        """What showed the form that this one hands in."""
        self.created = time.perf_counter()
        self.kind: int | None = None
        """The type of the bot's first answer, None as long as there is none."""
        self.ack_ms: float | None = None
        self.message: Json | None = None
        """The answer as it stands now; for an update the message that was pressed on."""
        self.followups: list[Json] = []
        self.choices: list[Json] | None = None
        self.modal: Json | None = None
        self.edits = 0
        """How often the bot changed the answer, or one of its follow-ups, after its first answer."""
        self.focused_type = 3
        self._tick = asyncio.Event()

    @property
    def guild(self) -> Guild | None:
        return self.channel.guild

    @property
    def ephemeral(self) -> bool:
        """Whether only the user sees the answer."""
        return bool(self.message and self.message["flags"] & EPHEMERAL)

    @property
    def loading(self) -> bool:
        """Whether the user still sees "is thinking ..."."""
        return self.kind == DEFERRED and bool(self.message and self.message["flags"] & LOADING)

    @property
    def content(self) -> str:
        return self.message["content"] if self.message else ""

    @property
    def embed(self) -> Json:
        """The first embed of the answer. Raises NotAnswered where there is none."""
        if not self.message or not self.message["embeds"]:
            raise NotAnswered(f"the answer to {self.name} has no embed: {self.message}")
        return self.message["embeds"][0]

    def metadata(self) -> Json:
        """What a message tells of the interaction that it answers."""
        metadata: Json = {"id": self.id, "type": self.type, "user": self.user.payload()}
        metadata["authorizing_integration_owners"] = self.owners
        if self.type == COMMAND:
            metadata |= {"name": self.name, "command_type": self.data["type"]}
        elif self.type == MODAL_SUBMIT and self.origin:
            metadata["triggering_interaction_metadata"] = self.origin.metadata()
        elif self.source:
            metadata["interacted_message_id"] = self.source["id"]
        return metadata

    def changed(self) -> None:
        """Wake whoever waits for something."""
        tick, self._tick = self._tick, asyncio.Event()
        tick.set()

    async def until(self, done: Callable[[], bool], what: str, within: float = 10.0) -> Interaction:
        """Wait until something is true of the answer. Raises NotAnswered."""
        if done():
            return self
        try:
            async with asyncio.timeout(within):
                while not done():
                    await self._tick.wait()
        except TimeoutError:
            raise NotAnswered(f"{self.name} of {self.user.name}: {what} within {within:g} s") from None
        return self

    async def acknowledged(self, within: float = 3.5) -> Interaction:
        """Wait for the bot's first answer, which may be no more than "is thinking ..."."""
        return await self.until(lambda: self.kind is not None, "not acknowledged", within)

    async def answered(self, within: float = 10.0) -> Interaction:
        """Wait until the answer stands: also where the bot deferred it first."""
        return await self.until(lambda: self.kind is not None and not self.loading, "no answer", within)

    async def edited(self, count: int = 1, within: float = 10.0) -> Interaction:
        """Wait until the bot has changed the answer a number of times."""
        return await self.until(lambda: self.edits >= count, f"no {count} edits", within)

    async def followed_up(self, count: int = 1, within: float = 10.0) -> Interaction:
        """Wait for a number of follow-up messages."""
        return await self.until(lambda: len(self.followups) >= count, f"no {count} follow-ups", within)


class Desk:
    """Sends interactions to the bot and takes its answers to them."""

    def __init__(self, world: World, messages: Messages, commands: Commands, gateway: Gateway, announcer: Announcer) -> None:
        self.world, self.messages, self.commands = world, messages, commands
        self.gateway, self.announcer = gateway, announcer
        self.ack_deadline = 3.0
        self.token_lifetime = 900.0
        self.by_id: dict[str, Interaction] = {}
        self.by_token: dict[str, Interaction] = {}

    def send(self, interaction: Interaction) -> None:
        """Dispatch INTERACTION_CREATE; the clock starts now. Raises NotConnected."""
        channel, guild, user = interaction.channel, interaction.guild, interaction.user
        shown = channel.payload()
        payload: Json = {
            "id": interaction.id,
            "application_id": self.world.application_id,
            "type": interaction.type,
            "token": interaction.token,
            "version": 1,
            "data": interaction.data,
            "channel_id": channel.id,
            "locale": user.locale,
            "entitlements": [],
            "entitlement_sku_ids": [],
            "attachment_size_limit": 10 << 20,
            "app_permissions": str(self.world.permissions(self.world.me, channel)),
            "context": self.commands.context(channel),
            "authorizing_integration_owners": interaction.owners,
        }
        if guild:
            payload |= {"guild_id": guild.id, "guild_locale": guild.locale, "guild": guild.partial()}
            payload["member"] = guild.member(user, channel)
            shown["permissions"] = payload["member"]["permissions"]
        else:
            payload["user"] = user.payload()
        payload["channel"] = shown
        if interaction.source:
            payload["message"] = interaction.shown or interaction.source
        self.by_id[interaction.id] = self.by_token[interaction.token] = interaction
        interaction.created = time.perf_counter()
        self.gateway.dispatch(guild, "INTERACTION_CREATE", payload)

    def forget(self, interaction: Interaction) -> None:
        """Drop an interaction and its answer, so that a long measurement does not grow without end."""
        self.by_id.pop(interaction.id, None)
        self.by_token.pop(interaction.token, None)
        for message in (interaction.message, *interaction.followups):
            if message and message is not interaction.source:
                self.messages.delete(message)

    # What the bot does

    def callback(self, interaction_id: str, token: str, body: Json, files: Sequence[Upload], *, with_response: bool) -> Json | None:
        """The first answer. Raises ApiError for late, second, wrong and oversized ones."""
        interaction = self.by_id.get(interaction_id)
        if interaction is None or interaction.token != token:
            raise unknown_interaction()
        if interaction.kind is not None:
            raise already_acknowledged()
        elapsed = time.perf_counter() - interaction.created
        if elapsed > self.ack_deadline:
            raise unknown_interaction()
        kind, data = body.get("type"), body.get("data") or {}
        allowed = ANSWERS[interaction.type]
        if interaction.type == MODAL_SUBMIT and interaction.source:
            allowed += (DEFERRED_UPDATE, UPDATE)
        form = Form()
        form.one_of(("type",), kind, allowed)
        form.check()
        assert isinstance(kind, int)
        self._take(interaction, kind, data, files)
        interaction.kind, interaction.ack_ms = kind, elapsed * 1000
        interaction.changed()
        return self._response(interaction) if with_response else None

    def _take(self, interaction: Interaction, kind: int, data: Json, files: Sequence[Upload]) -> None:
        if kind == CHOICES:
            check_choices(data.get("choices"), interaction.focused_type)
            interaction.choices = data["choices"]
        elif kind == MODAL:
            check_modal(data)
            interaction.modal = data
        elif kind == MESSAGE:
            interaction.message = self._say(interaction, data, files, at=("data",))
        elif kind == DEFERRED:
            flags = (data.get("flags") or 0) & EPHEMERAL | LOADING
            interaction.message = self._say(interaction, {"flags": flags}, (), at=("data",), empty_is_fine=True)
        else:
            interaction.message = interaction.source
            if kind == UPDATE:
                assert interaction.source
                self.messages.edit(interaction.source, data, files, at=("data",))
                self.announcer.edited(interaction.source)

    def _response(self, interaction: Interaction) -> Json:
        shown: Json = {"id": interaction.id, "type": interaction.type}
        response: Json = {"interaction": shown}
        if interaction.message:
            shown |= {
                "response_message_id": interaction.message["id"],
                "response_message_loading": interaction.loading,
                "response_message_ephemeral": interaction.ephemeral,
                "channel_id": interaction.channel.id,
            }
            if interaction.channel.guild:
                shown["guild_id"] = interaction.channel.guild.id
            if interaction.kind in (MESSAGE, UPDATE):
                response["resource"] = {"type": interaction.kind, "message": interaction.message}
        return response

    def _say(
        self,
        interaction: Interaction,
        data: Json,
        files: Sequence[Upload],
        *,
        at: tuple[str, ...] = (),
        empty_is_fine: bool = False,
    ) -> Json:
        kind = SAID
        if interaction.type == COMMAND:
            kind = SLASH_ANSWER if interaction.data["type"] == 1 else MENU_ANSWER
        extra = {
            "type": kind,
            "application_id": self.world.application_id,
            "webhook_id": self.world.application_id,
            "interaction_metadata": interaction.metadata(),
        }
        flags = (data.get("flags") or 0) & (SETTABLE_FLAGS | (LOADING if empty_is_fine else 0))
        body = data | {"flags": flags}
        channel, me = interaction.channel, self.world.me
        message = self.messages.create(channel, me, body, files, at=at, empty_is_fine=empty_is_fine, extra=extra)
        self.announcer.said(message)
        return message

    def _alive(self, application: str, token: str) -> Interaction:
        interaction = self.by_token.get(token)
        if application != self.world.application_id:
            raise unknown_webhook()
        if interaction is None:
            raise dead_token()
        if interaction.kind is None:
            raise unknown_webhook()
        if time.perf_counter() - interaction.created > self.token_lifetime:
            raise dead_token()
        return interaction

    def _answer(self, interaction: Interaction, which: str) -> Json:
        mine = [message for message in (interaction.message, *interaction.followups) if message]
        if which == "@original" and interaction.message:
            return interaction.message
        for message in mine:
            if message["id"] == which:
                return message
        raise unknown_message()

    def follow_up(self, application: str, token: str, body: Json, files: Sequence[Upload]) -> Json:
        """A further message. The first one after a deferral fills the "is thinking ..." in."""
        interaction = self._alive(application, token)
        if interaction.loading:
            assert interaction.message
            return self._edit(interaction, interaction.message, body, files)
        by_user_alone = str(GUILD_INSTALL) not in interaction.owners
        if by_user_alone and len(interaction.followups) >= FOLLOWUPS_OF_A_USER_INSTALL:
            raise too_many_followups()
        message = self._say(interaction, body, files)
        interaction.followups.append(message)
        interaction.changed()
        return message

    def edit(self, application: str, token: str, which: str, body: Json, files: Sequence[Upload]) -> Json:
        """Change the answer ("@original") or a follow-up."""
        interaction = self._alive(application, token)
        return self._edit(interaction, self._answer(interaction, which), body, files)

    def _edit(self, interaction: Interaction, message: Json, body: Json, files: Sequence[Upload]) -> Json:
        was_loading = message["flags"] & LOADING
        added = (body.get("flags") or 0) & COMPONENTS_V2
        self.messages.edit(message, body | {"flags": message["flags"] & ~LOADING | added}, files)
        message["flags"] = message["flags"] & ~LOADING | added
        if was_loading:
            # What fills a deferral in is no edit: nobody sees "(edited)" there.
            message["edited_timestamp"] = None
        self.announcer.edited(message)
        interaction.edits += 1
        interaction.changed()
        return message

    def get(self, application: str, token: str, which: str) -> Json:
        return self._answer(self._alive(application, token), which)

    def delete(self, application: str, token: str, which: str) -> None:
        """Take an answer back, the ephemeral ones included."""
        interaction = self._alive(application, token)
        message = self._answer(interaction, which)
        self.messages.delete(message)
        self.announcer.deleted(message)
        if message is interaction.message:
            interaction.message = None
        else:
            interaction.followups.remove(message)
        interaction.changed()


def submitted(modal: Json, values: dict[str, Any]) -> list[Json]:
    """The components that a client sends for a filled-in modal, in the shape in which the modal was made."""
    sent: list[Json] = []
    for component in modal["components"]:
        inner = [component["component"]] if component.get("component") else component.get("components") or []
        filled = [_filled(part, values) for part in inner]
        shell: Json = {"type": component["type"], "id": component.get("id", 0)}
        if "component" in component:
            sent.append(shell | {"component": filled[0]})
        elif filled:
            sent.append(shell | {"components": filled})
    return sent


def _filled(part: Json, values: dict[str, Any]) -> Json:
    value = values.get(part["custom_id"], part.get("value") or "")
    filled: Json = {"type": part["type"], "id": part.get("id", 0), "custom_id": part["custom_id"]}
    return filled | ({"values": value or []} if part["type"] == 3 else {"value": value})
