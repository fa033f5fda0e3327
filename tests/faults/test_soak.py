"""Two minutes of the soak; ``make soak`` runs half an hour. A slower machine is asked less: at most what it has answers for."""

from __future__ import annotations

from benchmarks.soak import soak

SECONDS, MODELS = 120.0, 60


async def test_nothing_is_lost_and_memory_stays_under_questions_drops_and_reloads() -> None:
    found = await soak(SECONDS, MODELS)
    print("\n".join(["", *found.lines()]))
    assert found.lost == [], found.log
    assert (found.drops, found.reloads) >= (4, 2)
    assert found.holds(), found.lines()
