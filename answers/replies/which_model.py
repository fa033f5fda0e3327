"""Models for hardware: the picks that it runs, by the rule in :mod:`answers.replies.picks`."""

from __future__ import annotations

from collections.abc import Iterable

from answers.estimator.hardware import Hardware
from answers.questions.question import Question
from answers.replies.desk import Desk, model_ref, rung, split_figure
from answers.replies.picks import Candidate, Placed, Placements, candidates, floor, least_speed, place
from answers.replies.reply import Reason, Runnable, WhatCanCardRun

CURRENT, WITH_RAM, OLDER = 3, 2, 2
"""Lines of each section."""


def what_can_card_run(desk: Desk, question: Question) -> WhatCanCardRun:
    """The picks that the hardware runs, as they hold where it was asked; where it runs none, other models on file."""
    named = desk.hardware(question)
    assert named is not None
    hardware_ref, hardware = named
    # An amount of memory has no speed of its own; the card that is named first for it stands in where there is one.
    first = None if hardware_ref.named or hardware_ref.unified or hardware_ref.cpu else desk.first_card(hardware_ref.memory_gb)
    timed = desk.together([first] * hardware_ref.count) if first and not hardware.cards else hardware
    found = place(desk, question, hardware, timed, candidates(desk.catalogue, question.use, question.picks))
    month = max((pick.month for pick in desk.catalogue.picks), default=None)
    fits = desk.model_needs(question.context, floor(question)) <= desk.model_room(hardware)
    if not (found.current or found.with_ram or found.older):
        found, month = _others(desk, question, hardware, timed), None
    shown = _shown(found)
    figures = [desk.figures(placed.candidate.model, question) for placed in (*shown.current, *shown.with_ram, *shown.older)]
    with_speed = bool(hardware.cards)
    return WhatCanCardRun(
        hardware=hardware_ref,
        use=question.use,
        min_speed=least_speed(question),
        min_speed_stated=question.min_speed is not None,
        current=tuple(_row(desk, placed, question, with_speed) for placed in shown.current),
        with_ram=tuple(_row(desk, placed, question, with_speed) for placed in shown.with_ram),
        ram_gb=shown.ram_gb,
        older=tuple(_row(desk, placed, question, with_speed) for placed in shown.older),
        month=month,
        fitting=int(fits.sum()),
        on_file=len(desk.catalogue.models),
        with_speed=with_speed,
        basis=desk.basis(question, among=figures),
    )


def _shown(found: Placements) -> Placements:
    """As many of each section as an answer has lines for."""
    return Placements(found.current[:CURRENT], found.with_ram[:WITH_RAM], found.older[:OLDER], found.ram_gb)


def _others(desk: Desk, question: Question, hardware: Hardware, timed: Hardware) -> Placements:
    """What the hardware runs of all models on file, for hardware or a use that no pick is for: the best of each family."""
    suits = desk.model_suits(question.use) & (desk.model_needs(question.context, floor(question)) <= desk.model_room(hardware))
    fitting = tuple(Candidate(desk.catalogue.models[int(index)]) for index in suits.nonzero()[0])
    found = place(desk, question, hardware, timed, fitting)
    return Placements(_one_of_each_family(found.current), (), _one_of_each_family(found.older), None)


def _one_of_each_family(placed: Iterable[Placed]) -> tuple[Placed, ...]:
    first: dict[str, Placed] = {}
    for one in placed:
        first.setdefault(one.candidate.model.family, one)
    return tuple(first.values())


def _row(desk: Desk, placed: Placed, question: Question, with_speed: bool) -> Runnable:
    model = placed.candidate.model
    split = split_figure(placed.split, question)
    return Runnable(
        model=model_ref(model),
        rung=rung(placed.estimate) if placed.estimate else None,
        split=split if split is None or with_speed else split.model_copy(update={"speed": None}),
        released=model.released,
        uses=model.uses,
        reason=_reason(placed.candidate),
        pinned=placed.candidate.pinned,
    )


def _reason(candidate: Candidate) -> Reason | None:
    pick = candidate.pick
    if pick is None:
        return Reason(why="local") if candidate.local else None
    return Reason(
        why=pick.why,
        test=pick.test,
        score=pick.score,
        out_of=pick.out_of,
        by=pick.by,
        over=pick.over,
        memory_gb=pick.memory_gb,
        source=pick.source,
    )
