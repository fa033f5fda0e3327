"""Carries the slots of the question before into one that goes on from it."""

from __future__ import annotations

from answers.questions.intents import RECORD, Decision
from answers.questions.question import Cards, Intent, Question

_ABOUT_HARDWARE = frozenset(Intent) - RECORD - {Intent.NONE}


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
    update["intent"] = intent
    says_model = bool(question.models or question.unknown or question.parameters)
    if not says_model:
        update |= {"models": previous.models, "parameters": previous.parameters}
        kept = {typed: names for typed, names in previous.candidates.items() if names[0] in previous.models}
        update["candidates"] = {**kept, **question.candidates}
    if intent not in RECORD:
        if not says_hardware:
            update |= {
                "cards": previous.cards,
                "n_cards": previous.n_cards,
                "memory_gb": previous.memory_gb,
                "memory_usable": previous.memory_usable,
                "unified": previous.unified,
            }
        elif question.n_cards > 1 and not question.cards and question.memory_gb is None:
            update |= {
                "cards": tuple(Cards(name=card.name, count=question.n_cards) for card in previous.cards),
                "memory_gb": previous.memory_gb,
            }
        update |= {
            "quant": question.quant or previous.quant,
            "context": question.context if question.context is not None else previous.context,
            "ram_gb": question.ram_gb if question.ram_gb is not None else previous.ram_gb,
            "use": question.use or previous.use,
        }
    return question.model_copy(update=update)
