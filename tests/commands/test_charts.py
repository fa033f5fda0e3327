"""Charts are drawn beside the loop, equal ones once, and so many are kept and no more."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import pytest

from answers.rendering.charts.chart import Bar, Chart
from answers.rendering.charts.svg import Picture, picture_of
from commands.charts import Charts, file_of


def picture(number: int) -> Picture:
    return picture_of(Chart(f"Chart {number}", ("below",), bars=(Bar("RTX 3090", "", "1", "#fff", 10.0),) * 10))


@pytest.fixture
async def charts() -> AsyncIterator[Charts]:
    made = Charts(most=3)
    yield made
    await made.close()


async def test_the_loop_goes_on_while_charts_are_drawn(charts: Charts) -> None:
    assert await charts.begin(picture(0))
    ticks: list[int] = []
    drawn_at: list[int] = []
    done = asyncio.Event()

    async def heart() -> None:
        while not done.is_set():
            ticks.append(len(ticks))
            await asyncio.sleep(0)

    async def draw(number: int) -> None:
        assert await charts.begin(picture(number))
        drawn_at.append(len(ticks))

    beating = asyncio.create_task(heart())
    await asyncio.gather(*(draw(number) for number in range(1, 11)))
    done.set()
    await beating
    # The heart beat between any two pictures, not only before the first and after the last.
    assert len(set(drawn_at)) == 10


async def test_so_many_are_kept_and_equal_ones_are_drawn_once(charts: Charts) -> None:
    assert charts.begin(picture(0)) is charts.begin(picture(0))
    first = await charts.begin(picture(0))
    assert await charts.begin(picture(0)) is first
    for number in range(1, 5):
        await charts.begin(picture(number))
    assert len(charts) == 3


async def test_what_cannot_be_drawn_costs_the_picture_alone(charts: Charts) -> None:
    assert await charts.begin(Picture("no svg", "")) is None
    assert await charts.begin(picture(0))


async def test_the_attachment_says_what_it_shows(charts: Charts) -> None:
    png = await charts.begin(picture(0))
    assert png
    assert file_of(Picture("", "In words"), png).description == "In words"


async def test_where_many_are_wanted_at_once_others_go_between(charts: Charts) -> None:
    done: list[str] = []

    async def wanted(number: int) -> None:
        async with charts.turn():
            time.sleep(0.01)  # noqa: ASYNC251 - the work of an answer, which keeps the loop
            done.append(f"chart {number}")

    async def other() -> None:
        # As an answer without a chart: some steps, each of which the loop comes to in its turn.
        for _ in range(4):
            await asyncio.sleep(0)
        done.append("other")

    await asyncio.gather(*(wanted(number) for number in range(5)), other())
    assert done.index("other") <= 2
    assert [one for one in done if one != "other"] == [f"chart {number}" for number in range(5)]


async def test_nobody_waits_for_a_turn_for_ever(charts: Charts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commands.charts.TURN_WITHIN_S", 0.0)
    async with charts.turn(), charts.turn():
        pass


def test_what_draws_is_not_loaded_at_the_start() -> None:
    loaded = "import bot.run, sys; sys.exit('answers.rendering.charts.svg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0
