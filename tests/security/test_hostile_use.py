"""A client made by hand sends what it likes: it is answered, nothing is a fault, nobody is notified, nothing typed is logged."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest
import pytest_asyncio

from commands.texts import Texts
from tests.discord_standin import Guild, Json, Permission, User
from tests.end_to_end.world import Discord, components

# One event loop for all of them, because they share one running bot.
pytestmark = pytest.mark.asyncio(loop_scope="module")

World = tuple[Discord, Guild, User]
COMMAND, COMPONENT, SUGGEST, FORM = 2, 3, 4, 5
SUB, TEXT, WHOLE, YES_NO, MEMBER, NUMBER = 1, 3, 4, 5, 6, 10
STARCODER = "StarCoder 2 15B"
MODEL: Json = {"name": "model", "type": TEXT, "value": STARCODER}
HARDWARE: Json = {"name": "hardware", "type": TEXT, "value": "12 GB"}
TYPED = (
    *("@everyone " * 9, "<@123456789012345678> <@&1> @here", "[a](https://evil.example) **b** ||c||", "a\n# b\n> c\n```"),
    *("{{ 7 * 191 }}{% include 'x' %}", "`" * 90, "\u202e\u200b\ufeff", "\x00\x01\x1b[31mred", "🧨" * 40),
    *(
        "9" * 90,
        "1e400 GB",
        "-5 GB",
        "NaN",
        "0x 3090",
        "1000000000000x 3090",
        "3060 " * 18,
        "(" * 90,
        "' OR 1=1 --",
        "../../etc/passwd",
    ),
)
CALLBACK = "POST interactions/*/*/callback"
NUMBERS = (0, 1, 0.001, 24.5, 8192)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Discord]:
    async with Discord() as discord_:
        discord_.add_guild("Home")
        await discord_.run(tmp_path_factory.mktemp("hostile"), reload_pause="0")
        yield discord_


@pytest_asyncio.fixture(loop_scope="module")
async def world(running: Discord) -> AsyncIterator[World]:
    """A new server with Mallory in it, and the bot that all tests here share."""
    running.record.clear()
    yield running, running.add_guild("Local LLMs"), running.add_user("mallory")
    await running.settle()
    running.check()


def used(discord_: Discord, name: str, *options: Any, **more: Any) -> Json:
    """The data of a command's use, whatever its options."""
    command = next(command for command in discord_.commands.by_scope[None] if command["name"] == name)
    return {"id": command["id"], "name": name, "type": command["type"], "options": list(options), **more}


def option(name: str, kind: int, value: Any, **more: Any) -> Json:
    return {"name": name, "type": kind, "value": value, **more}


UNTAKEN: Sequence[tuple[str, list[Json]]] = (
    ("can-run", [option("model", TEXT, ["StarCoder"]), HARDWARE]),
    ("can-run", [option("model", TEXT, {"name": STARCODER}), HARDWARE]),
    ("can-run", [option("model", TEXT, None), HARDWARE]),
    ("can-run", [{"name": "model", "type": TEXT}, HARDWARE]),
    ("can-run", [option("model", WHOLE, 15), HARDWARE]),
    ("can-run", [option("model", TEXT, "x" * 6001), HARDWARE]),
    ("ask", []),
    ("can-run", [MODEL, HARDWARE, option("wish", TEXT, "three")]),
    ("can-run", [MODEL, HARDWARE, option("quant", TEXT, "Q9_Z")]),
    ("can-run", [MODEL, HARDWARE, option("private", YES_NO, "yes")]),
    ("can-run", [MODEL, HARDWARE, option("ram", NUMBER, True)]),
    ("can-run", [MODEL, HARDWARE, option("ram", NUMBER, -1)]),
    ("can-run", [MODEL, HARDWARE, option("ram", NUMBER, 1e308)]),
    ("can-run", [MODEL, HARDWARE, option("ram", NUMBER, 2**100)]),
    ("help", [option("topic", TEXT, "everything")]),
    ("rig", []),
    ("rig", [{"name": "steal", "type": SUB, "options": []}]),
    ("rig", [{"name": "delete", "type": SUB, "options": [option("machine", TEXT, [])]}]),
    ("rig", [{"name": "show", "type": SUB, "options": [option("member", MEMBER, "everybody")]}]),
)


