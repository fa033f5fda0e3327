"""One model on one piece of hardware, by the method that its figures name: the one way to every figure that is answered."""

from __future__ import annotations

from answers.estimator import documented, memory
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.parts import Estimate, Fit, Split
from answers.estimator.quants import Quant, ladder

LEAST_CONTEXT = 256
"""Tokens; a context below it is of no use to anybody."""


def need_gb(model: Figures, at: Quant, context: int) -> float:
    """Memory that the model takes at that quant and context, in GB."""
    return documented.need_gb(model, at, context)


def usable_gb(model: Figures, hardware: Hardware) -> float:
    """What the model may take of the hardware, in GB."""
    return memory.usable_gb(hardware)


def at_quant(model: Figures, hardware: Hardware, at: Quant, context: int | None = None) -> Estimate:
    """The model at this very quant, whether it fits or not; the context is cut to the model's own maximum."""
    tokens = model.context(context)
    need = need_gb(model, at, tokens)
    fit: Fit = "no"
    if need <= memory.usable_gb(hardware):
        fit = "comfortable" if need <= memory.comfortable_gb(hardware) else "tight"
    speed = documented.speed(model, hardware, at, tokens) if fit != "no" else None
    return Estimate(at, need, fit, speed, tokens)


def best(model: Figures, hardware: Hardware, context: int | None = None, floor: str | None = None) -> Estimate | None:
    """The first rung of the ladder that fits, or ``None``.

    Raises:
        UsageError: where the floor is not a known quant.
    """
    for step in ladder(floor):
        tried = at_quant(model, hardware, step, context)
        if tried.fit != "no":
            return tried
    return None


def split(model: Figures, hardware: Hardware, at: Quant, context: int | None = None, ram_gb_s: float | None = None) -> Split | None:
    """The model with a part of it in system memory; ``None`` where all of it fits the cards, or nothing does."""
    return documented.split(model, hardware, at, model.context(context), ram_gb_s)


def longest_context(model: Figures, hardware: Hardware, at: Quant) -> int | None:
    """The longest context in tokens that fits at this quant, at most the model's own maximum; ``None`` where not even 256 fit."""
    whole = documented.longest_context(model, hardware, at)
    if model.max_context:
        whole = min(whole, model.max_context)
    return whole if whole >= LEAST_CONTEXT else None
