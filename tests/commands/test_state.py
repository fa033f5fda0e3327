"""All that a button knows goes into its id and comes out of it again; what was made up comes out as a sentence."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.answering import Answering
from answers.catalogue.handles import Handles, handle
from answers.estimator.quants import quants
from answers.questions.question import Cards, Intent, Kv, Method, Order, Question, Use
from commands.items import BUTTON, SELECT
from commands.state import _INTENTS, _ORDERS, _USES, MOST, MOST_NAMES, VERSION, Stale, State, read_state
from tests.answers.rendering.asked import CARDS, MODELS, every_question

NUMBERS = st.one_of(
    st.integers(0, 10**6).map(float), st.integers(0, 10**9).map(lambda n: n / 1000), st.floats(0, 1e30, allow_nan=False)
)
SHORT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=10)
QUESTIONS = st.builds(
    Question,
    intent=st.sampled_from(Intent),
    models=st.lists(st.sampled_from(MODELS), max_size=2, unique=True).map(tuple),
    cards=st.lists(st.builds(Cards, name=st.sampled_from(CARDS), count=st.integers(1, 64)), max_size=2).map(tuple),
    n_cards=st.integers(1, 64),
    memory_gb=st.none() | NUMBERS,
    memory_usable=st.booleans(),
    unified=st.booleans(),
    ram_gb=st.none() | NUMBERS,
    ram_gb_s=st.none() | NUMBERS,
    min_speed=st.none() | NUMBERS,
    max_power_w=st.none() | NUMBERS,
    about_cache=st.booleans(),
    apart=st.booleans(),
    commercial=st.booleans(),
    at_once=st.booleans(),
    output_tokens=st.none() | NUMBERS,
    reported_tok_s=st.none() | NUMBERS,
    kv=st.none() | st.sampled_from(get_args(Kv)),
    method=st.none() | st.sampled_from(get_args(Method)),
    quant=st.none() | st.sampled_from(sorted(quants())),
    quants=st.lists(st.sampled_from(sorted(quants())), max_size=4, unique=True).map(tuple),
    min_quality=st.none() | st.sampled_from(sorted(quants())),
    context=st.none() | st.integers(0, 10**12),
    parameters=st.none() | NUMBERS,
    vendor=st.none() | st.sampled_from(["NVIDIA", "AMD", "Intel", "Apple"]),
    order=st.none() | st.sampled_from(get_args(Order)),
    use=st.none() | st.sampled_from(get_args(Use)),
    search=st.none() | SHORT,
    include_unfit=st.booleans(),
    unknown=st.lists(SHORT, max_size=2).map(tuple),
    unknown_kind=st.sampled_from(["model", "card"]),
)
STATES = st.builds(
    State,
    asker=st.integers(0, 2**64 - 1),
    locale=st.sampled_from(["en", "en-GB", "es", "es-419", "it"]),
    question=QUESTIONS,
    page=st.integers(0, 10**6),
)


@pytest.fixture(scope="module")
def handles(answering: Answering) -> Handles:
    return answering.handles


def read(custom_id: str, handles: Handles) -> State:
    match = BUTTON.fullmatch(custom_id)
    assert match
    return read_state(match["state"], match["version"], handles)


@given(state=STATES)
def test_what_goes_in_comes_out(handles: Handles, state: State) -> None:
    custom_id = state.custom_id("b", "c")
    if custom_id is None:
        return
    assert len(custom_id) <= MOST
    question = state.question
    kept = question.model_copy(update={"unknown_kind": question.unknown_kind if question.unknown else None})
    found = read(custom_id, handles)
    assert (found.asker, found.locale, found.page) == (state.asker, state.locale, state.page)
    assert found.question == kept


def test_every_answered_question_fits_into_an_id(answering: Answering) -> None:
    too_long = [
        question
        for question in every_question()
        if State(2**63, "es-419", question, 99).custom_id("s", "m") is None and len(question.candidates) < 2
    ]
    assert too_long == []


def test_what_an_ambiguous_name_may_mean_is_kept(handles: Handles) -> None:
    question = Question(
        intent=Intent.CAN_RUN,
        models=("Llama 3.1 8B",),
        cards=(Cards(name="GeForce RTX 3060 12 GB"),),
        candidates={"3060": ("GeForce RTX 3060 12 GB", "GeForce RTX 3060 8 GB")},
    )
    custom_id = State(1, "en", question).custom_id("b", "q0")
    assert custom_id
    assert read(custom_id, handles).question == question


def test_a_name_of_many_meanings_keeps_the_likeliest(handles: Handles, answering: Answering) -> None:
    question = answering.reader.model("qwen").model_copy(update={"intent": Intent.CAN_RUN})
    (names,) = question.candidates.values()
    assert len(names) > MOST_NAMES
    custom_id = State(1, "en", question).custom_id("b", "c")
    assert custom_id
    assert read(custom_id, handles).question.candidates == {"qwen": names[:MOST_NAMES]}


def test_a_question_of_too_many_names_has_no_id() -> None:
    cards = tuple(Cards(name=name) for name in CARDS)
    assert State(2**63, "es-419", Question(intent=Intent.COMPARE_CARDS, cards=cards * 2)).custom_id("b", "c") is None


@given(coded=st.one_of(st.binary(max_size=80).map(lambda raw: urlsafe_b64encode(raw).decode().rstrip("=")), st.text(max_size=120)))
def test_whatever_is_made_up_is_stale_and_nothing_else(handles: Handles, coded: str) -> None:
    try:
        found = read_state(coded, str(VERSION), handles)
    except Stale:
        return
    assert isinstance(found.question, Question)


@given(state=STATES, place=st.integers(0, 200), change=st.integers(1, 255))
def test_a_damaged_id_is_stale_or_another_state(handles: Handles, state: State, place: int, change: int) -> None:
    raw = bytearray(urlsafe_b64decode(state.code() + "=="))
    raw[place % len(raw)] ^= change
    try:
        read_state(urlsafe_b64encode(bytes(raw)).decode(), str(VERSION), handles)
    except Stale:
        return


@pytest.mark.parametrize("version", ["0", "2", "999", ""])
def test_another_version_is_stale(handles: Handles, version: str) -> None:
    custom_id = State(1, "en", Question()).custom_id("b", "c")
    assert custom_id
    with pytest.raises(Stale):
        read_state(custom_id.rpartition(".")[2], version, handles)


def test_what_is_not_on_file_is_stale(answering: Answering) -> None:
    custom_id = State(1, "en", Question(models=("A model that nobody has",))).custom_id("b", "c")
    assert custom_id
    with pytest.raises(Stale):
        read(custom_id, answering.handles)


def test_every_intent_order_and_use_has_a_place() -> None:
    # Places are what ids hold: one may be added at the end, none may move.
    assert set(_INTENTS) == set(Intent)
    assert set(_ORDERS) == {None, *get_args(Order)}
    assert set(_USES) == {None, *get_args(Use)}
    assert [str(intent) for intent in _INTENTS[:6]] == ["none", "can_run", "gpu_needed", "vram_needed", "speed", "rank_cards"]


def test_an_id_of_today_is_read_tomorrow(handles: Handles) -> None:
    # Written down on the day that the format was made: what people see in their channels has to go on working.
    found = read("rig1b.c.FeL0kXeAAAUBAmVzABCenoIZAQHAuwEA", handles)
    assert found == State(1577091725145407493, "es", Question(intent=Intent.CAN_RUN, models=("StarCoder 2 15B",), memory_gb=12.0))


def test_no_two_names_on_file_share_a_handle(answering: Answering) -> None:
    for records in (answering.catalogue.models, answering.catalogue.cards):
        assert len({handle(record.name) for record in records}) == len(records)


def test_buttons_and_selects_are_told_apart() -> None:
    state = State(1, "en", Question())
    button, select = state.custom_id("b", "q0"), state.custom_id("s", "t")
    assert button
    assert select
    assert BUTTON.fullmatch(button)
    assert not SELECT.fullmatch(button)
    assert SELECT.fullmatch(select)
    assert not BUTTON.fullmatch(select)
