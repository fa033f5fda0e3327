"""More shards than one: connected as fast as Discord lets them, in one process or shared among several."""

from __future__ import annotations

import asyncio
from pathlib import Path

from answers.answering import Answering
from answers.questions.question import Intent, Question
from tests.discord_standin import BotProcess
from tests.end_to_end.world import RUN, Discord, rows_in, settings, shown, text_of

STARCODER = "StarCoder 2 15B"
OPTIONS = {"model": STARCODER, "hardware": "12 GB"}
ON_12_GB = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
WINDOW_S = 5.0
"""What Discord wants between two shards of one bucket."""


async def test_sixteen_shards_begin_at_once_where_discord_lets_sixteen(tmp_path: Path, answering: Answering) -> None:
    async with Discord(shards=16, max_concurrency=16, identify_window=WINDOW_S) as discord_:
        guilds = [discord_.add_guild(f"Server {shard}", shard=shard) for shard in (0, 7, 15)]
        alice = discord_.add_user("alice")
        await discord_.run(tmp_path)
        times = [at for at, _, _ in discord_.gateway.identified]
        assert [shard for _, shard, _ in discord_.gateway.identified] == list(range(16))
        # Had they waited for each other, they would not have come up while this waited for them.
        print(f"\n16 shards within {max(times) - min(times):.2f} s")
        for guild in guilds:
            answer = await discord_.slash(guild, alice, "can-run", **OPTIONS)
            assert text_of(answer.embed) == shown(answering.answer(ON_12_GB, "en").message)
        discord_.check()


async def test_shards_of_one_bucket_wait_for_each_other(tmp_path: Path) -> None:
    # Two buckets: 0 and 2 wait for each other, 1 and 3 do; a shard that comes too early is sent away by the stand-in.
    async with Discord(shards=4, max_concurrency=2, identify_window=WINDOW_S) as discord_:
        await discord_.run(tmp_path)
        at = {shard: when for when, shard, _ in discord_.gateway.identified}
        assert len(discord_.gateway.identified) == discord_.gateway.received[2] == 4
        assert at[2] - at[0] >= WINDOW_S * 0.98
        assert at[3] - at[1] >= WINDOW_S * 0.98
        assert at[1] - at[0] < at[2] - at[1]
        discord_.check()


async def test_processes_share_the_shards_and_the_state(tmp_path: Path, answering: Answering) -> None:
    async with Discord(shards=4, max_concurrency=4) as discord_:
        guilds = [discord_.add_guild(f"Server {shard}", shard=shard) for shard in range(4)]
        alice = discord_.add_user("alice")

        async def part(shards: str) -> BotProcess:
            command = (*RUN, "--shards", shards)
            ready = len(discord_.gateway.by_shard) + 2
            bot = await discord_.start(command, settings(tmp_path), cwd=tmp_path, ready=False)
            await bot.until(lambda: len(discord_.gateway.by_shard) == ready, "the shards did not connect")
            await bot.until(lambda: "ready" in bot.log, "not ready")
            return bot

        first, second = await part("0-1/4"), await part("2-3/4")
        assert sorted(discord_.gateway.by_shard) == [0, 1, 2, 3]
        assert {count for _, _, count in discord_.gateway.identified} == {4}
        # The second has found in the state that Discord was told already.
        assert len(discord_.record.to("PUT applications/*/commands")) == 1
        for guild in guilds:
            await discord_.slash(guild, guild.owner, "settings channel", channel=guild.channels[0], mode="short", language="es")
            answer = await discord_.slash(guild, alice, "can-run", **OPTIONS)
            assert answer.embed["title"] == answering.answer(ON_12_GB, "es").message.title
        # A part that starts anew forgets nothing of the servers that others hear of.
        await first.stop()
        await part("0-1/4")
        await discord_.settle()
        assert all(rows_in(guild, tmp_path / "state.db") for guild in guilds)
        # But what its own servers had set is forgotten where they are gone.
        assert await second.stop() == 0
        guilds[3].has_bot = False
        again = await part("2-3/4")
        await again.until(lambda: not rows_in(guilds[3], tmp_path / "state.db"), "the settings were not forgotten")
        assert all(rows_in(guild, tmp_path / "state.db") for guild in guilds[:3])
        discord_.check()


async def test_one_shard_that_is_lost_takes_no_other_with_it(tmp_path: Path) -> None:
    async with Discord(shards=3, max_concurrency=3) as discord_:
        guilds = [discord_.add_guild(f"Server {shard}", shard=shard) for shard in range(3)]
        alice = discord_.add_user("alice")
        await discord_.run(tmp_path)
        discord_.faults.drop(1)
        answers = [await discord_.slash(guild, alice, "can-run", wait=False, **OPTIONS) for guild in guilds]
        await asyncio.gather(*(answer.answered(15) for answer in answers))
        assert discord_.gateway.dispatched["RESUMED"] == 1
        assert discord_.gateway.dispatched["READY"] == 3
        discord_.check(faults=True)
