"""What holds for every model and every card by the calibrated method, and how a question reaches it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from answers.estimator.calibrated.speed import processor_gb_s
from answers.estimator.estimate import at_quant, best, common, longest_context, need_gb, rungs, speed, split, usable_gb
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.quants import ladder, quant
from answers.questions.question import Cards, Intent, Question
from answers.replies.build import build

MODELS = ("Llama 3.1 8B", "Gemma 3 27B", "Qwen3 30B-A3B", "DeepSeek-R1 671B", "Ring-mini-linear-2.0", "gpt-oss 20B")
CARDS = ("GeForce RTX 3060 12 GB", "GeForce RTX 4090", "Radeon RX 7900 XTX", "Tesla P40", "Apple M2 Ultra 192 GB")
Q4 = quant("Q4_K_M")


@pytest.fixture(params=MODELS)
def model(request, catalogue, desk) -> Figures:
    found = desk.figures(catalogue.model(request.param))
    assert found.method == "calibrated"
    return found


@pytest.fixture(params=CARDS)
def hardware(request, catalogue, desk) -> Hardware:
    return desk.together([catalogue.card(request.param)])


def test_a_longer_context_needs_more_and_is_never_faster(model: Figures, hardware: Hardware) -> None:
    contexts = [1024, 4096, 16384, 65536]
    needs = [need_gb(model, Q4, tokens, hardware) for tokens in contexts]
    speeds = [speed(model, hardware, Q4, tokens).tok_s for tokens in contexts]
    assert needs == sorted(needs)
    assert speeds == sorted(speeds, reverse=True)


def test_a_smaller_cache_needs_less_and_holds_a_longer_context(model: Figures, hardware: Hardware) -> None:
    smaller = replace(model, kv="q8_0")
    assert need_gb(smaller, Q4, 32768, hardware) <= need_gb(model, Q4, 32768, hardware)
    whole, longer = longest_context(model, hardware, Q4), longest_context(smaller, hardware, Q4)
    assert (longer or 0) >= (whole or 0)


def test_the_longest_context_fits_and_a_longer_one_does_not(model: Figures, hardware: Hardware) -> None:
    longest = longest_context(replace(model, max_context=None), hardware, Q4)
    if longest:
        assert need_gb(model, Q4, longest, hardware) <= usable_gb(model, hardware) + 1e-9
        assert longest == 2**27 or need_gb(model, Q4, longest + 600, hardware) > usable_gb(model, hardware)


def test_the_best_rung_is_the_first_that_fits(model: Figures, hardware: Hardware) -> None:
    found = best(model, hardware)
    tried = [at_quant(model, hardware, step) for step in rungs(model)]
    fitting = [estimate for estimate in tried if estimate.fit != "no"]
    assert found == (fitting[0] if fitting else None)


def test_two_equal_cards_hold_more_and_are_no_faster(model: Figures, hardware: Hardware) -> None:
    two = replace(hardware, memory_gb=2 * hardware.memory_gb, parts=hardware.parts * 2, cards=hardware.cards * 2, measured=((), ()))
    assert usable_gb(model, two) == pytest.approx(2 * usable_gb(model, hardware))
    assert speed(model, two, Q4, 4096).tok_s <= speed(model, hardware, Q4, 4096).tok_s * (1 + 1e-9)


def test_a_split_leaves_a_part_in_system_memory_and_is_slower_than_the_card(model: Figures, catalogue, desk) -> None:
    card = desk.together([catalogue.card("GeForce RTX 3060 12 GB")])
    found = split(model, card, common(model))
    if found is None:
        assert at_quant(model, card, common(model)).fit != "no" or model.layers is None
        return
    assert found.experts == model.moe
    assert 0 < found.ram_gb < found.weights_gb
    assert found.speed is not None
    assert found.speed.tok_s < speed(model, card, common(model), 4096).tok_s
    assert found.speed.confidence == "low"
    faster = split(model, card, common(model), ram_gb_s=100)
    assert faster is not None and faster.speed is not None
    assert faster.speed.tok_s > found.speed.tok_s


def test_experts_in_system_memory_cost_less_than_layers_of_a_dense_model(catalogue, desk) -> None:
    card = desk.together([catalogue.card("GeForce RTX 3060 12 GB")])
    experts = split(desk.figures(catalogue.model("Qwen3 30B-A3B")), card, Q4)
    dense = split(desk.figures(catalogue.model("Qwen3 32B")), card, Q4)
    assert experts is not None and experts.speed is not None
    assert dense is not None and dense.speed is not None
    assert experts.speed.tok_s > 5 * dense.speed.tok_s


def test_a_machine_without_a_card_reads_everything_from_its_memory(catalogue, desk) -> None:
    model = desk.figures(catalogue.model("Llama 3.1 8B"))
    slow, fast = (speed(model, Hardware.of_system_memory(48, rate), Q4, 4096) for rate in (50, 100))
    assert slow is not None and fast is not None
    assert fast.tok_s == pytest.approx(slow.tok_s * processor_gb_s(100) / processor_gb_s(50))
    assert 1.6 * slow.tok_s < fast.tok_s < 2 * slow.tok_s
    assert 6 < slow.tok_s < 12
    question = Question(intent=Intent.CAN_RUN, models=("Llama 3.1 8B",), cpu_only=True, ram_gb=64)
    reply = build(desk, question)
    assert (reply.verdict, reply.hardware.cpu, reply.rung.quant) == ("comfortable", True, "Q8_0")
    assert reply.basis.confidence == "low"


def test_a_model_in_a_format_of_its_own_is_tried_at_that_alone(catalogue, desk) -> None:
    model = desk.figures(catalogue.model("gpt-oss 20B"))
    assert [step.name for step in rungs(model, "Q2_K")] == ["MXFP4"]
    assert [step.name for step in rungs(desk.figures(catalogue.model("Qwen3 14B")))] == [step.name for step in ladder()]


def test_the_method_is_the_models_unless_another_is_asked_for(catalogue, desk) -> None:
    documents, other = catalogue.model("StarCoder 2 15B"), catalogue.model("Qwen3 14B")
    calibrated, documented = Question(method="calibrated"), Question(method="documented")
    assert [desk.figures(documents, q).method for q in (None, calibrated)] == ["documented", "calibrated"]
    assert [desk.figures(other, q).method for q in (None, documented)] == ["calibrated", "documented"]
    without = next(model for model in catalogue.models if model.attention_kind is None)
    assert desk.figures(without, calibrated).method == "documented"


def test_an_answer_says_which_method_spoke_and_how_sure_it_is(desk) -> None:
    card = (Cards(name="GeForce RTX 3090"),)
    asked = Question(intent=Intent.CAN_RUN, models=("Llama 3.1 8B",), cards=card)
    found = build(desk, asked).basis
    assert (found.method, found.confidence) == ("calibrated", "high")
    plain = build(desk, asked.model_copy(update={"method": "documented"})).basis
    assert (plain.method, plain.confidence) == ("documented", "low")


def test_the_askers_context_is_the_askers(desk) -> None:
    """A model that takes 128k of context is not worked out for that unless somebody asks for it."""
    question = Question(intent=Intent.CAN_RUN, models=("Llama 3.1 8B",), cards=(Cards(name="GeForce RTX 3060 12 GB"),))
    assert build(desk, question).basis.context == 4096
    longer = build(desk, question.model_copy(update={"context": 131072}))
    assert longer.basis.context == 131072
    assert longer.verdict == "no"
    smaller_cache = build(desk, question.model_copy(update={"context": 65536, "kv": "q4_0"}))
    assert smaller_cache.basis.kv == "q4_0"
    assert smaller_cache.verdict != "no"


def test_what_was_measured_stands_beside_the_estimate(desk) -> None:
    question = Question(intent=Intent.SPEED, models=("Llama 3.1 8B",), cards=(Cards(name="GeForce RTX 4090"),), quant="Q4_K_M")
    reply = build(desk, question)
    assert reply.measured is not None
    assert reply.measured.runs >= 1
    assert reply.measured.low_tok_s <= reply.measured.tok_s <= reply.measured.high_tok_s
    assert reply.measured.sources
    assert reply.rung.speed.tok_s != reply.measured.tok_s
    other = build(desk, question.model_copy(update={"cards": (Cards(name="GeForce GTX 1650 SUPER"),), "quant": "Q3_K_M"}))
    assert getattr(other, "measured", None) is None


def test_a_chip_that_shares_its_memory_has_none_beside_it(catalogue, desk) -> None:
    model = desk.figures(catalogue.model("Qwen3 30B-A3B"))
    for name in ("Steam Deck GPU", "Ryzen Z1 Extreme GPU", "Jetson Orin Nano 8 GB"):
        assert split(model, desk.together([catalogue.card(name)]), quant("Q8_0"), 4096) is None
    assert split(model, desk.together([catalogue.card("GeForce RTX 3060 12 GB")]), quant("Q8_0"), 4096) is not None
