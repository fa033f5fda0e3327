"""A machine without a card, system memory that is too small, and contexts that no memory helps with."""

from __future__ import annotations

from typing import Any

import pytest

from answers.answering import Answering
from answers.estimator.calibrated.speed import processor_gb_s
from answers.questions.question import Cards, Intent, Question
from answers.replies.build import build
from answers.replies.computed import ComputedCalibrated, computed
from answers.replies.desk import Desk, usable_ram_gb

A3B = "Qwen3 30B-A3B"
RTX_4090 = (Cards(name="GeForce RTX 4090"),)
LOCALES = ("en", "es", "it")


def ask(desk: Desk, intent: Intent, model: str, **slots: Any) -> Any:
    return build(desk, Question(intent=intent, models=(model,), **slots))


def text(answering: Answering, locale: str, intent: Intent, model: str, **slots: Any) -> str:
    return answering.answer(Question(intent=intent, models=(model,), **slots), locale).message.text()


def test_a_processor_alone_has_no_card_to_leave_layers_on(desk: Desk) -> None:
    for model in (A3B, "Llama 3.3 70B"):
        reply = ask(desk, Intent.FITS_NOT, model, cpu_only=True, ram_gb=8)
        assert reply.short_gb > 0
        assert (reply.split, reply.two, reply.next_size) == (None, None, None)


def test_its_speed_is_computed_from_its_own_memory(desk: Desk) -> None:
    question = Question(intent=Intent.CAN_RUN, models=("Llama 3.1 8B",), cpu_only=True, ram_gb=16, ram_gb_s=80)
    terms = computed(desk, question)
    assert isinstance(terms, ComputedCalibrated)
    assert terms.speed is not None
    assert (terms.speed.card, terms.speed.bandwidth_gb_s) == (None, 80)
    assert terms.speed.efficiency == pytest.approx(processor_gb_s(80) / 80)
    read = terms.speed.weights_read_gb + terms.speed.cache_read_gb
    assert terms.speed.speed.tok_s == pytest.approx(80 * terms.speed.efficiency / read)
    assert terms.speed.speed == build(desk, question).rung.speed  # pyright: ignore[reportAttributeAccessIssue]


def test_a_second_card_is_not_set_beside_system_memory(desk: Desk) -> None:
    assert ask(desk, Intent.TWO_GPUS, "Llama 3.1 8B", cpu_only=True, ram_gb=16).hardware is None


def test_what_two_cards_give_is_by_the_method_of_the_model(desk: Desk) -> None:
    reply = ask(desk, Intent.TWO_GPUS, "Llama 3.1 8B", memory_gb=12, n_cards=2)
    assert reply.hardware.usable_gb == pytest.approx(
        ask(desk, Intent.CAN_RUN, "Llama 3.1 8B", memory_gb=12, n_cards=2).hardware.usable_gb
    )


@pytest.mark.parametrize("locale", LOCALES)
def test_system_memory_that_is_too_small_is_a_no(answering: Answering, locale: str) -> None:
    for model, card in ((A3B, (Cards(name="GeForce RTX 3060 12 GB"),)), ("Llama 3.3 70B", RTX_4090)):
        said = text(answering, locale, Intent.FITS_NOT, model, cards=card, ram_gb=4)
        assert said.startswith("No, ")
        assert "50\u00a0GB/s" not in said


@pytest.mark.parametrize("locale", LOCALES)
def test_system_memory_beside_no_card_is_not_measured_against_one(answering: Answering, locale: str) -> None:
    said = text(answering, locale, Intent.FITS_NOT, "Llama 3.3 70B", ram_gb=8)
    assert not said.startswith("No, ")


def test_a_split_speed_is_no_surer_than_a_split(desk: Desk) -> None:
    reply = ask(desk, Intent.CAN_RUN, "Llama 3.3 70B", cards=RTX_4090, ram_gb=64)
    assert reply.split.ram_fits
    assert (reply.split.speed.confidence, reply.basis.confidence) == ("low", "low")


