"""The documented method: its need, its speed and its splits, as the source documents' tables have them.

Every formula here works on plain floats; :mod:`answers.estimator.survey` applies the same ones to arrays over all cards, and a test
holds the two together. What both methods do alike (trying rungs, verdicts) stands in :mod:`answers.estimator.estimate`.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.memory import reached_gb_s, reserve_gb, sized_need_gb, usable_gb, weights_gb
from answers.estimator.parts import Speed, Split
from answers.estimator.quants import Quant, constants

Number = TypeVar("Number", float, NDArray[np.float64])


def need_gb(model: Figures, at: Quant, context: int) -> float:
    """Memory that the model takes at that quant and context, in GB."""
    return sized_need_gb(model.parameters, at, context)


def gb_read(parameters_read: float, at: Quant) -> float:
    """GB read for every token."""
    return parameters_read * at.speed_bpw / 8 / 1e9


def tokens_per_second(reached: Number | float, efficiency: Number | float, gb_per_token: Number) -> Number:
    """Bandwidth reached in GB/s, times the quant's efficiency, over the GB read for every token. Floats, or arrays of one shape."""
    return reached * efficiency / gb_per_token


def speed_range(tok_s: float) -> Speed:
    """The estimate with its published range (x0.6 to x1.6)."""
    documented = constants()["documented"]
    return Speed(tok_s, tok_s * documented["range_low"], tok_s * documented["range_high"], documented["confidence"])


def speed(model: Figures, hardware: Hardware, at: Quant, context: int) -> Speed | None:
    """Speed of a model that is on the cards as a whole; ``None`` without a bandwidth or an active parameter count.

    The context does not enter: the documents' speeds are those of a short one.
    """
    del context
    if hardware.ram_gb_s and model.parameters_read:
        return speed_range(hardware.ram_gb_s / gb_read(model.parameters_read, at))
    reached = reached_gb_s(hardware)
    if not reached or not model.parameters_read:
        return None
    return speed_range(tokens_per_second(reached, at.efficiency, gb_read(model.parameters_read, at)))


def split(model: Figures, hardware: Hardware, at: Quant, context: int, ram_gb_s: float | None) -> Split | None:
    """Layers on the card = floor(layers x (usable - reserve) / weights); the rest is read from system memory.

    ``None`` for a mixture of experts (which is split otherwise), for a model without a layer count, where everything fits, or where
    not a single layer does.
    """
    if model.moe or not model.layers or not model.parameters_read:
        return None
    weights = weights_gb(model.parameters, at)
    on_card = math.floor(model.layers * (usable_gb(hardware) - reserve_gb(model.parameters, context)) / weights)
    if not 0 < on_card < model.layers:
        return None
    rate = ram_gb_s or float(constants()["documented"]["offload"]["system_memory_gb_s"])
    share = on_card / model.layers
    found = None
    reached = reached_gb_s(hardware)
    if reached:
        read = gb_read(model.parameters_read, at)
        found = speed_range(1 / (read * share / (reached * at.efficiency) + read * (1 - share) / rate))
    return Split(at, on_card, model.layers, weights, weights * (1 - share), rate, found)


def longest_context(model: Figures, hardware: Hardware, at: Quant) -> int:
    """The longest context in tokens that fits at this quant, whatever the model itself takes; 0 or less where none does."""
    documented = constants()["documented"]
    reserve, default = documented["reserve"], int(documented["default_context"])
    root = math.sqrt(model.parameters / 1e9)
    room = usable_gb(hardware) - weights_gb(model.parameters, at) - reserve["base_gb"]
    at_default = reserve["root_gb"] * root
    tokens = room / at_default * default if room < at_default else default + (room - at_default) / (reserve["token_gb"] * root)
    return math.floor(tokens + 1e-9)
