"""Lateness: measured against the quickest way there was, and of no account where little is asked."""

from __future__ import annotations

import pytest

from commands.load import Load

BEGUN_MS = 370_000_000_000
"""When the test begins by Discord's clock, which has nothing to do with ours."""


class World:
    """Interactions that are made at one moment and heard of at another."""

    def __init__(self) -> None:
        self.now = 50.0
        self.load = Load(3.0, lambda: self.now)
        self._offset = BEGUN_MS - 50_000

    def hear(self, late_s: float) -> float:
        """Hear of something that was made so long ago."""
        return self.load.late_s(int(1000 * (self.now - late_s) + self._offset) << 22)

    def hear_many(self, late_s: float, count: int = 60) -> float:
        return [self.hear(late_s) for _ in range(count)][-1]


def test_what_is_heard_at_once_is_not_late() -> None:
    world = World()
    assert world.hear_many(0.04) == pytest.approx(0, abs=0.002)
    assert world.hear(0.54) == pytest.approx(0.5, abs=0.002)


@pytest.mark.parametrize(
    ("late_s", "leaves_out", "cuts_short"), [(0.4, False, False), (0.6, True, False), (1.9, True, False), (2.1, True, True)]
)
def test_suggestions_go_before_answers(late_s: float, leaves_out: bool, cuts_short: bool) -> None:
    world = World()
    world.hear(0.0)
    late = world.hear_many(late_s)
    assert (world.load.leaves_out(late), world.load.cuts_short(late)) == (leaves_out, cuts_short)


def test_a_little_that_is_late_has_not_waited_for_us() -> None:
    world = World()
    world.hear(0.0)
    # A connection was lost, and what was missed is told again.
    assert world.hear_many(8.0, 40) == 0
    world.now += 10
    assert world.hear(8.0) == 0


def test_the_rush_of_a_moment_ago_still_counts_and_one_long_ago_does_not() -> None:
    world = World()
    world.hear_many(0.0)
    world.now += 1.2
    assert world.hear(1.0) == pytest.approx(1.0, abs=0.002)
    world.now += 5
    assert world.hear(1.0) == 0


def test_what_on_time_means_is_learned_anew_and_not_from_a_long_rush() -> None:
    world = World()
    world.hear_many(0.0)
    for _ in range(30):
        world.now += 60
        # Half an hour of being two seconds late does not become the measure.
        assert world.hear_many(2.0) == pytest.approx(2.0, abs=0.002)
    for _ in range(120):
        # But clocks drift, and a network may become a slower one for good.
        world.now += 60
        late = world.hear_many(2.0)
    assert late == pytest.approx(0, abs=0.002)
