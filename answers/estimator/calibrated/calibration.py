"""The fitted constants: ``calibration.toml``, which ``make calibrate`` writes and a person can review."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import tomli

FILE: Final = Path(__file__).with_name("calibration.toml")

Term = tuple[str, str, float]
"""A group of factors, one of its keys, and the power that the factor is raised to: 1, or the logarithm of a ratio."""


@cache
def calibration() -> Mapping[str, Any]:
    """The file as it stands, read once."""
    return tomli.loads(FILE.read_text(encoding="utf-8"))


def factor(part: Mapping[str, Any], terms: Iterable[Term]) -> float:
    """The product of the factors that ``terms`` name; a key without measurements leaves the figure as it is."""
    total = 0.0
    for group, key, power in terms:
        entry = part.get(group, {}).get(key)
        if entry is not None:
            total += math.log(entry["factor"]) * power
    return math.exp(total)