@pytest.mark.parametrize(
    ("locale", "limit"), [("en", "takes at most 128k"), ("es", "admite 128k como mucho"), ("it", "regge al massimo 128k")]
)
def test_a_context_above_the_models_own_is_refused_for_that(answering: Answering, locale: str, limit: str) -> None:
    said = text(answering, locale, Intent.MAX_CONTEXT, "Gemma 3 27B", cards=(Cards(name="GeForce RTX 3060 12 GB"),), context=10**6)
    assert limit in said
    assert "29.3" not in said.replace(",", ".")


def test_a_smaller_model_is_tried_at_the_context_and_the_cache_asked_for(desk: Desk) -> None:
    slots: dict[str, Any] = {"memory_gb": 16, "context": 131072, "kv": "q4_0"}
    smaller = ask(desk, Intent.CAN_RUN, "Gemma 3 27B", **slots).smaller
    alone = ask(desk, Intent.CAN_RUN, smaller.model.name, **slots)
    assert alone.verdict != "no"
    assert (alone.rung.quant, alone.rung.need_gb) == (smaller.rung.quant, pytest.approx(smaller.rung.need_gb))


@pytest.mark.parametrize("locale", LOCALES)
def test_no_more_context_is_promised_at_the_longest(answering: Answering, locale: str) -> None:
    said = text(answering, locale, Intent.CAN_RUN, "Qwen2.5 0.5B", cards=RTX_4090, context=32768)
    assert not any(promise in said for promise in ("longer context", "sitio para más contexto", "contesto più lungo"))


@pytest.mark.parametrize(
    ("locale", "title"),
    [("en", "No, not at Q8_0 or better"), ("es", "No cabe en Q8_0 o mejor"), ("it", "No, non in Q8_0 o meglio")],
)
def test_a_floor_above_the_usual_quant_is_no_lowest_one(answering: Answering, locale: str, title: str) -> None:
    for memory in (8, 4):
        said = text(answering, locale, Intent.CAN_RUN, "Llama 3.1 8B", memory_gb=memory, min_quality="Q8_0")
        assert said.startswith(title)


def test_a_smaller_quant_is_offered_for_speed_where_it_is_faster(desk: Desk) -> None:
    for card in desk.catalogue.cards[::20]:
        reply = ask(desk, Intent.CAN_RUN, "Qwen2.5 0.5B", cards=(Cards(name=card.name),))
        if reply.verdict == "comfortable" and reply.faster:
            assert reply.faster.rung.speed.tok_s > reply.rung.speed.tok_s
    assert ask(desk, Intent.CAN_RUN, "Qwen2.5 0.5B", cards=(Cards(name="P102-101"),)).faster is None
    assert ask(desk, Intent.CAN_RUN, "Llama 3.1 8B", cards=RTX_4090).faster is not None


@pytest.mark.parametrize("locale", LOCALES)
def test_a_need_above_the_number_of_gb_says_why_it_fits(answering: Answering, locale: str) -> None:
    said = text(answering, locale, Intent.GPU_NEEDED, "Gemma 3 27B", context=131072)
    assert "28\u00a0GiB (30.1\u00a0GB)" in said.replace("30,1", "30.1")
    said = text(answering, locale, Intent.VRAM_NEEDED, "Llama 3.1 8B", quant="F16")
    assert "16\u00a0GiB (17.2\u00a0GB)" in said.replace("17,2", "17.2")


@pytest.mark.parametrize("locale", LOCALES)
def test_experts_in_system_memory_do_not_help_where_the_rest_is_too_large(answering: Answering, locale: str) -> None:
    for intent in (Intent.FITS_NOT, Intent.CAN_RUN):
        said = text(answering, locale, intent, "DeepSeek-R1 671B", memory_gb=4)
        assert not any(word in said for word in ("suits an MoE", "Yes, ", "Sì, ", "se puede repartir", "può comunque"))


