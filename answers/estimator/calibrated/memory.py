"""Memory that a model takes on a card, and what a card has to give. All pure functions of plain floats; GB is 10^9 bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import tomli

from answers.estimator.calibrated.layout import Layout
from answers.estimator.calibrated.mixes import bits
from answers.estimator.calibrated.weights import weights

GIB: Final = 2**30 / 1e9
"""A GiB in GB: what a card is sold as "12 GB" with."""
CACHE_TYPES: Final = {"f16": "F16", "q8_0": "Q8_0", "q4_0": "Q4_0"}
"""Precision of the cache, as llama.cpp's ``--cache-type-k`` names it -> the stored type."""
LEAST_CONTEXT: Final = 256
"""Tokens; a context below it is of no use to anybody."""
MOST_CONTEXT: Final = 2**27
"""Tokens up to which the longest context is searched; a recurrent model could go on for ever."""
_CELLS: Final = 256
"""llama.cpp rounds the tokens of a cache up to a multiple of this."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the need is made of, in GB."""

    weights_gb: float
    """What lies on the card."""
    cache_gb: float
    buffers_gb: float
    runtime_gb: float
    need_gb: float
    """All of it."""


@cache
def constants() -> Mapping[str, Any]:
    """The fitted constants (``memory.toml``), read once."""
    return tomli.loads((Path(__file__).parent / "memory.toml").read_text(encoding="utf-8"))


def weights_gb(layout: Layout, quant: str) -> float:
    """The weights as stored in a file, without encoders of images or sound.

    Raises:
        UsageError: where no quant has that name.
    """
    return weights(layout, quant).all_gb


def card_weights_gb(layout: Layout, quant: str) -> float:
    """The weights that lie on the card when every layer does.

    llama.cpp keeps the table of the tokens in system memory, since a token reads a single row of it; where it is the output matrix
    too, the card holds that.
    """
    return weights(layout, quant).card_gb


def active_weights_gb(layout: Layout, quant: str) -> float:
    """The weights that are read for every token: the table of the tokens and idle experts are not."""
    return weights(layout, quant).active_gb


def expert_weights_gb(layout: Layout, quant: str) -> float:
    """The experts alone, all of them: what can be left in system memory. 0 for a dense model."""
    return weights(layout, quant).experts_gb


def cache_gb(layout: Layout, context: int, kv: str = "f16") -> float:
    """The cache of keys and values at that context, in tokens.

    A layer with full attention keeps KV heads x (key width + value width) values for every token, one with multi-head latent
    attention its rank and the rotary part, one with a sliding window no more tokens than that has; a recurrent layer keeps the same
    state however long the context, at full precision.
    """
    value = bits(CACHE_TYPES[kv]) / 8
    seen = min(context, layout.window) if layout.window else context
    growing = layout.full_layers * layout.full_cache * context + layout.windowed_layers * layout.windowed_cache * seen
    return (growing * value + layout.recurrent_layers * layout.recurrent_state * bits("F32") / 8) / 1e9


def buffers_gb(layout: Layout, context: int, kv: str = "f16", cards: int = 1, *, flash_attention: bool = True) -> float:
    """What is computed in, on all cards together.

    llama.cpp lays out the largest step of one batch of prompt tokens: what it multiplies out to the vocabulary, the widest
    feed-forward block, or, without flash attention, every head's scores for every token of the context; and the mask that says
    which token sees which. Windowed layers keep a batch more than their window. Every card has buffers of its own, and where there
    are several, four copies of what goes in.
    """
    shape = constants()["buffers"]
    batch = min(int(shape["batch_tokens"]), context)
    hidden, value = layout.hidden_size, 4 * batch
    width = max(layout.dense_width, layout.shared_width, layout.experts_per_token * layout.expert_width)
    mask = value * context
    step = value * (2 * width + 2 * hidden)
    if flash_attention:
        step = max(step, value * 4 * hidden) + mask / 2  # and the mask once more, at half the precision
    elif layout.attention_layers:
        step = max(step, value * (layout.query_heads * context + 4 * hidden))
    copies = int(shape["input_copies"]) if cards > 1 else 1
    inputs = mask * copies + (value * hidden * copies if cards > 1 else 0)
    each = max(value * (layout.vocab_size + hidden), step) + inputs
    window = min(context, layout.window)
    cells = min(context, _CELLS * math.ceil((layout.window + batch) / _CELLS)) - window if layout.windowed_layers else 0
    batch_cells = layout.windowed_layers * layout.windowed_cache * cells * bits(CACHE_TYPES[kv]) / 8
    return (cards * each + batch_cells) / 1e9


