"""The quant table: names as llama.cpp spells them, bits per weight and the share of the bandwidth they reach."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import tomli

from answers.errors import UsageError


@dataclass(frozen=True, slots=True)
class Quant:
    """One quantisation."""

    name: str
    memory_bpw: float
    """Bits per weight as stored."""
    speed_bpw: float
    """Bits per weight as read for every token."""
    efficiency: float
    """Share of the memory bandwidth reached, against which vendor and generation factors apply."""
    scheme: str
    """``gguf``, ``unquantised`` (stored, but not as a GGUF quant) or ``other`` (GPTQ, AWQ, EXL2, FP8, ...)."""


@cache
def constants() -> Mapping[str, Any]:
    """The table of constants, read once."""
    return tomli.loads((Path(__file__).parent / "constants.toml").read_text(encoding="utf-8"))


@cache
def quants() -> Mapping[str, Quant]:
    """Every known quant by its name."""
    return {name: Quant(name, **row) for name, row in constants()["quants"].items()}


# "EXL2 4.65bpw", "GPTQ 3-bit": a scheme that states its own bits per weight.
_STATED_BITS = re.compile(r"^(EXL2|EXL3|GPTQ|AWQ) (\d{1,2}(?:\.\d{1,3})?)(?:bpw|-bit)$")


def quant(name: str) -> Quant:
    """The quant of that name; schemes such as ``EXL2 4.65bpw`` state their own bits per weight.

    Raises:
        UsageError: where the name is not in the table.
    """
    known = quants().get(name)
    if known:
        return known
    stated = _STATED_BITS.match(name)
    if stated and 1 <= float(stated[2]) <= 32:
        base, bits = quants()[stated[1]], float(stated[2])
        # Group-wise schemes store scales beside the weights; EXL2 counts them in its own figure.
        bits += 0.15 if stated[1] in {"GPTQ", "AWQ"} else 0.0
        return Quant(name, bits, bits, base.efficiency, base.scheme)
    raise UsageError(f"{name} is not a quant on file; known are {', '.join(quants())}")


@cache
def ladder(floor: str | None = None) -> tuple[Quant, ...]:
    """The rungs a card is tried on, best first, none worse than ``floor`` (default: Q3_K_M).

    A floor off the ladder keeps the rungs that store at least as many bits per weight; one above Q8_0 is a ladder of its own.

    Raises:
        UsageError: where the floor is not in the table.
    """
    documented = constants()["documented"]
    lowest = quant(floor or documented["default_floor"])
    names = [*documented["ladder"], *documented["below_floor"]]
    rungs = tuple(quants()[name] for name in names if quants()[name].memory_bpw >= lowest.memory_bpw)
    return rungs or (lowest,)
