"""What goes wrong with Discord: broken connections, rate limits, errors, slow answers. Nothing that was asked is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from answers.answering import Answering
from answers.questions.question import Intent, Question
from commands.texts import Texts
from tests.discord_standin import Guild, NotConnected, User
from tests.end_to_end.world import Discord, button, one_embed, shown, text_of

# One event loop for all of them, because they share one running bot.
pytestmark = pytest.mark.asyncio(loop_scope="module")

World = tuple[Discord, Guild, User]
STARCODER = "StarCoder 2 15B"
ON_12_GB = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
OPTIONS = {"model": STARCODER, "hardware": "12 GB"}
ASKED = f"can I run {STARCODER} on 12 GB?"
CALLBACK, MESSAGES = "POST interactions/*/*/callback", "POST channels/*/messages"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Discord]:
    async with Discord() as discord_:
        discord_.add_guild("Home")
        await discord_.run(tmp_path_factory.mktemp("outages"))
        yield discord_


@pytest_asyncio.fixture(loop_scope="module")
async def world(running: Discord) -> AsyncIterator[World]:
    """A new server with Alice in it, and the bot that all tests here share."""
    running.record.clear()
    running.gateway.dispatched.clear()
    yield running, running.add_guild("Local LLMs"), running.add_user("alice")
    running.faults.clear()
    await running.settle()
    running.check(faults=True)


@pytest.fixture
def expected(answering: Answering) -> str:
    return shown(answering.answer(ON_12_GB, "en").message)


@pytest.mark.parametrize("how", ["reconnect", "invalid but resumable", "drop", "close"])
async def test_nothing_is_lost_over_a_broken_connection(world: World, expected: str, how: str) -> None:
    discord_, guild, alice = world
    session = discord_.gateway.by_shard[0].id
    if how == "reconnect":
        discord_.faults.reconnect()
    elif how == "invalid but resumable":
        discord_.faults.invalidate(resumable=True)
    elif how == "drop":
        discord_.faults.drop()
    else:
        await discord_.faults.close(code=4000)
    # Dispatched to a connection that is going or gone.
    said = await discord_.say(guild, alice, discord_.mention(ASKED))
    answer = await discord_.slash(guild, alice, "can-run", wait=False, **OPTIONS)
    assert text_of(one_embed((await answer.answered(15)).message)) == expected
    assert text_of(one_embed(await discord_.reply(said, 15))) == expected
    await discord_.until_gateway(lambda: discord_.gateway.dispatched["RESUMED"] == 1)
    assert (discord_.gateway.by_shard[0].id, discord_.gateway.dispatched["READY"]) == (session, 0)
    assert len(discord_.replies_to(said)) == 1


async def test_an_invalidated_session_is_begun_anew(world: World, expected: str) -> None:
    discord_, guild, alice = world
    before = await discord_.slash(guild, alice, "can-run", **OPTIONS)
    discord_.faults.invalidate()
    with pytest.raises(NotConnected):
        await discord_.slash(guild, alice, "can-run", **OPTIONS)
    await discord_.until_gateway(lambda: discord_.gateway.is_ready)
    assert text_of((await discord_.slash(guild, alice, "can-run", **OPTIONS)).embed) == expected
    # What was answered in the old session can still be pressed, and the commands are not told again.
    await discord_.press(before.message or {}, alice, button(before.message, "How is this computed"))
    assert discord_.gateway.dispatched["READY"] == 1
    assert not discord_.record.to("PUT applications/*/commands")


@pytest.mark.parametrize("scope", ["route", "everything"])
async def test_rate_limits_are_waited_out(world: World, expected: str, scope: str) -> None:
    discord_, guild, alice = world
    faults = discord_.faults
    fault = faults.rate_limit(MESSAGES, 0.3) if scope == "route" else faults.rate_limit_globally(0.3)
    said = await discord_.say(guild, alice, discord_.mention(ASKED))
    assert text_of(one_embed(await discord_.reply(said))) == expected
    assert fault.met == 1
    assert [exchange.status for exchange in discord_.record.to(MESSAGES)] == [429, 200]
    if scope == "route":
        limited = faults.rate_limit(CALLBACK, 0.2)
        assert text_of((await discord_.slash(guild, alice, "can-run", **OPTIONS)).embed) == expected
        assert limited.met == 1


async def test_an_outage_is_outlived(world: World, expected: str) -> None:
    discord_, guild, alice = world
    fault = discord_.faults.fail(MESSAGES, 502)
    said = await discord_.say(guild, alice, discord_.mention(ASKED))
    assert text_of(one_embed(await discord_.reply(said))) == expected
    assert (fault.met, len(discord_.replies_to(said))) == (1, 1)
    # Nothing goes through at all for a while, commands and messages alike; afterwards all is as before.
    everything = discord_.faults.fail("*", 500, seconds=60)
    lost = await discord_.slash(guild, alice, "can-run", wait=False, **OPTIONS)
    unheard = await discord_.say(guild, alice, discord_.mention(ASKED))
    await discord_.until(lambda: everything.met >= 2, "no request")
    everything.end()
    assert text_of(one_embed(await discord_.reply(unheard))) == expected
    await discord_.settle()
    # The interaction's own clock may have run out meanwhile; what counts is the next one.
    assert lost.kind is None or text_of(lost.embed) == expected
    assert text_of((await discord_.slash(guild, alice, "can-run", **OPTIONS)).embed) == expected


async def test_a_slow_discord_and_a_broken_request_hold_nobody_else_up(world: World, expected: str, answering: Answering) -> None:
    discord_, guild, alice = world
    bob = discord_.add_user("bob")
    slow = discord_.faults.slow(MESSAGES, 1.0)
    said = await discord_.say(guild, alice, discord_.mention(ASKED))
    await discord_.until(lambda: slow.met == 1, "no request")
    # While the first request hangs, somebody else is answered, and an edit of the question waits for its answer.
    await discord_.edit(said, discord_.mention(f"can I run {STARCODER} on 24 GB?"))
    other = await discord_.slash(guild, bob, "can-run", **OPTIONS)
    assert text_of(other.embed) == expected
    answer = await discord_.reply(said)
    edited = shown(answering.answer(ON_12_GB.model_copy(update={"memory_gb": 24}), "en").message)
    await discord_.until(lambda: text_of(one_embed(answer)) == edited, "the edit was not followed")


async def test_a_broken_request_is_told_with_a_reference_that_the_log_holds(world: World, expected: str, texts: Texts) -> None:
    discord_, guild, alice = world
    broken = discord_.faults.hang_up(CALLBACK)
    told = await discord_.slash(guild, alice, "can-run", **OPTIONS)
    sentence, code = told.content.rstrip("`").split("`")
    assert (broken.met, told.ephemeral) == (1, True)
    assert sentence == texts.say("error.ours", "en", code="").removesuffix("``")
    discord_.expect_fault(discord_.processes[0], code)
    assert text_of((await discord_.slash(guild, alice, "can-run", **OPTIONS)).embed) == expected


async def test_an_interaction_that_died_is_nobodys_fault(world: World, expected: str) -> None:
    discord_, guild, alice = world
    late = await discord_.slash(guild, alice, "can-run", wait=False, **OPTIONS)
    discord_.age(late, 4)
    await discord_.until(lambda: bool(discord_.record.refused), "nothing was refused")
    await discord_.settle()
    assert [exchange.code for exchange in discord_.record.refused] == [10062]
    # One that only a sentence was to be told.
    late = await discord_.slash(guild, alice, "rig delete", wait=False, machine="of nobody")
    discord_.age(late, 4)
    await discord_.until(lambda: len(discord_.record.refused) == 2, "nothing was refused")
    answer = await discord_.slash(guild, alice, "can-run", **OPTIONS)
    assert text_of(answer.embed) == expected
    # A press that died on its way.
    dead = await discord_.press(answer.message or {}, alice, button(answer.message, "Remove"), wait=False)
    discord_.age(dead, 4)
    await discord_.until(lambda: len(discord_.record.refused) == 3, "nothing was refused")
    await discord_.settle()
    assert discord_.exists(answer.message or {})
