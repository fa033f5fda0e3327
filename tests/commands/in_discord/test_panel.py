"""The panel: put up, pinned, replaced and taken away by moderators; pressed by anybody, and answered to them alone."""

from __future__ import annotations

from typing import Any

import pytest
from discord import PermissionOverwrite

from answers.questions.question import Cards, Intent, Question
from commands.message import embed_of
from commands.services import Services
from commands.store.rigs import Rig
from tests.commands.in_discord.conftest import World, forge

STARCODER = "StarCoder 2 15B"
LABELS = {
    "en-US": ["Will a model run?", "What can I run?", "Which card do I need?", "Save my rig", "How to ask"],
    "es-ES": ["¿Me cabe un modelo?", "¿Qué puedo usar?", "¿Qué GPU necesito?", "Guardar mi equipo", "Cómo preguntar"],
    "es-419": ["¿Me cabe un modelo?", "¿Qué puedo correr?", "¿Qué GPU necesito?", "Guardar mi equipo", "Cómo preguntar"],
    "it": ["Mi gira un modello?", "Cosa posso usare?", "Che scheda mi serve?", "Salva il mio PC", "Come chiedere"],
}

pytestmark = [pytest.mark.simcord(check_errors=False), pytest.mark.usefixtures("nothing_breaks", "nobody_is_too_fast")]


async def put_up(world: World, mod: Any, channel: Any = None) -> Any:
    """The panel, put up by a moderator."""
    place = channel or world.channel
    await mod.slash(world.channel, "settings panel", channel=place)
    return panels(place)[-1]


def panels(channel: Any) -> list[Any]:
    return [message for message in channel.history() if message.components]


def said(result: Any) -> str:
    """What only the one who used something sees."""
    messages = [message for message in (result.response, *result.followups) if message]
    assert messages
    assert all(message.ephemeral for message in messages)
    return "\n".join(message.content for message in messages)


# -- putting it up --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", LABELS)
async def test_it_stands_pinned_in_the_language_of_the_server(world: World, mod: Any, services: Services, locale: str) -> None:
    await services.store.change_server(world.guild.id, language=services.locales.get(locale).code)
    message = await put_up(world, mod)
    assert [item.label for row in message.components for item in row.children] == LABELS[locale]
    assert services.store.panel(world.guild.id) == (world.channel.id, message.id)
    assert [pinned.id for pinned in world.channel.pinned_messages()] == [message.id]


async def test_another_one_takes_its_place_and_none_takes_it_away(world: World, mod: Any, services: Services) -> None:
    other = world.guild.create_text_channel("welcome")
    await put_up(world, mod)
    second = await put_up(world, mod, other)
    assert panels(world.channel) == []
    assert [message.id for message in panels(other)] == [second.id]
    assert "no panel" in said(await mod.slash(world.channel, "settings panel"))
    assert panels(other) == []
    assert services.store.panel(world.guild.id) is None


async def test_where_the_bot_may_not_write_nothing_changes(world: World, mod: Any, services: Services) -> None:
    first = await put_up(world, mod)
    closed = world.guild.create_text_channel(
        "closed", overwrites={world.guild.default_role: PermissionOverwrite(send_messages=False)}
    )
    assert "I can't write" in said(await mod.slash(world.channel, "settings panel", channel=closed))
    assert [message.id for message in panels(world.channel)] == [first.id]
    assert services.store.panel(world.guild.id) == (world.channel.id, first.id)


async def test_a_server_that_is_left_is_forgotten_with_its_panel(world: World, mod: Any, services: Services) -> None:
    await put_up(world, mod)
    assert services.store.servers() == (world.guild.id,)
    await services.store.forget(world.guild.id)
    assert services.store.panel(world.guild.id) is None
    assert services.store.servers() == ()


# -- pressing it ----------------------------------------------------------------------------------------------------------------


async def fill_in(world: World, actor: Any, message: Any, label: str, **typed: str) -> Any:
    """Press a button and send its form in."""
    pressed = await actor.click(message, label=label)
    return await actor.submit_modal(pressed, typed)


async def test_whether_a_model_runs_is_answered_to_the_one_who_asks_in_their_language(
    world: World, mod: Any, services: Services
) -> None:
    message = await put_up(world, mod)
    world.spoken.locale = "it"
    result = await fill_in(world, world.bob, message, LABELS["en-US"][0], model=STARCODER, hardware="3060 12gb")
    question = Question(intent=Intent.CAN_RUN, models=(STARCODER,), cards=(Cards(name="GeForce RTX 3060 12 GB"),), memory_gb=12.0)
    assert world.only(result).ephemeral
    assert world.embed(result).to_dict() == embed_of(services.answering.answer(question, "it").message).to_dict()


async def test_what_runs_and_which_card_are_answered_too(world: World, mod: Any, services: Services) -> None:
    message = await put_up(world, mod)
    result = await fill_in(world, world.bob, message, LABELS["en-US"][2], model=STARCODER)
    ranking = Question(intent=Intent.RANK_CARDS, models=(STARCODER,))
    assert world.embed(result).to_dict() == embed_of(services.answering.answer(ranking, "en").message).to_dict()
    result = await fill_in(world, world.bob, message, LABELS["en-US"][1], hardware="24 GB")
    assert world.embed(result).title == "What to run on 24\u00a0GB"


async def test_a_rig_is_saved_and_then_need_not_be_typed(world: World, mod: Any, services: Services) -> None:
    message = await put_up(world, mod)
    saved = await fill_in(world, world.bob, message, LABELS["en-US"][3], hardware="3090 with 20 GB free")
    assert said(saved) == ""
    assert services.store.rigs(world.bob.id) == (Rig(cards=(("GeForce RTX 3090", 1),), free_gb=20.0),)
    result = await fill_in(world, world.bob, message, LABELS["en-US"][0], model=STARCODER, hardware="")
    assert world.embed(result).footer.text.startswith("For your rig: RTX 3090")
    assert "I don't have" in said(await fill_in(world, world.bob, message, LABELS["en-US"][3], hardware="rtx 9999"))


async def test_how_to_ask_is_said_at_once(world: World, mod: Any) -> None:
    message = await put_up(world, mod)
    result = await world.bob.click(message, label=LABELS["en-US"][4])
    assert world.only(result).ephemeral
    assert world.embed(result).title == "What you can ask"


@pytest.mark.parametrize("custom_id", ["rig1b.w9.", "rig1b.w.", "rig2b.w0.", "rig99b.w4."])
async def test_a_made_up_button_does_nothing(world: World, mod: Any, custom_id: str) -> None:
    message = await put_up(world, mod)
    result = await forge(world, world.bob, message, custom_id)
    assert said(result) == "That button has expired. Ask again and you get fresh ones."
