"""Discord goes wrong for longer than a moment: silent connections, rate limits for everything, ten minutes without it."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from answers.answering import Answering
from answers.questions.question import Intent, Question
from tests.discord_standin import BotProcess, Guild, Interaction, Json, User
from tests.end_to_end.test_operating import get, port_of, until_ready
from tests.end_to_end.world import Discord, breakable, one_embed, settings, shown, text_of

SPEED = 60
QUICKLY = (sys.executable, "-m", "tests.faults.compressed", "run")
JUMPING = (sys.executable, "-m", "tests.faults.jumping", "run")
TEN_MINUTES = 600 / SPEED
LATE_S = 2.5
"""Of the three seconds that Discord gives an interaction."""
STARCODER = "StarCoder 2 15B"
OPTIONS = {"model": STARCODER, "hardware": "12 GB"}
ON_12_GB = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
ASKED = f"can I run {STARCODER} on 12 GB?"
MESSAGES = "POST channels/*/messages"


@pytest.fixture
def expected(answering: Answering) -> str:
    return shown(answering.answer(ON_12_GB, "en").message)


async def _quick(discord_: Discord, folder: Path, *, ready: bool = True) -> BotProcess:
    environment = settings(folder, health_port="0") | {"FAULT_SPEED": str(SPEED)}
    return await discord_.start(QUICKLY, environment, cwd=folder, ready=ready)


async def _asks(discord_: Discord, guild: Guild, user: User) -> Json:
    return await discord_.say(guild, user, discord_.mention(ASKED))


def _without_seconds(answer: Interaction) -> str:
    """What a reload is refused with, but for how long that lasts."""
    said, left = re.subn(r"3\D?[56]\d\d", "", answer.content)
    assert left == 1, answer.content
    return said


async def test_a_half_open_connection_is_given_up_and_nothing_is_lost(tmp_path: Path, expected: str) -> None:
    async with Discord() as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        bot = await _quick(discord_, tmp_path)
        discord_.faults.freeze()
        # It stands, and says nothing of this.
        said = await _asks(discord_, guild, alice)
        await discord_.until_gateway(lambda: discord_.gateway.dispatched["RESUMED"] == 1, within=60)
        assert text_of(one_embed(await discord_.reply(said, 60))) == expected
        assert discord_.gateway.dispatched["READY"] == 1
        await until_ready(port_of(bot), True)
        assert len(discord_.replies_to(said)) == 1


async def test_a_slow_connection_is_no_load_and_costs_nobody_an_answer(tmp_path: Path, expected: str) -> None:
    async with Discord(ack_deadline=60) as discord_:
        guild, alice, bruno = discord_.add_guild("Local LLMs"), discord_.add_user("alice"), discord_.add_user("bruno")
        await discord_.run(tmp_path)
        # What comes on time tells what is late.
        assert text_of((await discord_.slash(guild, bruno, "can-run", **OPTIONS)).embed) == expected
        discord_.faults.delay(LATE_S)
        said = await _asks(discord_, guild, alice)
        more = await discord_.say(guild, alice, discord_.mention("and on 24 GB?"))
        typed = await discord_.start_autocomplete(guild, bruno, "can-run", "model", "starcoder")
        asked = await discord_.slash(guild, bruno, "can-run", wait=False, **OPTIONS)
        # So late that under load they would get a sentence, and no suggestions.
        assert text_of((await asked.answered(30)).embed) == expected
        assert STARCODER in [choice["value"] for choice in typed.choices or ()]
        assert text_of(one_embed(await discord_.reply(said))) == expected
        assert breakable(one_embed(await discord_.reply(more))["title"]).endswith(f"{STARCODER} on 24 GB")
        discord_.faults.delay(0)
        await discord_.settle()
        assert [len(discord_.replies_to(message)) for message in (said, more)] == [1, 1]
        assert (discord_.gateway.dispatched["READY"], discord_.gateway.dispatched["RESUMED"]) == (1, 0)
        discord_.check()


async def test_ten_minutes_without_discord_are_outlived(tmp_path: Path, expected: str) -> None:
    async with Discord() as discord_:
        guild, alice, bruno = discord_.add_guild("Local LLMs"), discord_.add_user("alice"), discord_.add_user("bruno")
        bot = await _quick(discord_, tmp_path)
        port = port_of(bot)
        asked: list[Json] = []
        discord_.gateway.settings.refuses = True
        for status in (500, 502):
            # First answers cannot go out, then the connection breaks too.
            outage = discord_.faults.fail("*", status, seconds=TEN_MINUTES / 2)
            asked.append(await _asks(discord_, guild, alice))
            if status == 500:
                await discord_.until(lambda outage=outage: outage.met > 0, "no request")
                discord_.faults.drop()
            else:
                await until_ready(port, False)
            while not outage.over:
                assert (await get(port, "/healthz"))[0] == 200
                await asyncio.sleep(0.5)
        discord_.gateway.settings.refuses = False
        await until_ready(port, True)
        assert bot.running
        # A session that could not be taken up again at once is begun anew; what is asked from now on is answered as ever.
        said = await _asks(discord_, guild, bruno)
        assert text_of(one_embed(await discord_.reply(said, 60))) == expected
        assert text_of((await discord_.slash(guild, bruno, "can-run", **OPTIONS)).embed) == expected
        await discord_.settle()
        assert all(len(discord_.replies_to(said)) <= 1 for said in asked)
        assert len(discord_.record.to("PUT applications/*/commands")) == 1
        # Nothing of it was a fault of ours.
        discord_.check(faults=True)


async def test_a_start_without_discord_ends_with_a_sentence_for_the_supervisor(tmp_path: Path) -> None:
    async with Discord() as discord_:
        discord_.add_guild("Local LLMs")
        outage = discord_.faults.fail("*", 502, times=None)
        bot = await _quick(discord_, tmp_path, ready=False)
        # Not 78: starting again may help, so that systemd and Docker do.
        assert await bot.wait(120) == 1
        assert bot.log.splitlines()[-1].startswith("rigcheck: Discord does not do its part: ")
        outage.end()
        await _quick(discord_, tmp_path)


async def test_nothing_is_sent_while_discord_limits_everything(tmp_path: Path, expected: str) -> None:
    async with Discord() as discord_:
        guild = discord_.add_guild("Local LLMs")
        await discord_.run(tmp_path)
        limited = discord_.faults.rate_limit_globally(2.0, times=None)
        asked = [await _asks(discord_, guild, discord_.add_user("first"))]
        await discord_.until(lambda: limited.met == 1, "no request")
        for number in range(5):
            channel = discord_.add_channel(guild, f"c{number}")
            asked.append(await discord_.say(channel, discord_.add_user(f"u{number}"), discord_.mention(ASKED)))
        await discord_.settle()
        # Any further request would have met it too.
        assert limited.met == 1
        limited.end()
        for said in asked:
            assert text_of(one_embed(await discord_.reply(said, 30))) == expected
            assert len(discord_.replies_to(said)) == 1
        discord_.check(faults=True)


async def test_an_answer_whose_receipt_is_lost_is_not_given_twice(tmp_path: Path, expected: str) -> None:
    async with Discord() as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        await discord_.run(tmp_path)
        lost = discord_.faults.lose_answer(MESSAGES)
        said = await _asks(discord_, guild, alice)
        await discord_.until(lambda: lost.met == 1 and len(discord_.record.to(MESSAGES)) == 2, "not tried again")
        await discord_.settle()
        (answer,) = discord_.replies_to(said)
        assert text_of(one_embed(answer)) == expected
        # The bot knows which of its messages that is: the answer goes with its question.
        await discord_.delete(said)
        await discord_.until(lambda: not discord_.exists(answer), "the answer was not deleted")
        discord_.check(faults=True)


@pytest.mark.parametrize("jumps", [(3_600.0, 0.0), (-3_600.0, 90_000.0)])
async def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, expected: str, jumps: Sequence[float]) -> None:
    async with Discord() as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        jump = tmp_path / "jump"
        environment = settings(tmp_path, reload_pause="3600") | {"FAULT_JUMP_FILE": str(jump)}
        bot = await discord_.start(JUMPING, environment, cwd=tmp_path)
        reload = await discord_.slash(guild, guild.owner, "catalogue reload")
        refused = _without_seconds(await discord_.slash(guild, guild.owner, "catalogue reload"))
        assert refused
        first = await _asks(discord_, guild, alice)
        await discord_.reply(first)
        for seconds in jumps:
            jump.write_text(str(seconds), encoding="ascii")
            assert text_of((await discord_.slash(guild, discord_.add_user("somebody"), "can-run", **OPTIONS)).embed) == expected
            # The pause has not passed, however late it seems, and does not begin anew.
            assert _without_seconds(await discord_.slash(guild, guild.owner, "catalogue reload")) == refused
        # The talk goes on from what was said before the clock jumped.
        more = await discord_.say(guild, alice, discord_.mention("and on 24 GB?"))
        assert breakable(one_embed(await discord_.reply(more))["title"]).endswith(f"{STARCODER} on 24 GB")
        assert bot.running
        assert not reload.loading
        discord_.check()
