"""Saved machines and the panel, over the wire and over a restart; and that nothing is left on disk of what is deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from answers.answering import Answering
from answers.questions.question import Cards, Intent, Question
from commands.texts import Texts
from tests.discord_standin import Json, Permission, walk
from tests.end_to_end.world import Discord, World, breakable, button, components, one_embed, select, shown, text_of

# One event loop for all of them, because they share one running bot.
pytestmark = pytest.mark.asyncio(loop_scope="module")

STARCODER = "StarCoder 2 15B"
ON_3060 = Question(intent=Intent.CAN_RUN, models=(STARCODER,), cards=(Cards(name="GeForce RTX 3060 12 GB"),))
USED = {
    "en-US": "For your rig: RTX 3060 12 GB · ",
    "es-ES": "Con tu equipo: RTX 3060 12 GB · ",
    "it": "Con il tuo PC: RTX 3060 12 GB · ",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rigs")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(folder: Path) -> AsyncIterator[Discord]:
    async with Discord() as discord_:
        discord_.add_guild("Home")
        await discord_.run(folder)
        yield discord_


def on_disk(folder: Path) -> bytes:
    """Everything that the bot has written."""
    return b"".join(file.read_bytes() for file in sorted(folder.glob("state.db*")))


@pytest.mark.parametrize("locale", USED)
async def test_a_saved_machine_is_what_a_question_without_hardware_is_about(
    world: World, answering: Answering, texts: Texts, locale: str
) -> None:
    discord_, guild, _ = world
    asker = discord_.add_user("asker", locale=locale)
    saved = await discord_.slash(guild, asker, "rig set", hardware="3060 12gb")
    assert saved.ephemeral
    said = breakable(shown(answering.answer(ON_3060, locale).message))
    first, _, footer = said.rpartition("\n")
    answer = await discord_.slash(guild, asker, "can-run", model=STARCODER)
    # The footer goes on in small letters after the note.
    assert text_of(one_embed(answer.message)) == f"{first}\n{USED[locale]}{footer[:1].lower()}{footer[1:]}"
    asked = await discord_.say(guild, asker, discord_.mention(f"can I run {STARCODER}?"))
    (reply,) = await discord_.replies(asked, 1)
    assert text_of(one_embed(reply)).splitlines()[-1].startswith(USED["en-US"])
    # What is under it goes on for the same machine, and others get the same figures and no word of whose it is.
    await discord_.select(answer.message or {}, asker, select(answer.message, "t")["custom_id"], ["8192"])
    assert text_of(one_embed(answer.message)).splitlines()[-1].startswith(USED[locale])
    other = discord_.add_user("other", locale=locale)
    beside = await discord_.select(answer.message or {}, other, select(answer.message, "t")["custom_id"], ["16384"])
    expected = answering.answer(ON_3060.model_copy(update={"context": 16384}), locale).message
    assert text_of(beside.embed) == breakable(shown(expected))


async def test_others_see_it_only_where_its_owner_lets_them(world: World, texts: Texts) -> None:
    discord_, guild, alice = world
    bob = discord_.add_user("bob")
    await discord_.slash(guild, alice, "rig set", hardware="2x 3090", machine="Tower")
    hidden = await discord_.user_menu(guild, bob, "Show rig", alice)
    assert hidden.content == texts.say("rig.not_visible", "en", who="Alice")
    assert hidden.ephemeral
    await discord_.slash(guild, alice, "rig set", visible=True)
    seen = await discord_.user_menu(guild, bob, "Show rig", alice)
    assert seen.ephemeral
    assert "2× RTX 3090" in text_of(seen.embed)


async def test_what_is_deleted_leaves_no_byte_while_the_bot_runs_on(world: World, folder: Path) -> None:
    discord_, guild, alice = world
    bob = discord_.add_user("bob")
    name = "a-name-for-a-machine"
    for asker in (alice, bob):
        await discord_.slash(guild, asker, "rig set", hardware="3060 12gb", machine=f"{name}-of-{asker.name}")
        await discord_.slash(guild, asker, "rig set", ram=64)
    traces = {asker: (f"{name}-of-{asker.name}".encode(), int(asker.id).to_bytes(8, "big")) for asker in (alice, bob)}
    assert all(trace in on_disk(folder) for of_one in traces.values() for trace in of_one)
    assert name in text_of((await discord_.slash(guild, alice, "privacy show")).embed)
    await discord_.slash(guild, alice, "privacy delete")
    found = on_disk(folder)
    assert [trace for trace in traces[alice] if trace in found] == []
    assert all(trace in found for trace in traces[bob])
    assert name not in text_of((await discord_.slash(guild, alice, "privacy show")).embed)
    await discord_.slash(guild, bob, "rig delete")
    found = on_disk(folder)
    assert [trace for trace in traces[bob] if trace in found] == []


async def test_a_panel_is_pinned_and_works_after_a_restart(tmp_path: Path, answering: Answering, texts: Texts) -> None:
    discord_ = Discord()
    async with discord_:
        guild = discord_.add_guild("Local LLMs")
        alice, moderator = discord_.add_user("alice", locale="it"), discord_.add_moderator_of(guild)
        discord_.overwrite(guild.channels[0], discord_.me, allow=Permission.PIN_MESSAGES)
        welcome = discord_.add_channel(guild, "welcome")
        bot = await discord_.run(tmp_path)
        up = await discord_.slash(guild, moderator, "settings panel", channel=guild.channels[0])
        assert up.content == texts.say("settings.panel", "en", id=guild.channels[0].id)
        panel = next(message for message in discord_.sent_to(guild.channels[0], alice) if components(message))
        assert panel["pinned"]
        await discord_.slash(guild, alice, "rig set", hardware="3060 12gb")
        assert await bot.stop() == 0
        await discord_.run(tmp_path)
        form = await discord_.press(panel, alice, button(panel, texts.say("panel.fits", "en")))
        # Who has a machine need not say what it is.
        needed = {part["custom_id"]: part.get("required", True) for part in fields(form.modal)}
        assert needed == {"model": True, "hardware": False}
        answer = await discord_.submit(form, model=STARCODER, hardware="")
        assert answer.ephemeral
        assert text_of(answer.embed).splitlines()[-1].startswith(USED["it"])
        # Where it may not be pinned it stands all the same, and takes the place of the first.
        moved = await discord_.slash(guild, moderator, "settings panel", channel=welcome)
        assert moved.content == texts.say("settings.panel_loose", "en", id=welcome.id)
        assert not discord_.exists(panel)
        discord_.excuse((403, 50013))
        await discord_.settle()
        discord_.check()


def fields(modal: Json | None) -> list[Json]:
    """The fields of a form."""
    assert modal
    return [part for part in walk(modal["components"]) if part.get("custom_id")]