async def test_what_no_option_takes_gets_a_sentence(world: World, texts: Texts) -> None:
    discord_, guild, _ = world
    sentence = texts.say("error.old_command", "en")
    for number, (name, options) in enumerate(UNTAKEN):
        mallory = discord_.add_user(f"m{number}")
        told = await discord_.forge(guild, mallory, COMMAND, used(discord_, name, *options))
        assert (told.content, told.ephemeral) == (sentence, True), options
    menus = discord_.add_channel(guild, "menus")
    for name in ("Show rig", "Answer this"):
        for target in ("0", "everybody", None):
            sent = used(discord_, name, target_id=target, resolved={})
            told = await discord_.forge(menus, discord_.add_user("somebody"), COMMAND, sent)
            assert told.content == sentence, sent


async def test_what_nobody_can_type_gets_no_suggestions(world: World) -> None:
    discord_, guild, mallory = world
    asked = [
        await discord_.forge(guild, mallory, SUGGEST, used(discord_, "can-run", *options), wait=False)
        for options in (
            [option("model", TEXT, ["star"], focused=True)],
            [option("model", TEXT, "star", focused=True), option("hardware", TEXT, [])],
            [option("ram", NUMBER, "1", focused=True)],
            [MODEL],
            [],
        )
    ]
    await discord_.settle()
    assert [one.choices for one in asked] == [None] * len(asked)
    assert STARCODER in [choice["value"] for choice in await discord_.autocomplete(guild, mallory, "can-run", "model", "starcoder")]


async def test_what_breaks_inside_the_library_is_logged_without_what_it_quotes(world: World) -> None:
    discord_, guild, mallory = world
    channel = {"id": "words of mine", "type": 0, "name": "x", "permissions": "0"}
    data = used(discord_, "can-run", MODEL, HARDWARE, resolved={"channels": {"1": channel}})
    broken = await discord_.forge(guild, mallory, COMMAND, data, wait=False)
    (bot,) = discord_.processes
    await bot.until(lambda: "Task exception was never retrieved" in bot.log, "nothing was logged")
    assert broken.kind is None
    assert "words of mine" not in bot.log
    discord_.excuse_log(bot)


async def test_no_message_may_notify_anybody(world: World) -> None:
    discord_, guild, mallory = world
    victim = discord_.add_user("victim")
    bare = discord_.add_channel(guild, "bare")
    discord_.overwrite(bare, discord_.me, deny=Permission.EMBED_LINKS)
    typed = f"{victim.mention} @everyone"
    for room in (guild.channels[0], bare):
        said = await discord_.say(room, mallory, discord_.mention("can I run Foo @everyone 7B on 12 GB?"))
        assert discord_.pings(await discord_.reply(said)) == set()
    told = await discord_.slash(guild, mallory, "rig delete", machine=typed[:32])
    assert victim.id in told.content
    assert victim.mention not in told.content
    await discord_.slash(guild, mallory, "can-run", model=typed, hardware="12 GB")
    sent = [exchange.body for exchange in (*discord_.record.to("POST channels/*/messages"), *discord_.record.to(CALLBACK))]
    assert len(sent) == 4
    # Whatever it says: nobody is named, no role, not everyone, nor whoever it replies to.
    for body in sent:
        allowed = body.get("data", body)["allowed_mentions"]
        assert not any(allowed.get(who) for who in ("parse", "users", "roles", "replied_user")), allowed
        assert "parse" in allowed


