"""How llama.cpp stores each quant: which type a matrix gets, and how many bits that is (``mixes.toml``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import tomli

BLOCK: Final = 256
"""Weights of a K-quant's block; a row that is no multiple of it is stored in another type."""
SMALL_BLOCK: Final = 32
"""The same of the older types."""

BLOCK_KINDS: Final = frozenset({"gate", "up", "down"})
"""The matrices of a feed-forward block."""

Rules = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Mix:
    """The types that one quant stores a model's matrices in."""

    name: str
    base: str
    embedding: str
    output: str
    rules: Mapping[str, Rules]
    """Kind of matrix -> (where, type), the first that holds counts."""
    eight_experts: str | None
    """What attention gives out is stored in, where the model has eight experts exactly."""
    converted: str | None
    """The type of the rest where that is not the type the experts were published in."""
    attention_of_experts: str | None
    """In a mixture of experts, the type of everything but experts and feed-forward blocks."""
    block_of_experts: str | None
    """In a mixture of experts, the type of shared and dense feed-forward blocks."""


@cache
def _table() -> Mapping[str, Any]:
    return tomli.loads((Path(__file__).parent / "mixes.toml").read_text(encoding="utf-8"))


@cache
def bits(kind: str) -> float:
    """Bits per weight of a stored type."""
    return float(_table()["bits"][kind])


@cache
def fallback(kind: str) -> str | None:
    """What is stored instead where a row is no multiple of 256; ``None`` for types that do not mind."""
    return _table()["fallback"].get(kind)


def fitting(kind: str, row: float) -> str:
    """The type that a matrix with rows of that width is stored in, when ``kind`` is asked for."""
    other = fallback(kind)
    if other is not None and row % BLOCK:
        kind = other
    return "F16" if row % SMALL_BLOCK and bits(kind) < bits("F16") else kind


@cache
def mix(name: str) -> Mix | None:
    """The mix of a quant; ``None`` where llama.cpp has no such quant."""
    table = _table()
    larger = table["larger"].get(name)
    plain = name.removeprefix("UD-")
    # A dynamic mix that is not on file is taken as the quant that it is named after, a "Q4_K_XL" without its UD as one of them.
    fields = table["quants"].get(larger or name) or table["dynamic"].get(f"UD-{plain}") or table["quants"].get(plain)
    if fields is None:
        return None
    base = fields["base"]
    return Mix(
        name=name,
        base=base,
        embedding="Q8_0" if larger else fields.get("embedding", base),
        output="Q8_0" if larger else fields.get("output", "Q6_K"),
        rules={kind: rules for kind, rules in fields.items() if isinstance(rules, list)},
        eight_experts=fields.get("eight_experts"),
        converted=fields.get("converted"),
        attention_of_experts=fields.get("attention_of_experts"),
        block_of_experts=fields.get("block_of_experts"),
    )


@lru_cache(maxsize=4096)
def share(where: str, layers: range, count: int) -> float:
    """Which part of ``layers``, out of ``count`` in all, a rule holds for.

    The spreads are those of llama.cpp's llama-quantize (``use_more_bits`` and its neighbours), in whole layers as it counts them.
    """
    return sum(_holds(where, layer, count) for layer in layers) / len(layers) if layers else 0.0


def _holds(where: str, layer: int, count: int) -> bool:
    eighth, last = count // 8, 7 * count // 8
    match where:
        case "more":
            return layer < eighth or layer >= last or (layer - eighth) % 3 == 2
        case "eighth":
            return layer < eighth
        case "sixteenth":
            return layer < count // 16
        case "middle":
            return eighth <= layer < last
        case "first2":
            return layer < 2
        case "first4":
            return layer < 4
        case _:
            raise ValueError(f"mixes.toml: {where} is no rule")


@lru_cache(maxsize=2048)
def mean_bits(
    quant: str,
    kind: str,
    row: float,
    layers: range,
    count: int,
    grouped: bool = False,
    experts: int = 0,
    of_experts: bool = False,
    published: bool = False,
) -> float:
    """Mean bits per weight of one kind of matrix over ``layers``.

    Args:
        quant: one that :func:`mix` knows.
        kind: query, key, value, out, gate, up, down or another; what has no rules is stored in the base type.
        row: width of the matrix' rows; what it leaves over when divided by 256 is enough.
        layers: the layers that it is in, out of ``count``.
        count: how many layers there are.
        grouped: whether four or more query heads share one of the keys.
        experts: how many experts the model has.
        of_experts: whether it is the experts' own.
        published: whether the model was published with its experts in a type of their own.
    """
    mixed = mix(quant)
    assert mixed is not None
    if of_experts:
        kind = f"expert_{kind}" if f"expert_{kind}" in mixed.rules else kind
    elif experts > 1:
        stored = mixed.block_of_experts if kind in BLOCK_KINDS else mixed.attention_of_experts
        stored = stored if published else mixed.converted or stored
        if stored:
            return bits(fitting(stored, row))
    if experts == 8 and mixed.eight_experts and kind in {"key", "value", "out"}:
        return bits(fitting("Q8_0" if kind != "out" else mixed.eight_experts, row))
    total, left = 0.0, 1.0
    for where, stored in mixed.rules.get(kind, ()):
        if where in {"all", "grouped", "sparse"}:
            holds = where == "all" or grouped or (where == "sparse" and experts >= 4)
            part = left if holds else 0.0
        else:
            # Rules of one kind are nested from the first layers on, so what an earlier one took is part of what this one would.
            part = max(0.0, share(where, layers, count) - (1.0 - left))
        total += part * bits(fitting(stored, row))
        left -= part
    return total + left * bits(fitting(mixed.base, row))
