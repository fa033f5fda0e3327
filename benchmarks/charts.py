"""What charts take, and what many of them at once do to everybody else's ``/can-run``: ``python -m benchmarks.charts``.

The stand-in for Discord is the one of :mod:`benchmarks.discord`. The charts are of as many different models.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from answers.answering import Answering
from answers.questions.question import Intent, Question
from answers.rendering.charts.png import png
from benchmarks.discord import Bench, Driver, percentile
from tests.discord_standin import StandIn

AT_ONCE, ASKED = 50, 300
EVERY_S = 0.01
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


async def delays() -> tuple[float, float, float]:
    """p95 of ``/can-run`` alone and while fifty charts are drawn, in milliseconds; and until the last chart came, in seconds."""
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

            async def p95() -> float:
                took: list[float] = []

                async def one(number: int) -> None:
                    await asyncio.sleep(number * EVERY_S)
                    begun = time.perf_counter()
                    await once()
                    took.append(1000 * (time.perf_counter() - begun))

                await asyncio.gather(*(one(number) for number in range(ASKED)))
                return percentile(took, 0.95)

            await p95()
            alone = await p95()

            async def charts() -> float:
                begun = time.perf_counter()
                channel = driver.channels[0]
                drawn = (
                    discord_.slash(
                        channel, driver.users[number % len(driver.users)], "can-run", model=model, hardware="12 GB", chart=True
                    )
                    for number, model in enumerate(models)
                )
                await asyncio.gather(*drawn)
                return time.perf_counter() - begun

            beside, last_s = await asyncio.gather(p95(), charts())
            await process.stop()
    return alone, beside, last_s


def main() -> int:
    """Measure, print, and return 1 where a bar is missed."""
    cpu = asyncio.run(chart_ms())
    alone, beside, last_s = asyncio.run(delays())
    print(f"largest chart, CPU: {cpu:.0f} ms (bar {CHART_MS:.0f})")
    print(f"/can-run p95: {alone:.1f} ms alone, {beside:.1f} ms beside {AT_ONCE} charts: {beside / alone:.2f} x (bar {SLOWER:g})")
    print(f"until the last of {AT_ONCE} charts: {last_s:.1f} s")
    return int(cpu > CHART_MS or beside > SLOWER * alone)


if __name__ == "__main__":
    sys.exit(main())