def _options(chance: random.Random, known: Sequence[Json]) -> Iterator[Json]:
    """Options as Discord would take them, with the worst that fits in."""
    inner = [one for one in known if one["type"] <= 2]
    if inner:
        one = chance.choice(inner)
        yield {"name": one["name"], "type": one["type"], "options": list(_options(chance, one.get("options", [])))}
        return
    for one in known:
        if not one.get("required") and chance.random() < 0.5:
            continue
        if one.get("choices"):
            yield option(one["name"], one["type"], chance.choice(one["choices"])["value"])
        elif one["type"] == TEXT:
            yield option(one["name"], TEXT, chance.choice(TYPED)[: one.get("max_length", 100)])
        elif one["type"] == NUMBER:
            yield option(one["name"], NUMBER, chance.choice([n for n in NUMBERS if n <= one.get("max_value", n)]))
        elif one["type"] == YES_NO:
            yield option(one["name"], YES_NO, chance.random() < 0.5)


def _bent(chance: random.Random, custom_id: str) -> str:
    """A custom id that was cut, changed, mixed or prolonged."""
    at, to = sorted((chance.randrange(len(custom_id)), chance.randrange(len(custom_id))))
    parts = custom_id.split(".")
    part = chance.randrange(len(parts))
    return chance.choice(
        (
            custom_id[: at + 1],
            custom_id[:at] + chance.choice("._-~|{<@#0Zé\u0000") + custom_id[at + 1 :],
            custom_id[:at] + custom_id[to:] or ".",
            ".".join((*parts[:part], chance.choice(("", "0", "-1", "99999999999999", "ffff", "~~~")), *parts[part + 1 :])),
            (custom_id * 5)[:100],
        )
    )


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_comes_is_answered_and_nobody_is_notified(world: World, texts: Texts, seed: int) -> None:
    discord_, guild, _ = world
    chance = random.Random(seed)
    rooms = [discord_.add_channel(guild, f"c{number}") for number in range(8)]
    people = [discord_.add_user(f"m{number}") for number in range(40)]
    moderators = [discord_.add_moderator_of(guild) for _ in range(8)]
    asked = [
        await discord_.slash(rooms[0], discord_.add_user("honest"), name, **options)
        for name, options in (
            ("can-run", {"model": STARCODER, "hardware": "12 GB"}),
            ("which-gpu", {"model": STARCODER}),
            ("which-model", {"hardware": "12 GB"}),
        )
    ]
    messages = [one.message or {} for one in asked]
    known = [(message, part) for message in messages for part in components(message)]
    for number in range(120):
        user = (moderators if number % 5 == 0 else people)[number % 8 if number % 5 == 0 else number % 40]
        room = rooms[number % 8]
        typed = [str(chance.choice(TYPED)) for _ in range(chance.randrange(1, 4))]
        message, part = chance.choice(known)
        if number % 3 == 0:
            command = chance.choice([one for one in discord_.commands.by_scope[None] if one["type"] == 1])
            sent = used(discord_, command["name"], *_options(chance, command.get("options", [])))
            answer = await discord_.forge(room, user, COMMAND, sent)
        elif number % 3 == 1:
            sent = {"custom_id": _bent(chance, part["custom_id"]), "component_type": part["type"], "values": typed}
            answer = await discord_.forge(rooms[0], user, COMPONENT, sent, message=message)
        else:
            inputs = [{"type": 1, "components": [{"type": 4, "custom_id": "a", "value": value}]} for value in typed]
            sent = {"custom_id": _bent(chance, part["custom_id"]), "components": inputs}
            answer = await discord_.forge(room, user, FORM, sent, message=message)
        said = answer.content + json.dumps((answer.message or {}).get("embeds", []))
        assert not answer.content.startswith(texts.say("error.ours", "en", code="").removesuffix("``")), sent
        assert not [sign for sign in ("1337", "\\u001b", "\\u0000") if sign in said], sent
        assert answer.message is None or discord_.pings(answer.message) <= {user.id}, sent
