"""Cards ranked for a model, and models ranked for hardware."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from answers.catalogue.records import Model
from answers.estimator.estimate import at_quant, need_gb, speed
from answers.estimator.hardware import Hardware
from answers.estimator.quants import Quant, constants, quant
from answers.estimator.survey import Survey
from answers.questions.question import Question
from answers.replies.desk import COMMON, Desk, model_ref, rung
from answers.replies.parts import Rung
from answers.replies.reply import RankCards, RankRow, Runnable, WhatCanCardRun

ROWS = 10


def ranked(desk: Desk, question: Question) -> tuple[Survey, NDArray[np.intp]]:
    """The survey of the question's model, and the indices of the cards in the order and under the filters that it asks for."""
    _, model, _ = desk.model(question)
    found = desk.survey_of(question, model)
    indices = found.by_size if question.order == "smallest" else found.ranking
    if question.order == "slowest":
        indices = indices[::-1]
    return found, _filtered(question, found, indices)


def _unfit(question: Question, found: Survey) -> NDArray[np.intp]:
    """The indices of the cards that cannot run it, under the same filters: most memory first, then by name."""
    order = np.lexsort((found.table.by_name, -found.table.memory_gb))
    return _filtered(question, found, order[~found.runs[order]])


def _filtered(question: Question, found: Survey, indices: NDArray[np.intp]) -> NDArray[np.intp]:
    cards = found.table.cards
    if question.memory_gb is not None:
        indices = indices[found.table.memory_gb[indices] == question.memory_gb]
    if question.vendor:
        wanted = question.vendor.lower()
        indices = np.array([i for i in indices if cards[int(i)].vendor.lower() == wanted], dtype=np.intp)
    if question.search:
        wanted = question.search.lower()
        indices = np.array([i for i in indices if wanted in cards[int(i)].name.lower()], dtype=np.intp)
    return indices


def rank_cards(desk: Desk, question: Question, page: int = 0) -> RankCards:
    """Ten rows of the ranking table: fastest first, or smallest or slowest, then those that cannot where they are wanted.

    ``page`` counts from 0; one past the last is the last.
    """
    ref, model, _ = desk.model(question)
    found, runs = ranked(desk, question)
    listed = np.concatenate([runs, _unfit(question, found)]) if question.include_unfit and len(runs) else runs
    pages = max(1, -(-len(listed) // ROWS))
    page = min(max(page, 0), pages - 1)
    need_at_q4 = need_gb(model, quant(COMMON), found.context)
    rows: list[RankRow] = []
    for index in listed[page * ROWS : (page + 1) * ROWS]:
        shown = desk.card_at(found, int(index))
        card = shown.card if shown else desk.card(found.table.cards[int(index)])
        rows.append(RankRow(card=card, rung=shown.rung if shown else Rung(quant=COMMON, need_gb=need_at_q4, fit="no")))
    return RankCards(
        model=ref,
        order=question.order or "fastest",
        rows=tuple(rows),
        page=page,
        pages=pages,
        first=page * ROWS + 1,
        listed=len(listed),
        matching=len(runs),
        count=found.count,
        surveyed=len(found.table),
        min_quality=question.min_quality,
        vendor=question.vendor,
        memory_gb=question.memory_gb,
        basis=desk.basis(question, model),
    )


def what_can_card_run(desk: Desk, question: Question) -> WhatCanCardRun:
    """Models for the hardware: current ones before older ones, Q4_K_M or better, 10 tok/s or more, larger first, then newer."""
    named = desk.hardware(question)
    assert named is not None
    hardware_ref, hardware = named
    # An amount of memory has no speed of its own; the card that is named first for it stands in where there is one.
    first = None if hardware_ref.named or hardware_ref.unified else desk.first_card(hardware_ref.memory_gb)
    timed = desk.together([first]) if first and not hardware.cards else hardware
    floor = _floor(question)
    fits = desk.model_needs(question.context, floor) <= desk.model_room(hardware)
    good = fits & desk.model_suits(question.use)
    groups = {"current": desk.current_models & good, "older": ~desk.current_models & good}
    rows = {
        group: tuple(
            Runnable(
                model=model_ref(model),
                rung=_runnable_rung(desk, model, hardware, question),
                released=model.released,
                uses=model.uses,
            )
            for model in _largest_per_family(desk, mask, limit, lambda model: _runs_well(desk, model, hardware, timed, question))
        )
        for (group, mask), limit in zip(groups.items(), (5, 3), strict=True)
    }
    return WhatCanCardRun(
        hardware=hardware_ref,
        use=question.use,
        current=rows["current"],
        older=rows["older"],
        fitting=int(fits.sum()),
        on_file=len(desk.catalogue.models),
        with_speed=bool(hardware.cards),
        basis=desk.basis(question),
    )


def _floor(question: Question) -> Quant:
    """The quant that a model has to fit at: the one asked for, else Q4_K_M or the asker's higher minimum."""
    if question.quant:
        return quant(question.quant)
    return max(quant(question.min_quality or COMMON), quant(COMMON), key=lambda step: step.memory_bpw)


def _runnable_rung(desk: Desk, model: Model, hardware: Hardware, question: Question) -> Rung:
    found = desk.try_on(desk.figures(model, question), hardware, question)
    if found and found.speed and found.speed.tok_s < constants()["documented"]["reading_speed_tok_s"]:
        # A smaller quant that is fast enough beats a larger one that is not.
        found = at_quant(desk.figures(model, question), hardware, _floor(question), question.context)
    assert found is not None
    return rung(found)


def _runs_well(desk: Desk, model: Model, hardware: Hardware, timed: Hardware, question: Question) -> bool:
    """Whether a model fits these very cards and writes as fast as people read (on ``timed``, where there are cards).

    One that does not say what it reads per token is no advice.
    """
    figures = desk.figures(model, question)
    if at_quant(figures, hardware, _floor(question), question.context).fit == "no":
        return False
    if not timed.cards:
        return True
    found = speed(figures, timed, _floor(question), figures.context(question.context))
    return found is not None and found.tok_s >= constants()["documented"]["reading_speed_tok_s"]


def _largest_per_family(desk: Desk, mask: NDArray[np.bool_], most: int, accept: Callable[[Model], bool]) -> list[Model]:
    """The largest of each family, larger first, newer first within a size: a list of one family's fine-tunes helps nobody."""
    chosen: dict[str, Model] = {}
    for index in desk.models_by_size[mask[desk.models_by_size]]:
        model = desk.catalogue.models[int(index)]
        if model.family not in chosen and accept(model):
            chosen[model.family] = model
        if len(chosen) == most:
            break
    return list(chosen.values())
