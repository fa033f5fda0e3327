"""Answers that argue: when it does not fit, a second card, why the quant differs, accuracy, choosing a card, contexts."""

from __future__ import annotations

from dataclasses import replace

from answers.catalogue.records import Card
from answers.estimator.estimate import at_quant, best, common, longest_context, need_gb, rungs, speed, usable_gb
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.memory import card_reached_gb_s
from answers.estimator.parts import Estimate
from answers.estimator.quants import Quant, quant
from answers.questions.question import Kv, Question
from answers.replies.can_run import quickest_consumer
from answers.replies.desk import Desk, rung, speed_figure, split_figure, wanted_quant
from answers.replies.parts import CardRef, CardRung, SizeRung
from answers.replies.reply import Accuracy, ChooseGpu, ContextRow, FitsNot, KvContext, MaxContext, QuantDiffers, TwoGpus

LONG_CONTEXT = 32_768
"""Tokens; the longer context that the six steps show the cost of."""


def fits_not(desk: Desk, question: Question) -> FitsNot:
    """Offloading, the nearest miss, and what would fit instead."""
    ref, model, record = desk.model(question)
    found = desk.survey_of(question.model_copy(update={"quant": None}), model)
    base = FitsNot(
        model=ref,
        short_gb=found.nearest_miss_gb,
        count=found.count,
        surveyed=len(desk.surveyed),
        basis=desk.basis(question, model),
    )
    wanted = wanted_quant(question, model)
    named = desk.hardware(question, model)
    if named is None:
        failing = [card for card, runs in zip(found.table.cards, found.runs, strict=True) if not runs]
        if not failing:
            return base
        # The card that a split is shown for: one that people own, of the largest size that cannot hold the model.
        owned = [card for _, card in desk.first_cards() if not card.unified and not desk.on_card(model, card, question)]
        card = owned[-1] if owned else failing[-1]
        hardware = desk.together([card])
        return base.model_copy(
            update={
                "split": split_figure(desk.divided(model, hardware, question), question),
                "split_card": desk.card(card),
                "smaller": desk.smaller_model(record, hardware, question),
                "next_size": _next_size(desk, question, model, card.memory_gb),
            }
        )
    hardware_ref, hardware = named
    at_common = at_quant(model, hardware, wanted, question.context)
    # With memory that a processor shares, or with a processor alone, there is no other memory to leave a part in.
    apart = not (hardware_ref.unified or hardware_ref.cpu)
    # An amount of memory has no bandwidth: the card that is named first for it shows the speed of a split.
    first = desk.first_card(hardware_ref.memory_gb) if apart and not hardware_ref.named else None
    timed = desk.timed(hardware_ref, hardware)
    parted = desk.divided(model, timed, question) if apart else None
    # A smaller quant is left with system memory where that holds no more: then it is that one that is too large for the card.
    short = at_quant(model, hardware, parted.quant, question.context) if parted else at_common
    lower = best(model, hardware, question.context, question.min_quality)
    cards = [entry.card.name for entry in hardware_ref.cards]
    one = desk.catalogue.card(cards[0]) if len(cards) == 1 and hardware_ref.count == 1 else None
    return base.model_copy(
        update={
            "hardware": hardware_ref,
            "fits": rung(at_common) if at_common.fit != "no" else None,
            "short_gb": short.need_gb - usable_gb(model, hardware),
            "split": split_figure(parted, question),
            "split_card": desk.card(first) if first else hardware_ref.cards[0].card if hardware_ref.named else None,
            "smaller": desk.smaller_model(record, timed, question),
            "lower": rung(lower) if lower and at_common.fit == "no" else None,
            "shorter_context": _shorter(model, hardware, at_common),
            "next_size": _next_size(desk, question, model, hardware_ref.total_gb) if apart else None,
            "two": _two(desk, model, one, question) if one and not one.unified else None,
        }
    )


def _shorter(model: Figures, hardware: Hardware, tried: Estimate) -> int | None:
    """The context at which the quant would fit, where that is still worth having (1,024 tokens)."""
    if tried.fit != "no":
        return None
    longest = longest_context(model, hardware, tried.quant)
    return longest if longest and longest >= 1024 else None


def _next_size(desk: Desk, question: Question, model: Figures, above_gb: float) -> SizeRung | None:
    enough = common(model).memory_bpw
    return desk.size_rung(
        model, question, lambda tried: question.quant is not None or tried.quant.memory_bpw >= enough, above_gb=above_gb
    )


