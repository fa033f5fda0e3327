"""The bot is killed at any moment under load; ``make soak`` does it two hundred times."""

from __future__ import annotations

from pathlib import Path

from benchmarks.soak_kills import killed

KILLS = 5


async def test_kills_at_any_moment_lose_nothing_and_answer_nobody_twice(tmp_path: Path) -> None:
    found = await killed(KILLS, tmp_path)
    print(f"\n{found.line()}")
    assert min(found.settings, found.picks, found.rigs) >= 1
