"""How sure an answer is: as sure as the figure that it leads with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar, cast

from answers.replies.parts import Basis, CardRef, Confidence, HardwareRef, ModelRef, Part, SpeedFigure

_WITHOUT_SPEED = (ModelRef, CardRef, HardwareRef, Basis)
_ORDER: tuple[Confidence, ...] = ("low", "medium", "high")
Reply = TypeVar("Reply", bound=Part)


def as_sure_as_its_figures(reply: Reply) -> Reply:
    """The reply with the confidence of the speed that it leads with: of the first field that holds any, the least sure one there.

    A calibrated answer that holds no speed is about memory alone, which follows from the model's layout: that is sure. The
    documented method is never more than it says of itself.
    """
    basis: Basis | None = getattr(reply, "basis", None)
    if basis is None or basis.method == "documented":
        return reply
    fields = (set(_confidences(value)) for name, value in reply.__dict__.items() if name != "basis")
    found = next((levels for levels in fields if levels), set[Confidence]())
    least = next((level for level in _ORDER if level in found), "high" if basis.method == "calibrated" else basis.confidence)
    return reply.model_copy(update={"basis": basis.model_copy(update={"confidence": least})})


def _confidences(value: object) -> Iterator[Confidence]:
    if isinstance(value, SpeedFigure):
        yield value.confidence
    elif isinstance(value, Part) and not isinstance(value, _WITHOUT_SPEED):
        for inner in value.__dict__.values():
            yield from _confidences(inner)
    elif isinstance(value, tuple):
        for inner in cast("tuple[object, ...]", value):
            yield from _confidences(inner)
