"""Does it fit, what fits instead, which card, how much memory, how fast."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answers.catalogue.records import Model, Segment
from answers.estimator.estimate import at_quant, best, comfortable_gb, common, need_gb, prompt_speed, rungs, usable_gb
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.parts import Estimate
from answers.estimator.parts import Speed as EstimatedSpeed
from answers.estimator.quants import Quant, constants, quant
from answers.estimator.survey import Survey, survey
from answers.questions.question import Question
from answers.replies.desk import Desk, model_ref, next_lower, range_decimals, rung, split_figure, wanted_quant
from answers.replies.parts import CardRung, FasterRung, Fit, HardwareRef, ReportedSpeed
from answers.replies.reply import (
    AtOnce,
    CanRun,
    CanRunSeveral,
    CardsForCount,
    GpuNeeded,
    QuantRow,
    SeveralRow,
    Speed,
    VramNeeded,
    WritingTime,
)


def can_run(desk: Desk, question: Question) -> CanRun | CanRunSeveral:
    """The model of the question on its hardware: verdict, quant, need and speed, and a way on."""
    if len(question.models) > 1:
        return _several(desk, question)
    ref, model, record = desk.model(question)
    hardware_ref, hardware = _hardware(desk, question, model)
    asked = quant(question.quant) if question.quant else None
    fitting = best(model, hardware, question.context, question.min_quality)
    at_asked = at_quant(model, hardware, asked, question.context) if asked else None
    shown = at_asked or fitting
    verdict = shown.fit if shown else "no"
    found = desk.survey_of(question, model)
    reply = CanRun(
        model=ref,
        hardware=hardware_ref,
        verdict=verdict,
        quant_asked=asked.name if asked else None,
        rung=rung(shown) if shown else None,
        best=rung(fitting) if fitting else None,
        measured=desk.measured(hardware_ref, record, shown.quant.name) if shown and verdict != "no" else None,
        examples=_examples(desk, question, model, hardware_ref, found) if verdict != "no" else (),
        basis=desk.basis(question, model),
    )
    if verdict == "comfortable" and shown:
        return reply.model_copy(update={"faster": _faster(desk, question, model, hardware_ref, hardware, shown)})
    if verdict == "tight" and shown:
        return reply.model_copy(update=_more_room(desk, question, model, hardware_ref, hardware, shown))
    return reply.model_copy(update=_ways_on(desk, question, model, record, hardware_ref, hardware))


def _hardware(desk: Desk, question: Question, model: Figures | None = None) -> tuple[HardwareRef, Hardware]:
    named = desk.hardware(question, model)
    assert named is not None
    return named


def _examples(desk: Desk, question: Question, model: Figures, hardware: HardwareRef, found: Survey) -> tuple[CardRung, ...]:
    """For an amount of memory: a card of that size that people own, then the fastest of that size."""
    if hardware.named or hardware.unified or hardware.usable_stated or hardware.count > 1:
        return ()
    shown: list[CardRung] = []
    first = desk.first_card(hardware.memory_gb)
    for candidate in (
        desk.on_card(model, first, question) if first else None,
        desk.card_at(found, found.fastest_with(hardware.memory_gb)),
    ):
        if candidate and candidate.card.name not in {card.card.name for card in shown}:
            shown.append(candidate)
    return tuple(shown)


def _faster(
    desk: Desk, question: Question, model: Figures, hardware_ref: HardwareRef, hardware: Hardware, shown: Estimate
) -> FasterRung | None:
    """What most people run it at, on the same hardware, where the quant shown is a larger one and slower for it."""
    usual = common(model)
    if question.quant or shown.quant.memory_bpw <= usual.memory_bpw:
        return None
    if hardware_ref.named or hardware_ref.cpu:
        tried = at_quant(model, hardware, usual, question.context)
        # A very small model on a slow chip is bound by the arithmetic: there a smaller quant gains nothing.
        slower = tried.speed and shown.speed and tried.speed.tok_s <= shown.speed.tok_s
        card = hardware_ref.cards[0].card if hardware_ref.named else None
        return None if slower else FasterRung(card=card, rung=rung(tried))
    first = desk.first_card(hardware_ref.memory_gb)
    if first is None or hardware_ref.unified or hardware_ref.usable_stated or hardware_ref.count > 1:
        return None
    small = desk.on_card(model, first, question, usual)
    large = desk.on_card(model, first, question, shown.quant)
    if small and small.rung.speed and large and large.rung.speed and small.rung.speed.tok_s <= large.rung.speed.tok_s:
        return None
    return FasterRung(card=small.card, rung=small.rung) if small else None


def _more_room(
    desk: Desk, question: Question, model: Figures, hardware_ref: HardwareRef, hardware: Hardware, shown: Estimate
) -> dict[str, object]:
    """A smaller quant, and the next memory size that does better."""
    room: dict[str, object] = {}
    # A model that was published in a small format has no smaller file worth having.
    lower = next_lower(shown.quant.name) if len(rungs(model)) > 1 else None
    if lower and not question.quant:
        lighter = at_quant(model, hardware, lower, question.context)
        room["lighter"] = rung(lighter)
        room["lighter_saves_gb"] = shown.need_gb - lighter.need_gb
    if not hardware_ref.unified:
        bits = shown.quant.memory_bpw
        room["next_size"] = desk.size_rung(
            model,
            question,
            lambda tried: tried.quant.memory_bpw > bits or (tried.fit == "comfortable" and tried.quant.memory_bpw >= bits),
            above_gb=hardware_ref.total_gb,
        )
    return room


def _ways_on(
    desk: Desk,
    question: Question,
    model: Figures,
    record: Model | None,
    hardware_ref: HardwareRef,
    hardware: Hardware,
) -> dict[str, object]:
    """What is missing, and what works instead."""
    lowest = at_quant(model, hardware, rungs(model, question.min_quality)[-1], question.context)
    at_q4 = at_quant(model, hardware, common(model), question.context)
    usable = usable_gb(model, hardware)
    ways: dict[str, object] = {
        "lowest": rung(lowest),
        "at_q4": rung(at_q4),
        "short_gb": at_q4.need_gb - usable,
        "short_lowest_gb": lowest.need_gb - usable,
        "smaller": desk.smaller_model(record, hardware, question),
        "split": None
        if hardware_ref.unified or hardware_ref.cpu
        else split_figure(desk.divided(model, desk.timed(hardware_ref, hardware), question), question),
    }
    if question.quant:
        ways["short_asked_gb"] = at_quant(model, hardware, quant(question.quant), question.context).need_gb - usable
    if not hardware_ref.unified:
        ways["next_size"] = desk.size_rung(
            model,
            question,
            lambda tried: question.quant is not None or tried.quant.memory_bpw >= common(model).memory_bpw,
            above_gb=hardware_ref.total_gb,
        )
    if lowest.fit == "no" and not question.quant and not question.min_quality and len(rungs(model)) > 1:
        for name in constants()["documented"]["below_floor"]:
            below = at_quant(model, hardware, quant(name), question.context)
            if below.fit != "no":
                ways["below_floor"] = rung(below)
    return ways


def _several(desk: Desk, question: Question) -> CanRunSeveral:
    hardware_ref, hardware = _hardware(desk, question)
    rows: list[SeveralRow] = []
    tried_models = [desk.figures(desk.catalogue.model(name), question) for name in question.models[:6]]
    for name, model in zip(question.models, tried_models, strict=False):
        found = desk.try_on(model, hardware, question)
        needed = need_gb(model, wanted_quant(question, model), model.context(question.context))
        rows.append(
            SeveralRow(
                model=model_ref(desk.catalogue.model(name)),
                rung=rung(found) if found else None,
                short_gb=None if found else needed - usable_gb(model, hardware),
                short_quant=None if found else question.quant or common(model).name,
            )
        )
    reply = CanRunSeveral(hardware=hardware_ref, rows=tuple(rows), basis=desk.basis(question, among=tried_models))
    if not question.at_once:
        return reply
    at_once, steps = _at_once(tried_models, hardware, question)
    if at_once.fit == "no":
        return reply.model_copy(update={"at_once": at_once})
    shown = [
        row.model_copy(update={"rung": rung(at_quant(model, hardware, step, question.context)), "short_gb": None})
        for row, model, step in zip(rows, tried_models, steps, strict=True)
    ]
    return reply.model_copy(update={"at_once": at_once, "rows": tuple(shown)})


def _at_once(models: Sequence[Figures], hardware: Hardware, question: Question) -> tuple[AtOnce, list[Quant]]:
    """Several models in memory at the same time, and the best quants at which they fit so: whichever is stored best gives way."""
    wanted = quant(question.quant) if question.quant else None
    ladders = [[wanted] if wanted else list(rungs(model, question.min_quality)) for model in models]
    usable = min(usable_gb(model, hardware) for model in models)
    places = [0] * len(models)

    def needs() -> list[float]:
        return [
            need_gb(model, steps[place], model.context(question.context))
            for model, steps, place in zip(models, ladders, places, strict=True)
        ]

    while sum(needs()) > usable:
        lowerable = [index for index, place in enumerate(places) if place + 1 < len(ladders[index])]
        if not lowerable:
            break
        lowered = max(lowerable, key=lambda index: (ladders[index][places[index]].memory_bpw, needs()[index]))
        for index, name in enumerate(question.models[: len(models)]):
            # Copies of one model are copies of one file.
            places[index] += name == question.models[lowered]
    together = sum(needs())
    comfortable = min(comfortable_gb(model, hardware) for model in models)
    fit: Fit = "no" if together > usable else "tight" if together > comfortable else "comfortable"
    found = AtOnce(fit=fit, need_gb=together, short_gb=together - usable if fit == "no" else None)
    return found, [steps[place] for steps, place in zip(ladders, places, strict=True)]


def gpu_needed(desk: Desk, question: Question) -> GpuNeeded:
    """The smallest card, the smallest current one, and the sizes that serve better."""
    ref, model, _ = desk.model(question)
    found = desk.survey_of(question, model)
    smallest = desk.smallest(found)
    current = desk.smallest_current(found)
    wanted = wanted_quant(question, model)
    enough = common(model).memory_bpw
    good = desk.size_rung(model, question, lambda tried: question.quant is not None or tried.quant.memory_bpw >= enough)
    owned = good is not None and good.card.segment is Segment.CONSUMER
    several = () if owned and not question.cards else _several_cards(desk, question, model)
    # A size that is comfortable already needs no second one beside it.
    better = good is not None and good.rung.fit != "comfortable" and not several
    comfortable = desk.comfortable_size(model, question) if better else None
    return GpuNeeded(
        model=ref,
        smallest=smallest,
        smallest_current=None if smallest and current and current.card.name == smallest.card.name else current,
        good=good,
        comfortable=comfortable,
        several=several,
        unified=None if found.count else _unified(desk, question, model),
        count=found.count,
        surveyed=len(desk.surveyed),
        quant=wanted.name,
        need_gb=need_gb(model, wanted, model.context(question.context)),
        basis=desk.basis(question, model),
    )


MOST_TOGETHER = 8
"""Cards that people put into one machine, at the very most."""


def _several_cards(desk: Desk, question: Question, model: Figures) -> tuple[CardsForCount, ...]:
    """How many cards of 24 GB and more hold it at Q4_K_M (or the quant asked for) together: the three smallest counts, and where
    people can be expected to own so many, those."""
    wanted = wanted_quant(question, model)
    rows: list[CardsForCount] = []
    # "How many 3090s for ...": the card that is asked about; else those that people put several of into a machine.
    asked = [desk.catalogue.card(entry.name) for entry in question.cards[:1]]
    for card in asked or [card for size, card in desk.suggested() if size >= 24 and not card.unified]:
        for count in range(1 if asked else 2, 65):
            tried = at_quant(model, desk.together([card] * count), wanted, question.context)
            if tried.fit != "no":
                rows.append(CardsForCount(card=desk.card(card), count=count, rung=rung(tried)))
                break
    sensible = [row for row in rows if row.count <= MOST_TOGETHER]
    return tuple(sensible[:3] if sensible else rows[-1:])


def _unified(desk: Desk, question: Question, model: Figures) -> CardRung | None:
    """The smallest computer with unified memory that holds it at Q4_K_M (or the quant asked for), the newest of that size."""
    wanted = wanted_quant(question, model)
    table = desk.chips
    fitting = np.flatnonzero(survey(model, table, question.context, at=wanted).runs)
    if not fitting.size:
        return None
    least = fitting[table.memory_gb[fitting] == table.memory_gb[fitting].min()]
    newest = least[np.argmax(np.nan_to_num(table.released[least]))]
    return desk.on_card(model, table.cards[int(newest)], question, wanted)


def vram_needed(desk: Desk, question: Question) -> VramNeeded:
    """Need per quant, from the smallest card's upward; with one quant asked for, that one first."""
    ref, model, _ = desk.model(question)
    context = model.context(question.context)
    every = desk.survey(model, question.context, question.min_quality, None)
    # From the smallest card's quant upward, and never without the one that most people use.
    lowest = min(every.levels[-1].memory_bpw, common(model).memory_bpw) if every.count else 0.0
    rows = [_quant_row(desk, model, step.name, context) for step in reversed(rungs(model, question.min_quality))
            if step.memory_bpw >= lowest]  # fmt: skip
    named = desk.hardware(question, model)
    on_hardware = None
    if named:
        asked = quant(question.quant) if question.quant else None
        tried = at_quant(model, named[1], asked, question.context) if asked else best(model, named[1], question.context)
        on_hardware = rung(tried or at_quant(model, named[1], common(model), question.context))
    return VramNeeded(
        model=ref,
        rows=tuple(rows),
        asked=_quant_row(desk, model, question.quant, context) if question.quant else None,
        hardware=named[0] if named else None,
        on_hardware=on_hardware,
        basis=desk.basis(question, model),
    )


