"""What a question is answered with: the figures, the ways on, and when it is asked back."""

from __future__ import annotations

import pytest

from answers.catalogue.records import Segment
from answers.questions.question import Cards, Intent, Question
from answers.replies.build import build, each, settle
from answers.replies.desk import label_of, size_name

S15 = "StarCoder 2 15B"
RTX_3060 = Cards(name="GeForce RTX 3060 12 GB")


def ask(desk, intent: Intent, *models: str, **slots):
    return build(desk, Question(intent=intent, models=models, **slots))


def printed(rung) -> tuple[str, str, str, str]:
    return (
        rung.quant,
        f"{rung.need_gb:.1f}",
        rung.fit,
        f"{rung.speed.tok_s:.1f} ({rung.speed.low_tok_s:.0f}–{rung.speed.high_tok_s:.0f})",
    )


def test_tight_on_12_gb_with_the_card_people_own_then_the_fastest(desk) -> None:
    reply = ask(desk, Intent.CAN_RUN, S15, memory_gb=12)
    assert reply.verdict == "tight"
    assert [(shown.card.label, *printed(shown.rung)) for shown in reply.examples] == [
        ("RTX 3060 12 GB", "Q4_K_M", "9.8", "tight", "23.5 (14–38)"),
        ("RTX 3080 Ti", "Q4_K_M", "9.8", "tight", "59.5 (36–95)"),
    ]
    assert reply.lighter.quant == "IQ4_XS"
    assert f"{reply.lighter_saves_gb:.1f}" == "0.9"
    assert (reply.next_size.memory_gb, reply.next_size.rung.quant, f"{reply.next_size.rung.need_gb:.1f}") == (16, "Q6_K", "13.3")


def test_comfortable_on_24_gb_with_the_faster_quant_beside_it(desk) -> None:
    reply = ask(desk, Intent.CAN_RUN, S15, memory_gb=24)
    assert reply.verdict == "comfortable"
    assert [shown.card.label for shown in reply.examples] == ["RTX 3090", "RTX 5090 D V2"]
    assert [printed(shown.rung)[3] for shown in reply.examples] == ["26.4 (16–42)", "37.8 (23–61)"]
    assert (reply.faster.card.label, *printed(reply.faster.rung)) == ("RTX 3090", "Q4_K_M", "9.8", "comfortable", "61.0 (37–98)")


@pytest.mark.parametrize("memory_gb", [8, 12, 16])
def test_a_model_published_in_a_small_format_is_offered_no_other(desk, memory_gb: float) -> None:
    reply = ask(desk, Intent.CAN_RUN, "gpt-oss 20B", memory_gb=memory_gb)
    assert reply.lighter is None
    assert reply.below_floor is None
    assert {rung.quant for rung in (reply.rung, reply.best, reply.lowest, reply.at_q4) if rung} == {"MXFP4"}


def test_no_on_8_gb_says_what_is_missing_and_what_works(desk) -> None:
    reply = ask(desk, Intent.CAN_RUN, S15, memory_gb=8)
    assert (reply.verdict, reply.rung, reply.best) == ("no", None, None)
    assert (f"{reply.short_gb:.1f}", f"{reply.short_lowest_gb:.1f}", reply.lowest.quant) == ("2.6", "0.8", "Q3_K_M")
    assert (reply.smaller.model.name, reply.smaller.rung.quant, f"{reply.smaller.rung.need_gb:.1f}") == (
        "StarCoder 2 7B",
        "Q6_K",
        "6.6",
    )
    assert (reply.split.layers_on_card, reply.split.layers) == (28, 40)
    assert (reply.below_floor.quant, f"{reply.below_floor.need_gb:.1f}") == ("Q2_K", "7.1")
    assert reply.examples == ()


def test_a_quant_that_does_not_fit_says_which_one_does(desk) -> None:
    reply = ask(desk, Intent.CAN_RUN, S15, cards=(RTX_3060,), quant="Q8_0")
    assert (reply.verdict, reply.rung.quant, reply.best.quant) == ("no", "Q8_0", "Q4_K_M")
    assert f"{reply.short_asked_gb:.1f}" == "6.0"
    assert reply.next_size.memory_gb == 24


