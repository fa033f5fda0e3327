"""What the estimator knows of a model, and by which method it is worked out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from answers.catalogue.records import Model
from answers.estimator.quants import constants

Method = Literal["documented", "calibrated"]


@dataclass(frozen=True, slots=True)
class Figures:
    """What the estimator needs to know of a model."""

    parameters: float
    """All of them, in units: what memory is counted from."""
    parameters_read: float | None
    """Those read for every token; ``None`` where a mixture of experts does not say, which leaves no speed."""
    layers: int | None = None
    max_context: int | None = None
    moe: bool = False
    method: Method = "documented"

    @classmethod
    def of(cls, model: Model) -> Figures:
        """The figures of a record: the stated size where the record has one, else the exact count."""
        read = model.active_parameters if model.moe else model.size
        return cls(float(model.size), float(read) if read else None, model.layers, model.max_context, model.moe)

    @classmethod
    def dense(cls, parameters: float) -> Figures:
        """A dense model of which only the size is known."""
        return cls(parameters, parameters)

    def context(self, asked: int | None) -> int:
        """The context that is answered for: the one asked (default 4,096), at most the model's own maximum; in tokens."""
        wanted = asked or int(constants()["documented"]["default_context"])
        return min(wanted, self.max_context) if self.max_context else wanted
