"""What the commands count while they answer; who counts it is the process's business."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol

from answers.answering import Answer

Way = Literal["slash", "chat", "press"]
Shed = Literal["autocomplete", "question"]


class Meter(Protocol):
    """Takes counts. Nothing that it is told says who asked, or in what words."""

    def answered(self, way: Way, answers: Iterable[Answer], seconds: float) -> None:
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

    def answered(self, way: Way, answers: Iterable[Answer], seconds: float) -> None:
        """Count nothing."""

    def shed(self, what: Shed) -> None:
        """Count nothing."""

    def slowed_down(self) -> None:
        """Count nothing."""

    def failed(self) -> None:
        """Count nothing."""
