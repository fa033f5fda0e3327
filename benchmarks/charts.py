"""What charts take, and what many of them at once do to everybody else's ``/can-run``: ``python -m benchmarks.charts``.

The stand-in for Discord is the one of :mod:`benchmarks.discord`. The charts are of as many different models. ``/can-run`` comes
steadily, as often as a machine of two cores carries it beside the stand-in, so that what is measured is an answer and not a queue.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from answers.answering import Answering
from answers.questions.question import Intent, Question
from answers.rendering.charts.png import png
from benchmarks.discord import Bench, Driver, percentile
from tests.discord_standin import StandIn

AT_ONCE, ASKED = 50, 200
EVERY_S = 0.05
CHART_MS, SLOWER = 150.0, 3.0
"""The bars: CPU of the largest chart, and p95 with charts as a multiple of p95 without."""


async def chart_ms() -> float:
    """CPU of the largest chart, in milliseconds: the median of twenty."""
    answering = await Answering.open()
    answer = answering.answer(Question(intent=Intent.RANK_CARDS, models=("StarCoder 2 15B",)), "en")
    took: list[float] = []
    for _ in range(20):
        before = time.process_time()
        picture = answering.picture(answer)
        assert picture
        png(picture.svg)
        took.append(1000 * (time.process_time() - before))
    return percentile(took, 0.5)


@dataclass(frozen=True)
class Delays:
    """What fifty charts at once do to ``/can-run``: p95 over as many answers, in milliseconds, without them and with them."""

    alone_ms: float
    beside_ms: float
    until_last_ms: float
    """p95 of those alone that were asked before the last chart had come."""
    slowest_ms: float
    last_s: float
    """Until the last chart came."""
    plain_until_last_ms: float
    """The same beside as many answers at once without a chart: what any burst does."""
    plain_slowest_ms: float
    plain_last_s: float


async def delays() -> Delays:
    """Measure them."""
    answering = await Answering.open()
    models = [model.name for model in answering.catalogue.models][:: max(1, len(answering.catalogue.models) // AT_ONCE)][:AT_ONCE]
    with tempfile.TemporaryDirectory() as folder:
        async with StandIn(message_rate=None, ack_deadline=30) as discord_:
            driver = Driver(discord_, models)
            bench = Bench(discord_, driver, Path(folder))
            driver.restart()
            command, env = bench.ours()
            process = await discord_.start(command, env, cwd=Path(folder))
            once = driver.ways()["can-run"]

            async def steadily() -> list[tuple[float, float]]:
                """When each was asked, and how long it took, in seconds."""

                async def one(number: int) -> tuple[float, float]:
                    await asyncio.sleep(number * EVERY_S)
                    begun = time.perf_counter()
                    await once()
                    return begun, time.perf_counter() - begun

                return await asyncio.gather(*(one(number) for number in range(ASKED)))

            def p95(took: Iterable[float]) -> float:
                return percentile([1000 * seconds for seconds in took], 0.95)

            await steadily()
            alone = p95(took for _, took in await steadily())

            async def at_once(hardware: str, **chart: bool) -> float:
                begun = time.perf_counter()
                channel = driver.channels[0]
                answers = (
                    discord_.slash(channel, user, "can-run", model=model, hardware=hardware, **chart)
                    for user, model in zip(driver.users, models, strict=False)
                )
                await asyncio.gather(*answers)
                return time.perf_counter() - begun

            begun = time.perf_counter()
            plainly, plain_s = await asyncio.gather(steadily(), at_once("10 GB"))
            plain_until_last = p95(took for at, took in plainly if at - begun <= plain_s)
            begun = time.perf_counter()
            asked, last_s = await asyncio.gather(steadily(), at_once("12 GB", chart=True))
            await process.stop()
            return Delays(
                alone_ms=alone,
                beside_ms=p95(took for _, took in asked),
                until_last_ms=p95(took for at, took in asked if at - begun <= last_s),
                slowest_ms=1000 * max(took for _, took in asked),
                last_s=last_s,
                plain_until_last_ms=plain_until_last,
                plain_slowest_ms=1000 * max(took for _, took in plainly),
                plain_last_s=plain_s,
            )


def main() -> int:
    """Measure, print, and return 1 where a bar is missed."""
    cpu = asyncio.run(chart_ms())
    found = asyncio.run(delays())
    times = found.beside_ms / found.alone_ms
    print(f"largest chart, CPU: {cpu:.0f} ms (bar {CHART_MS:.0f})")
    print(f"/can-run, p95 of {ASKED} in {ASKED * EVERY_S:.0f} s: {found.alone_ms:.1f} ms alone")
    print(f"  with {AT_ONCE} charts at once: {found.beside_ms:.1f} ms, {times:.2f} x (bar {SLOWER:g})")
    print(
        f"  of those until the last came, in {found.last_s:.1f} s: {found.until_last_ms:.1f} ms; slowest {found.slowest_ms:.0f} ms"
    )
    print(
        f"  beside {AT_ONCE} answers at once without a chart, in {found.plain_last_s:.1f} s: {found.plain_until_last_ms:.1f} ms; "
        f"slowest {found.plain_slowest_ms:.0f} ms"
    )
    return int(cpu > CHART_MS or times > SLOWER)


if __name__ == "__main__":
    sys.exit(main())
