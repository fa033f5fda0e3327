"""The documented method: one model on one piece of hardware.

Every formula here works on plain floats; :mod:`answers.estimator.survey` applies the same ones to arrays over all cards, and a test
holds the two together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from answers.estimator.hardware import Hardware
from answers.estimator.memory import Figures, need_gb, reserve_gb, weights_gb
from answers.estimator.quants import Quant, constants, ladder

Fit = Literal["comfortable", "tight", "no"]
Method = Literal["documented"]
Number = TypeVar("Number", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second for one request, with the published range."""

    tok_s: float
    low_tok_s: float
    high_tok_s: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """One model at one quant on one piece of hardware."""

    quant: Quant
    need_gb: float
    fit: Fit
    speed: Speed | None
    """``None`` where it does not fit, or where no bandwidth or no active parameter count is known."""
    context: int


def gb_read(parameters_read: float, quant: Quant) -> float:
    """GB read for every token."""
    return parameters_read * quant.speed_bpw / 8 / 1e9


def tokens_per_second(reached_gb_s: Number | float, efficiency: Number | float, gb_per_token: Number) -> Number:
    """Bandwidth reached, times the quant's efficiency, over the GB read for every token. Floats, or arrays of one shape."""
    return reached_gb_s * efficiency / gb_per_token


def speed_range(tok_s: float) -> Speed:
    """The estimate with its published range (x0.6 to x1.6)."""
    documented = constants()["documented"]
    return Speed(tok_s, tok_s * documented["range_low"], tok_s * documented["range_high"])


def at_quant(model: Figures, hardware: Hardware, quant: Quant, context: int | None = None) -> Estimate:
    """The model at this very quant, whether it fits or not; the context is cut to the model's own maximum."""
    tokens = model.context(context)
    need = need_gb(model.parameters, quant, tokens)
    fit: Fit = "no" if need > hardware.usable_gb else "comfortable" if need <= hardware.comfortable_gb else "tight"
    speed = None
    if fit != "no" and hardware.reached_gb_s and model.parameters_read:
        speed = speed_range(tokens_per_second(hardware.reached_gb_s, quant.efficiency, gb_read(model.parameters_read, quant)))
    return Estimate(quant, need, fit, speed, tokens)


def best(model: Figures, hardware: Hardware, context: int | None = None, floor: str | None = None) -> Estimate | None:
    """The first rung of the ladder that fits, or ``None``.

    Raises:
        UsageError: where the floor is not a known quant.
    """
    for quant in ladder(floor):
        tried = at_quant(model, hardware, quant, context)
        if tried.fit != "no":
            return tried
    return None


@dataclass(frozen=True, slots=True)
class Split:
    """A dense model of which some layers stay on the card and the rest is read from system memory."""

    quant: Quant
    layers_on_card: int
    layers: int
    weights_gb: float
    ram_gb: float
    """Weights left in system memory."""
    ram_gb_s: float
    """Read speed of the system memory, assumed or stated."""
    speed: Speed | None


def split(
    model: Figures, hardware: Hardware, quant: Quant, context: int | None = None, ram_gb_s: float | None = None
) -> Split | None:
    """Layers on the card = floor(layers x (usable - reserve) / weights); the rest is read from system memory.

    ``None`` for a mixture of experts (which is split otherwise), for a model without a layer count, where everything fits, or where
    not a single layer does.
    """
    if model.moe or not model.layers or not model.parameters_read:
        return None
    reserve = reserve_gb(model.parameters, model.context(context))
    weights = weights_gb(model.parameters, quant)
    on_card = math.floor(model.layers * (hardware.usable_gb - reserve) / weights)
    if not 0 < on_card < model.layers:
        return None
    rate = ram_gb_s or float(constants()["documented"]["offload"]["system_memory_gb_s"])
    share = on_card / model.layers
    speed = None
    if hardware.reached_gb_s:
        read = gb_read(model.parameters_read, quant)
        seconds = read * share / (hardware.reached_gb_s * quant.efficiency) + read * (1 - share) / rate
        speed = speed_range(1 / seconds)
    return Split(quant, on_card, model.layers, weights, weights * (1 - share), rate, speed)


def longest_context(model: Figures, hardware: Hardware, quant: Quant) -> int | None:
    """The longest context in tokens that fits at this quant, at most the model's own maximum; ``None`` where not even 256 fit."""
    documented = constants()["documented"]
    reserve, default = documented["reserve"], int(documented["default_context"])
    root = math.sqrt(model.parameters / 1e9)
    room = hardware.usable_gb - weights_gb(model.parameters, quant) - reserve["base_gb"]
    at_default = reserve["root_gb"] * root
    tokens = room / at_default * default if room < at_default else default + (room - at_default) / (reserve["token_gb"] * root)
    whole = math.floor(tokens + 1e-9)
    if model.max_context:
        whole = min(whole, model.max_context)
    return whole if whole >= 256 else None
