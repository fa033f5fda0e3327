"""Two to four cards, or two to four models, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from answers.catalogue.records import Card
from answers.estimator.calibrated.layout import Layout
from answers.estimator.estimate import COMMON, at_quant, common, need_gb, speed, usable_gb
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.memory import reached_gb_s
from answers.estimator.quants import quant
from answers.questions.question import Question
from answers.replies.desk import Desk, model_ref, rung, speed_figure, wanted_quant
from answers.replies.parts import CardRef, SpeedFigure
from answers.replies.reply import CompareCards, ComparedCard, ComparedModel, CompareModels

MOST = 4
TYPICAL = 8e9
"""Parameters of the dense model that cards are compared with where none is named."""


def compare_cards(desk: Desk, question: Question) -> CompareCards:
    """Cards for a model, or in general by memory and bandwidth."""
    model = ref = None
    if question.models or question.parameters is not None:
        ref, model, _ = desk.model(question)
    rows: list[ComparedCard] = []
    running: dict[str, Hardware] = {}
    quants = [quant(COMMON)] if model is None else []
    for entry in question.cards[:MOST]:
        card = desk.catalogue.card(entry.name)
        hardware = desk.together([card] * entry.count)
        tried = desk.try_on(model, hardware, question) if model else None
        short = short_quant = None
        if model and tried is None:
            wanted = wanted_quant(question, model)
            short_quant = wanted.name
            short = need_gb(model, wanted, model.context(question.context)) - usable_gb(model, hardware)
        row = ComparedCard(
            card=_counted(desk.card(card), entry.count),
            fp16_tflops=card.fp16_tflops,
            power_w=card.power_w,
            rung=rung(tried) if tried else None,
            short_gb=short,
            short_quant=short_quant,
        )
        rows.append(row)
        if model is None or tried:
            running[row.card.label] = hardware
        quants += [tried.quant] if tried else []
    # At one quant, the smallest that any of them needs: each card's own best would set a small quant against a large one.
    at = min(quants, key=lambda step: step.memory_bpw, default=None)
    timed = model or _typical(question)
    paces = {label: _pace(timed, hardware, at.name, question) for label, hardware in running.items()} if at else {}
    order = sorted(paces, key=lambda label: -paces[label])
    second = paces[order[1]] if len(order) > 1 else 0.0
    memory = sorted(rows, key=lambda row: -row.card.memory_gb)
    return CompareCards(
        model=ref,
        cards=tuple(rows),
        fastest=order[0] if order and paces[order[0]] > second else None,
        second=order[1] if len(order) > 1 else None,
        times=paces[order[0]] / second if second else None,
        times_parameters=None if model else timed.parameters,
        times_quant=at.name if at else None,
        differing=_cards_differ(rows),
        most_memory=memory[0].card.label if len(memory) > 1 and memory[0].card.memory_gb > memory[1].card.memory_gb else None,
        basis=desk.basis(question, model),
    )


def _typical(question: Question) -> Figures:
    """A dense model of a size that any card is used for, by the method that the question asks for."""
    layout = None if question.method == "documented" else Layout.of_size(TYPICAL)
    return Figures(TYPICAL, TYPICAL, layout=layout)


def _pace(model: Figures, hardware: Hardware, at: str, question: Question) -> float:
    """Tokens a second at that quant; where the model does not say what it reads, the bandwidth in GB/s that speed follows."""
    found = speed(model, hardware, quant(at), model.context(question.context))
    return found.tok_s if found else reached_gb_s(hardware) or 0.0


def _cards_differ(rows: Sequence[ComparedCard]) -> tuple[Any, ...]:
    figures: dict[str, list[object]] = {
        "tok_s": [row.rung.speed.tok_s if row.rung and row.rung.speed else None for row in rows],
        "memory_gb": [row.card.memory_gb for row in rows],
        "bandwidth_gb_s": [row.card.bandwidth_gb_s for row in rows],
        "power_w": [row.power_w for row in rows],
        "released": [(row.card.released or "")[:4] for row in rows],
    }
    return _differing(figures)


def _differing(figures: Mapping[str, Sequence[object]]) -> tuple[Any, ...]:
    """The figures that are not the same for all of them."""
    return tuple(name for name, values in figures.items() if len(set(values)) > 1)


def _counted(card: CardRef, count: int) -> CardRef:
    """Several of a card as one thing that is compared: their memory adds up, their bandwidth does not."""
    return card if count == 1 else card.model_copy(update={"label": f"{count}× {card.label}", "memory_gb": card.memory_gb * count})


def compare_models(desk: Desk, question: Question) -> CompareModels:
    """Models on the hardware named, or in general."""
    named = desk.hardware(question)
    rows: list[ComparedModel] = []
    compared: list[Figures] = []
    for name in question.models[:MOST]:
        record = desk.catalogue.model(name)
        model = desk.figures(record, question)
        compared.append(model)
        tried = desk.try_on(model, named[1], question) if named else None
        rows.append(
            ComparedModel(
                model=model_ref(record),
                released=record.released,
                access=record.access,
                uses=record.uses,
                need_at_q4_gb=need_gb(model, common(model), model.context(question.context)),
                common=common(model).name,
                smallest=None if named else desk.smallest(desk.survey_of(question, model)),
                rung=rung(tried) if tried else None,
                successor=desk.successor(record),
            )
        )
    card, paces = (None, []) if named else _paced(desk, compared, question)
    rows = [row.model_copy(update={"pace": pace}) for row, pace in zip(rows, paces, strict=True)] if card else rows
    speeds = paces if card else [row.rung.speed if row.rung else None for row in rows]
    figures: dict[str, list[object]] = {
        "tok_s": [speed.tok_s if speed else None for speed in speeds],
        "need_gb": [(row.rung.need_gb if row.rung else None) if named else row.need_at_q4_gb for row in rows],
        "max_context": [row.model.max_context for row in rows],
        "parameters": [row.model.parameters for row in rows],
        "uses": [row.uses for row in rows],
        "access": [row.access for row in rows],
    }
    return CompareModels(
        hardware=named[0] if named else None,
        models=tuple(rows),
        pace_card=desk.card(card) if card else None,
        differing=_differing(figures),
        basis=desk.basis(question, among=compared),
    )


def _paced(desk: Desk, models: Sequence[Figures], question: Question) -> tuple[Card | None, list[SpeedFigure]]:
    """The card that people own of the smallest size that holds all the models, each at its usual quant, and their speeds there."""
    for _, card in desk.suggested():
        hardware = desk.together([card])
        tried = [at_quant(model, hardware, common(model), question.context) for model in models]
        paces = [pace for one in tried if (pace := speed_figure(one.speed))]
        if len(paces) == len(models):
            return card, paces
    return None, []
