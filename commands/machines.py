"""Saved machines by the names that their owners gave them: typed as hardware into an option, or said in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from answers.answering import Answering
from answers.questions.question import Intent, Question, Reading
from commands.errors import Refusal
from commands.hardware import compared
from commands.rigs import is_of
from commands.services import Services
from commands.store.rigs import Rig

LEAST = 2
"""Characters of a name that is looked for in sentences."""


def named(rigs: Iterable[Rig], typed: str | None) -> Rig | None:
    """The machine that is called what was typed."""
    said = _plain(typed or "")
    return next((rig for rig in rigs if said and _plain(rig.machine) == said), None)


async def machine_of(services: Services, user_id: int, typed: str | None) -> Rig | None:
    """The machine of a person that they call what they typed."""
    if not typed:
        return None
    await services.catch_up()
    return named(services.store.rigs(user_id), typed)


def spoken(rig: Rig) -> str:
    """The hardware of a machine as its owner could have typed it."""
    if rig.cards:
        return " + ".join(f"{count}x {name}" if count > 1 else name for name, count in rig.cards)
    amount = f"{rig.memory_gb:g} GB"
    return f"Mac {amount}" if rig.unified else f"{rig.n_cards}x {amount}" if rig.n_cards > 1 else amount


def read_with(
    answering: Answering, text: str, rigs: Sequence[Rig], lang: str | None = None, previous: Question | None = None
) -> tuple[Reading, Rig | None]:
    """What is asked, and the machine that is named in it: its name reads as its hardware would, where nothing else is lost by that.

    Args:
        answering: reads.
        text: the question.
        rigs: the asker's machines.
        lang: a hint at the language.
        previous: the question before.
    """
    reading = answering.read(text, lang, previous)
    for rig in sorted(rigs, key=lambda rig: -len(rig.machine)):
        if len(rig.machine) < LEAST:
            continue
        words = r"\s+".join(map(re.escape, rig.machine.split()))
        name = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
        if not name.search(text):
            continue
        hardware = spoken(rig)
        other = answering.read(name.sub(lambda _, said=hardware: said, text), lang or reading.lang, previous)
        if _loses_nothing(reading.question, other.question) and is_of(other.question, rig):
            return other, rig
    return reading, None


def compared_with(
    answering: Answering, names: Sequence[str], model: str | None, rigs: Sequence[Rig]
) -> tuple[Question, Rig | None]:
    """Cards or models side by side, where machines count as cards; and the machine that models are compared on.

    Raises:
        Refusal: where several of both are named, or a machine that is no one kind of card is compared with others.
    """
    machines = {name: rig for name in names if (rig := named(rigs, name))}
    if len(machines) == 1:
        question = compared(answering, [name for name in names if name not in machines], model)
        if question.intent is Intent.COMPARE_MODELS and len(question.models) > 1 and not question.cards:
            return question, next(iter(machines.values()))
    for rig in machines.values():
        if len(rig.cards) != 1:
            raise Refusal("refused.compare_machine", machine=rig.machine)
    return compared(answering, [spoken(machines[name]) if name in machines else name for name in names], model), None


def _loses_nothing(without: Question, with_it: Question) -> bool:
    """Whether all models that were read are still there: a machine may bear the name of one."""
    kept = not without.models or without.models == with_it.models
    return kept and (without.parameters is None or without.parameters == with_it.parameters)


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
