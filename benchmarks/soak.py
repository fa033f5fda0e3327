"""Half an hour of questions, with dropped connections and reloads: memory stays what it is, and no answer is lost.

``make soak`` runs it; ``make soak ARGS="--minutes 2"`` for a shorter time. Nothing leaves the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from answers.catalogue.load import load
from benchmarks.discord import ROOT, Driver, memory_mb, percentile
from commands.conversations import MOST
from tests.discord_standin import NotConnected
from tests.discord_standin.standin import StandIn

RATE, IN_FLIGHT = 100, 16
"""Questions a second at most, and how many may wait for an answer: a slower machine, or one that is shared, is asked fewer."""
WARM_UP_RATE, WARM_UP_RELOADS = 200, 3
"""As fast as nobody is told to slow down."""
DROP_EVERY_S, RELOAD_EVERY_S = 20.0, 30.0
LEAST = 2000
"""Questions, however long they take."""
LOOK_EVERY = 50
"""Answers from one look at the memory to the next."""
MOST_GROWTH = 0.05
ANSWER_WITHIN_S = 60.0
"""After which an answer counts as lost; a dropped connection is taken up again long before."""
WAYS = ("can-run", "autocomplete", "mention", "which-gpu", "can-run")
WARM_UP_WAYS = ("mention", "can-run", "mention", "which-gpu", "mention", "autocomplete")


@dataclass
class Soaked:
    """What came of it."""

    asked: int = 0
    lost: list[str] = field(default_factory=list[str])
    drops: int = 0
    reloads: int = 0
    took_ms: list[float] = field(default_factory=list[float])
    memory: list[float] = field(default_factory=list[float])
    """MB, each time that so many more were answered after the warm-up."""
    started_mb: float = 0
    took_s: float = 0
    log: str = ""
    """What the bot warned of."""

    def growth(self) -> float:
        """From the first fifth of the answers to the last, as a share; of medians, since garbage comes and goes."""
        part = max(1, len(self.memory) // 5)
        return statistics.median(self.memory[-part:]) / statistics.median(self.memory[:part]) - 1

    def lines(self) -> list[str]:
        """What is printed."""
        p50, p95 = percentile(self.took_ms, 0.5), percentile(self.took_ms, 0.95)
        return [
            f"{self.asked} questions in {self.took_s:.0f} s, {self.drops} dropped connections, {self.reloads} reloads",
            f"answers: {len(self.lost)} lost; p50 {p50:.1f} ms, p95 {p95:.1f} ms, at most {max(self.took_ms) / 1000:.1f} s",
            f"memory: {self.started_mb:.1f} MB at the start, {self.memory[0]:.1f} MB warm, {self.memory[-1]:.1f} MB in the end: "
            f"{100 * self.growth():+.1f} % after the warm-up",
        ]

    def holds(self) -> bool:
        """Whether nothing was lost, and memory stays."""
        return not self.lost and self.growth() <= MOST_GROWTH


class Soak:
    """The bot, those who ask it, and what befalls it."""

    def __init__(self, discord_: StandIn, driver: Driver, pid: int) -> None:
        self._discord, self._ways, self._pid = discord_, driver.ways(), pid
        self._guild = driver.channels[0].guild
        self.found = Soaked(started_mb=memory_mb(pid))

    async def warm_up(self, models: int) -> None:
        """Fill what is remembered of talks and the caches, and load the catalogue anew while people ask."""
        remembered = MOST * len(WARM_UP_WAYS) // WARM_UP_WAYS.count("mention")
        many = max(remembered, 2 * models * len(WARM_UP_WAYS))
        reloads = {many * number // (WARM_UP_RELOADS + 1) for number in range(1, WARM_UP_RELOADS + 1)}
        besides: set[asyncio.Task[None]] = set()

        def goes_on(number: int) -> bool:
            if number in reloads:
                besides.add(asyncio.create_task(self._reload_once()))
            return number < many

        await self._flow(WARM_UP_WAYS, WARM_UP_RATE, goes_on)
        await asyncio.gather(*besides)
        self.found = Soaked(started_mb=self.found.started_mb, lost=self.found.lost)

    async def run(self, seconds: float) -> Soaked:
        """Everything at once, for so long."""
        begun = time.perf_counter()
        besides = [asyncio.create_task(work) for work in (self._drop(), self._reload())]

        def goes_on(number: int) -> bool:
            failed = next((work for work in besides if work.done()), None)
            if failed:
                failed.result()
            return number < LEAST or time.perf_counter() - begun < seconds

        await self._flow(WAYS, RATE, goes_on)
        for work in besides:
            work.cancel()
        self.found.took_s = time.perf_counter() - begun
        return self.found

    async def _flow(self, ways: Sequence[str], rate: float, goes_on: Callable[[int], bool]) -> None:
        """Ask one after the other at a rate, or as fast as is answered, until it is enough; then wait for all answers."""
        room, due = asyncio.Semaphore(IN_FLIGHT), time.perf_counter()
        under_way: set[asyncio.Task[None]] = set()
        number = 0
        while goes_on(number):
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await room.acquire()
            # What was not asked in time is not made up for.
            due = max(due, time.perf_counter() - 1 / rate) + 1 / rate
            task = asyncio.create_task(self._ask(ways[number % len(ways)]))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
            task.add_done_callback(lambda _: room.release())
            number += 1
        await asyncio.gather(*under_way)

    async def _ask(self, way: str) -> None:
        found = self.found
        found.asked += 1
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                found.took_ms.append(await self._ways[way]())
        except (TimeoutError, AssertionError, NotConnected) as error:
            found.lost.append(f"{way}: {type(error).__name__}: {str(error)[:200]}")
        if not len(found.took_ms) % LOOK_EVERY:
            found.memory.append(memory_mb(self._pid))

    async def _drop(self) -> None:
        while True:
            await asyncio.sleep(DROP_EVERY_S)
            # On a machine that is too slow the last one may not be over.
            with suppress(NotConnected):
                self._discord.faults.drop()
                self.found.drops += 1

    async def _reload(self) -> None:
        while True:
            await asyncio.sleep(RELOAD_EVERY_S)
            await self._reload_once()
            self.found.reloads += 1

    async def _reload_once(self) -> None:
        assert self._guild
        answer = await self._discord.slash(self._guild, self._guild.owner, "catalogue reload", wait=False)
        await answer.answered(ANSWER_WITHIN_S)
        self._discord.desk.forget(answer)


async def soak(seconds: float, most_models: int | None = None) -> Soaked:
    """Run the bot for so many seconds under all of it; ``most_models``: asked about, for a short run whose caches soon are full."""
    every = [model.name for model in (await load()).models]
    models = every[:: max(1, len(every) // most_models)] if most_models else every
    with tempfile.TemporaryDirectory() as folder:
        # A question that meets a dropped connection waits until it stands again, for longer than Discord would.
        async with StandIn(message_rate=None, ack_deadline=ANSWER_WITHIN_S, identify_window=0) as discord_:
            discord_.record.keep = False
            driver = Driver(discord_, models)
            settings = {"RIGCHECK_STATE": f"{folder}/state.db", "RIGCHECK_LOG_LEVEL": "WARNING", "PYTHONPATH": str(ROOT)}
            # Nothing is left out because it is late: what is not answered is lost.
            settings |= {"RIGCHECK_RELOAD_PAUSE": "0", "RIGCHECK_ANSWER_WITHIN": "900"}
            bot = await discord_.start([sys.executable, "-m", "bot.cli", "run"], settings, cwd=Path(folder))
            soaking = Soak(discord_, driver, bot.pid)
            await soaking.warm_up(len(models))
            found = await soaking.run(seconds)
            await bot.stop()
            found.log = bot.log
    return found


def main() -> int:
    """Soak, print, and return 1 where something was lost or memory grew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    found = asyncio.run(soak(60 * parser.parse_args().minutes))
    print("\n".join([*found.lines(), *found.lost[:10], *found.log.splitlines()[-30:]]))
    return int(not found.holds())


if __name__ == "__main__":
    sys.exit(main())