def test_gpu_needed_names_cards_that_people_own_and_then_the_record_holder(desk) -> None:
    reply = ask(desk, Intent.GPU_NEEDED, S15)
    assert (reply.good.memory_gb, reply.good.card.label, *printed(reply.good.rung)) == (
        (12, "RTX 3060 12 GB", "Q4_K_M", "9.8", "tight", "23.5 (14–38)")
    )  # fmt: skip
    assert (reply.comfortable.memory_gb, reply.comfortable.card.label) == (24, "RTX 3090")
    assert (reply.smallest_current.card.label, printed(reply.smallest_current.rung)[3]) == ("Arc B570", "17.1 (10–27)")
    assert (reply.smallest.card.label, printed(reply.smallest.rung)[3]) == ("P102-101", "18.9 (11–30)")
    assert reply.smallest.card.segment is Segment.MINING
    assert (reply.count, reply.surveyed) == (303, 801)


def test_a_model_that_no_card_holds_is_answered_with_several(desk) -> None:
    reply = ask(desk, Intent.GPU_NEEDED, "DeepSeek-R1 671B")
    assert (reply.count, reply.smallest, reply.good) == (0, None, None)
    # Seventeen RTX 3090 would hold it too, but nobody has that many in one machine.
    assert [(shown.count, shown.card.label) for shown in reply.several] == [(4, "RTX PRO 6000 Blackwell")]
    assert all(shown.rung.fit != "no" for shown in reply.several)


def test_vram_needed_goes_upward_from_the_smallest_cards_quant(desk) -> None:
    reply = ask(desk, Intent.VRAM_NEEDED, S15)
    assert [(row.quant, f"{row.need_gb:.1f}", row.card_from_gb) for row in reply.rows] == [
        ("IQ4_XS", "8.9", 10),
        ("Q4_K_M", "9.8", 11),
        ("Q5_K_M", "11.5", 16),
        ("Q6_K", "13.3", 16),
        ("Q8_0", "16.8", 20),
    ]
    assert ask(desk, Intent.VRAM_NEEDED, S15, quant="F16").asked.card_from_gb == 40


def test_speed_over_all_cards_and_on_one(desk) -> None:
    reply = ask(desk, Intent.SPEED, S15)
    assert (reply.count, reply.above_reading, f"{reply.median_tok_s:.1f}") == (303, 264, "21.0")
    assert (reply.fastest.card.label, f"{reply.fastest.rung.speed.tok_s:.0f}") == ("B200", "226")
    assert reply.slowest.rung.speed.tok_s < 10
    assert [shown.card.label for shown in reply.examples] == ["RTX 3060 12 GB", "RTX 5090"]
    on_card = ask(desk, Intent.SPEED, S15, cards=(Cards(name="GeForce RTX 3090"),))
    assert printed(on_card.rung) == ("Q8_0", "16.8", "comfortable", "26.4 (16–42)")
    assert ask(desk, Intent.SPEED, S15, memory_gb=8).kind == "can_run"


def test_a_second_card_helps_where_one_cannot_hold_the_model(desk) -> None:
    pair = ask(desk, Intent.TWO_GPUS, S15, cards=(Cards(name="GeForce RTX 3070", count=2),))
    assert pair.single is None
    assert printed(pair.together) == ("Q6_K", "13.3", "tight", "18.4 (11–29)")
    alone = ask(desk, Intent.TWO_GPUS, S15)
    assert alone.smallest.card.memory_gb == 10
    assert (alone.same_card.card.label, alone.same_card.rung.quant) == ("RTX 3060 12 GB", "Q4_K_M")


def test_what_does_not_fit_is_split_with_ram_at_an_assumed_rate(desk) -> None:
    reply = ask(desk, Intent.FITS_NOT, S15, cards=(Cards(name="GeForce RTX 4060"),))
    assert (f"{reply.short_gb:.1f}", reply.split.layers_on_card, f"{reply.split.speed.tok_s:.0f}", reply.split.ram_gb_s) == (
        "2.6",
        28,
        "11",
        50,
    )
    assert (reply.smaller.model.name, printed(reply.smaller.rung)[3]) == ("StarCoder 2 7B", "23.9 (14–38)")
    moe = ask(desk, Intent.FITS_NOT, "DeepSeek-R1 671B", cards=(Cards(name="GeForce RTX 4090"),))
    assert moe.model.moe
    assert moe.split.experts
    assert moe.split.layers_on_card < 5 < moe.split.layers
    assert moe.split.ram_gb > 370
    fits = ask(desk, Intent.FITS_NOT, S15, cards=(Cards(name="GeForce RTX 4090"),))
    assert fits.fits.fit == "comfortable"


