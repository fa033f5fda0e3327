"""The rule that ranks: which of the picked models are shown for hardware, and in which order; docs/picks.md says it too.

1. Only what fits at Q4_K_M or better (the format that a model was published in counts as that) and writes at 10 tok/s or more,
   or at whatever else is asked for. Of the quants that do, the best is shown.
2. Current models before older ones: superseded ones, and those of more than a year ago, form a section of their own.
3. Within a section what moderators pinned comes first, then larger models, then newer ones.
4. A mixture of experts that the cards do not hold as a whole is offered with its experts in system memory where that is the
   better way: where it is larger than every current model that the cards do hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from answers.catalogue.records import Model, Pick
from answers.catalogue.snapshot import Catalogue
from answers.estimator.estimate import COMMON, at_quant, common, need_gb, rungs, split, usable_gb
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.parts import Estimate, Split
from answers.estimator.quants import Quant, constants, quant
from answers.questions.question import PickChange, Question
from answers.replies.desk import Desk, months_between, usable_ram_gb

RECENT_MONTHS = 12
"""A pick that is older than this is no current one."""
ASSUMED_RAM_GB = (32.0, 64.0, 96.0, 128.0)
"""System memories that a mixture of experts is offered with where none was stated: the smallest that holds one."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model to choose from; without a pick, it is the server's own or stands for want of any."""

    model: Model
    pick: Pick | None = None
    pinned: bool = False
    local: bool = False
    """The moderators of a server picked it."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate that the hardware runs: as a whole, or with its experts in system memory."""

    candidate: Candidate
    estimate: Estimate | None = None
    split: Split | None = None


@dataclass(frozen=True, slots=True)
class Placements:
    """Every candidate that the hardware runs, each section in its order."""

    current: tuple[Placed, ...]
    with_ram: tuple[Placed, ...]
    older: tuple[Placed, ...]
    ram_gb: float | None
    """The system memory that ``with_ram`` and splits among ``older`` are for: the one stated, else the assumed one."""


def candidates(catalogue: Catalogue, use: str | None, changes: Iterable[PickChange] = ()) -> tuple[Candidate, ...]:
    """The models that are picked for a use, each once; without a use those for general use and for small hardware, and older ones.

    Of older models any use counts where none is asked for, since they are few and known for one thing each.
    """
    uses = (use,) if use else ("general", "small")
    changed = {(change.model, change.use): change.action for change in changes}
    found: dict[str, Candidate] = {}
    # Each under the first use that it is picked for.
    in_order = [pick for wanted in uses for pick in catalogue.picks if pick.use == wanted]
    for pick in (*in_order, *(pick for pick in catalogue.picks if use is None and pick.use not in uses)):
        model = catalogue.model(pick.model)
        action = changed.get((pick.model, pick.use))
        if action == "drop" or pick.model in found:
            continue
        if pick.use in uses or (use is None and not is_recent(catalogue, model)):
            found[pick.model] = Candidate(model, pick, pinned=action == "pin")
    names = {model.name for model in catalogue.models} if changed else set[str]()
    for (name, for_use), action in changed.items():
        # A model of a server's own list may have left the catalogue since.
        if action == "drop" or for_use not in uses or name not in names:
            continue
        own = found.get(name) or Candidate(catalogue.model(name), local=True)
        found[name] = Candidate(own.model, own.pick, own.pinned or action == "pin", own.local)
    return tuple(found.values())


def is_recent(catalogue: Catalogue, model: Model) -> bool:
    """Whether a model is current: nothing on file supersedes it, and it is of the last year."""
    return model.superseded_by is None and months_between(model.released, catalogue.date) <= RECENT_MONTHS