def _quant_row(desk: Desk, model: Figures, name: str, context: int) -> QuantRow:
    need = need_gb(model, quant(name), context)
    return QuantRow(quant=name, need_gb=need, card_from_gb=desk.surveyed.smallest_memory(model, need))


def speed(desk: Desk, question: Question) -> Speed | CanRun | CanRunSeveral:
    """How fast on the hardware named; without any, the fastest, the slowest, the median and how many beat reading speed.

    Where the hardware named cannot hold the model, the answer is the one to whether it can.
    """
    ref, model, record = desk.model(question)
    found = desk.survey_of(question, model)
    named = desk.hardware(question, model)
    reply = Speed(
        model=ref,
        count=found.count,
        surveyed=len(desk.surveyed),
        median_tok_s=found.median_tok_s,
        above_reading=found.above_reading_speed,
        basis=desk.basis(question, model),
    )
    if named:
        hardware_ref, hardware = named
        tried = desk.try_on(model, hardware, question)
        if tried is None or tried.speed is None or len(question.models) > 1:
            instead = can_run(desk, question)
            divided = instead.split.speed if isinstance(instead, CanRun) and instead.split else None
            if divided is None or question.reported_tok_s is None:
                return instead
            return instead.model_copy(update={"reported": _reported(question, divided.low_tok_s, divided.high_tok_s)})
        prompt = prompt_speed(model, hardware)
        return reply.model_copy(
            update={
                "hardware": hardware_ref,
                "rung": rung(tried),
                "faster": _faster(desk, question, model, hardware_ref, hardware, tried),
                "measured": desk.measured(hardware_ref, record, tried.quant.name),
                "reported": _reported(question, tried.speed.low_tok_s, tried.speed.high_tok_s),
                "prompt_tok_s": prompt,
                "prompt_s": model.context(question.context) / prompt if prompt and question.context else None,
                "writing": _writing(question, tried.speed),
                # English prose runs at about three words for every four tokens.
                "words_a_minute": tried.speed.tok_s * 60 * 0.75,
            }
        )
    if found.ends is None:
        return reply
    return reply.model_copy(
        update={
            "examples": _speed_examples(desk, question, model),
            "fastest": desk.card_at(found, found.ends[0]),
            "slowest": desk.card_at(found, found.ends[1]),
        }
    )