def test_a_context_above_the_models_own_is_answered_for_that_and_says_so(desk) -> None:
    reply = ask(desk, Intent.CAN_RUN, S15, memory_gb=24, context=1_000_000)
    assert (reply.basis.context, reply.basis.context_cut_from) == (16384, 1_000_000)
    assert ask(desk, Intent.CAN_RUN, S15, memory_gb=24).basis.context_cut_from is None


def test_the_longest_context_per_quant(desk) -> None:
    reply = ask(desk, Intent.MAX_CONTEXT, "Mistral NeMo 12B", memory_gb=12)
    contexts = [row.context for row in reply.rows]
    assert contexts[0] is None
    assert contexts[1:] == sorted(contexts[1:])
    asked = ask(desk, Intent.MAX_CONTEXT, "Llama 3 70B", context=16384)
    assert (asked.asked_fits, asked.model.max_context) == (False, 8192)


@pytest.mark.parametrize(
    ("intent", "slots", "missing"),
    [
        (Intent.CAN_RUN, {"models": (S15,)}, "hardware"),
        (Intent.CAN_RUN, {}, "model"),
        (Intent.WHAT_CAN_CARD_RUN, {}, "hardware"),
        (Intent.SPEED, {"cards": (RTX_3060,)}, "model"),
        (Intent.CREATOR, {"parameters": 7e9}, "model"),
        (Intent.SPEC, {}, "model"),
        (Intent.COMPARE_CARDS, {}, "cards"),
        (Intent.COMPARE_MODELS, {}, "models"),
    ],
)
def test_asks_back_for_just_what_is_missing(intent: Intent, slots: dict, missing: str, desk) -> None:
    reply = build(desk, Question(intent=intent, **slots))
    assert (reply.kind, reply.missing) == ("ask_back", missing)


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        (Question(intent=Intent.CAN_RUN, cards=(RTX_3060,)), Intent.WHAT_CAN_CARD_RUN),
        (Question(intent=Intent.COMPARE_CARDS, cards=(RTX_3060,)), Intent.SPEC),
        (Question(intent=Intent.COMPARE_CARDS, cards=(RTX_3060,), models=(S15,)), Intent.SPEED),
        (Question(intent=Intent.COMPARE_MODELS, models=(S15,)), Intent.SPEC),
        (Question(intent=Intent.CHOOSE_GPU, cards=(RTX_3060, Cards(name="Tesla P40"))), Intent.COMPARE_CARDS),
    ],
)
def test_an_intent_that_lacks_its_second_half_is_settled(question: Question, intent: Intent) -> None:
    assert settle(question).intent is intent


def test_an_ambiguous_card_is_asked_about_with_whole_questions_as_choices(desk) -> None:
    twins = ("GeForce RTX 3060 12 GB", "GeForce RTX 3060 8 GB")
    question = Question(intent=Intent.CAN_RUN, models=(S15,), cards=(RTX_3060,), candidates={"3060": twins})
    reply = build(desk, question)
    assert (reply.missing, reply.twins, [choice.label for choice in reply.choices]) == (
        "which_card",
        True,
        ["RTX 3060 12 GB", "RTX 3060 8 GB"],
    )
    assert [build(desk, choice.question).verdict for choice in reply.choices] == ["tight", "no"]


def test_an_ambiguous_model_is_answered_where_every_reading_gives_the_same_answer(desk) -> None:
    sizes = ("StarCoder 2 15B", "StarCoder 2 7B", "StarCoder 2 3B")
    question = Question(intent=Intent.CREATOR, models=sizes[:1], candidates={"starcoder 2": sizes})
    assert build(desk, question).kind == "creator"
    asked = build(desk, question.model_copy(update={"intent": Intent.CAN_RUN, "memory_gb": 12}))
    assert (asked.missing, [choice.label for choice in asked.choices]) == ("which_model", list(sizes))


