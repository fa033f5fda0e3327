"""Several questions in one message: where one ends, and how their readings go together."""

from __future__ import annotations

from collections.abc import Sequence

from answers.questions.question import Intent, Question, Reading
from answers.questions.text import Text

_MOST_PARTS = 3


def parts_of(text: Text) -> list[str]:
    """The questions of a message, each with what was said before it; one part where there is one question mark at the end."""
    parts: list[str] = []
    start = 0
    for index, token in enumerate(text.tokens[:-1]):
        if token.text == "?" and text.tokens[index + 1].text != "?" and len(parts) < _MOST_PARTS - 1:
            parts.append(text.cleaned[start : token.end])
            start = token.end
    rest = text.cleaned[start:].strip()
    return [*parts, rest] if rest else parts


def together(readings: Sequence[Reading], whole: Reading) -> Reading:
    """The first of several questions, with the others behind it; the whole where they all come to the same question."""
    first, *others = readings
    # "is it open source? can I use it at work?" is one question: the whole says that it is about work.
    like_first = {"commercial": first.question.commercial}
    distinct = [reading for reading in others if reading.question.model_copy(update=like_first) != first.question]
    shared = not says_hardware(first.question) and any(
        says_hardware(reading.question) and reading.question.models == first.question.models for reading in distinct
    )
    if not distinct or shared or first.question.intent is Intent.CHOOSE_GPU:
        # "how much does it need? i can't load it on a 7900 xtx": the hardware belongs to both, and who buys weighs everything.
        return whole
    asked = (*first.question.also_intents, *(reading.question.intent for reading in distinct), *whole.question.also_intents)
    also = dict.fromkeys(asked)
    also.pop(first.question.intent, None)
    more = (*first.more, *(question for reading in distinct for question in (reading.question, *reading.more)))
    return first.model_copy(
        update={"question": first.question.model_copy(update={"also_intents": tuple(also)}), "more": more, "lang": whole.lang}
    )


def says_hardware(question: Question) -> bool:
    """Whether a question names cards or states an amount of memory."""
    return bool(question.cards) or question.memory_gb is not None
