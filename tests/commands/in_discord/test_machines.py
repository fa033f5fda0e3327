"""Saved machines by name: in every command that takes hardware, in chat, in comparisons, and among what is suggested."""

from __future__ import annotations

from typing import Any

import pytest

from commands.services import Services
from tests.commands.in_discord.conftest import World, components
from tests.commands.in_discord.test_chat import me, said
from tests.commands.in_discord.test_rig import footer, save, told, whole

pytestmark = pytest.mark.usefixtures("nobody_is_too_fast")

QWEN, STARCODER = "Qwen3 14B", "StarCoder 2 15B"
COMMANDS = (
    ("can-run", {"model": QWEN}),
    ("which-quant", {"model": QWEN}),
    ("which-model", {}),
    ("compare", {"a": QWEN, "b": STARCODER}),
)
ASKED = (
    "can I run qwen3 14b?",
    "how fast is qwen3 14b?",
    "how much vram does qwen3 14b need?",
    "what can I run?",
    "longest context for qwen3 14b?",
    "qwen3 14b or starcoder 2 15b?",
    "would a second card help for qwen3 14b?",
    "qwen3 14b doesn't fit, can I still run it?",
)


async def two_machines(world: World) -> None:
    """A tower with two cards, and a laptop, which questions are about."""
    await save(world, hardware="2x 3090", machine="Tower")
    await save(world, hardware="3060 12gb", machine="Old laptop")


@pytest.mark.parametrize(("command", "options"), COMMANDS)
async def test_a_saved_machine_changes_the_answer_of_a_command(world: World, command: str, options: dict[str, Any]) -> None:
    before = await world.alice.slash(world.channel, command, **options)
    await save(world)
    after = await world.alice.slash(world.channel, command, **options)
    assert whole(before.response) != whole(after.response)
    assert footer(after.response).startswith("For your rig: RTX 3060 12 GB · ")


@pytest.mark.parametrize("text", ASKED)
async def test_a_saved_machine_changes_the_answer_in_chat(world: World, text: str) -> None:
    await world.alice.send(world.channel, f"{me(world)} {text}")
    await save(world)
    await world.alice.send(world.channel, f"{me(world)} {text}")
    before, after = map(whole, said(world)[-2:])
    assert before != after
    assert "For your rig: RTX 3060 12 GB" in after


@pytest.mark.parametrize(("command", "options"), COMMANDS[:3])
@pytest.mark.parametrize("typed", ["Tower", "tower", " TOWER "])
async def test_a_machine_is_hardware_by_its_name(world: World, command: str, options: dict[str, Any], typed: str) -> None:
    await two_machines(world)
    result = await world.alice.slash(world.channel, command, hardware=typed, **options)
    assert footer(result.response).startswith("For your rig Tower: 2× RTX 3090 · ")
    # It is nobody else's.
    other = await world.bob.slash(world.channel, command, hardware=typed, **options)
    assert "Tower" in whole(other.response) or "3090" not in whole(other.response)
    assert "For your rig" not in whole(other.response)


async def test_what_was_said_of_the_machine_counts(world: World) -> None:
    await save(world, hardware="2x 3090", machine="Tower", context="32k", **{"free-vram": 40})
    await save(world, machine="Old laptop")
    result = await world.alice.slash(world.channel, "can-run", model=QWEN, hardware="tower")
    assert "40.0 GB free" in footer(result.response)
    assert "32k context" in footer(result.response)


@pytest.mark.parametrize(
    "text",
    [
        "can I run qwen3 14b on my tower?",
        "how fast is qwen3 14b on Tower?",
        "what can the tower run?",
        "how much vram does qwen3 14b need on my tower?",
        "qwen3 14b or starcoder 2 15b on the tower?",
        "¿me corre qwen3 14b en mi tower?",
        "qwen3 14b gira sul mio tower?",
    ],
)
async def test_a_machine_is_named_in_a_sentence(world: World, text: str) -> None:
    await two_machines(world)
    await world.alice.send(world.channel, f"{me(world)} {text}")
    asked = await world.alice.slash(world.channel, "ask", question=text)
    for answer in (said(world)[-2], asked.response):
        assert "Tower: 2× RTX 3090" in whole(answer)


