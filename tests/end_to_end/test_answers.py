"""Slash commands, what they suggest, and what stands below their answers: for whoever asked, for others, and when made up."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import redirect_stdout
from io import StringIO

import pytest
import pytest_asyncio

from answers.answering import Answering
from answers.questions.question import Intent, Question
from bot.cli import main
from commands.state import State
from commands.texts import Texts
from tests.end_to_end.world import (
    Discord,
    World,
    breakable,
    button,
    buttons,
    chosen,
    components,
    one_embed,
    select,
    shown,
    text_of,
)

# One event loop for all of them, because they share one running bot.
pytestmark = pytest.mark.asyncio(loop_scope="module")

STARCODER = "StarCoder 2 15B"
RANKING = Question(intent=Intent.RANK_CARDS, models=(STARCODER,))
ON_12_GB = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Discord]:
    async with Discord() as discord_:
        discord_.add_guild("Home")
        await discord_.run(tmp_path_factory.mktemp("answers"))
        yield discord_


def console(question: str, locale: str) -> str:
    """What the console prints in answer to a question."""
    with redirect_stdout(StringIO()) as out:
        assert main(["ask", question, "--locale", locale]) == 0
    return breakable(out.getvalue().removesuffix("\n"))


async def test_can_run_says_what_the_console_says_in_the_askers_language(world: World) -> None:
    discord_, guild, _ = world
    locales = ("en-US", "es-ES", "it")
    printed = [await asyncio.to_thread(console, f"can I run {STARCODER} on a 3060 12GB?", locale) for locale in locales]
    assert len(set(printed)) == len(locales)
    for locale, text in zip(locales, printed, strict=True):
        asker = discord_.add_user(f"asker-{locale.lower()}", locale=locale)
        answer = await discord_.slash(guild, asker, "can-run", model=STARCODER, hardware="3060 12GB")
        assert text_of(one_embed(answer.message)) == text
        assert not answer.ephemeral
        alone = await discord_.slash(guild, asker, "can-run", model=STARCODER, hardware="3060 12GB", private=True)
        assert alone.embed == answer.embed
        assert alone.ephemeral


@pytest.mark.parametrize("locale", ["en-US", "es-ES", "it"])
async def test_a_chart_comes_with_the_answer_and_says_in_words_what_it_shows(
    world: World, answering: Answering, locale: str
) -> None:
    discord_, guild, _ = world
    asker = discord_.add_user(f"chart-{locale.lower()}", locale=locale)
    asked = (("can-run", {"model": STARCODER, "hardware": "12 GB"}, ON_12_GB), ("which-gpu", {"model": STARCODER}, RANKING))
    for command, options, question in asked:
        plain = await discord_.slash(guild, asker, command, **options)
        drawn = await discord_.slash(guild, asker, command, **options, chart=True)
        picture = answering.picture(answering.answer(question, locale))
        assert drawn.embed == plain.embed
        assert drawn.message
        assert picture
        (attached,) = drawn.message["attachments"]
        assert (attached["filename"], attached["description"]) == ("chart.png", picture.alt)
        assert attached["content_type"] == "image/png"
        assert not (plain.message or {})["attachments"]


async def test_a_command_is_answered_wherever_it_can_be_used(world: World) -> None:
    discord_, _, alice = world
    bob = discord_.add_user("bob", installed=True)
    private = discord_.add_private_channel(bob, alice)
    elsewhere = discord_.add_guild("Elsewhere", has_bot=False)
    embeds = [
        (await discord_.slash(place, bob, "can-run", model=STARCODER, hardware="24 GB")).embed
        for place in (None, private, elsewhere)
    ]
    assert embeds[0] == embeds[1] == embeds[2]
    assert STARCODER in embeds[0]["title"]


async def test_what_is_suggested_is_in_the_askers_language_and_keeps_what_was_typed(world: World, answering: Answering) -> None:
    discord_, guild, alice = world
    chiara = discord_.add_user("chiara", locale="it")
    everything = await discord_.autocomplete(guild, alice, "can-run", "model", "")
    assert len(everything) == 25
    best = (await discord_.autocomplete(guild, alice, "can-run", "model", "starcoder 2 15"))[0]
    assert best == {"name": STARCODER, "value": STARCODER} | {key: best[key] for key in best.keys() - {"name", "value"}}
    joined = await discord_.autocomplete(guild, alice, "can-run", "hardware", "2x 3090 + 4060 ti 16", model=STARCODER)
    assert joined[0]["name"].startswith("2× RTX 3090 + RTX 4060 Ti 16")
    assert all(choice["value"].startswith("2x 3090 + ") for choice in joined)
    used = await discord_.slash(guild, alice, "can-run", model=STARCODER, hardware=joined[0]["value"])
    assert "2× RTX 3090" in text_of(used.embed)
    memory = "48,5 GB"
    said = [(await discord_.autocomplete(guild, asker, "can-run", "hardware", memory))[0] for asker in (alice, chiara)]
    assert [choice["value"] for choice in said] == [memory, memory]
    assert said[0]["name"] != said[1]["name"]


async def test_suggestions_that_come_too_late_are_nobodys_fault(world: World) -> None:
    discord_, guild, alice = world
    late = await discord_.start_autocomplete(guild, alice, "can-run", "model", "starcoder")
    discord_.age(late, 4)
    await discord_.until(lambda: bool(discord_.record.refused), "no suggestions")
    await discord_.settle()
    discord_.excuse((404, 10062))
    assert await discord_.autocomplete(guild, alice, "can-run", "model", "starcoder")


async def test_the_table_is_paged_jumped_in_sorted_and_widened_in_place(world: World, answering: Answering) -> None:
    discord_, guild, alice = world
    answer = await discord_.slash(guild, alice, "which-gpu", model=STARCODER)
    message = answer.message
    assert message

    def says(question: Question, page: int = 0) -> bool:
        return text_of(one_embed(message)) == shown(answering.answer(question, "en", page).message)

    assert says(RANKING)
    lines = one_embed(message)["description"].splitlines()
    assert max(map(len, lines[lines.index("```") + 1 :])) <= 30
    for label, page in (("▶", 1), ("▶", 2), ("◀", 1)):
        pressed = await discord_.press(message, alice, button(message, label))
        assert pressed.message is message
        assert says(RANKING, page)
    where = next(label for label in buttons(message) if label.startswith("2 of "))
    form = await discord_.press(message, alice, button(message, where))
    landed = await discord_.submit(form, page="4")
    assert landed.message is message
    assert says(RANKING, 3)
    beyond = await discord_.submit(form, page="4000")
    assert beyond.ephemeral
    assert says(RANKING, 3)
    smallest = RANKING.model_copy(update={"order": "smallest"})
    await discord_.press(message, alice, button(message, "Smallest first"))
    assert says(smallest)
    await discord_.press(message, alice, button(message, "Also those that can't"))
    assert says(smallest.model_copy(update={"include_unfit": True}))


async def test_context_and_lowest_quant_change_the_answer_in_place(world: World, answering: Answering) -> None:
    discord_, guild, alice = world
    answer = await discord_.slash(guild, alice, "can-run", model=STARCODER, hardware="12 GB")
    message = answer.message
    assert message
    before = text_of(one_embed(message))
    changed = await discord_.select(message, alice, select(message, "t")["custom_id"], ["16384"])
    assert changed.message is message
    question = ON_12_GB.model_copy(update={"context": 16384})
    assert before != text_of(one_embed(message)) == shown(answering.answer(question, "en").message)
    assert chosen(select(message, "t")) == ["16384"]
    await discord_.select(message, alice, select(message, "m")["custom_id"], ["Q5_K_M"])
    question = question.model_copy(update={"min_quality": "Q5_K_M"})
    assert text_of(one_embed(message)) == shown(answering.answer(question, "en").message)
    assert (chosen(select(message, "t")), chosen(select(message, "m"))) == (["16384"], ["Q5_K_M"])


async def test_how_the_figures_are_computed_is_told_to_whoever_asks(world: World, answering: Answering) -> None:
    discord_, guild, alice = world
    bruno = discord_.add_user("bruno", locale="it")
    answer = await discord_.slash(guild, alice, "can-run", model=STARCODER, hardware="12 GB")
    before = dict(answer.embed)
    for asker, locale in ((alice, "en"), (bruno, "it")):
        told = await discord_.press(answer.message or {}, asker, button(answer.message, "How is this computed"))
        computed = answering.computed(ON_12_GB, locale)
        assert computed
        assert told.ephemeral
        assert text_of(one_embed(told.message)) == shown(computed)
    assert answer.embed == before


async def test_somebody_elses_press_gets_a_copy_of_their_own(world: World, answering: Answering, texts: Texts) -> None:
    discord_, guild, alice = world
    bruno = discord_.add_user("bruno", locale="it")
    answer = await discord_.slash(guild, alice, "which-gpu", model=STARCODER)
    assert answer.message
    before = text_of(answer.embed)
    copy = await discord_.press(answer.message, bruno, button(answer.message, "▶"))
    assert copy.ephemeral
    assert copy.content == texts.say("button.not_yours", "it")
    assert text_of(copy.embed) == shown(answering.answer(RANKING, "it", 1).message)
    assert text_of(answer.embed) == before
    # From here on it is his: his next press changes it where it stands.
    again = await discord_.press(copy.message or {}, bruno, button(copy.message, "▶"))
    assert again.message is copy.message
    assert text_of(again.embed) == shown(answering.answer(RANKING, "it", 2).message)
    assert text_of(answer.embed) == before


async def test_old_and_forged_components_get_a_sentence(world: World, texts: Texts) -> None:
    discord_, guild, alice = world
    answer = await discord_.slash(guild, alice, "can-run", model=STARCODER, hardware="12 GB")
    message = answer.message
    assert message
    real = components(message)[0]["custom_id"]
    start, _, state = real.rpartition(".")
    raw = base64.urlsafe_b64decode(state + "=" * (-len(state) % 4))
    cut, longer, flipped = raw[:-1], raw + b"\0", bytes((*raw[:-6], *(byte ^ 0xFF for byte in raw[-6:])))
    made_up = [
        *("page:2", "rig1b.p.", "rig1b.p.AAAA", "rig1b.z.AAAA", "rig0b.p." + state, "rig9b.p." + state, "settings:channel:off"),
        *(f"rig1b.p.{base64.urlsafe_b64encode(made).decode().rstrip('=')}" for made in (b"", cut, longer, flipped, b"\xff" * 60)),
        "x" * 100,
    ]
    before, sentence = dict(answer.embed), texts.say("button.old", "en")
    # A press each, so that nobody is told to slow down.
    for custom_id in made_up:
        pressed = await discord_.press(message, alice, custom_id, forced=True)
        assert (pressed.content, pressed.ephemeral) == (sentence, True), custom_id
    for values in (["1e9"], ["-1"], ["4 k"], [""], []):
        pressed = await discord_.select(message, alice, select(message, "t")["custom_id"], values, forced=True)
        assert (pressed.content, pressed.ephemeral) == (sentence, True), values
    pressed = await discord_.select(message, alice, select(message, "m")["custom_id"], ["Q99_X"], forced=True)
    assert (pressed.content, pressed.ephemeral) == (sentence, True)
    form = {"custom_id": f"{start.replace('1s', '1m')}.AAAA", "components": []}
    sent = await discord_.forge(guild, alice, 5, form)
    assert (sent.content, sent.ephemeral) == (sentence, True)
    assert answer.embed == before


async def test_an_id_that_names_another_asker_neither_removes_nor_changes_an_answer(world: World, texts: Texts) -> None:
    discord_, guild, alice = world
    mallory = discord_.add_user("mallory")
    asked = await discord_.say(guild, alice, f"{discord_.me.mention} {STARCODER} on 12 GB?")
    for message in (
        (await discord_.slash(guild, alice, "can-run", model=STARCODER, hardware="12 GB")).message or {},
        await discord_.reply(asked),
    ):
        before = text_of(one_embed(message))
        removal = State(int(mallory.id), "en", Question()).custom_id("b", "x")
        change = State(int(mallory.id), "en", ON_12_GB).custom_id("s", "t")
        assert removal
        assert change
        pressed = await discord_.press(message, mallory, removal, forced=True)
        assert (pressed.content, pressed.ephemeral) == (texts.say("button.not_yours_to_remove", "en"), True)
        assert (await discord_.select(message, mallory, change, ["8192"], forced=True)).ephemeral
        assert discord_.exists(message)
        assert text_of(one_embed(message)) == before
        # What is made up for whoever did ask works, as they may do it anyhow.
        await discord_.press(message, alice, State(1, "en", Question()).custom_id("b", "x") or "", forced=True)
        await discord_.until(lambda message=message: not discord_.exists(message), "the answer was removed")


async def test_what_an_answer_asks_back_is_pressed_not_typed(world: World, answering: Answering) -> None:
    discord_, guild, alice = world
    asks = await discord_.slash(guild, alice, "ask", question=f"can I run {STARCODER} on a 3060?")
    assert asks.message
    offered = [part for part in components(asks.message) if part["custom_id"].startswith("rig1b.q")]
    (back,) = answering.ask(f"can I run {STARCODER} on a 3060?", "en")
    assert [part["label"] for part in offered] == list(back.message.choices)
    assert text_of(asks.embed) == shown(back.message)
    pressed = await discord_.press(asks.message, alice, offered[1]["custom_id"])
    assert pressed.message is asks.message
    assert text_of(asks.embed) == shown(answering.answer(back.pending[1], "en").message)


async def test_answer_this_answers_what_somebody_else_wrote(world: World, answering: Answering) -> None:
    discord_, guild, alice = world
    bob = discord_.add_user("bob", locale="it")
    said = await discord_.say(guild, bob, f"¿puedo correr {STARCODER} con 12 GB?")
    answer = await discord_.message_menu(said, alice, "Answer this")
    assert text_of(answer.embed) == shown(answering.answer(ON_12_GB, "es").message)
    empty = await discord_.say(guild, bob, "…")
    assert (await discord_.message_menu(empty, alice, "Answer this")).ephemeral
