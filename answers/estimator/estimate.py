"""One model on one piece of hardware, by the method that its figures name: the one way to every figure that is answered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from answers.estimator import documented, memory
from answers.estimator.calibrated import method as calibrated
from answers.estimator.calibrated.classes import memory_kind
from answers.estimator.figures import Figures
from answers.estimator.hardware import NOTHING, Hardware
from answers.estimator.parts import Estimate, Fit, Speed, Split
from answers.estimator.quants import Quant, ladder, quant

COMMON = "Q4_K_M"
"""The quant that most people use, and the least that is recommended."""
LEAST_CONTEXT = 256
"""Tokens; a context below it is of no use to anybody."""


def common(model: Figures) -> Quant:
    """The quant that most people run the model at: Q4_K_M, or the format that it was published in."""
    native = model.layout.expert_format if model.layout else None
    return quant(native or COMMON)


def rungs(model: Figures, floor: str | None = None) -> tuple[Quant, ...]:
    """The quants that the model is tried at, best first, none worse than ``floor``.

    A model whose experts were published in a small format has that one alone: larger files of it hold the same experts, and smaller
    ones gain nothing.

    Raises:
        UsageError: where the floor is not a known quant.
    """
    steps = ladder(floor)
    return (common(model),) if model.layout and model.layout.expert_format else steps


def need_gb(model: Figures, at: Quant, context: int, hardware: Hardware = NOTHING) -> float:
    """Memory that the model takes at that quant and context, in GB; on one card, unless the hardware says otherwise."""
    if model.layout is None:
        return documented.need_gb(model, at, context)
    return calibrated.need_gb(model, at, context, hardware)


def needs_gb(model: Figures, steps: Sequence[Quant], context: int) -> NDArray[np.float64]:
    """The need at each of several quants on one card, in GB; shape (steps,)."""
    if model.layout is None:
        return np.array([documented.need_gb(model, at, context) for at in steps])
    return calibrated.needs_gb(model, steps, context)


def file_gb(model: Figures, at: Quant) -> float:
    """A file of the model at that quant, in GB, without encoders of images or sound."""
    if model.layout is None:
        return model.parameters * at.memory_bpw / 8 / 1e9
    return calibrated.file_gb(model, at)


def usable_gb(model: Figures, hardware: Hardware) -> float:
    """What the model may take of the hardware, in GB."""
    return memory.usable_gb(hardware) if model.layout is None else calibrated.usable_gb(hardware)


def comfortable_gb(model: Figures, hardware: Hardware) -> float:
    """The need up to which the model counts as a comfortable fit, in GB."""
    return memory.comfortable_gb(hardware) if model.layout is None else calibrated.comfortable_gb(hardware)


def speed(model: Figures, hardware: Hardware, at: Quant, context: int) -> Speed | None:
    """Speed of a model that is on the cards as a whole; ``None`` without a bandwidth or an active parameter count."""
    found = documented if model.layout is None else calibrated
    return found.speed(model, hardware, at, context)


def at_quant(model: Figures, hardware: Hardware, at: Quant, context: int | None = None) -> Estimate:
    """The model at this very quant, whether it fits or not; the context is cut to the model's own maximum."""
    tokens = model.context(context)
    need = need_gb(model, at, tokens, hardware)
    if need > usable_gb(model, hardware):
        return Estimate(at, need, "no", None, tokens)
    return _fitting(model, hardware, at, need, tokens)


def _fitting(model: Figures, hardware: Hardware, at: Quant, need: float, tokens: int) -> Estimate:
    fit: Fit = "comfortable" if need <= comfortable_gb(model, hardware) else "tight"
    return Estimate(at, need, fit, speed(model, hardware, at, tokens), tokens)


def best(model: Figures, hardware: Hardware, context: int | None = None, floor: str | None = None) -> Estimate | None:
    """The first rung of the ladder that fits, or ``None``.

    Raises:
        UsageError: where the floor is not a known quant.
    """
    tokens, usable = model.context(context), usable_gb(model, hardware)
    for step in rungs(model, floor):
        need = need_gb(model, step, tokens, hardware)
        if need <= usable:
            return _fitting(model, hardware, step, need, tokens)
    return None


def split(model: Figures, hardware: Hardware, at: Quant, context: int | None = None, ram_gb_s: float | None = None) -> Split | None:
    """The model with a part of it in system memory; ``None`` where all of it fits the cards, or nothing does.

    Also ``None`` where a chip shares the system's memory: there is none beside it.
    """
    if any(memory_kind(card.memory_type, card.vendor) == "shared" for card in hardware.cards):
        return None
    found = documented if model.layout is None else calibrated
    return found.split(model, hardware, at, model.context(context), ram_gb_s)


def longest_context(model: Figures, hardware: Hardware, at: Quant) -> int | None:
    """The longest context in tokens that fits at this quant, at most the model's own maximum; ``None`` where not even 256 fit."""
    found = documented if model.layout is None else calibrated
    whole = found.longest_context(model, hardware, at)
    if model.max_context:
        whole = min(whole, model.max_context)
    return whole if whole >= LEAST_CONTEXT else None


def prompt_speed(model: Figures, hardware: Hardware) -> float | None:
    """How fast a prompt is read, roughly, in tokens a second; ``None`` where the card's FP16 rate is not on file."""
    return None if model.layout is None else calibrated.prompt_speed(model, hardware)
