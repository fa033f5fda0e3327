"""What the commands count while they answer; who counts it is the process's business."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from answers.answering import Answer
from answers.replies.asking import AskBack, NotAsked, OutOfRange, Unknown

Way = Literal["slash", "chat", "press"]
Shed = Literal["autocomplete", "question"]
_MISSES = (AskBack, NotAsked, OutOfRange, Unknown)


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted of an answer."""

    intent: str
    locale: str
    missed: str | None
    """The kind of a reply that gives no figures: a name not on file, asked back, not understood."""

    @classmethod
    def of(cls, answer: Answer) -> Counted:
        """What is counted of one answer."""
        reply = answer.reply
        return cls(answer.question.intent.value, answer.locale, reply.kind if isinstance(reply, _MISSES) else None)


class Meter(Protocol):
    """Takes counts. Nothing that it is told says who asked, or in what words."""

    def answered(self, way: Way, answers: Iterable[Counted], seconds: float) -> None:
        """Questions were answered, by one message that took so many seconds from when the bot heard of it until it was out."""
        ...

    def shed(self, what: Shed) -> None:
        """Something was left undone, or answered with no more than a sentence, because too much was asked at once."""
        ...

    def slowed_down(self) -> None:
        """Somebody was told, or would have been, to ask more slowly."""
        ...

    def failed(self) -> None:
        """An answer failed for a fault of ours."""
        ...


class NoMeter:
    """Counts nothing."""

    def answered(self, way: Way, answers: Iterable[Counted], seconds: float) -> None:
        """Count nothing."""

    def shed(self, what: Shed) -> None:
        """Count nothing."""

    def slowed_down(self) -> None:
        """Count nothing."""

    def failed(self) -> None:
        """Count nothing."""
