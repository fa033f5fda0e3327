"""How sure it is that a message asked something that can be answered."""

from __future__ import annotations

from answers.questions.intents import Decision, Facts
from answers.questions.question import Intent


def confidence(decision: Decision, facts: Facts, carried: bool) -> float:
    """0 to 1. Clear cues, the form of a question and named things raise it; cues for something else and reports lower it."""
    if carried and (decision.follows or decision.intent is Intent.NONE):
        # What goes on from a question that was answered needs few words of its own.
        return round(0.7 + 0.12 * facts.asks + 0.05 * decision.strong - 0.08 * min(decision.against, 3.0), 2)
    if decision.intent is Intent.NONE:
        return 0.0
    if decision.likely is not None:
        # What the cues left in doubt is never sure enough to speak unasked.
        return round(0.3 + 0.35 * decision.likely, 2)
    if decision.intent is Intent.CAN_RUN and facts.llm and facts.rig and facts.asks and not (decision.stating or decision.against):
        # A model, hardware and a question mark: nineteen of twenty such messages ask this, however few their words.
        return round(max(0.8, min(0.34 + 0.16 * min(decision.score, 4.0), 0.99)), 2)
    sure = 0.12 + 0.16 * min(decision.score, 4.0)
    sure += 0.12 if facts.asks else (0.1 if decision.strong else 0.05) if decision.asking else -0.2
    if facts.llm and facts.rig:
        sure += 0.1
    elif facts.llm or facts.rig:
        sure += 0.05
    elif not carried:
        sure -= 0.12
    sure -= 0.08 * min(decision.against, 3.0)
    if decision.stating:
        sure -= 0.15
    return round(min(max(sure, 0.05), 0.99), 2)
