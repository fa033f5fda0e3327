"""The calibrated method: need from the layout, speed from what was measured, splits of both kinds.

What both methods do alike (trying rungs, verdicts) stands in :mod:`answers.estimator.estimate`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from answers.estimator.calibrated import memory
from answers.estimator.calibrated.layout import Layout
from answers.estimator.calibrated.speed import (
    MOE_BELOW,
    Device,
    Work,
    confidence,
    processor_gb_s,
    prompt_tok_s,
    range_of,
    seconds_by_quant,
    speed_offload,
    speed_split,
)
from answers.estimator.calibrated.weights import weights
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.parts import Confidence, Speed, Split
from answers.estimator.quants import Quant, constants


def layout_of(model: Figures) -> Layout:
    """The layout of a model that this method is in force for."""
    assert model.layout is not None
    return model.layout


def parts(model: Figures, at: Quant, context: int, hardware: Hardware) -> memory.Parts:
    """What the need consists of, in GB: weights on the cards, cache, compute buffers, runtime.

    The table of the tokens stays in system memory, which with unified memory is the same.
    """
    layout, cards = layout_of(model), max(1, len(hardware.parts))
    found = memory.parts(layout, at.name, context, model.kv, cards)
    table = _table_gb(layout, at) if hardware.unified else 0.0
    return replace(found, weights_gb=found.weights_gb + table, need_gb=found.need_gb + table) if table else found


def tables_gb(model: Figures, rungs: Sequence[Quant]) -> NDArray[np.float64]:
    """The table of the tokens at each rung in GB, shape (rungs,): what lies in system memory unless a processor shares that."""
    return _ladder(layout_of(model), tuple([at.name for at in rungs])).table_gb


def _table_gb(layout: Layout, at: Quant) -> float:
    """The table of the tokens, in GB: 0 where it is the output matrix too, which lies on the card."""
    return memory.weights_gb(layout, at.name) - memory.card_weights_gb(layout, at.name)


def file_gb(model: Figures, at: Quant) -> float:
    """The file of that quant, in GB: all weights, wherever they lie."""
    return memory.weights_gb(layout_of(model), at.name)


def need_gb(model: Figures, at: Quant, context: int, hardware: Hardware) -> float:
    """Memory that the model takes at that quant and context on that hardware, in GB."""
    layout = layout_of(model)
    need = memory.need_gb(layout, at.name, context, model.kv, max(1, len(hardware.parts)))
    return need + _table_gb(layout, at) if hardware.unified else need


def needs_gb(model: Figures, steps: Sequence[Quant], context: int) -> NDArray[np.float64]:
    """The need at each of several quants on one card, in GB; shape (steps,). All but the weights is the same at each."""
    layout = layout_of(model)
    return _ladder(layout, tuple([at.name for at in steps])).card_gb + memory.beside_gb(layout, context, model.kv, 1).all_gb


class _Ladder(NamedTuple):
    """The weights at several quants, in GB; arrays of shape (quants,)."""

    card_gb: NDArray[np.float64]
    active_gb: NDArray[np.float64]
    table_gb: NDArray[np.float64]


@lru_cache(maxsize=2048)
def _ladder(layout: Layout, quants: tuple[str, ...]) -> _Ladder:
    stored = [weights(layout, name) for name in quants]
    return _Ladder(
        np.array([one.card_gb for one in stored]),
        np.array([one.active_gb for one in stored]),
        np.array([one.all_gb - one.card_gb for one in stored]),
    )


def usable_gb(hardware: Hardware) -> float:
    """What a model may take of all cards together, in GB; memory that was said to be free is taken as it is."""
    return hardware.memory_gb if hardware.all_usable else sum(memory.usable_gb(*part) for part in hardware.parts)


def comfortable_gb(hardware: Hardware) -> float:
    """The need up to which a fit on all cards together counts as comfortable, in GB."""
    if hardware.all_usable:
        return hardware.memory_gb * 5 / 6
    return sum(memory.comfortable_gb(*part) for part in hardware.parts)


def work(model: Figures, at: Quant, context: int) -> Work | None:
    """What one token costs; ``None`` where a mixture of experts does not say what it reads."""
    if not model.parameters_read:
        return None
    layout = layout_of(model)
    return Work(
        read_gb=memory.active_weights_gb(layout, at.name),
        cache_gb=memory.cache_gb(layout, context, model.kv),
        layers=model.layers,
        parameters=model.parameters,
        active_parameters=model.parameters_read,
        quant=at.name,
        layout=layout,
    )


def seconds(
    model: Figures, steps: Sequence[Quant], context: int, which: NDArray[np.intp], device: Device[NDArray[np.float64]]
) -> NDArray[np.float64] | None:
    """The time of one token in seconds on each of many cards, shape (cards,); card ``i`` runs the model at ``steps[which[i]]``.

    ``None`` where a mixture of experts does not say what it reads.
    """
    task = work(model, steps[0], context)
    if task is None:
        return None
    names = tuple([at.name for at in steps])
    return seconds_by_quant(task, names, _ladder(layout_of(model), names).active_gb, which, device)


def devices(hardware: Hardware) -> list[tuple[Device[float], float]]:
    """The cards, each with its share of the bytes: in proportion to memory."""
    found = _devices.get(hardware)
    if found is None:
        cards = hardware.cards
        if all(card is cards[0] for card in cards):
            found = [(Device.of(cards[0]), 1 / len(cards))] * len(cards)
        else:
            total = sum(card.memory_gb for card in cards)
            found = [(Device.of(card), card.memory_gb / total) for card in cards]
        _devices[hardware] = found
    return found


_devices: WeakKeyDictionary[Hardware, list[tuple[Device[float], float]]] = WeakKeyDictionary()
"""As long as the hardware is kept, since one answer asks at many quants."""


def speed(model: Figures, hardware: Hardware, at: Quant, context: int) -> Speed | None:
    """Speed of a model that is on the cards as a whole, with that much of its context filled.

    ``None`` without a bandwidth or an active parameter count.
    """
    task = work(model, at, context)
    if task is not None and hardware.ram_gb_s:
        return range_of(processor_gb_s(hardware.ram_gb_s) / (task.read_gb + task.cache_gb), task, offload=True)
    if task is None or not hardware.cards:
        return None
    shares = devices(hardware)
    return _sure(speed_split(task, shares), model, hardware, shares)


def split(model: Figures, hardware: Hardware, at: Quant, context: int, ram_gb_s: float | None) -> Split | None:
    """The model with a part of it in system memory; ``None`` where all of it fits the cards, or too little does.

    A dense model leaves whole layers there. A mixture of experts leaves experts there, of which few are read per token, and keeps
    everything else on the cards.
    """
    layout = layout_of(model)
    found = parts(model, at, context, hardware)
    room = usable_gb(hardware) - (found.need_gb - found.weights_gb)
    experts = memory.expert_weights_gb(layout, at.name)
    if not model.layers or found.need_gb <= usable_gb(hardware):
        return None
    if experts:
        fixed, moved, layers = found.weights_gb - experts, experts, layout.expert_layers
        on_card = math.floor(layers * (room - fixed) / moved)
        if not 0 <= on_card < layers:
            return None
    else:
        fixed, moved, layers = 0.0, found.weights_gb, model.layers
        on_card = math.floor(layers * room / moved)
        if not 0 < on_card < layers:
            return None
    ram_gb = moved * (1 - on_card / layers)
    rate = ram_gb_s or float(constants()["documented"]["offload"]["system_memory_gb_s"])
    return Split(
        quant=at,
        layers_on_card=on_card,
        layers=layers,
        weights_gb=found.weights_gb,
        ram_gb=ram_gb,
        ram_gb_s=rate,
        speed=_split_speed(model, hardware, at, context, 1 - on_card / layers, rate),
        experts=bool(experts),
    )


def _split_speed(model: Figures, hardware: Hardware, at: Quant, context: int, share_off: float, ram_gb_s: float) -> Speed | None:
    task = work(model, at, context)
    if task is None or not hardware.cards:
        return None
    layout = layout_of(model)
    experts = memory.expert_weights_gb(layout, at.name)
    # Of the experts only the active ones are read, wherever they are.
    moved = experts * layout.experts_per_token / layout.experts if experts else task.read_gb
    shares = devices(hardware)
    found = speed_offload(task, shares, ram_read_gb=min(moved, task.read_gb) * share_off, ram_gb_s=ram_gb_s)
    # Nothing on file was measured with a part in system memory.
    return Speed(found.tok_s, found.low_tok_s, found.high_tok_s, "low")


def longest_context(model: Figures, hardware: Hardware, at: Quant) -> int:
    """The longest context in tokens that fits at this quant, whatever the model itself takes; 0 where not even 256 tokens do."""
    layout, cards = layout_of(model), max(1, len(hardware.parts))
    room = usable_gb(hardware)
    if hardware.unified:
        room -= _table_gb(layout, at)
    return memory.longest_context(layout, room, at.name, model.kv, cards) or 0


def prompt_speed(model: Figures, hardware: Hardware) -> float | None:
    """How fast a prompt is read, roughly, in tokens a second, by the card's FP16 rate; cards take turns, so several are one.

    ``None`` without a named card, for mixed cards, and where the rate or the active parameters are not on file.
    """
    if not hardware.cards or not model.parameters_read or any(card is not hardware.cards[0] for card in hardware.cards):
        return None
    card = hardware.cards[0]
    if not card.fp16_tflops:
        return None
    moe = model.parameters_read < model.parameters * MOE_BELOW
    return prompt_tok_s(card.fp16_tflops, model.parameters_read, card.vendor, card.bandwidth_gb_s, moe=moe)


def _sure(found: Speed, model: Figures, hardware: Hardware, shares: list[tuple[Device[float], float]]) -> Speed:
    """The speed with how sure it is: as sure as that of the least known card."""
    levels = {confidence(sizes, model.parameters, device) for sizes, (device, _) in zip(hardware.measured, shares, strict=True)}
    least: Confidence = "low" if "low" in levels else "medium" if "medium" in levels or len(shares) > 1 else "high"
    return Speed(found.tok_s, found.low_tok_s, found.high_tok_s, least)
