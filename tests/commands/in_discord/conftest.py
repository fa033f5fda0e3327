"""The real client in a simulated Discord, in the same process: every command, as members of a server use it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import simcord.gateway
from discord import Permissions
from simcord.actors import MemberActor
from simcord.backend import serializers

from bot.client import Client
from commands.limits import Limits, Rate
from commands.names import Names
from commands.services import Services


@dataclass
class Spoken:
    """The languages that an interaction says it comes from."""

    locale: str = "en-US"
    guild_locale: str = "en-US"


@pytest.fixture
def spoken(monkeypatch: pytest.MonkeyPatch) -> Spoken:
    """The simulation always says en-US; with this a test says what it is."""
    said = Spoken()
    feed = simcord.gateway.FakeGateway.feed

    def in_that_language(self: Any, event: str, payload: dict[str, Any]) -> Any:
        if event == "INTERACTION_CREATE":
            payload = {**payload, "locale": said.locale, "guild_locale": said.guild_locale}
        return feed(self, event, payload)

    monkeypatch.setattr(simcord.gateway.FakeGateway, "feed", in_that_language)
    return said


MOST_CHOICES = 25


class TooManyChoices(AssertionError):
    """What Discord refuses of suggestions, and the simulation does not."""


@pytest.fixture(autouse=True)
def as_discord_would(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse suggestions that Discord refuses."""
    complete = MemberActor.autocomplete

    async def strictly(self: Any, *arguments: Any, **filled: Any) -> Any:
        choices = await complete(self, *arguments, **filled)
        if len(choices) > MOST_CHOICES:
            raise TooManyChoices(f"{len(choices)} choices")
        for choice in choices:
            if not 1 <= len(choice["name"]) <= 100 or not 1 <= len(choice["value"]) <= 100:
                raise TooManyChoices(f"{choice} is too long or empty")
        return choices

    monkeypatch.setattr(MemberActor, "autocomplete", strictly)


@pytest.fixture
async def simcord_bot(services: Services) -> Client:
    return Client(services, Names(services.locales), shard_count=1)


@dataclass
class World:
    """A server with a channel, somebody who asks and somebody who looks on."""

    env: Any
    guild: Any
    channel: Any
    alice: Any
    bob: Any
    spoken: Spoken

    def only(self, result: Any) -> Any:
        """The one message that answers an interaction."""
        assert result.response is not None
        assert not result.followups
        return result.response

    def embed(self, result: Any) -> Any:
        """The one embed of the one message."""
        (embed,) = self.only(result).embeds
        return embed


@pytest.fixture
async def world(simcord_env: Any, spoken: Spoken) -> World:
    guild = simcord_env.create_guild()
    channel = guild.create_text_channel("local-llms")
    alice = guild.add_member(simcord_env.create_user("alice"))
    bob = guild.add_member(simcord_env.create_user("bob"))
    return World(simcord_env, guild, channel, alice, bob, spoken)


def components(message: Any) -> list[dict[str, Any]]:
    """Every button and select of a message."""
    return [item for row in message.components for item in row["components"]]


def labelled(message: Any, label: str) -> str:
    """The custom id of the button of that label."""
    return next(item["custom_id"] for item in components(message) if item.get("label") == label)


def select_of(message: Any, action: str) -> dict[str, Any]:
    """The select that changes the context (``t``), the lowest quant (``m``) or opens a model (``o``)."""
    return next(item for item in components(message) if item.get("custom_id", "").startswith(f"rig1s.{action}."))


async def forge(
    world: World, actor: Any, message: Any, custom_id: str, *, values: list[str] | None = None, there: bool = True
) -> Any:
    """Use a component as only a made-up client can: any id, on the message (``there``) or on no message that has it."""
    backend = world.env.backend
    payload = dict(serializers.message_payload(backend, backend.get_message(world.channel.id, message.id)))
    kind = 2 if values is None else 3
    if there:
        item: dict[str, Any] = {"type": kind, "custom_id": custom_id}
        item |= (
            {"style": 2, "label": "x"} if values is None else {"options": [{"label": value, "value": value} for value in values]}
        )
        payload["components"] = [{"type": 1, "components": [item]}]
    data: dict[str, Any] = {"custom_id": custom_id, "component_type": kind}
    if values is not None:
        data["values"] = values
    return await actor._dispatch_interaction(3, world.channel, data, extra={"message": payload}, source_message_id=message.id)


@pytest.fixture
def nothing_breaks(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing goes wrong behind what is seen."""
    yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.fixture
def nobody_is_too_fast(services: Services) -> None:
    """Limits that no test comes near."""
    services.limits = Limits(Rate(1000, 0.001), Rate(1000, 0.001))


@pytest.fixture
def mod(world: World) -> Any:
    """A member who may manage the server."""
    role = world.guild.create_role("mods", permissions=Permissions(manage_guild=True))
    return world.guild.add_member(world.env.create_user("mod"), roles=[role])
