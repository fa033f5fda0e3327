"""Fits the calibrated speeds: every factor of ``calibration.toml`` at once, on the logarithm of the time per token.

The time is a sum of three products of factors (fixed, weights, cache). Gauss-Newton steps on the logarithms of the factors, with
weights that make the loss grow linearly with a residual (so that single wrong reports do not pull), and with a prior that draws
each factor towards 1: a class with few measurements stays near the class around it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from answers.estimator.calibrated.classes import quant_family
from answers.estimator.calibrated.speed import device_terms, quant_terms, work_terms
from benchmarks._measured import Row, condition_terms

Floats = NDArray[np.float64]
PARTS: Final = ("fixed", "efficiency", "cache")
FLOOR: Final = 0.03
"""Residuals below this count as equally good."""
PRIOR: Final[Mapping[str, float]] = {
    "vendor": 0.5,
    "family": 1.0,
    "architecture": 8.0,
    "backend": 3.0,
    "memory": 2.0,
    "vendor memory": 2.0,
    "quant": 3.0,
    "architecture quant": 2.0,
    "model": 0.3,
    "share of layers": 0.5,
    "power": 0.3,
    "condition": 0.3,
    "vendor condition": 0.7,
}
"""How strongly each group is drawn towards a factor of 1, in measurements."""
START: Final = {"fixed": math.log(1.5e-3), "efficiency": math.log(0.65), "cache": math.log(0.6)}


@dataclass(frozen=True)
class Design:
    """The rows as matrices: for each part, one column per factor."""

    names: tuple[tuple[tuple[str, str], ...], ...]
    """For each part, the group and the key of each column; the first is the base."""
    columns: tuple[Floats, ...]
    """For each part, shape (rows, factors)."""
    amounts: tuple[Floats, ...]
    """For each part, what the product of its factors is multiplied by: 1, or GB over GB/s. Shape (rows,)."""
    measured: Floats
    """The logarithm of the seconds per token, shape (rows,)."""
    weights: Floats
    penalty: Floats
    centre: Floats

    def only(self, chosen: NDArray[np.bool_]) -> Design:
        """The same with some of the rows."""
        return Design(
            self.names,
            tuple(part[chosen] for part in self.columns),
            tuple(part[chosen] for part in self.amounts),
            self.measured[chosen],
            self.weights[chosen],
            self.penalty,
            self.centre,
        )


def row_terms(row: Row) -> dict[str, list[tuple[str, str, float]]]:
    """Every factor that bears on a row, with the power that it is raised to. The efficiency divides, so its powers are negative."""
    device, work = device_terms(row.traits), work_terms(row.work)
    found = {part: [*device[part], *work[part]] for part in PARTS}
    found["efficiency"] += quant_terms(row.traits.architecture, quant_family(row.work.quant))
    if row.cards > 1:
        found["fixed"].append(("power", "cards", math.log(row.cards)))
    found["fixed"] += condition_terms(row)
    found["efficiency"] += condition_terms(row)
    return found


def design(rows: Sequence[Row]) -> Design:
    """The matrices of these rows; every group's keys in alphabetical order."""
    found = [row_terms(row) for row in rows]
    counts = Counter(row.hardware for row in rows)
    names: list[tuple[tuple[str, str], ...]] = []
    columns: list[Floats] = []
    for part in PARTS:
        keys = sorted({(group, key) for terms in found for group, key, _ in terms[part]})
        place = {name: index for index, name in enumerate(keys, 1)}
        matrix = np.zeros((len(rows), len(keys) + 1))
        matrix[:, 0] = 1
        for index, terms in enumerate(found):
            for group, key, power in terms[part]:
                matrix[index, place[group, key]] += power
        names.append((("base", ""), *keys))
        columns.append(matrix if part == "fixed" else -matrix)
    bandwidth = np.array([row.traits.bandwidth_gb_s for row in rows])
    # A card with many measurements counts for more than one with few, but not in proportion.
    weights = np.array([counts[row.hardware] ** -0.5 for row in rows])
    return Design(
        tuple(names),
        tuple(columns),
        (
            np.ones(len(rows)),
            np.array([row.work.read_gb for row in rows]) / bandwidth,
            np.array([row.work.cache_gb for row in rows]) / bandwidth,
        ),
        np.log(1 / np.array([row.tok_s for row in rows])),
        weights / weights.mean(),
        np.concatenate([[0.01 if group == "base" else PRIOR[group] for group, _ in part] for part in names]),
        np.concatenate([[START[part]] + [0.0] * (len(held) - 1) for part, held in zip(PARTS, names, strict=True)]),
    )


def solve(given: Design, start: Floats | None = None, steps: int = 40) -> Floats:
    """The logarithms of all factors, part after part."""
    values = given.centre.copy() if start is None else start.copy()
    for _ in range(steps):
        times = _times(given, values)
        total = np.sum(times, axis=0)
        residual = given.measured - np.log(total)
        slope = np.hstack([part * (time / total)[:, None] for part, time in zip(given.columns, times, strict=True)])
        weight = given.weights * 0.1 / np.maximum(np.abs(residual), FLOOR)
        curvature = (slope * weight[:, None]).T @ slope + np.diag(given.penalty)
        step = np.linalg.solve(curvature, slope.T @ (weight * residual) - given.penalty * (values - given.centre))
        largest = float(np.abs(step).max())
        values = values + step * min(1.0, 0.7 / largest)
        if largest < 1e-4:
            break
    return values


def _times(given: Design, values: Floats) -> list[Floats]:
    times: list[Floats] = []
    first = 0
    for columns, amount in zip(given.columns, given.amounts, strict=True):
        held = values[first : first + columns.shape[1]]
        times.append(amount * np.exp(np.clip(columns @ held, -30, 30)))
        first += columns.shape[1]
    return times


def predict(given: Design, values: Floats) -> Floats:
    """Tokens a second of every row, shape (rows,)."""
    return 1 / np.sum(_times(given, values), axis=0)


def left_out(given: Design, values: Floats, groups: Sequence[str], steps: int = 5) -> Floats:
    """Tokens a second of every row from a fit that has seen no row of its group, shape (rows,)."""
    labels = np.array(groups)
    found = np.zeros(len(labels))
    for label in np.unique(labels):
        out = labels == label
        refitted = solve(given.only(~out), values, steps)
        found[out] = predict(given.only(out), refitted)
    return found
