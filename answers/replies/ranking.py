"""Cards ranked for a model, and models ranked for hardware."""

from __future__ import annotations

from datetime import date
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from answers.catalogue.records import Model
from answers.estimator.documented import at_quant, gb_read, tokens_per_second
from answers.estimator.hardware import Hardware
from answers.estimator.quants import constants, quant
from answers.estimator.survey import Survey
from answers.questions.question import Question
from answers.replies.desk import COMMON, Desk, model_ref, months_between, rung
from answers.replies.reply import RankCards, RankRow, Rung, Runnable, WhatCanCardRun

CURRENT_MONTHS = 24
"""A model counts as current while nothing on file supersedes it and it is not older than this."""
ROWS = 10


def ranked(desk: Desk, question: Question) -> tuple[Survey, NDArray[np.intp]]:
    """The survey of the question's model, and the indices of the cards in the order and under the filters that it asks for."""
    _, model, _ = desk.model(question)
    found = desk.survey_of(question, model)
    indices = found.by_size if question.order == "smallest" else found.ranking
    if question.order == "slowest":
        indices = indices[::-1]
    cards = found.table.cards
    if question.memory_gb is not None:
        indices = indices[found.table.memory_gb[indices] == question.memory_gb]
    if question.vendor:
        wanted = question.vendor.lower()
        indices = np.array([i for i in indices if cards[int(i)].vendor.lower() == wanted], dtype=np.intp)
    if question.search:
        wanted = question.search.lower()
        indices = np.array([i for i in indices if wanted in cards[int(i)].name.lower()], dtype=np.intp)
    return found, indices


def rank_cards(desk: Desk, question: Question) -> RankCards:
    """The ranking table's first rows: fastest first, or smallest or slowest."""
    ref, model, _ = desk.model(question)
    found, indices = ranked(desk, question)
    rows: list[RankRow] = []
    for index in indices[:ROWS]:
        shown = desk.card_at(found, int(index))
        assert shown is not None
        rows.append(RankRow(card=shown.card, rung=shown.rung))
    return RankCards(
        model=ref,
        order=question.order or "fastest",
        rows=tuple(rows),
        matching=len(indices),
        count=found.count,
        surveyed=len(desk.surveyed),
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
    reached = hardware.reached_gb_s or (Hardware.of_cards([first]).reached_gb_s if first else None)
    needs, steps = desk.model_needs(question.context)
    chosen = (needs > hardware.usable_gb).sum(axis=1)
    floor = quant(COMMON)
    reading = constants()["documented"]["reading_speed_tok_s"]
    fitting = 0
    shown: dict[Literal["current", "older"], list[Model]] = {"current": [], "older": []}
    for model, step in zip(desk.catalogue.models, chosen, strict=True):
        if step >= len(steps) or steps[step].memory_bpw < floor.memory_bpw:
            continue
        fitting += 1
        if not _suits(model, question.use):
            continue
        read = desk.figures(model).parameters_read
        if reached and (read is None or tokens_per_second(reached, floor.efficiency, gb_read(read, floor)) < reading):
            continue
        shown["current" if is_current(model, desk.catalogue.date) else "older"].append(model)
    rows = {
        group: tuple(
            Runnable(model=model_ref(model), rung=_runnable_rung(desk, model, hardware, question), released=model.released,
                     uses=model.uses)
            for model in _largest_per_family(models, limit)
        )
        for (group, models), limit in zip(shown.items(), (5, 3), strict=True)
    }  # fmt: skip
    return WhatCanCardRun(
        hardware=hardware_ref,
        use=question.use,
        current=rows["current"],
        older=rows["older"],
        fitting=fitting,
        on_file=len(desk.catalogue.models),
        with_speed=hardware.reached_gb_s is not None,
        basis=desk.basis(question),
    )


def _runnable_rung(desk: Desk, model: Model, hardware: Hardware, question: Question) -> Rung:
    found = desk.try_on(desk.figures(model), hardware, question)
    if found and found.speed and found.speed.tok_s < constants()["documented"]["reading_speed_tok_s"]:
        # A smaller quant that is fast enough beats a larger one that is not.
        found = at_quant(desk.figures(model), hardware, quant(COMMON), question.context)
    assert found is not None
    return rung(found)


def _suits(model: Model, use: str | None) -> bool:
    """Whether the model is for that use; without one, anything that is more than a bare pretrained model."""
    return use in model.uses if use else bool(set(model.uses) - {"base"})


def is_current(model: Model, today: date) -> bool:
    """Not superseded by a model on file, and not older than two years on the catalogue's date."""
    return model.superseded_by is None and months_between(model.released, today) <= CURRENT_MONTHS


def _largest_per_family(models: list[Model], most: int) -> list[Model]:
    """The largest of each family, larger first, newer first within a size: a list of one family's fine-tunes helps nobody."""
    chosen: dict[str, Model] = {}
    for model in sorted(models, key=lambda model: (model.size, model.released, model.name), reverse=True):
        chosen.setdefault(model.family, model)
    return list(chosen.values())[:most]