@pytest.mark.parametrize("locale", LOCALES)
def test_a_need_is_that_of_the_quant_asked_for(answering: Answering, desk: Desk, locale: str) -> None:
    reply = ask(desk, Intent.GPU_NEEDED, "Kimi K2", quant="F16")
    assert (reply.quant, reply.smallest) == ("F16", None)
    assert reply.need_gb > 2000
    assert "Q4_K_M" not in text(answering, locale, Intent.GPU_NEEDED, "Kimi K2", quant="F16")


@pytest.mark.parametrize("locale", LOCALES)
def test_a_name_keeps_its_small_letter_and_one_quant_is_no_range(answering: Answering, locale: str) -> None:
    said = text(answering, locale, Intent.VRAM_NEEDED, "gpt-oss 20B")
    assert said.startswith("gpt-oss 20B")
    assert said.replace(",", ".").count("12.3") == 1


@pytest.mark.parametrize(("ram_gb", "usable"), [(4, 3.2), (8, 6.4), (16, 13.3), (64, 62.3), (128, 127.6)])
def test_the_system_takes_its_part_of_the_memory(ram_gb: float, usable: float) -> None:
    assert usable_ram_gb(ram_gb) == pytest.approx(usable, abs=0.05)


@pytest.mark.parametrize(
    ("model", "slots", "at"),
    [
        # What people run: the experts of gpt-oss 120B in 64 GB of RAM beside a small card.
        ("gpt-oss 120B", {"memory_gb": 8, "ram_gb": 64}, "MXFP4"),
        ("Qwen3 235B-A22B", {"cards": (Cards(name="GeForce RTX 3090"),), "ram_gb": 128}, "Q4_K_M"),
        # A smaller quant where the usual one is too large, the same that is found when it is asked for.
        ("Qwen3 235B-A22B", {"memory_gb": 24, "ram_gb": 96}, "Q3_K_M"),
        ("Kimi K2", {"cards": (Cards(name="GeForce RTX 4090"),), "ram_gb": 512}, "Q3_K_M"),
    ],
)
def test_the_best_quant_that_card_and_ram_hold_is_found(desk: Desk, model: str, slots: dict[str, Any], at: str) -> None:
    found = ask(desk, Intent.CAN_RUN, model, **slots).split
    assert (found.quant, found.ram_fits) == (at, True)
    assert ask(desk, Intent.CAN_RUN, model, quant=at, **slots).split == found
    assert ask(desk, Intent.FITS_NOT, model, **slots).split == found


def test_what_is_too_large_for_card_and_ram_is_told_at_the_usual_quant(desk: Desk) -> None:
    found = ask(desk, Intent.CAN_RUN, "Qwen3 235B-A22B", memory_gb=24, ram_gb=32).split
    assert (found.quant, found.ram_fits) == ("Q4_K_M", False)


def test_a_split_on_an_amount_of_memory_has_the_speed_of_a_card_of_it(desk: Desk) -> None:
    found = ask(desk, Intent.CAN_RUN, "Qwen3 30B-A3B", memory_gb=8, ram_gb=32).split
    named = ask(desk, Intent.CAN_RUN, "Qwen3 30B-A3B", cards=(Cards(name=desk.first_card(8).name),), ram_gb=32).split
    assert found.speed == named.speed
    assert found.speed is not None


@pytest.mark.parametrize(
    ("locale", "card", "rate"),
    [
        ("en", "With a 96 GB card", "RAM taken as 50 GB/s"),
        ("es", "Con una GPU de 96 GB", "RAM a 50 GB/s (supuesto)"),
        ("it", "Con una scheda da 96 GB", "RAM a 50 GB/s (ipotesi)"),
    ],
)
def test_a_size_that_is_a_cards_is_told_from_the_ram_there_is(answering: Answering, locale: str, card: str, rate: str) -> None:
    said = text(answering, locale, Intent.CAN_RUN, "gpt-oss 120B", cards=RTX_4090, ram_gb=96).replace("\u00a0", " ")
    assert card in said
    assert rate in said