def place(desk: Desk, question: Question, hardware: Hardware, timed: Hardware, among: Sequence[Candidate]) -> Placements:
    """The candidates that the hardware runs, by the rule above.

    Args:
        desk: the catalogue and its figures.
        question: states quant, context and the lowest speed, where the asker did.
        hardware: what fits is decided on.
        timed: what is fast enough is decided on: the hardware, or where only an amount of memory is known, a card that has it.
        among: the models to choose from.
    """
    whole: list[Placed] = []
    apart: list[Placed] = []
    for candidate in among:
        figures = desk.figures(candidate.model, question)
        estimate = _best(figures, hardware, timed, question)
        if estimate is not None:
            whole.append(Placed(candidate, estimate))
        elif (divided := _split(figures, hardware, timed, question)) is not None:
            apart.append(Placed(candidate, split=divided))
    recent = {one.candidate.model.name for one in (*whole, *apart) if is_recent(desk.catalogue, one.candidate.model)}
    current = _ordered(one for one in whole if one.candidate.model.name in recent)
    largest = max((one.candidate.model.size for one in current), default=0)
    better = [one for one in apart if one.candidate.model.size > largest or one.candidate.pinned]
    ram_gb = question.ram_gb or _assumed_ram([one for one in better if one.candidate.model.name in recent] or better)
    held = [one for one in better if ram_gb and one.split and one.split.ram_gb <= usable_ram_gb(ram_gb)]
    older = [one for one in (*whole, *held) if one.candidate.model.name not in recent]
    return Placements(current, _ordered(one for one in held if one.candidate.model.name in recent), _ordered(older), ram_gb)


def least_speed(question: Question) -> float:
    """The lowest speed that is recommended, in tok/s: the one asked for, else as fast as people read."""
    return question.min_speed or float(constants()["documented"]["reading_speed_tok_s"])


def floor(question: Question) -> Quant:
    """The quant that a model has to fit at: the one asked for, else Q4_K_M or the asker's higher minimum."""
    if question.quant:
        return quant(question.quant)
    return max(quant(question.min_quality or COMMON), quant(COMMON), key=lambda step: step.memory_bpw)


def _best(figures: Figures, hardware: Hardware, timed: Hardware, question: Question) -> Estimate | None:
    """The best quant that fits and is fast enough; ``None`` where none is, or where the speed cannot be told."""
    steps = (quant(question.quant),) if question.quant else rungs(figures, floor(question).name)
    tokens, usable = figures.context(question.context), usable_gb(figures, hardware)
    for step in steps:
        if need_gb(figures, step, tokens, hardware) > usable:
            continue
        found = at_quant(figures, hardware, step, tokens)
        fast = at_quant(figures, timed, step, tokens).speed if timed is not hardware else found.speed
        # An amount of memory alone has no speed; a processor has one, as cards have.
        if fast.tok_s >= least_speed(question) if fast is not None else not timed.cards:
            return found
    return None


def _split(figures: Figures, hardware: Hardware, timed: Hardware, question: Question) -> Split | None:
    """With experts in system memory, where the model has some, and fast enough."""
    dense = figures.layout is None or not figures.layout.expert_layers
    if dense or hardware.unified or not timed.cards or question.quant:
        return None
    found = split(figures, timed, common(figures), question.context, question.ram_gb_s)
    fast = found is not None and found.experts and found.speed is not None and found.speed.tok_s >= least_speed(question)
    return found if fast else None


def _assumed_ram(apart: Sequence[Placed]) -> float | None:
    """The smallest usual system memory that holds at least one of them."""
    least = min((one.split.ram_gb for one in apart if one.split), default=None)
    return next((size for size in ASSUMED_RAM_GB if least is not None and least <= usable_ram_gb(size)), None)


def _ordered(placed: Iterable[Placed]) -> tuple[Placed, ...]:
    """Pinned first, then larger, then newer, then by name."""
    by_name = sorted(placed, key=lambda one: one.candidate.model.name)
    by_date = sorted(by_name, key=lambda one: one.candidate.model.released, reverse=True)
    return tuple(sorted(by_date, key=lambda one: (not one.candidate.pinned, -one.candidate.model.size)))