def _writing(question: Question, speed: EstimatedSpeed) -> WritingTime | None:
    """How long it takes to write what is to be written; the slow end of the range takes longest."""
    tokens = question.output_tokens
    if not tokens:
        return None
    return WritingTime(
        tokens=tokens, seconds=tokens / speed.tok_s, low_s=tokens / speed.high_tok_s, high_s=tokens / speed.low_tok_s
    )


def _reported(question: Question, low_tok_s: float, high_tok_s: float) -> ReportedSpeed | None:
    """The speed that the question tells of, held against the range as it is printed."""
    told = question.reported_tok_s
    if told is None:
        return None
    decimals = range_decimals(low_tok_s)
    against = "below" if told < round(low_tok_s, decimals) else "above" if told > round(high_tok_s, decimals) else "within"
    return ReportedSpeed(tok_s=told, against=against)


def _speed_examples(desk: Desk, question: Question, model: Figures) -> tuple[CardRung, ...]:
    """Two cards that people own: the first-named one of the smallest size that holds Q4_K_M, and the quickest consumer card."""
    enough = common(model).memory_bpw
    good = desk.size_rung(model, question, lambda tried: question.quant is not None or tried.quant.memory_bpw >= enough)
    shown = [CardRung(card=good.card, rung=good.rung)] if good else []
    fast = quickest_consumer(desk, question, model)
    if fast and fast.card.name not in {entry.card.name for entry in shown}:
        shown.append(fast)
    return tuple(shown)


def quickest_consumer(desk: Desk, question: Question, model: Figures) -> CardRung | None:
    """Of the recent consumer cards that hold the model, the one with the most bandwidth, at its best quant.

    Not the one with the most tokens a second: that may be a card so small that only a small quant fits it.
    """
    found = desk.survey_of(question, model)
    table = found.table
    holding = found.ranking[desk.is_current[found.ranking]]
    return desk.card_at(found, int(holding[np.argmax(table.reached_gb_s[holding])])) if holding.size else None