async def test_a_follow_up_names_another_machine(world: World) -> None:
    await two_machines(world)
    for text in ("can I run qwen3 14b?", "and on the tower?", "and on my old laptop?"):
        await world.alice.send(world.channel, f"{me(world)} {text}")
    shown = [whole(message) for message in said(world)[-3:]]
    assert "Old laptop: RTX 3060 12 GB" in shown[0]
    assert "Tower: 2× RTX 3090" in shown[1]
    assert "Qwen3 14B" in shown[1]
    assert "Old laptop: RTX 3060 12 GB" in shown[2]


async def test_a_machine_that_bears_a_models_name_hides_no_model(world: World) -> None:
    await save(world, hardware="2x 3090", machine="Gemma")
    await world.alice.send(world.channel, f"{me(world)} can I run gemma 4 12b on a 4060?")
    assert "Gemma 4 12B" in whole(said(world)[-1])
    assert "RTX 4060" in whole(said(world)[-1])


async def test_a_machine_is_compared_as_its_cards_are(world: World, services: Services) -> None:
    await two_machines(world)
    result = await world.alice.slash(world.channel, "compare", a="Tower", b="RTX 4090", model="Llama 3.3 70B")
    expected = await world.alice.slash(world.channel, "compare", a="2x RTX 3090", b="RTX 4090", model="Llama 3.3 70B")
    assert world.embed(result).to_dict() == world.embed(expected).to_dict()
    assert "2× RTX 3090" in whole(result.response)


async def test_models_are_compared_on_the_machine_that_is_named_beside_them(world: World) -> None:
    await two_machines(world)
    result = await world.alice.slash(world.channel, "compare", a=QWEN, b=STARCODER, c="tower")
    assert "For your rig Tower: 2× RTX 3090" in footer(result.response)


@pytest.mark.simcord(check_errors=False)
async def test_a_machine_of_several_kinds_is_not_compared_as_one(world: World) -> None:
    await save(world, hardware="3090 + P40", machine="Mixed")
    result = await world.alice.slash(world.channel, "compare", a="Mixed", b="RTX 4090")
    assert "no single kind of card" in told(result)


async def test_buttons_go_on_for_the_machine_that_was_named(world: World) -> None:
    await two_machines(world)
    result = await world.alice.slash(world.channel, "can-run", model=QWEN, hardware="tower")
    select = next(item for item in components(result.response) if item.get("custom_id", "").startswith("rig1s.t."))
    await world.alice.select(result.response, ["8192"], custom_id=select["custom_id"])
    assert footer(result.response).startswith("For your rig Tower: 2× RTX 3090 · 8k context")


@pytest.mark.parametrize(
    ("command", "option", "given"),
    [("can-run", "hardware", {}), ("which-quant", "hardware", {}), ("which-model", "hardware", {}), ("compare", "b", {"a": QWEN})],
)
async def test_ones_own_machines_are_suggested_first(world: World, command: str, option: str, given: dict[str, Any]) -> None:
    await two_machines(world)
    offered = await world.alice.autocomplete(world.channel, command, option, "", **given)
    assert [choice["value"] for choice in offered[:2]] == ["Old laptop", "Tower"]
    assert offered[1]["name"] == "Tower · 2× RTX 3090"
    assert 2 < len(offered) <= 25
    typed = await world.alice.autocomplete(world.channel, command, option, "tow", **given)
    assert typed[0]["value"] == "Tower"
    others = await world.bob.autocomplete(world.channel, command, option, "", **given)
    assert not {"Tower", "Old laptop"} & {choice["value"] for choice in others}


async def test_a_machine_is_not_suggested_as_hardware_of_a_machine(world: World) -> None:
    await two_machines(world)
    offered = await world.alice.autocomplete(world.channel, "rig set", "hardware", "")
    assert "Tower" not in [choice["value"] for choice in offered]
