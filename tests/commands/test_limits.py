from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.limits import Limits, Rate, Wait


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limits(clock: Clock) -> Limits:
    return Limits(person=Rate(3, 10.0), channel=Rate(5, 1.0), clock=clock)


def test_a_person_gets_a_few_answers_at_once_and_then_waits(limits: Limits) -> None:
    assert [limits.take(1) for _ in range(3)] == [None, None, None]
    assert limits.take(1) == Wait(10, first=True)


def test_after_the_wait_that_was_stated_there_is_one_more(limits: Limits, clock: Clock) -> None:
    for _ in range(3):
        limits.take(1)
    clock.now += 4
    wait = limits.take(1)
    assert wait == Wait(6, first=True)
    clock.now += wait.seconds
    assert limits.take(1) is None
    assert limits.take(1) == Wait(10, first=True)


def test_only_the_first_refusal_is_worth_a_sentence(limits: Limits) -> None:
    for _ in range(3):
        limits.take(1)
    assert [wait.first for _ in range(3) if (wait := limits.take(1))] == [True, False, False]


def test_one_person_does_not_use_up_what_is_anothers(limits: Limits) -> None:
    for _ in range(9):
        limits.take(1)
    assert limits.take(2) is None


def test_a_channel_has_a_limit_of_its_own_whoever_asks(limits: Limits, clock: Clock) -> None:
    assert [limits.take(person, 7) for person in range(5)] == [None] * 5
    assert limits.take(99, 7) == Wait(1, first=True)
    assert limits.take(99, 8) is None
    clock.now += 1
    assert limits.take(99, 7) is None


def test_a_refusal_by_the_channel_costs_the_person_nothing(limits: Limits) -> None:
    for person in range(5):
        limits.take(person, 7)
    for _ in range(10):
        limits.take(99, 7)
    assert [limits.take(99) for _ in range(3)] == [None] * 3


def test_a_clock_that_goes_back_gives_nothing_away(limits: Limits, clock: Clock) -> None:
    for _ in range(3):
        limits.take(1)
    clock.now -= 500
    assert limits.take(1) is not None


def test_forgetting_somebody_who_has_to_wait_is_no_way_round_the_limit(limits: Limits, clock: Clock) -> None:
    for _ in range(3):
        limits.take(1)
    limits.forget(1)
    assert limits.take(1) is not None
    clock.now += 30
    limits.forget(1)
    assert len(limits) == 0


def test_many_persons_take_no_endless_memory(limits: Limits) -> None:
    for person in range(30_000):
        limits.take(person, person)
    assert len(limits) <= 20_000


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 2), st.floats(0, 5)), max_size=60))
def test_nobody_ever_gets_more_than_burst_and_rate_allow(asked: list[tuple[int, int, float]]) -> None:
    clock = Clock()
    limits = Limits(person=Rate(3, 4.0), channel=Rate(4, 2.0), clock=clock)
    began = clock.now
    granted: list[tuple[int, int]] = []
    for person, channel, pause in asked:
        clock.now += pause
        if limits.take(person, channel) is None:
            granted.append((person, channel))
        passed = clock.now - began
        for one in (1, 2, 3):
            assert sum(who == one for who, _ in granted) <= 3 + passed / 4.0 + 1e-6
        for room in (1, 2):
            assert sum(where == room for _, where in granted) <= 4 + passed / 2.0 + 1e-6
