"""Saved machines and questions: one that names no hardware is about the machine of whoever asks it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from answers.answering import Answer
from answers.catalogue.snapshot import Catalogue
from answers.questions.question import Cards, Intent, Question
from answers.replies.desk import label_of
from commands.store.rigs import Rig
from commands.texts import Texts

ON_HARDWARE = frozenset(
    (
        *(Intent.CAN_RUN, Intent.SPEED, Intent.WHAT_CAN_CARD_RUN, Intent.WHICH_QUANT),
        *(Intent.FITS_NOT, Intent.TWO_GPUS, Intent.MAX_CONTEXT, Intent.VRAM_NEEDED, Intent.COMPARE_MODELS),
    )
)
"""Questions that are about somebody's hardware, whether they name it or not. To all others it would be beside the point."""


_HARDWARE = ("cards", "n_cards", "memory_gb", "memory_usable", "unified", "vendor")
_NO_HARDWARE = {name: Question.model_fields[name].default for name in _HARDWARE}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is answered, and what its asker's machine has to do with it."""

    question: Question
    meant: Question
    """The same before a server's defaults filled it in: what a follow-up goes on from."""
    rig: Rig | None = None
    """The hardware is that of this machine of theirs."""
    lost: Rig | None = None
    """It would have been, but some of its cards are no longer on file."""


def asked_with(
    question: Question, rigs: Sequence[Rig], catalogue: Catalogue, *, goes_on: bool = False, named: Rig | None = None
) -> Asked:
    """The question with the hardware of its asker's machine where it names none.

    Args:
        question: what was understood.
        rigs: the asker's machines, the one that is meant first.
        catalogue: the one that is answered from.
        goes_on: what it goes on from was about a machine of theirs, so the hardware that it names may be that one still.
        named: the machine that it names; its hardware may stand in the question already.
    """
    if named is not None:
        rigs = (named,)
        if question.intent in ON_HARDWARE and is_of(question, named) and len(question.cards) == len(named.cards):
            question = question.model_copy(update=_NO_HARDWARE)
    if not rigs or question.intent not in ON_HARDWARE:
        return Asked(question, question)
    if question.cards or question.memory_gb is not None:
        return Asked(question, question, whose(question, rigs) if goes_on else None)
    if question.unknown_kind == "card" or question.vendor or question.unified or question.cpu_only:
        # Hardware was named, if not well enough.
        return Asked(question, question)
    rig = rigs[0]
    if missing_cards(rig, catalogue):
        return Asked(question, question, lost=rig)
    if question.n_cards > 1 and question.intent is not Intent.TWO_GPUS:
        # "On two of them": of the card that they have, where that is one.
        more = tuple(Cards(name=name, count=question.n_cards) for name, _ in rig.cards)
        meant = question.model_copy(update={"cards": more}) if len(more) == 1 else question
        return Asked(meant, meant)
    unsaid = {
        name: value for name, value in hardware_of(rig).items() if getattr(question, name) == Question.model_fields[name].default
    }
    meant = question.model_copy(update=unsaid)
    return Asked(meant, meant, rig)


def hardware_of(rig: Rig) -> dict[str, object]:
    """The slots of a question that a machine fills."""
    cards = tuple(Cards(name=name, count=count) for name, count in rig.cards)
    # A question states the memory of each card.
    memory_gb = rig.free_gb / rig.n_cards if rig.free_gb is not None else rig.memory_gb
    slots: dict[str, object] = {
        "cards": cards,
        "n_cards": rig.n_cards,
        "memory_gb": memory_gb,
        "memory_usable": rig.free_gb is not None,
        "unified": rig.unified,
    }
    return slots | {"ram_gb": rig.ram_gb, "ram_gb_s": rig.ram_gb_s, "context": rig.context}


def is_of(question: Question, rig: Rig) -> bool:
    """Whether the hardware that a question names is or has in it that of a machine, as it is sold."""
    held = {(card.name, card.count) for card in question.cards}
    if rig.cards:
        return held >= set(rig.cards)
    return not held and (question.memory_gb, question.n_cards, question.unified) == (rig.memory_gb, rig.n_cards, rig.unified)


def whose(question: Question, rigs: Iterable[Rig]) -> Rig | None:
    """The machine that a question's hardware is that of."""
    kept = ("cards", "memory_gb", "memory_usable", "unified")
    return next((rig for rig in rigs if all(getattr(question, name) == hardware_of(rig)[name] for name in kept)), None)


def missing_cards(rig: Rig, catalogue: Catalogue) -> tuple[str, ...]:
    """The cards of a machine that have left the catalogue."""
    return tuple(name for name, _ in rig.cards if name not in catalogue.names.cards.by_name)


def label(texts: Texts, rig: Rig, catalogue: Catalogue, locale: str) -> str:
    """The hardware of a machine as an answer names it; cards that have left the catalogue are said to have."""
    if rig.cards:
        gone = missing_cards(rig, catalogue)
        named = [
            f"{count}× " * (count > 1) + (texts.say("rig.gone_card", locale, name=name) if name in gone else label_of(name))
            for name, count in rig.cards
        ]
        return " + ".join(named)
    return texts.say("view.memory", locale, count=rig.n_cards, memory_gb=rig.memory_gb, unified=rig.unified)


def noted(texts: Texts, answer: Answer, asked: Asked, catalogue: Catalogue) -> Answer:
    """The answer with a note on the machine that it is for, or that it could not be for."""
    rig = asked.rig or asked.lost
    if rig is None:
        return answer
    shown = label(texts, rig, catalogue, answer.locale)
    key = "rig.used" if asked.rig else "rig.lost"
    note = texts.say(key, answer.locale, machine=rig.machine, hardware=shown, free_gb=rig.free_gb)
    return replace(answer, message=replace(answer.message, assumed=note))
