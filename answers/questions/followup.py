"""Carries the slots of the question before into one that goes on from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from answers.catalogue.atoms import clean, fold, name_atoms
from answers.questions.intents import RECORD, Decision
from answers.questions.question import Cards, Intent, Question
from answers.questions.wording import Wording

_ABOUT_HARDWARE = frozenset(Intent) - RECORD - {Intent.NONE}

_SHORT = 40
"""Letters; who says more than the name of a choice asks something else."""
_UNIT = re.compile(r"([0-9]) ?(?:gb|gib|gigs?|giga|gigas)\b")
_COMPARED = 3
"""Cards that a comparison grows to by what is asked after it."""


def carry(question: Question, decision: Decision, previous: Question, says_hardware: bool) -> Question:
    """``question`` with what it left unsaid taken from ``previous``.

    A new card or memory replaces the old one; "two of them" keeps the card and changes how many; a question for another fact
    ("who made it?") keeps the model.
    """
    update: dict[str, object] = {}
    intent = question.intent
    unsaid = intent is Intent.NONE or not decision.strong
    if unsaid and (intent is Intent.NONE or previous.intent in _ABOUT_HARDWARE):
        intent = previous.intent
        if intent in RECORD and (says_hardware or question.quant or question.context is not None):
            # "who made it?", then "and on a 4090?": the question is about running it again.
            intent = Intent.CAN_RUN
    update["intent"] = intent
    says_model = bool(question.models or question.unknown or question.parameters)
    if not says_model:
        update |= {"models": previous.models, "parameters": previous.parameters}
        kept = {typed: names for typed, names in previous.candidates.items() if names[0] in previous.models}
        update["candidates"] = {**kept, **question.candidates}
    if intent not in RECORD:
        if intent is Intent.RANK_CARDS and previous.intent is not Intent.RANK_CARDS:
            # Which cards there are is asked of all of them, not of the one that was spoken of.
            update |= {"memory_gb": question.memory_gb}
        elif intent is Intent.GPU_NEEDED and question.vendor:
            # "what about amd": of which cards one is needed, not of what was too small.
            update |= {"memory_gb": question.memory_gb}
        elif not says_hardware:
            update |= {
                "cards": previous.cards,
                "apart": previous.apart,
                "n_cards": previous.n_cards,
                "memory_gb": previous.memory_gb,
                "memory_usable": previous.memory_usable,
                "unified": previous.unified,
                "cpu_only": previous.cpu_only,
            }
        elif question.n_cards > 1 and not question.cards and question.memory_gb is None:
            update |= {
                "cards": tuple(Cards(name=card.name, count=question.n_cards) for card in previous.cards),
                "memory_gb": previous.memory_gb,
            }
        if intent is Intent.COMPARE_CARDS and len(question.cards) == 1 and previous.cards:
            # "3090 or 4080?", then "what about the 4090"; "can a 3060 run it?", then "is a 4060 faster?"
            beside = [card for card in previous.cards if card.name != question.cards[0].name]
            update["cards"] = (*beside, *question.cards)[-_COMPARED:]
        among_models = intent is Intent.WHAT_CAN_CARD_RUN and previous.intent is not intent
        if intent is previous.intent:
            update |= {"vendor": question.vendor or previous.vendor, "order": question.order or previous.order}
        update |= {
            # "and what else does it run?": the quant was asked of the model that was spoken of.
            "quant": question.quant or (None if among_models else previous.quant),
            "quants": question.quants or (previous.quants if intent is previous.intent and not question.quant else ()),
            "context": question.context if question.context is not None else previous.context,
            "ram_gb": question.ram_gb if question.ram_gb is not None else previous.ram_gb,
            "ram_gb_s": question.ram_gb_s if question.ram_gb_s is not None else previous.ram_gb_s,
            "kv": question.kv or previous.kv,
            "at_once": question.at_once or (intent is previous.intent and previous.at_once and not question.models),
            "about_cache": question.about_cache or (intent is previous.intent and previous.about_cache),
            "output_tokens": question.output_tokens or (previous.output_tokens if intent is previous.intent else None),
            "method": question.method or previous.method,
            "use": question.use or previous.use,
        }
    return question.model_copy(update=update)


def remember(question: Question, previous: Question | None) -> Question:
    """What the next follow-up may go on from: a question from the record keeps the hardware that was talked about before it."""
    if previous is None or question.intent not in RECORD or question.cards or question.memory_gb is not None:
        return question
    kept = (
        "cards",
        "n_cards",
        "memory_gb",
        "memory_usable",
        "unified",
        "cpu_only",
        "ram_gb",
        "ram_gb_s",
        "quant",
        "context",
        "kv",
        "method",
        "use",
    )
    return question.model_copy(update={name: getattr(previous, name) for name in kept})


def picked(text: str, choices: Sequence[Question], offer: Question | None, wording: Wording) -> Question | None:
    """The question that a message takes up without asking it: a choice by its number or by what tells it from the others, an
    offer by a "yes".

    Args:
        text: the message.
        choices: what the last answer offered to choose from, in order.
        offer: what it offered to do.
        wording: how people take up an offer, and which words say nothing by themselves: "the 3.3 one" has 3.3 in its name.
    """
    if offer and accepts(text, wording.acceptances):
        return offer
    typed = text.strip().rstrip(".)")
    if not choices:
        return None
    if typed.isdecimal() and len(typed) <= 2:
        number = int(typed)
        if 1 <= number <= len(choices):
            return choices[number - 1]
    if len(typed) > _SHORT:
        return None
    small = wording.vocabulary.small | wording.vocabulary.words["pronouns"]
    said = {atom for atom in name_atoms(_UNIT.sub(r"\1gb", fold(clean(typed)))) if atom not in small}
    named = [choice for choice in choices if said and said <= _atoms_of(choice)]
    return named[0] if len(named) == 1 else None


def _atoms_of(choice: Question) -> set[str]:
    names = (*choice.models, *(card.name for card in choice.cards))
    return {atom for name in names for atom in name_atoms(name)}


def accepts(text: str, phrases: Iterable[str]) -> bool:
    """Whether a message does nothing but take up what was offered: "yes", "sí, por favor"."""
    return _bare(text) in {_bare(phrase) for phrase in phrases}


def _bare(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in clean(text[:100]).casefold()).split())
