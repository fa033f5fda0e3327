"""The terms that "How is this computed" shows give the figures of the answer."""

from __future__ import annotations

import math

import pytest

from answers.answering import Answering
from answers.questions.question import Cards, Intent, Question
from answers.replies.build import build
from answers.replies.computed import EXPLAINED, Computed, ComputedCalibrated, computed
from answers.replies.desk import Desk
from answers.replies.ranking import ROWS, rank_cards
from tests.answers.rendering.asked import every_question


def terms_of(desk: Desk, **slots: object) -> Computed:
    found = computed(desk, Question.model_validate({"intent": Intent.CAN_RUN, "models": ("StarCoder 2 15B",), **slots}))
    assert isinstance(found, Computed)
    return found


def test_the_documents_example(desk: Desk) -> None:
    terms = terms_of(desk, cards=(Cards(name="GeForce RTX 3060 12 GB"),))
    assert terms.quant == "Q4_K_M"
    assert terms.weights_gb == pytest.approx(8.97, abs=0.005)
    assert terms.reserve.reserve_gb == pytest.approx(0.83, abs=0.005)
    assert terms.need_gb == pytest.approx(9.8, abs=0.05)
    assert terms.speed is not None
    assert terms.speed.bandwidth_gb_s == 360
    assert terms.speed.efficiency == 0.55
    assert terms.speed.speed.tok_s == pytest.approx(23.5, abs=0.05)


def test_the_terms_add_up_for_every_question(desk: Desk) -> None:
    explained = [terms for question in every_question() if (terms := computed(desk, question))]
    documented = [terms for terms in explained if isinstance(terms, Computed)]
    calibrated = [terms for terms in explained if isinstance(terms, ComputedCalibrated)]
    assert min(len(documented), len(calibrated)) > 50
    for terms in calibrated:
        assert terms.need_gb == pytest.approx(terms.weights_gb + terms.cache_gb + terms.buffers_gb + terms.runtime_gb)
        assert 0 < terms.weights_gb <= terms.file_gb * (1 + 1e-9)
        if terms.speed and terms.speed.card and terms.speed.efficiency and terms.speed.bandwidth_gb_s:
            speed = terms.speed
            assert speed.weights_ms == pytest.approx(1000 * speed.weights_read_gb / (speed.bandwidth_gb_s * speed.efficiency))
            whole = speed.fixed_ms + speed.weights_ms + speed.cache_ms
            assert whole == pytest.approx(1000 / speed.speed.tok_s)
            assert min(speed.fixed_ms, speed.cache_ms) >= 0
    for terms in documented:
        reserve = terms.reserve
        shown = reserve.base_gb + reserve.root_gb * math.sqrt(reserve.billions) * reserve.share
        assert reserve.reserve_gb == pytest.approx(shown)
        assert terms.weights_gb == pytest.approx(terms.model.parameters * terms.memory_bpw / 8 / 1e9)
        assert terms.need_gb == pytest.approx(terms.weights_gb + shown + reserve.further_gb)
        if terms.speed:
            speed = terms.speed
            if speed.bandwidth_gb_s and speed.factor:
                assert speed.bandwidth_gb_s * speed.factor == pytest.approx(speed.reached_gb_s)
            assert speed.gb_per_token == pytest.approx(speed.parameters_read * speed.speed_bpw / 8 / 1e9)
            assert speed.reached_gb_s * speed.efficiency / speed.gb_per_token == pytest.approx(speed.speed.tok_s)
            assert speed.speed.tok_s * speed.range_low == pytest.approx(speed.speed.low_tok_s)


def test_they_are_the_figures_of_the_answer(desk: Desk) -> None:
    for cards in ("GeForce RTX 3060 12 GB", "Radeon RX 7900 XTX", "Tesla P40", "Apple M2 Ultra 192 GB"):
        question = Question(intent=Intent.CAN_RUN, models=("StarCoder 2 15B",), cards=(Cards(name=cards, count=2),), context=16384)
        answer, terms = build(desk, question), computed(desk, question)
        assert terms is not None
        assert terms.speed is not None
        assert (terms.quant, terms.need_gb) == (answer.rung.quant, pytest.approx(answer.rung.need_gb))
        assert terms.speed.speed == answer.rung.speed


def test_what_does_not_fit_is_explained_at_the_quant_that_is_missing(desk: Desk) -> None:
    terms = terms_of(desk, memory_gb=6.0)
    assert (terms.quant, terms.fits, terms.speed) == ("Q4_K_M", False, None)


def test_a_memory_size_takes_the_speed_of_the_card_that_is_named_for_it(desk: Desk) -> None:
    terms = terms_of(desk, memory_gb=24.0)
    assert terms.speed is not None
    assert terms.speed.card is not None
    assert (terms.speed.card.name, terms.speed.own) == ("GeForce RTX 3090", False)


@pytest.mark.parametrize("intent", sorted(set(Intent) - EXPLAINED))
def test_an_answer_without_a_figure_has_no_terms(desk: Desk, intent: Intent) -> None:
    assert computed(desk, Question(intent=intent, models=("StarCoder 2 15B",))) is None


def test_several_models_have_no_terms(desk: Desk) -> None:
    assert computed(desk, Question(intent=Intent.CAN_RUN, models=("StarCoder", "PolyCoder"), memory_gb=12)) is None


def test_the_table_has_pages(answering: Answering) -> None:
    question = Question(intent=Intent.RANK_CARDS, models=("StarCoder 2 15B",))
    first, second = (rank_cards(answering.desk, question, page) for page in (0, 1))
    assert len(first.rows) == len(second.rows) == ROWS
    assert (first.first, second.first) == (1, 11)
    assert first.rows[-1].rung.speed.tok_s >= second.rows[0].rung.speed.tok_s
    assert {row.card.name for row in first.rows}.isdisjoint(row.card.name for row in second.rows)
    assert first.pages == math.ceil(first.listed / ROWS)
    assert answering.answer(question, "en", 1).reply == second


def test_past_the_last_page_is_the_last(desk: Desk) -> None:
    question = Question(intent=Intent.RANK_CARDS, models=("StarCoder 2 15B",))
    last = rank_cards(desk, question, 10**30)
    assert last.page == last.pages - 1
    assert rank_cards(desk, question, -3).page == 0


def test_those_that_cannot_come_last_and_only_when_they_are_wanted(desk: Desk) -> None:
    question = Question(intent=Intent.RANK_CARDS, models=("StarCoder 2 15B",), include_unfit=True)
    everything = rank_cards(desk, question)
    assert everything.listed == everything.surveyed
    assert everything.matching == everything.count < everything.listed
    rows = [row for page in range(everything.pages) for row in rank_cards(desk, question, page).rows]
    fits = [row.rung.fit != "no" for row in rows]
    assert fits == sorted(fits, reverse=True)
    assert sum(fits) == everything.count
    assert all(row.rung.speed is None for row in rows if row.rung.fit == "no")
