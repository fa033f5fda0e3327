"""Fits the calibrated speeds to the measurements on file and writes the result: ``python -m benchmarks.calibrate [--check]``.

It replaces the part of ``answers/estimator/calibrated/calibration.toml`` from ``[speed]`` on. The same measurements give the same
file. ``--check`` writes nothing and ends with 1 where the file is not what the measurements give.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import tomli
from numpy.typing import NDArray

from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue
from answers.estimator.calibrated.calibration import FILE
from answers.estimator.calibrated.speed import spread_class
from benchmarks._fit import PARTS, Design, design, left_out, predict, solve
from benchmarks._measured import Row, of_measurement

Floats = NDArray[np.float64]
INSIDE: Final = 0.91
"""Share of the measurements that a range holds: 0.90 is published, the rest is for forms having been chosen on the same data."""
LEAST: Final = 40
"""Rows from which on a kind of estimate has a range of its own."""
KINDS: Final = ("dense", "dense, several cards", "experts")
HEADER: Final = """\
[speed]
# Written by `make calibrate` from answers/catalogue/sources/measurements.csv; changes made by hand are lost.
# Seconds per token = fixed + weights read / (efficiency x bandwidth) + cache read / (cache efficiency x bandwidth). Each of the
# three is its base times one factor of each group below. power: the factor is raised to the logarithm of (layers / 32), of (experts
# per token / 8), of (FP32 operations per byte / 30) or of the number of cards; share of layers: to the share of layers of a kind.
# condition: how a row was measured, against llama.cpp's own benchmark, which is what an estimate speaks of. rows, cards: the
# measurements behind a factor, and on how many kinds of card. spread: half of those rows lie within this share of their estimate,
# by the fit itself. [speed.spread]: the factor either way within which nine in ten measurements lay of estimates for cards, and
# architectures, that a fit had not seen.
"""


def rows_on_file(catalogue: Catalogue) -> list[Row]:
    """Every measurement of the catalogue."""
    return [of_measurement(measured, catalogue) for measured in catalogue.measured.all()]


def spreads(rows: Sequence[Row], by_card: Floats, by_architecture: Floats) -> dict[str, dict[str, float]]:
    """For each kind of estimate, the factor either way within which the wanted share of the measurements lay.

    Args:
        rows: the measurements.
        by_card: an estimate for each, by a fit that had not seen its card.
        by_architecture: likewise, by a fit that had not seen its architecture.
    """
    measured = np.array([row.tok_s for row in rows])
    kinds = np.array([spread_class(row.work, row.cards) for row in rows])
    found: dict[str, dict[str, float]] = {}
    for ending, tok_s in (("", by_card), (", other architecture", by_architecture)):
        off = np.abs(np.log(measured / tok_s))
        for kind in KINDS:
            own = off[kinds == kind] if (kinds == kind).sum() >= LEAST else off
            found[kind + ending] = {"factor": round(float(np.exp(held(own))), 3), "rows": int((kinds == kind).sum())}
    # What is less known is not given a narrower range, whatever the chance of these rows says.
    for kind in KINDS:
        other = found[f"{kind}, other architecture"]
        other["factor"] = max(other["factor"], found[kind]["factor"])
    return found


def held(off: Floats) -> float:
    """The distance within which the wanted share of the values lies, counting one value more (conformal prediction)."""
    ordered = np.sort(off)
    return float(ordered[min(len(ordered), math.ceil(INSIDE * (len(ordered) + 1))) - 1])


def constants(rows: Sequence[Row], given: Design, values: Floats) -> dict[str, Any]:
    """The fitted factors in the form of the file, without ranges."""
    off = np.abs(predict(given, values) * np.exp(given.measured) - 1)
    found: dict[str, Any] = {}
    first = 0
    for part, names, columns in zip(PARTS, given.names, given.columns, strict=True):
        section: dict[str, Any] = {}
        for (group, key), value, column in zip(names, values[first : first + len(names)], columns.T, strict=True):
            bears = column != 0
            entry = {
                "factor": round(float(np.exp(value)), 4),
                "rows": int(bears.sum()),
                "cards": len({row.hardware for row, on in zip(rows, bears, strict=True) if on}),
                "spread": round(float(np.median(off[bears])), 3),
            }
            if group == "base":
                section["base_s" if part == "fixed" else "base"] = float(f"{np.exp(value):.4g}")
            else:
                section.setdefault(group, {})[key] = entry
        found[part] = section
        first += len(names)
    return found


def calibrated(rows: Sequence[Row]) -> dict[str, Any]:
    """Everything that the part [speed] of the file holds."""
    given = design(rows)
    values = solve(given)
    found = constants(rows, given, values)
    by_card = left_out(given, values, [row.hardware for row in rows])
    by_architecture = left_out(given, values, [row.traits.architecture for row in rows])
    found["spread"] = spreads(rows, by_card, by_architecture)
    return {"rows": len(rows), "cards": len({row.hardware for row in rows}), **found}


def written(found: Mapping[str, Any]) -> str:
    """The part [speed] as TOML."""
    lines = [HEADER + f"rows = {found['rows']}", f"cards = {found['cards']}"]
    for part in (*PARTS, "spread"):
        lines += ["", f"[speed.{part}]"]
        section: Mapping[str, Any] = found[part]
        lines += [f"{key} = {value}" for key, value in section.items() if not isinstance(value, dict)]
        if part == "spread":
            lines += [f"{_key(kind)} = {_inline(ends)}" for kind, ends in section.items()]
            continue
        for group, entries in section.items():
            if isinstance(entries, dict):
                lines += ["", f"[speed.{part}.{_key(group)}]"]
                lines += [f"{_key(key)} = {_inline(entry)}" for key, entry in entries.items()]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else f'"{name}"'


def _inline(entry: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{key} = {value}" for key, value in entry.items()) + " }"


def with_speed(text: str, part: str) -> str:
    """The text of the file with its part [speed], which stands last, replaced."""
    before = text.split("[speed]\n", maxsplit=1)[0].rstrip("\n")
    return f"{before}\n\n{part}" if before else part


def main(arguments: Sequence[str] | None = None, file: Path = FILE) -> int:
    """Write the fitted constants, or check that they are what the measurements give."""
    parser = argparse.ArgumentParser(description="fit the calibrated speeds to the measurements on file")
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 where the file would change")
    options = parser.parse_args(arguments)
    rows = rows_on_file(asyncio.run(load()))
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    after = with_speed(before, written(calibrated(rows)))
    tomli.loads(after)
    if options.check:
        print(f"{file.name} is {'what the measurements give' if before == after else 'out of date: run make calibrate'}")
        return int(before != after)
    file.write_text(after, encoding="utf-8")
    print(f"{file.name}: {len(rows)} measurements on {len({row.hardware for row in rows})} kinds of card")
    return 0


if __name__ == "__main__":
    sys.exit(main())
