from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.questions.question import Intent, Question
from commands.conversations import FOLLOW_UP_S, KEEP_S, Conversations, Exchange

ALICE, BOB, GENERAL, RANDOM = 1, 2, 70, 71
STARCODER = Question(intent=Intent.VRAM_NEEDED, models=("StarCoder 2 15B",))
POLYCODER = Question(intent=Intent.CREATOR, models=("PolyCoder",))


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def exchange(asked: int, who: int = ALICE, where: int = GENERAL, question: Question | None = STARCODER, **more: int) -> Exchange:
    asks = (question,) if question else ()
    return Exchange(asked, who, where, "en", asks, question, answer_id=more.get("answer", asked + 1000))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def conversations(clock: Clock) -> Conversations:
    return Conversations(most=5, clock=clock)


def test_a_follow_up_is_of_the_same_person_in_the_same_channel(conversations: Conversations) -> None:
    conversations.remember(exchange(10))
    found = conversations.latest(ALICE, GENERAL)
    assert found is not None
    assert found.memory == STARCODER
    assert conversations.latest(BOB, GENERAL) is None
    assert conversations.latest(ALICE, RANDOM) is None


def test_a_follow_up_comes_within_ten_minutes(conversations: Conversations, clock: Clock) -> None:
    conversations.remember(exchange(10))
    clock.now = FOLLOW_UP_S
    assert conversations.latest(ALICE, GENERAL) is not None
    clock.now += 1
    assert conversations.latest(ALICE, GENERAL) is None
    assert conversations.asked(10) is not None


def test_the_latest_question_is_the_one_to_go_on_from_and_thanks_is_none(conversations: Conversations) -> None:
    conversations.remember(exchange(10))
    conversations.remember(exchange(11, question=POLYCODER))
    conversations.remember(exchange(12, question=None))
    found = conversations.latest(ALICE, GENERAL)
    assert found is not None
    assert found.memory == POLYCODER


def test_an_edit_of_an_older_question_does_not_become_the_latest(conversations: Conversations, clock: Clock) -> None:
    conversations.remember(exchange(10))
    conversations.remember(exchange(11, question=POLYCODER))
    clock.now = 60
    conversations.remember(exchange(10, question=STARCODER.model_copy(update={"quant": "Q6_K"})))
    found = conversations.latest(ALICE, GENERAL)
    assert found is not None
    assert found.memory == POLYCODER
    edited = conversations.asked(10)
    assert edited is not None
    assert edited.at == 0.0


def test_an_exchange_is_found_by_its_answer(conversations: Conversations) -> None:
    conversations.remember(exchange(10, answer=500))
    found = conversations.answered(500)
    assert found is not None
    assert found.asked_id == 10
    conversations.remember(exchange(10, answer=501))
    assert conversations.answered(500) is None
    assert conversations.answered(501) is not None


def test_what_is_forgotten_is_found_by_nothing(conversations: Conversations) -> None:
    conversations.remember(exchange(10, answer=500))
    assert conversations.forget(10) is not None
    assert conversations.forget(10) is None
    assert conversations.asked(10) is None
    assert conversations.answered(500) is None
    assert conversations.latest(ALICE, GENERAL) is None
    assert len(conversations) == 0


def test_an_answer_that_a_moderator_deletes_leaves_the_question_to_go_on_from(conversations: Conversations) -> None:
    conversations.remember(exchange(10, answer=500))
    conversations.forget_answer(500)
    found = conversations.latest(ALICE, GENERAL)
    assert found is not None
    assert found.answer_id is None
    assert conversations.answered(500) is None


def test_a_person_is_forgotten_and_nobody_else(conversations: Conversations) -> None:
    conversations.remember(exchange(10))
    conversations.remember(exchange(11, who=BOB))
    assert conversations.forget_person(ALICE) == 1
    assert conversations.latest(ALICE, GENERAL) is None
    assert conversations.latest(BOB, GENERAL) is not None


def test_channels_that_are_left_are_forgotten(conversations: Conversations) -> None:
    conversations.remember(exchange(10))
    conversations.remember(exchange(11, where=RANDOM))
    conversations.forget_channels(frozenset({GENERAL}))
    assert conversations.asked(10) is None
    assert conversations.asked(11) is not None


def test_the_oldest_makes_room(conversations: Conversations) -> None:
    for number in range(10, 20):
        conversations.remember(exchange(number))
    assert len(conversations) == 5
    assert conversations.asked(14) is None
    assert conversations.answered(1014) is None
    assert conversations.asked(15) is not None


def test_nothing_is_kept_for_longer_than_a_day(conversations: Conversations, clock: Clock) -> None:
    conversations.remember(exchange(10))
    clock.now = KEEP_S + 1
    assert conversations.asked(10) is None
    assert conversations.answered(1010) is None
    conversations.remember(exchange(11))
    assert len(conversations) == 1


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("remember", "forget", "forget_answer", "forget_person")),
            st.integers(1, 12),
            st.integers(1, 2),
            st.integers(1, 2),
            st.integers(0, 40_000),
        ),
        max_size=60,
    )
)
def test_memory_stays_bounded_and_never_gives_one_persons_question_to_another(steps: list[tuple[str, int, int, int, int]]) -> None:
    clock = Clock()
    conversations = Conversations(most=6, clock=clock)
    for act, number, who, where, pause in steps:
        clock.now += pause
        if act == "remember":
            conversations.remember(exchange(number, who, where))
        elif act == "forget":
            conversations.forget(number)
        elif act == "forget_answer":
            conversations.forget_answer(number + 1000)
        else:
            conversations.forget_person(who)
        assert len(conversations) <= 6
        for person in (1, 2):
            for room in (1, 2):
                found = conversations.latest(person, room)
                assert found is None or (found.asker_id, found.channel_id) == (person, room)
        for asked in range(1, 13):
            found = conversations.answered(asked + 1000)
            assert found is None or (found.asked_id == asked and found == conversations.asked(asked))
