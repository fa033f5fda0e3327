"""What Discord refuses, each with a bot that does it: a discord.py bot for what discord.py lets through, raw HTTP for the rest."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.discord_standin import Guild, Json, NotAnswered, NotOffered, Permission, StandIn, User

WRONG = (sys.executable, Path(__file__).parent / "bots" / "wrong.py")


class RawBot:
    """A bot without a library, which can therefore do anything."""

    def __init__(self, discord_: StandIn, *, intents: int = 1 | 1 << 9 | 1 << 12) -> None:
        self.discord_ = discord_
        self.intents = intents
        self._session = aiohttp.ClientSession(headers={"Authorization": f"Bot {discord_.token}"})
        self._ws: aiohttp.ClientWebSocketResponse

    async def __aenter__(self) -> RawBot:
        self._ws = await self._session.ws_connect(f"{self.discord_.gateway.url}?v=10&encoding=json")
        await self.tell(2, {"token": self.discord_.token, "intents": self.intents, "properties": {}})
        await self.event("READY")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        await self._ws.close()
        await self._session.close()

    async def tell(self, op: int, data: Any) -> None:
        await self._ws.send_json({"op": op, "d": data})

    async def event(self, name: str) -> Json:
        async with asyncio.timeout(5):
            while True:
                payload = json.loads((await self._ws.receive()).data)
                if payload["t"] == name:
                    return payload["d"]

    async def closed(self) -> int | None:
        """Wait until the gateway closes the connection; returns its code."""
        async with asyncio.timeout(5):
            async for _ in self._ws:
                pass
        return self._ws.close_code

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Json]:
        async with self._session.request(method, f"{self.discord_.api_base}/{path}", json=body, headers=headers) as response:
            return response.status, await response.json() if response.status != 204 else {}

    async def answer(self, interaction: Json, kind: int, data: Json | None = None) -> tuple[int, Json]:
        path = f"interactions/{interaction['id']}/{interaction['token']}/callback"
        return await self.call("POST", path, {"type": kind, "data": data or {}})

    async def register(self, *commands: Json) -> tuple[int, Json]:
        return await self.call("PUT", f"applications/{self.discord_.me.id}/commands", list(commands))


Raw = tuple[StandIn, RawBot, Guild, User]


@pytest_asyncio.fixture
async def raw() -> AsyncIterator[Raw]:
    async with StandIn(identify_window=0) as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        async with RawBot(discord_) as bot:
            option = {"name": "model", "description": "Which", "type": 3, "autocomplete": True}
            await bot.register({"name": "ask", "description": "Asks", "options": [option]})
            yield discord_, bot, guild, alice


def faults(body: Json) -> dict[str, str]:
    """Where a form is wrong, and how: {"data.embeds.0.title": "BASE_TYPE_MAX_LENGTH"}."""
    found: dict[str, str] = {}

    def look(node: Json, path: tuple[str, ...]) -> None:
        for key, value in node.items():
            if key == "_errors":
                found[".".join(path)] = value[0]["code"]
            else:
                look(value, (*path, key))

    look(body.get("errors", {}), ())
    return found


def button(**more: Any) -> Json:
    return {"type": 2, "style": 1, "label": "Next", "custom_id": "next"} | more


def menu(**more: Any) -> Json:
    return {"type": 3, "custom_id": "menu", "options": [{"label": "a", "value": "a"}]} | more


def row(*parts: Json) -> Json:
    return {"type": 1, "components": list(parts)}


def buttons(count: int) -> Json:
    return row(*(button(custom_id=str(number)) for number in range(count)))


FIELD = {"name": "VRAM", "value": "5.9 GB"}
LONG, BAD, MISSING = "BASE_TYPE_MAX_LENGTH", "BASE_TYPE_BAD_LENGTH", "BASE_TYPE_REQUIRED"
CHOICES = "BASE_TYPE_CHOICES"
FLAG_V2 = 1 << 15

MESSAGES: dict[str, tuple[Json, str, str]] = {
    "content": ({"content": "x" * 2001}, "content", LONG),
    "embeds": ({"embeds": [{"title": "x"}] * 11}, "embeds", LONG),
    "title": ({"embeds": [{"title": "x" * 257}]}, "embeds.0.title", LONG),
    "description": ({"embeds": [{"description": "x" * 4097}]}, "embeds.0.description", LONG),
    "footer": ({"embeds": [{"footer": {"text": "x" * 2049}}]}, "embeds.0.footer.text", LONG),
    "author": ({"embeds": [{"author": {"name": "x" * 257}}]}, "embeds.0.author.name", LONG),
    "fields": ({"embeds": [{"fields": [FIELD] * 26}]}, "embeds.0.fields", LONG),
    "field name": ({"embeds": [{"fields": [FIELD | {"name": "x" * 257}]}]}, "embeds.0.fields.0.name", LONG),
    "field value": ({"embeds": [{"fields": [FIELD | {"value": "x" * 1025}]}]}, "embeds.0.fields.0.value", LONG),
    "empty field": ({"embeds": [{"fields": [FIELD | {"value": " "}]}]}, "embeds.0.fields.0.value", MISSING),
    "empty embed": ({"embeds": [{"color": 1}]}, "embeds.0.description", MISSING),
    "total": ({"embeds": [{"description": "x" * 3001}, {"description": "x" * 3000}]}, "embeds", "MAX_EMBED_SIZE_EXCEEDED"),
    "colour": ({"embeds": [{"title": "x", "color": 1 << 24}]}, "embeds.0.color", "NUMBER_TYPE_MAX"),
    "image": ({"embeds": [{"image": {"url": "file:///x"}}]}, "embeds.0.image.url", "URL_TYPE_INVALID_SCHEME"),
    "no upload": ({"embeds": [{"image": {"url": "attachment://x.png"}}]}, "embeds.0.image.url", "MESSAGE_ATTACHMENT_NOT_FOUND"),
    "mentions": ({"content": "x", "allowed_mentions": {"parse": ["all"]}}, "allowed_mentions.parse.0", CHOICES),
    "rows": ({"components": [row(button(custom_id=str(n))) for n in range(6)]}, "components", LONG),
    "no row": ({"components": [button()]}, "components.0.type", CHOICES),
    "buttons": ({"components": [buttons(6)]}, "components.0.components", BAD),
    "empty row": ({"components": [row()]}, "components.0.components", BAD),
    "width": ({"components": [row(menu(), button())]}, "components.0.components.1", "COMPONENT_LAYOUT_WIDTH_EXCEEDED"),
    "label": ({"components": [row(button(label="x" * 81))]}, "components.0.components.0.label", LONG),
    "no label": ({"components": [row(button(label=None))]}, "components.0.components.0.label", MISSING),
    "style": ({"components": [row(button(style=9))]}, "components.0.components.0.style", CHOICES),
    "custom_id": ({"components": [row(button(custom_id="x" * 101))]}, "components.0.components.0.custom_id", BAD),
    "no custom_id": ({"components": [row(button(custom_id=None))]}, "components.0.components.0.custom_id", MISSING),
    "link": ({"components": [row(button(style=5))]}, "components.0.components.0.url", "BUTTON_COMPONENT_URL_REQUIRED"),
    "same id": ({"components": [row(button(), button())]}, "components", "COMPONENT_CUSTOM_ID_DUPLICATED"),
    "options": (
        {"components": [row(menu(options=[{"label": str(n), "value": str(n)} for n in range(26)]))]},
        "components.0.components.0.options",
        BAD,
    ),
    "no options": ({"components": [row(menu(options=[]))]}, "components.0.components.0.options", BAD),
    "same option": (
        {"components": [row(menu(options=[{"label": "a", "value": "a"}, {"label": "b", "value": "a"}]))]},
        "components.0.components.0.options.1.value",
        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
    ),
    "option label": (
        {"components": [row(menu(options=[{"label": "x" * 101, "value": "a"}]))]},
        "components.0.components.0.options.0.label",
        BAD,
    ),
    "placeholder": ({"components": [row(menu(placeholder="x" * 151))]}, "components.0.components.0.placeholder", LONG),
    "flag missing": ({"components": [{"type": 10, "content": "x"}]}, "components.0.type", "UNION_TYPE_CHOICES"),
    "flag and content": (
        {"content": "x", "flags": FLAG_V2, "components": [{"type": 10, "content": "x"}]},
        "content",
        "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
    ),
    "forty-one": ({"flags": FLAG_V2, "components": [{"type": 10, "content": "x"}] * 41}, "components", BAD),
    "text": (
        {"flags": FLAG_V2, "components": [{"type": 10, "content": "x" * 4001}]},
        "components",
        "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
    ),
}


async def test_messages_out_of_bounds(raw: Raw) -> None:
    """In a channel, as an answer, as a follow-up and as an edit."""
    discord_, bot, guild, alice = raw
    discord_.server.message_rate = None
    channel = f"channels/{guild.channels[0].id}/messages"
    _, standing = await bot.call("POST", channel, {"content": "before"})
    waiting = await discord_.slash(guild, alice, "ask", wait=False)
    answered = await discord_.slash(guild, alice, "ask", wait=False)
    await bot.answer({"id": answered.id, "token": answered.token}, 4, {"content": "before"})
    hook = f"webhooks/{discord_.me.id}/{answered.token}"
    for name, (body, place, code) in MESSAGES.items():
        for method, path in (
            ("POST", channel),
            ("PATCH", f"{channel}/{standing['id']}"),
            ("POST", hook),
            ("PATCH", f"{hook}/messages/@original"),
        ):
            status, refusal = await bot.call(method, path, body)
            assert (status, refusal["code"]) == (400, 50035), (name, method, path)
            assert faults(refusal).get(place) == code, (name, method, path, refusal)
        status, refusal = await bot.answer({"id": waiting.id, "token": waiting.token}, 4, body)
        assert (status, refusal["code"], faults(refusal).get(f"data.{place}")) == (400, 50035, code), name
    # Nothing came of it all: the message is as it was, and the interaction can still be answered.
    assert discord_.messages.by_id[standing["id"]]["content"] == "before"
    assert answered.content == "before"
    assert (await bot.answer({"id": waiting.id, "token": waiting.token}, 4, {"content": "after"}))[0] == 204


async def test_what_is_just_within_bounds_is_taken(raw: Raw) -> None:
    discord_, bot, guild, alice = raw
    embed = {"title": "x" * 256, "description": "x" * 2744, "fields": [{"name": "n" * 20, "value": "v" * 100}] * 25}
    rows = [buttons(5), *(row(menu(custom_id=f"menu {number}")) for number in range(4))]
    answered = await discord_.slash(guild, alice, "ask", wait=False)
    status, _ = await bot.answer(
        {"id": answered.id, "token": answered.token},
        4,
        {"content": "x" * 2000, "embeds": [embed], "components": rows},
    )
    assert status == 204


async def test_empty_messages(raw: Raw) -> None:
    discord_, bot, guild, alice = raw
    interaction = await discord_.slash(guild, alice, "ask", wait=False)
    here = {"id": interaction.id, "token": interaction.token}
    channel = f"channels/{guild.channels[0].id}/messages"
    for status, refusal in (
        await bot.answer(here, 4, {"content": "  "}),
        await bot.call("POST", channel, {"embeds": []}),
    ):
        assert (status, refusal["code"]) == (400, 50006)


CHOICE = {"name": "Qwen3", "value": "qwen3"}
AUTOCOMPLETE: dict[str, tuple[Json, str, str]] = {
    "twenty-six": ({"choices": [CHOICE] * 26}, "data.choices", LONG),
    "long name": ({"choices": [CHOICE | {"name": "x" * 101}]}, "data.choices.0.name", BAD),
    "no name": ({"choices": [CHOICE | {"name": ""}]}, "data.choices.0.name", BAD),
    "long value": ({"choices": [CHOICE | {"value": "x" * 101}]}, "data.choices.0.value", BAD),
    "number": ({"choices": [CHOICE | {"value": 3}]}, "data.choices.0.value", "STRING_TYPE_CONVERT"),
    "none": ({}, "data.choices", MISSING),
}


@pytest.mark.parametrize("name", AUTOCOMPLETE)
async def test_choices_out_of_bounds(raw: Raw, name: str) -> None:
    discord_, bot, guild, alice = raw
    body, place, code = AUTOCOMPLETE[name]
    await discord_.start_autocomplete(guild, alice, "ask", "model", "q")
    status, refusal = await bot.answer(await bot.event("INTERACTION_CREATE"), 8, body)
    assert (status, refusal["code"], faults(refusal)) == (400, 50035, {place: code})


INPUT = {"type": 4, "custom_id": "text", "label": "What?", "style": 1}
FORM = {"title": "Feedback", "custom_id": "form", "components": [row(INPUT)]}
MODALS: dict[str, tuple[Json, str, str]] = {
    "title": (FORM | {"title": "x" * 46}, "data.title", BAD),
    "custom_id": (FORM | {"custom_id": "x" * 101}, "data.custom_id", BAD),
    "six": (FORM | {"components": [row(INPUT | {"custom_id": str(n)}) for n in range(6)]}, "data.components", BAD),
    "label": (FORM | {"components": [row(INPUT | {"label": "x" * 46})]}, "data.components.0.components.0.label", BAD),
    "placeholder": (
        FORM | {"components": [row(INPUT | {"placeholder": "x" * 101})]},
        "data.components.0.components.0.placeholder",
        LONG,
    ),
    "button": (FORM | {"components": [button()]}, "data.components.0.type", CHOICES),
}


@pytest.mark.parametrize("name", MODALS)
async def test_forms_out_of_bounds(raw: Raw, name: str) -> None:
    discord_, bot, guild, alice = raw
    body, place, code = MODALS[name]
    await discord_.slash(guild, alice, "ask", wait=False)
    status, refusal = await bot.answer(await bot.event("INTERACTION_CREATE"), 9, body)
    assert (status, refusal["code"], faults(refusal).get(place)) == (400, 50035, code)


OK = {"name": "ask", "description": "Asks"}
OPTION = {"name": "model", "description": "Which", "type": 3}
IN_ITALIAN = {"name_localizations": {"it": "uguale"}}
INVALID_NAME = "APPLICATION_COMMAND_INVALID_NAME"
SAME = "APPLICATION_COMMANDS_DUPLICATE_NAME"
SAME_OPTION = "APPLICATION_COMMAND_OPTIONS_NAME_INVALID"
MANY_WORDS = {"name": "x" * 30, "description": "x" * 100, "type": 3, "choices": [{"name": "x" * 100, "value": "y" * 100}] * 25}
COMMANDS: dict[str, tuple[list[Json], str, str]] = {
    "upper case": ([OK | {"name": "Ask"}], "0.name", INVALID_NAME),
    "spaces": ([OK | {"name": "ask me"}], "0.name", INVALID_NAME),
    "long name": ([OK | {"name": "x" * 33}], "0.name", INVALID_NAME),
    "no description": ([OK | {"description": ""}], "0.description", BAD),
    "long description": ([OK | {"description": "x" * 101}], "0.description", BAD),
    "unknown locale": ([OK | {"name_localizations": {"es": "pregunta"}}], "0.name_localizations.es", CHOICES),
    "translated name": ([OK | {"name_localizations": {"it": "Chiedi"}}], "0.name_localizations.it", INVALID_NAME),
    "long translation": ([OK | {"description_localizations": {"it": "x" * 101}}], "0.description_localizations.it", BAD),
    "same name": ([OK, OK], "1", SAME),
    "same translation": (
        [OK | {"name_localizations": {"it": "x"}}, OK | {"name": "b", "name_localizations": {"it": "x"}}],
        "1",
        SAME,
    ),
    "translation and name": ([OK | {"name_localizations": {"it": "info"}}, OK | {"name": "info"}], "1", SAME),
    "options": ([OK | {"options": [OPTION | {"name": f"o{n}"} for n in range(26)]}], "0.options", LONG),
    "option name": ([OK | {"options": [OPTION | {"name": "GPU"}]}], "0.options.0.name", INVALID_NAME),
    "option description": ([OK | {"options": [OPTION | {"description": "x" * 101}]}], "0.options.0.description", BAD),
    "same option": ([OK | {"options": [OPTION, OPTION]}], "0.options.1", SAME_OPTION),
    "same option translated": (
        [
            OK
            | {"options": [OPTION | {"name_localizations": {"it": "x"}}, OPTION | {"name": "b", "name_localizations": {"it": "x"}}]}
        ],
        "0.options.1",
        SAME_OPTION,
    ),
    "required last": (
        [OK | {"options": [OPTION, OPTION | {"name": "b", "required": True}]}],
        "0.options.1",
        "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
    ),
    "choices": (
        [OK | {"options": [OPTION | {"choices": [{"name": str(n), "value": str(n)} for n in range(26)]}]}],
        "0.options.0.choices",
        LONG,
    ),
    "choice": ([OK | {"options": [OPTION | {"choices": [{"name": "x" * 101, "value": "x"}]}]}], "0.options.0.choices.0.name", BAD),
    "mixed": (
        [OK | {"options": [OPTION, OPTION | {"name": "b", "type": 1}]}],
        "0.options",
        "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
    ),
    "nested": (
        [OK | {"options": [OPTION | {"type": 1, "options": [OPTION | {"type": 1}]}]}],
        "0.options.0.options.0.type",
        CHOICES,
    ),
    "size": ([OK | {"options": [MANY_WORDS | {"name": f"o{n}"} for n in range(2)]}], "0", "APPLICATION_COMMAND_TOO_LARGE"),
    "context": ([OK | {"contexts": [3]}], "0.contexts.0", CHOICES),
    "menu": ([{"name": "x" * 33, "type": 3}], "0.name", BAD),
    "menu description": (
        [OK | {"type": 3}],
        "0.description",
        "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID",
    ),
}


async def test_commands_out_of_bounds(raw: Raw) -> None:
    discord_, bot, _, _ = raw
    before = discord_.commands.by_scope[None]
    for name, (commands, place, code) in COMMANDS.items():
        status, refusal = await bot.register(*commands)
        assert (status, refusal["code"], faults(refusal).get(place)) == (400, 50035, code), (name, refusal)
    status, refusal = await bot.register(*(OK | {"name": f"ask-{number}"} for number in range(101)))
    assert (status, refusal["code"]) == (400, 30032)
    assert discord_.commands.by_scope[None] is before


async def test_commands_where_the_bot_is_not(raw: Raw) -> None:
    discord_, bot, _, _ = raw
    elsewhere = discord_.add_guild("Elsewhere", has_bot=False)
    app = discord_.me.id
    assert await bot.call("PUT", f"applications/{app}/guilds/{elsewhere.id}/commands", []) == refusal(403, 50001, "Missing Access")
    assert (await bot.call("GET", f"applications/{app}/commands/1"))[1]["code"] == 10063
    assert (await bot.call("GET", "applications/1/commands"))[0] == 403


def refusal(status: int, code: int, message: str) -> tuple[int, Json]:
    return status, {"code": code, "message": message}


async def test_an_answer_of_the_wrong_kind(raw: Raw) -> None:
    discord_, bot, guild, alice = raw
    await discord_.slash(guild, alice, "ask", wait=False)
    command = await bot.event("INTERACTION_CREATE")
    await discord_.start_autocomplete(guild, alice, "ask", "model", "")
    typed = await bot.event("INTERACTION_CREATE")
    for interaction, kind in ((command, 7), (command, 6), (command, 8), (typed, 4), (typed, 5), (typed, 9), (command, 99)):
        status, answer = await bot.answer(interaction, kind, {"content": "x"})
        assert (status, answer["code"], faults(answer)) == (400, 50035, {"type": CHOICES})
    await bot.answer(command, 9, FORM)
    submitted = await discord_.submit(discord_.desk.by_id[command["id"]], text="x", wait=False)
    status, answer = await bot.answer({"id": submitted.id, "token": submitted.token}, 9, FORM)
    assert (status, faults(answer)) == (400, {"type": CHOICES})


async def test_interactions_that_are_unknown_late_or_answered(raw: Raw) -> None:
    discord_, bot, guild, alice = raw
    gone = refusal(404, 10062, "Unknown interaction")
    assert await bot.answer({"id": "1", "token": "x"}, 4, {"content": "x"}) == gone
    interaction = await discord_.slash(guild, alice, "ask", wait=False)
    here = {"id": interaction.id, "token": interaction.token}
    assert await bot.answer(here | {"token": "forged"}, 4, {"content": "x"}) == gone
    assert await bot.answer(here, 4, {"content": "x"}) == (204, {})
    assert await bot.answer(here, 4, {"content": "x"}) == refusal(400, 40060, "Interaction has already been acknowledged.")
    late = await discord_.slash(guild, alice, "ask", wait=False)
    discord_.age(late, 3.1)
    assert await bot.answer({"id": late.id, "token": late.token}, 5) == gone
    assert late.kind is None


async def test_follow_ups_too_early_too_late_and_for_nothing(raw: Raw) -> None:
    discord_, bot, guild, alice = raw
    interaction = await discord_.slash(guild, alice, "ask", wait=False)
    hook = f"webhooks/{discord_.me.id}/{interaction.token}"
    assert await bot.call("POST", hook, {"content": "x"}) == refusal(404, 10015, "Unknown Webhook")
    await bot.answer({"id": interaction.id, "token": interaction.token}, 4, {"content": "x"})
    assert (await bot.call("POST", hook, {"content": "x"}))[0] == 200
    assert await bot.call("PATCH", f"{hook}/messages/1", {"content": "x"}) == refusal(404, 10008, "Unknown Message")
    assert await bot.call("DELETE", f"{hook}/messages/@original") == (204, {})
    assert await bot.call("PATCH", f"{hook}/messages/@original", {"content": "x"}) == refusal(404, 10008, "Unknown Message")
    discord_.age(interaction, 901)
    dead = refusal(401, 50027, "Invalid Webhook Token")
    assert await bot.call("POST", hook, {"content": "x"}) == dead
    assert await bot.call("PATCH", f"{hook}/messages/@original", {"content": "x"}) == dead
    assert await bot.call("POST", f"webhooks/{discord_.me.id}/forged", {"content": "x"}) == dead
    assert (await bot.call("POST", f"webhooks/1/{interaction.token}", {"content": "x"}))[1]["code"] == 10015


async def test_a_user_install_gets_five_follow_ups(raw: Raw) -> None:
    discord_, bot, _, _ = raw
    await bot.register(OK | {"integration_types": [1], "contexts": [0, 1, 2]})
    bob = discord_.add_user("bob", installed=True)
    elsewhere = discord_.add_guild("Elsewhere", has_bot=False)
    interaction = await discord_.slash(elsewhere, bob, "ask", wait=False)
    await bot.answer({"id": interaction.id, "token": interaction.token}, 4, {"content": "x"})
    statuses = [await bot.call("POST", f"webhooks/{discord_.me.id}/{interaction.token}", {"content": "x"}) for _ in range(6)]
    assert [status for status, _ in statuses] == [200] * 5 + [400]
    assert statuses[5][1]["code"] == 40094
    # The bot itself is not in that server.
    assert (await bot.call("POST", f"channels/{elsewhere.channels[0].id}/messages", {"content": "x"}))[1]["code"] == 50001


async def test_missing_permissions(raw: Raw) -> None:
    discord_, bot, guild, alice = raw
    missing, me = refusal(403, 50013, "Missing Permissions"), discord_.me
    said = await discord_.say(guild, alice, "hello")
    here = guild.channels[0]
    messages = f"channels/{here.id}/messages"
    assert await bot.call("DELETE", f"{messages}/{said['id']}") == missing
    assert await bot.call("PATCH", f"{messages}/{said['id']}", {"content": "x"}) == refusal(
        403, 50005, "Cannot edit a message authored by another user"
    )
    for permission, method, path, body in (
        (Permission.SEND_MESSAGES, "POST", messages, {"content": "x"}),
        (Permission.SEND_MESSAGES, "POST", f"channels/{here.id}/typing", None),
        (Permission.EMBED_LINKS, "POST", messages, {"embeds": [{"title": "x"}]}),
        (Permission.ADD_REACTIONS, "PUT", f"{messages}/{said['id']}/reactions/%F0%9F%91%8D/@me", None),
        (Permission.READ_MESSAGE_HISTORY, "GET", f"{messages}/{said['id']}", None),
    ):
        discord_.overwrite(here, me, deny=permission)
        assert await bot.call(method, path, body) == missing, permission
    answer = {"content": "x", "message_reference": {"message_id": said["id"]}}
    assert (await bot.call("POST", messages, answer))[1]["code"] == 160002
    discord_.overwrite(here, me, deny=Permission.VIEW_CHANNEL)
    assert await bot.call("POST", messages, {"content": "x"}) == refusal(403, 50001, "Missing Access")
    # What it may not see, it is not told of.
    before = discord_.gateway.dispatched["MESSAGE_CREATE"]
    await discord_.say(guild, alice, f"{me.mention} hello")
    assert discord_.gateway.dispatched["MESSAGE_CREATE"] == before


async def test_direct_messages_that_are_closed(raw: Raw) -> None:
    discord_, bot, _, alice = raw
    _, channel = await bot.call("POST", "users/@me/channels", {"recipient_id": alice.id})
    assert (await bot.call("POST", f"channels/{channel['id']}/messages", {"content": "x"}))[0] == 200
    said = await discord_.say(None, alice, "hello")
    assert (await bot.call("DELETE", f"channels/{channel['id']}/messages/{said['id']}"))[1]["code"] == 50003
    alice.accepts_dms = False
    assert (await bot.call("POST", f"channels/{channel['id']}/messages", {"content": "x"}))[1]["code"] == 50007
    assert (await bot.call("POST", "users/@me/channels", {"recipient_id": "1"}))[1]["code"] == 10013
    private = discord_.add_private_channel(alice, discord_.add_user("bob"))
    assert (await bot.call("POST", f"channels/{private.id}/messages", {"content": "x"}))[1]["code"] == 50001


async def test_what_is_not_there(raw: Raw) -> None:
    discord_, bot, guild, alice = raw
    here = f"channels/{guild.channels[0].id}/messages"
    said = await discord_.say(guild, alice, "hello")
    await discord_.delete(said)
    for method, path, body, status, code in (
        ("POST", "channels/1/messages", {"content": "x"}, 404, 10003),
        ("GET", f"{here}/1", None, 404, 10008),
        ("POST", here, {"content": "x", "message_reference": {"message_id": said["id"]}}, 400, 50035),
        ("GET", "guilds/1", None, 404, 10004),
        ("GET", f"guilds/{guild.id}/members/1", None, 404, 10007),
        ("GET", "users/1", None, 404, 10013),
        ("GET", "no/such/route", None, 404, 0),
    ):
        answer = await bot.call(method, path, body)
        assert (answer[0], answer[1]["code"]) == (status, code), path
    living = await discord_.say(guild, alice, "hello")
    assert (await bot.call("PUT", f"{here}/{living['id']}/reactions/nonsense/@me"))[1]["code"] == 10014


async def test_an_ephemeral_message_is_out_of_reach(raw: Raw) -> None:
    discord_, bot, guild, alice = raw
    interaction = await discord_.slash(guild, alice, "ask", wait=False)
    await bot.answer({"id": interaction.id, "token": interaction.token}, 4, {"content": "x", "flags": 64})
    assert interaction.message
    path = f"channels/{guild.channels[0].id}/messages/{interaction.message['id']}"
    assert await bot.call("PATCH", path, {"content": "y"}) == refusal(404, 10008, "Unknown Message")


async def test_a_bot_that_does_not_heed_the_rate_limit(raw: Raw) -> None:
    discord_, bot, guild, _ = raw
    answers = [await bot.call("POST", f"channels/{guild.channels[0].id}/messages", {"content": "x"}) for _ in range(6)]
    assert [status for status, _ in answers] == [200] * 5 + [429]
    assert 0 < answers[5][1]["retry_after"] <= 5
    assert not answers[5][1]["global"]
    assert len(discord_.sent) == 5


async def test_a_wrong_token_and_a_body_that_is_no_json(raw: Raw) -> None:
    discord_, bot, guild, _ = raw
    assert await bot.call("GET", "users/@me", Authorization="Bot nonsense") == refusal(401, 0, "401: Unauthorized")
    url = f"{discord_.api_base}/channels/{guild.channels[0].id}/messages"
    headers = {"Authorization": f"Bot {discord_.token}", "Content-Type": "application/json"}
    async with aiohttp.ClientSession() as session, session.post(url, data=b"{", headers=headers) as response:
        assert (response.status, (await response.json())["code"]) == (400, 50109)


async def test_a_user_is_not_offered_everything(raw: Raw) -> None:
    discord_, bot, guild, alice = raw
    number = {"name": "context", "description": "How long", "type": 4, "min_value": 512, "max_value": 8192}
    mode = {"name": "mode", "description": "How", "type": 3, "required": True, "choices": [{"name": "Off", "value": "off"}]}
    await bot.register(
        OK | {"name": "set", "default_member_permissions": "32", "options": [mode, number]},
        OK | {"name": "here", "contexts": [1]},
    )
    for name, why in (("ask", "no command"), ("here", "not meant"), ("set", "lacks the permissions")):
        with pytest.raises(NotOffered, match=why):
            await discord_.slash(guild, alice, name)
    filled: list[tuple[Json, str]] = [
        ({}, "missing"),
        ({"mode": "loud"}, "offers"),
        ({"mode": "off", "context": 1}, "takes 512 to 8192"),
        ({"mode": "off", "context": "long"}, "does not take"),
        ({"mode": "off", "colour": "red"}, "no option"),
    ]
    for options, why in filled:
        with pytest.raises(NotOffered, match=why):
            await discord_.slash(guild, guild.owner, "set", **options)


CLOSES: dict[str, tuple[str, list[Json], int]] = {
    "version": ("v=9&encoding=json", [], 4012),
    "token": ("v=10&encoding=json", [{"op": 2, "d": {"token": "nonsense", "intents": 1}}], 4004),
    "shard": ("v=10&encoding=json", [{"op": 2, "d": {"token": "TOKEN", "intents": 1, "shard": [2, 2]}}], 4010),
    "intents": ("v=10&encoding=json", [{"op": 2, "d": {"token": "TOKEN", "intents": 1 << 40}}], 4013),
    "privileged": ("v=10&encoding=json", [{"op": 2, "d": {"token": "TOKEN", "intents": 1 << 15}}], 4014),
    "not identified": ("v=10&encoding=json", [{"op": 3, "d": {}}], 4003),
    "twice": ("v=10&encoding=json", [{"op": 2, "d": {"token": "TOKEN", "intents": 1}}] * 2, 4005),
    "opcode": ("v=10&encoding=json", [{"op": 2, "d": {"token": "TOKEN", "intents": 1}}, {"op": 77}], 4001),
    "no payload": ("v=10&encoding=json", [{"d": 1}], 4002),
    "flood": ("v=10&encoding=json", [{"op": 1, "d": None}] * 121, 4008),
}


@pytest.mark.parametrize("name", CLOSES)
async def test_the_gateway_closes_on(name: str) -> None:
    query, payloads, code = CLOSES[name]
    async with StandIn(identify_window=0) as discord_, aiohttp.ClientSession() as session:
        async with session.ws_connect(f"{discord_.gateway.url}?{query}") as ws, asyncio.timeout(5):
            for payload in payloads:
                await ws.send_str(json.dumps(payload).replace("TOKEN", discord_.token))
            async for _ in ws:
                pass
            assert ws.close_code == code
        assert discord_.gateway.closes == [code]


async def test_sessions_that_cannot_be_resumed_and_identifies_in_a_hurry() -> None:
    async with StandIn(shards=2, max_concurrency=1) as discord_, aiohttp.ClientSession() as session:

        async def first(payload: Json, *, skip: tuple[str, ...] = ()) -> Json | int:
            async with session.ws_connect(f"{discord_.gateway.url}?v=10&encoding=json") as ws, asyncio.timeout(5):
                await ws.send_json(payload)
                async for message in ws:
                    answer = json.loads(message.data)
                    if answer["op"] != 10:
                        return answer
                return ws.close_code or 0

        identify = {"token": discord_.token, "intents": 1}
        ready = await first({"op": 2, "d": identify | {"shard": [0, 2]}})
        assert isinstance(ready, dict)
        assert ready["t"] == "READY"
        invalid = {"op": 9, "d": False, "s": None, "t": None}
        # A second shard of the same bucket within five seconds.
        assert await first({"op": 2, "d": identify | {"shard": [1, 2]}}) == invalid
        assert await first({"op": 6, "d": {"token": discord_.token, "session_id": "1", "seq": 1}}) == invalid


async def test_a_sequence_number_from_the_future(raw: Raw) -> None:
    discord_, bot, _, _ = raw
    session = discord_.gateway.by_shard[0].id
    await bot.tell(6, {"token": discord_.token, "session_id": session, "seq": 999})
    assert await bot.closed() == 4007


async def test_a_discord_py_bot_that_does_everything_wrong() -> None:
    async with StandIn(ack_deadline=0.4) as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        forbidden = discord_.add_channel(guild, "forbidden")
        discord_.overwrite(forbidden, discord_.me, deny=Permission.SEND_MESSAGES)
        bot = await discord_.start(WRONG)
        assert "names: 400 50035" in bot.log

        async def refused(name: str, how: str) -> None:
            await bot.until(lambda: f"{name}: {how}\n" in bot.log, f"{name} was not refused with {how}", 5)

        with pytest.raises(NotAnswered):
            await discord_.slash(guild, alice, "late")
        await refused("late", "404 10062")
        discord_.desk.ack_deadline = 3.0
        for name in ("description", "title", "fields", "total", "content", "label"):
            await discord_.slash(guild, alice, name, wait=False)
            await refused(name, "400 50035")
        assert (await discord_.slash(guild, alice, "twice")).content == "once"
        await refused("twice", "400 40060")
        old = await (await discord_.slash(guild, alice, "too_late_to_follow", wait=False)).acknowledged()
        discord_.age(old, 901)
        await refused("too_late_to_follow", "401 50027")
        await discord_.slash(guild, alice, "elsewhere", wait=False)
        await refused("elsewhere", "403 50013")
        await discord_.start_autocomplete(guild, alice, "choices", "model", "")
        await refused("choices", "400 50035")
        await discord_.say(guild, alice, f"{discord_.me.mention} hello")
        await refused("reply", "400 50035")
        await refused("edit", "403 50005")
        await refused("reaction", "400 10014")