def test_an_unknown_model_with_a_size_is_offered_as_a_dense_one(desk) -> None:
    question = Question(intent=Intent.CAN_RUN, unknown=("Foo 27B",), unknown_kind="model", parameters=27e9, memory_gb=24)
    reply = build(desk, question)
    assert (reply.kind, reply.offered, len(reply.choices) > 1) == ("unknown", True, True)
    assert build(desk, reply.choices[0].question).rung.quant == "Q5_K_M"
    assert not build(desk, question.model_copy(update={"intent": Intent.CREATOR})).offered


@pytest.mark.parametrize(
    ("slots", "what"),
    [
        ({"memory_gb": 0}, "memory"),
        ({"memory_gb": 1e9}, "memory"),
        ({"memory_gb": 12, "context": 10**12}, "context"),
        ({"memory_gb": 12, "context": 0}, "context"),
        ({"memory_gb": 12, "parameters": 1e30}, "parameters"),
        ({"memory_gb": 12, "ram_gb": -1}, "ram"),
    ],
)
def test_numbers_that_cannot_be_answered_for_are_refused(slots: dict, what: str, desk) -> None:
    reply = build(desk, Question(intent=Intent.CAN_RUN, models=(S15,), **slots))
    assert (reply.kind, reply.what) == ("out_of_range", what)


def test_several_models_are_answered_together_where_an_answer_can_hold_them(desk) -> None:
    both = ("DeepSeek Coder 6.7B", "DeepSeek Coder 33B")
    together = Question(intent=Intent.CAN_RUN, models=both, cards=(RTX_3060,))
    assert each(together) == (together,)
    rows = build(desk, together).rows
    assert [row.rung.fit if row.rung else None for row in rows] == ["comfortable", None]
    apart = each(Question(intent=Intent.VRAM_NEEDED, models=both))
    assert [question.models for question in apart] == [both[:1], both[1:]]


def test_cards_are_compared_at_one_quant(desk) -> None:
    cards = (Cards(name="Radeon RX 7900 XTX"), Cards(name="GeForce RTX 3090"))
    reply = ask(desk, Intent.COMPARE_CARDS, cards=cards)
    assert (reply.fastest, reply.times_parameters, reply.times_quant) == ("RTX 3090", 8e9, "Q4_K_M")
    documented = ask(desk, Intent.COMPARE_CARDS, cards=cards, method="documented")
    assert documented.times == pytest.approx(936.2 / (960 * 0.78), rel=0.01)
    small = ask(desk, Intent.COMPARE_CARDS, "Llama 3 70B", cards=(*cards, Cards(name="GeForce RTX 3060 8 GB")))
    assert all(row.rung is None and row.short_gb > 0 for row in small.cards)
    assert (small.fastest, small.times) == (None, None)


@pytest.mark.parametrize("model", ["Qwen3 32B", "Llama 3.1 8B", S15])
def test_how_many_times_as_fast_agrees_with_the_speeds_shown(model: str, desk) -> None:
    cards = (Cards(name="GeForce RTX 3090"), Cards(name="Radeon RX 7900 XTX"), Cards(name="GeForce RTX 4090"))
    reply = ask(desk, Intent.COMPARE_CARDS, model, cards=cards)
    assert {row.rung.quant for row in reply.cards} == {reply.times_quant}
    speeds = sorted((row.rung.speed.tok_s for row in reply.cards), reverse=True)
    assert reply.times == pytest.approx(speeds[0] / speeds[1])
    assert reply.times_parameters is None


def test_a_card_at_a_smaller_quant_is_no_faster_for_it(desk) -> None:
    cards = (Cards(name="GeForce RTX 3060 12 GB"), Cards(name="GeForce RTX 3090"))
    reply = ask(desk, Intent.COMPARE_CARDS, S15, cards=cards)
    assert [row.rung.quant for row in reply.cards] == ["Q4_K_M", "Q8_0"]
    assert (reply.fastest, reply.times_quant) == ("RTX 3090", "Q4_K_M")
    assert reply.times == pytest.approx(936.2 / 360, rel=0.01)