def _two(desk: Desk, model: Figures, card: Card, question: Question) -> CardRung | None:
    tried = desk.try_on(model, desk.together([card, card]), question)
    return CardRung(card=desk.card(card), rung=rung(tried)) if tried else None


def two_gpus(desk: Desk, question: Question) -> TwoGpus:
    """Memory adds up, speed does not; whether a second card helps here."""
    basis = desk.basis(question)
    named = desk.hardware(question) if question.cards or question.memory_gb is not None else None
    if not question.models and question.parameters is None:
        return TwoGpus(
            hardware=named[0] if named else None,
            one_card=named[0].cards[0].card if named and named[0].named else None,
            basis=basis,
        )
    ref, model, _ = desk.model(question)
    named = desk.hardware(question, model) if named else None
    found = desk.survey_of(question, model)
    reply = TwoGpus(
        model=ref,
        smallest=desk.smallest(found),
        count=found.count,
        surveyed=len(desk.surveyed),
        basis=desk.basis(question, model),
    )
    if named and named[0].named:
        # One card named is the one that a second of its kind would stand beside.
        counted = [(desk.catalogue.card(entry.card.name), entry.count) for entry in named[0].cards]
        if named[0].count == 1:
            counted = [(counted[0][0], 2)]
        hardware_ref, hardware = desk.of_cards(counted, model)
        together = desk.try_on(model, hardware, question)
        alone = _best_alone(desk, model, [card for card, _ in counted], question)
        return reply.model_copy(
            update={
                "hardware": hardware_ref,
                "one_card": alone.card if alone else desk.card(counted[0][0]),
                "single": alone.rung if alone else None,
                "together": rung(together) if together else None,
            }
        )
    if named:
        hardware_ref, hardware = named
        together = desk.try_on(model, hardware, question)
        alone = desk.try_on(model, Hardware.of_memory(hardware_ref.memory_gb), question)
        return reply.model_copy(
            update={
                "hardware": hardware_ref,
                "single": rung(alone) if alone else None,
                "together": rung(together) if together else None,
            }
        )
    return reply.model_copy(update=_second_card(desk, question, model))


def _best_alone(desk: Desk, model: Figures, cards: list[Card], question: Question) -> CardRung | None:
    """Of the cards, the one that runs the model best without the others: the least quantised, then the fastest."""
    alone = [found for card in cards if (found := desk.on_card(model, card, question))]
    return max(alone, key=lambda f: (quant(f.rung.quant).memory_bpw, f.rung.speed.tok_s if f.rung.speed else 0.0), default=None)


def _second_card(desk: Desk, question: Question, model: Figures) -> dict[str, object]:
    """Of the cards that people own: the largest that cannot hold it alone and can twice, and the smallest that holds it."""
    shown: dict[str, object] = {}
    for _, card in desk.suggested():
        alone = desk.try_on(model, desk.together([card]), question)
        if alone:
            shown["same_card"] = CardRung(card=desk.card(card), rung=rung(alone))
            break
        together = desk.try_on(model, desk.together([card, card]), question)
        if together:
            shown["helps_card"], shown["helps"] = desk.card(card), rung(together)
    return shown


def quant_differs(desk: Desk, question: Question) -> QuantDiffers:
    """Each card runs the best quant that it holds; this model's levels and where they change."""
    if not question.models and question.parameters is None:
        return QuantDiffers(basis=desk.basis(question))
    ref, model, _ = desk.model(question)
    found = desk.survey_of(question.model_copy(update={"quant": None}), model)
    examples: list[SizeRung] = []
    for size, card in desk.suggested():
        tried = best(model, desk.together([card]), question.context, question.min_quality)
        if tried and tried.quant.name not in {shown.rung.quant for shown in examples}:
            examples.append(SizeRung(memory_gb=size, card=desk.card(card), rung=rung(tried)))
    return QuantDiffers(
        model=ref,
        levels=tuple(step.name for step in found.levels),
        smallest=desk.smallest(found),
        examples=tuple(examples[:3]),
        basis=desk.basis(question, model),
    )