def runtime_gb(layout: Layout, cards: int = 1) -> float:
    """What driver and libraries take, on all cards together.

    A constant, and work space as large as the model's widest matrix is at 16 bits: prompts are multiplied with that copy.
    """
    runtime = constants()["runtime"]
    return cards * (runtime["card_gb"] + runtime["matrix_copies"] * widest_gb(layout))


def widest_gb(layout: Layout) -> float:
    """The widest matrix of a layer at 16 bits."""
    width = max(layout.dense_width, layout.shared_width, layout.expert_width, layout.out_row)
    return layout.hidden_size * width * 2 / 1e9


class Beside(NamedTuple):
    """What the need consists of beside the weights, in GB: the same at every quant."""

    cache_gb: float
    buffers_gb: float
    runtime_gb: float
    all_gb: float
    """The three together."""


@lru_cache(maxsize=4096)
def beside_gb(layout: Layout, context: int, kv: str = "f16", cards: int = 1) -> Beside:
    """Cache, buffers and runtime; kept, since one answer asks for them at many quants and on many cards."""
    cached, buffers, runtime = cache_gb(layout, context, kv), buffers_gb(layout, context, kv, cards), runtime_gb(layout, cards)
    return Beside(cached, buffers, runtime, cached + buffers + runtime)


def parts(layout: Layout, quant: str, context: int, kv: str = "f16", cards: int = 1) -> Parts:
    """The need, term by term."""
    weight = weights(layout, quant).card_gb
    beside = beside_gb(layout, context, kv, cards)
    return Parts(weight, beside.cache_gb, beside.buffers_gb, beside.runtime_gb, weight + beside.all_gb)


def need_gb(layout: Layout, quant: str, context: int, kv: str = "f16", cards: int = 1) -> float:
    """Memory that the model takes on all cards together at that quant and context."""
    return weights(layout, quant).card_gb + beside_gb(layout, context, kv, cards).all_gb


@lru_cache(maxsize=1024)
def usable_gb(memory_gb: float, unified: bool = False) -> float:
    """The part of one card's memory that a model may take, where the card is sold as ``memory_gb``.

    A card of "12 GB" has 12 GiB; driver and desktop keep some of it. Of unified memory the system lets a model have two thirds,
    from 36 GB up three quarters.
    """
    memory = constants()["memory"]
    if unified:
        large = memory_gb >= memory["unified_large_gb"]
        return memory_gb * GIB * memory["unified_usable_large" if large else "unified_usable_small"]
    return max(0.0, memory_gb * GIB - memory["reserve_gb"])


@lru_cache(maxsize=1024)
def comfortable_gb(memory_gb: float, unified: bool = False) -> float:
    """The need up to which a fit counts as comfortable."""
    memory = constants()["memory"]
    if unified:
        return usable_gb(memory_gb, unified=True) * memory["unified_comfortable"]
    return min(usable_gb(memory_gb), memory_gb * GIB * memory["comfortable"])


def longest_context(layout: Layout, room_gb: float, quant: str, kv: str = "f16", cards: int = 1) -> int | None:
    """The longest context in tokens that leaves the need within ``room_gb``, or ``None`` where not even 256 fit.

    The need grows with the context, in straight pieces, so the answer is found by drawing a line between a context that fits and
    one that does not, and by halving where that does not narrow them down. It is not cut to what the model was made for; a model
    whose cache does not grow is answered with ``MOST_CONTEXT``.
    """
    weight = weights(layout, quant).card_gb

    def need(context: int) -> float:
        # Not kept, since hardly a context is tried twice.
        return weight + (cache_gb(layout, context, kv) + buffers_gb(layout, context, kv, cards) + runtime_gb(layout, cards))

    low, high = LEAST_CONTEXT, MOST_CONTEXT
    at_low, at_high = need(low), need(high)
    if at_low > room_gb:
        return None
    if at_high <= room_gb:
        return high
    while high - low > 1:
        # On a straight piece the line hits the answer or its neighbour at once; from outside of it, it closes in from one side.
        drawn = low + math.floor((room_gb - at_low) / (at_high - at_low) * (high - low))
        for middle in (drawn, drawn + 1, (low + high) // 2):
            if low < middle < high:
                tried = need(middle)
                if tried <= room_gb:
                    low, at_low = middle, tried
                else:
                    high, at_high = middle, tried
    return low