def test_a_missing_field_stays_missing(desk, catalogue) -> None:
    bare = next(model for model in catalogue.models if model.training_compute_flop is None and not model.training_hardware)
    reply = ask(desk, Intent.TRAINING_COMPUTE, bare.name)
    assert (reply.training_compute_flop, reply.training_hardware) == (None, ())


def test_the_successor_is_the_end_of_the_chain(desk) -> None:
    assert ask(desk, Intent.RELEASED, "Llama 2 7B").successor.name == "Llama 3.1 8B"
    assert ask(desk, Intent.RELEASED, "StarCoder 2 7B").successor is None


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("GeForce RTX 3060 12 GB", "RTX 3060 12 GB"),
        ("GeForce GTX 1080 Ti", "GTX 1080 Ti"),
        ("Radeon RX 7900 XTX", "RX 7900 XTX"),
        ("Radeon Instinct MI300X", "MI300X"),
        ("Radeon VII", "Radeon VII"),
        ("Radeon R9 390X", "R9 390X"),
        ("Radeon Pro W7900", "Radeon Pro W7900"),
        ("Tesla P40", "Tesla P40"),
    ],
)
def test_labels_leave_out_what_people_leave_out(name: str, label: str) -> None:
    assert label_of(name) == label


@pytest.mark.parametrize(
    ("parameters", "name"), [(7e9, "7B"), (1.5e9, "1.5B"), (355e6, "355M"), (999.9e6, "1B"), (1.04e12, "1.04T")]
)
def test_sizes_are_named_as_people_name_them(parameters: float, name: str) -> None:
    assert size_name(parameters) == name


def test_one_card_named_is_answered_with_a_second_of_its_kind(desk) -> None:
    reply = ask(desk, Intent.TWO_GPUS, S15, cards=(Cards(name="GeForce RTX 3070"),))
    assert (reply.hardware.count, reply.single, reply.together.quant) == (2, None, "Q6_K")


def test_of_mixed_cards_the_better_one_counts_as_the_single(desk) -> None:
    mixed = (Cards(name="GeForce GT 1030"), Cards(name="GeForce RTX 3070"))
    reply = ask(desk, Intent.TWO_GPUS, "PolyCoder", cards=mixed)
    assert reply.one_card.label == "RTX 3070"
    assert reply.single.fit == "comfortable"


def test_a_split_is_shown_for_a_card_that_people_own_and_never_for_unified_memory(desk) -> None:
    assert ask(desk, Intent.FITS_NOT, "Llama 3.1 8B").split_card.label == "GTX 1650"
    unified = ask(desk, Intent.FITS_NOT, "Gemma 3 27B", memory_gb=8, unified=True)
    assert unified.split_card is None
    assert unified.smaller is None or unified.smaller.rung.need_gb <= 8 * 2 / 3


def test_a_minimum_quality_is_never_undercut(desk) -> None:
    assert ask(desk, Intent.CAN_RUN, S15, memory_gb=8).below_floor.quant == "Q2_K"
    assert ask(desk, Intent.CAN_RUN, S15, memory_gb=8, min_quality="Q4_K_M").below_floor is None


def test_a_70b_is_answered_with_several_cards_that_people_own(desk) -> None:
    reply = ask(desk, Intent.GPU_NEEDED, "Llama 2 70B")
    assert [(shown.count, shown.card.label) for shown in reply.several][:2] == [(2, "RTX 3090"), (2, "RTX 5090")]
    assert reply.comfortable is None
    assert ask(desk, Intent.GPU_NEEDED, S15).several == ()


def test_the_smaller_model_is_the_largest_that_fits_or_what_has_replaced_it(desk) -> None:
    reply = ask(desk, Intent.CAN_RUN, "Gemma 3 27B", memory_gb=12)
    assert reply.smaller.model.name == "Gemma 4 12B"
    assert ask(desk, Intent.CAN_RUN, "Llama 3.1 405B", memory_gb=96).smaller.model.name == "Llama 3.3 70B"


def test_vram_needed_always_shows_the_quant_that_most_people_use(desk) -> None:
    assert [row.quant for row in ask(desk, Intent.VRAM_NEEDED, "PolyCoder").rows] == ["Q4_K_M", "Q5_K_M", "Q6_K", "Q8_0"]


