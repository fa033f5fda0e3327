"""What the estimator knows of a model, and by which method it is worked out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from answers.catalogue.records import Model
from answers.estimator.calibrated.layout import Layout
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
    name: str = ""
    """Of the record; empty for a size alone."""
    kv: str = "f16"
    """Precision of the cache, which the calibrated method counts."""
    layout: Layout | None = field(default=None, compare=False, repr=False)
    """Where there is one the calibrated method is in force, else the documented one."""

    @property
    def method(self) -> Method:
        """The method that these figures are worked out by."""
        return "documented" if self.layout is None else "calibrated"

    @classmethod
    def of(cls, model: Model, method: Method | None = None, kv: str | None = None) -> Figures:
        """The figures of a record, for the method asked for; without one, for the method that suits it.

        That is the documented one where the record says so, and the calibrated one elsewhere. A layout that is not on file leaves
        the documented one whatever was asked. That one counts from the stated size where the record has one; else the exact count.
        """
        wanted = method or model.estimate_by or "calibrated"
        layout = Layout.of(model) if wanted == "calibrated" else None
        size = model.size if layout is None else model.parameters
        read = model.active_parameters if model.moe else size
        return cls(
            float(size),
            float(read) if read else None,
            model.layers,
            model.max_context,
            model.moe,
            model.name,
            (kv or "f16") if layout else "f16",
            layout,
        )

    @classmethod
    def dense(cls, parameters: float) -> Figures:
        """A dense model of which only the size is known."""
        return cls(parameters, parameters)

    def context(self, asked: int | None) -> int:
        """The context that is answered for: the one asked (default 4,096), at most the model's own maximum; in tokens."""
        wanted = asked or int(constants()["documented"]["default_context"])
        return min(wanted, self.max_context) if self.max_context else wanted