def accuracy(desk: Desk, question: Question) -> Accuracy:
    """The range counts; for a model, that of its fastest card."""
    if not question.models and question.parameters is None:
        return Accuracy(basis=desk.basis(question))
    ref, model, record = desk.model(question)
    found = desk.survey_of(question.model_copy(update={"quant": None}), model)
    shown = desk.hardware(question, model)
    fastest = desk.card_at(found, found.ends[0]) if found.ends else None
    if shown and shown[0].named and shown[0].count == 1:
        on_card = desk.try_on(model, shown[1], question)
        fastest = CardRung(card=shown[0].cards[0].card, rung=rung(on_card)) if on_card else fastest
    return Accuracy(
        model=ref,
        fastest=fastest if fastest and fastest.rung.speed else None,
        layout_on_file=record is not None and record.attention_kind is not None,
        basis=desk.basis(question, model),
    )


def choose_gpu(desk: Desk, question: Question) -> ChooseGpu:
    """The six steps: memory, context, quant, speed, headroom, the card from the other side."""
    ref, model, _ = desk.model(question)
    found = desk.survey_of(question, model)
    usual = common(model)
    long = min(LONG_CONTEXT, model.max_context) if model.max_context else LONG_CONTEXT
    worth_showing = long > model.context(question.context)
    good = desk.size_rung(model, question, lambda tried: tried.quant.memory_bpw >= usual.memory_bpw or bool(question.quant))
    options: list[CardRung] = []
    unfit: list[CardRef] = []
    for entry in question.cards:
        card = desk.catalogue.card(entry.name)
        shown = desk.on_card(model, card, question)
        if shown:
            options.append(shown)
        else:
            unfit.append(desk.card(card))
    return ChooseGpu(
        model=ref,
        smallest=desk.smallest(found),
        need_at_q4_gb=need_gb(model, usual, model.context(question.context)),
        long_context=long if worth_showing else None,
        long_need_gb=need_gb(model, usual, long) if worth_showing else None,
        good=good,
        comfortable=desk.comfortable_size(model, question),
        fastest=desk.card_at(found, found.ends[0]) if found.ends else None,
        quickest_consumer=quickest_consumer(desk, question, model),
        # At one quant, as bandwidth orders them: each one's own best would set a small quant against a large one.
        options=tuple(sorted(options, key=lambda shown: -card_reached_gb_s(desk.catalogue.card(shown.card.name)))),
        options_unfit=tuple(unfit),
        levels=tuple(step.name for step in found.levels),
        count=found.count,
        surveyed=len(desk.surveyed),
        basis=desk.basis(question, model),
    )


def max_context(desk: Desk, question: Question) -> MaxContext:
    """The longest context that fits the hardware per quant; without hardware, the model's own."""
    ref, model, _ = desk.model(question)
    named = desk.hardware(question, model)
    basis = desk.basis(question, model)
    if named is None:
        asked = question.context
        within = None if asked is None or model.max_context is None else asked <= model.max_context
        return MaxContext(model=ref, context_asked=asked, asked_fits=within, quant_asked=question.quant, basis=basis)
    hardware_ref, hardware = named
    steps = [quant(question.quant)] if question.quant else list(rungs(model, question.min_quality))
    rows = tuple(_context_row(model, hardware, step) for step in steps)
    reply = MaxContext(model=ref, hardware=hardware_ref, rows=rows, quant_asked=question.quant, basis=basis)
    if question.context is None:
        return reply
    tried = best(model, hardware, question.context, question.min_quality) if not question.quant else None
    shown = tried or at_quant(model, hardware, wanted_quant(question, model), question.context)
    within = model.max_context is None or question.context <= model.max_context
    return reply.model_copy(
        update={
            "context_asked": question.context,
            "asked_fits": shown.fit != "no" and within,
            "need_at_asked_gb": shown.need_gb,
            "short_gb": shown.need_gb - usable_gb(model, hardware) if shown.fit == "no" else None,
        }
    )


SMALLER_CACHES: tuple[Kv, ...] = ("q8_0", "q4_0")


def _context_row(model: Figures, hardware: Hardware, at: Quant) -> ContextRow:
    longest = longest_context(model, hardware, at)
    row = ContextRow(quant=at.name, context=longest, fits_at_default=at_quant(model, hardware, at, None).fit != "no")
    if model.method == "documented" or longest is None:
        return row
    return row.model_copy(
        update={
            "with_kv": tuple(
                KvContext(kv=kv, context=longest_context(replace(model, kv=kv), hardware, at))
                for kv in SMALLER_CACHES
                if model.kv == "f16"
            ),
            "speed": speed_figure(speed(model, hardware, at, longest)),
        }
    )