def test_a_model_that_reads_a_part_of_its_parameters_is_a_mixture_of_experts(catalogue) -> None:
    assert catalogue.model("Ring-mini-linear-2.0").moe
    assert not catalogue.model("StarCoder 2 15B").moe


def test_several_of_a_card_are_compared_as_one(desk) -> None:
    pair, single = Cards(name="GeForce RTX 3090", count=2), Cards(name="GeForce RTX 4090")
    reply = ask(desk, Intent.COMPARE_CARDS, "Llama 3 70B", cards=(pair, single))
    assert [(row.card.label, row.card.memory_gb, row.rung is not None) for row in reply.cards] == [
        ("2× RTX 3090", 48, True),
        ("RTX 4090", 24, False),
    ]


@pytest.mark.parametrize(("vendor", "first"), [("AMD", "AMD"), ("Apple", "Apple"), ("Intel", "Intel")])
def test_the_card_needed_of_one_vendor_is_that_vendors_smallest(vendor: str, first: str, desk) -> None:
    reply = ask(desk, Intent.GPU_NEEDED, "Qwen3 14B", vendor=vendor)
    assert (reply.kind, reply.order) == ("rank_cards", "smallest")
    assert {row.card.vendor for row in reply.rows} == {first}
    memories = [row.card.memory_gb for row in reply.rows]
    assert memories == sorted(memories)


def test_a_fact_that_all_sizes_share_is_not_asked_back_for(desk, catalogue) -> None:
    family = tuple(model.name for model in catalogue.models if model.family == "StarCoder" and model.name.startswith("StarCoder 2"))
    for intent in (Intent.CREATOR, Intent.RELEASED, Intent.OPEN_SOURCE):
        question = Question(intent=intent, models=family[:1], candidates={"starcoder 2": family})
        assert build(desk, question).kind == intent.value


@pytest.mark.parametrize(
    ("model", "use", "suits"),
    [
        ("Gemma 3 27B", "vision", True),
        ("Llama 3.3 70B", "vision", False),
        ("Qwen2.5-Coder 14B", "code", True),
        ("Gemma 3 27B", None, None),
    ],
)
def test_whether_a_model_is_for_a_use_is_said_by_its_record(model: str, use: str | None, suits: bool | None, desk) -> None:
    reply = ask(desk, Intent.PURPOSE, model, use=use)
    assert (reply.use_asked, reply.suits) == (use, suits)


@pytest.mark.parametrize(
    ("model", "quant", "sizes"),
    [
        ("Mistral Small 3.2 24B", "Q4_K_M", {"Q4_K_M": "14.3"}),
        ("Qwen3 14B", None, {"Q4_K_M": "9.0", "Q8_0": "15.7"}),
        # Published in one small format, which every file of it keeps.
        ("gpt-oss 20B", None, {"MXFP4": "12.1"}),
    ],
)
def test_a_download_says_how_large_it_is(model: str, quant: str | None, sizes: dict[str, str], desk) -> None:
    reply = ask(desk, Intent.DOWNLOAD, model, quant=quant)
    assert {file.quant: f"{file.gb:.1f}" for file in reply.files} == sizes


@pytest.mark.parametrize(("told", "against"), [(6.0, "below"), (31.0, "within"), (63.0, "within"), (64.0, "above"), (None, None)])
def test_a_speed_that_is_told_of_is_held_against_the_range_as_it_is_printed(told: float | None, against: str | None, desk) -> None:
    card = Cards(name="GeForce RTX 2060")
    reply = ask(desk, Intent.SPEED, "Llama 3.1 8B", cards=(card,), reported_tok_s=told)
    assert printed(reply.rung)[3] == "44.0 (31–63)"
    assert (reply.reported and reply.reported.against) == against


@pytest.mark.parametrize(("told", "against"), [(0.4, "below"), (0.5, "within"), (1.4, "within"), (1.5, "above")])
def test_a_slow_range_is_held_against_with_its_decimal(told: float, against: str, desk) -> None:
    reply = ask(desk, Intent.SPEED, "Llama 3.1 70B", cpu_only=True, ram_gb=64, quant="Q4_K_M", reported_tok_s=told)
    assert (f"{reply.rung.speed.low_tok_s:.1f}", f"{reply.rung.speed.high_tok_s:.1f}") == ("0.5", "1.4")
    assert reply.reported.against == against


def test_of_what_does_not_fit_it_is_held_against_the_split(desk) -> None:
    slots = {"cards": (Cards(name="GeForce RTX 4090"),)}
    slow, quick = (ask(desk, Intent.SPEED, "Llama 3.3 70B", reported_tok_s=told, **slots) for told in (1.5, 30.0))
    assert (slow.kind, slow.reported.against, quick.reported.against) == ("can_run", "within", "above")
    assert ask(desk, Intent.CAN_RUN, "Llama 3.3 70B", **slots).reported is None


def test_cards_are_narrowed_to_those_that_reach_a_speed(desk) -> None:
    """At the usual quant: the best that a card holds is the slowest there."""
    reply = ask(desk, Intent.GPU_NEEDED, "Qwen3 32B", min_speed=50.0)
    assert (reply.kind, reply.order, reply.min_speed) == ("rank_cards", "smallest", 50.0)
    assert {row.rung.quant for row in reply.rows} == {"Q4_K_M"}
    assert all(row.rung.speed.tok_s >= 50 for row in reply.rows)
    every = ask(desk, Intent.RANK_CARDS, "Qwen3 32B", quant="Q4_K_M", order="smallest")
    assert 0 < reply.listed < every.listed


def test_cards_are_narrowed_to_those_that_draw_little_and_can_be_built_in(desk) -> None:
    reply = ask(desk, Intent.CHOOSE_GPU, "Phi-4 14B", max_power_w=75.0)
    assert (reply.kind, reply.order, reply.max_power_w) == ("rank_cards", "fastest", 75.0)
    cards = [desk.catalogue.card(row.card.name) for row in reply.rows]
    assert cards
    assert all(0 < card.power_w <= 75 for card in cards)
    assert {card.segment for card in cards}.isdisjoint({"mobile", "console", "embedded"})


def test_models_are_compared_by_their_speed_on_one_card(desk) -> None:
    """Of much the same size one reads a tenth of the other for every token: that is what tells them apart."""
    reply = ask(desk, Intent.COMPARE_MODELS, "Qwen3 30B-A3B", "Qwen3 32B")
    card = (Cards(name=reply.pace_card.name),)
    assert reply.differing[0] == "tok_s"
    for row in reply.models:
        assert row.pace == ask(desk, Intent.SPEED, row.model.name, cards=card, quant="Q4_K_M").rung.speed
    assert reply.models[0].pace.tok_s > 3 * reply.models[1].pace.tok_s
    # Where hardware is named the speeds are those there, and where no card holds them all there are none.
    assert ask(desk, Intent.COMPARE_MODELS, "Qwen3 30B-A3B", "Qwen3 32B", memory_gb=24).pace_card is None
    assert ask(desk, Intent.COMPARE_MODELS, "DeepSeek-V3 671B", "Kimi K2").pace_card is None


def test_several_cards_or_another_one_are_set_against_each_other(desk) -> None:
    cards = (Cards(name="GeForce RTX 3090", count=2), Cards(name="GeForce RTX 5090"))
    apart = ask(desk, Intent.TWO_GPUS, "Llama 3.3 70B", cards=cards, n_cards=3, apart=True)
    assert (apart.kind, [row.rung is not None for row in apart.cards]) == ("compare_cards", [True, False])
    assert ask(desk, Intent.TWO_GPUS, "Llama 3.3 70B", cards=cards, n_cards=3).kind == "two_gpus"


@pytest.mark.parametrize(
    ("locale", "title"), [("en", "About equally fast"), ("es", "Van casi igual de rápido"), ("it", "Vanno quasi alla pari")]
)
def test_cards_that_hardly_differ_are_not_called_faster(answering, locale: str, title: str) -> None:
    cards = (Cards(name="Apple M4 Pro 64 GB"), Cards(name="Ryzen AI Max+ 395 128 GB"))
    answer = answering.answer(Question(intent=Intent.COMPARE_CARDS, cards=cards), locale)
    assert answer.message.title == title
