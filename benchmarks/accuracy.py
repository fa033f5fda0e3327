"""How far the calibrated speeds are off: ``python -m benchmarks.accuracy [FILE.csv [--rows]] [--write]``.

Without a file, the measurements on file are estimated by fits that have not seen the card in question, each card in turn, and so
are their ranges; the tables compare that with the bars, with the documented method and with the formulas of public calculators.
``--write`` puts the tables into docs/accuracy.md, where a test holds them to what the code gives.

FILE.csv has the columns of the public collection (gpu, vendor, gpu_arch, n_gpus, backend, model, params_b, active_params_b, quant,
depth, tier, tok_s, size_gib, bandwidth_gb_s, source). With ``--rows`` every line is answered by one JSON object: ``index`` (from
0), ``tok_s``, ``low_tok_s``, ``high_tok_s`` and ``need_gb``, by the constants in force and never from a stored measurement. Without
it, the file's own ``tok_s`` is compared with them.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue
from answers.errors import UsageError
from answers.estimator.calibrated import memory
from answers.estimator.calibrated.calibration import calibration, factor
from answers.estimator.calibrated.speed import Device, range_of, speed_split, spread_class
from answers.estimator.parts import Speed
from answers.estimator.quants import Quant, constants, quant
from benchmarks._document import with_section
from benchmarks._fit import design, left_out, solve
from benchmarks._measured import SHALLOW, Row, condition_terms, of_line
from benchmarks.calibrate import rows_on_file, spreads

Floats = NDArray[np.float64]
DOCS: Final = Path(__file__).resolve().parents[1] / "docs" / "accuracy.md"
SECTION: Final = "accuracy_speed"
"""Where the tables stand in docs/accuracy.md."""
BARS: Final[Mapping[str, tuple[float, float | None]]] = {
    "dense, one card, shallow, grade A": (0.11, 0.29),
    "dense, one card, shallow": (0.13, 0.45),
    "mixture of experts": (0.16, None),
}
"""The most that the median error and the 90th percentile may be."""
INSIDE_BAR: Final = 0.90
RATIO_BAR: Final = 2.2
MIDDLING: Final = 12
"""Rows from which on a class has a line of its own."""


@dataclass(frozen=True)
class Estimates:
    """One method's answer to every row; arrays of shape (rows,). Without a range, low and high are NaN."""

    name: str
    tok_s: Floats
    low: Floats
    high: Floats


def estimate(row: Row) -> Speed:
    """The speed of a row by the constants in force, under the conditions that it was measured in."""
    fitted = calibration()["speed"]
    device = Device.of_traits(row.traits)
    conditions = condition_terms(row)
    device = replace(
        device,
        fixed_s=device.fixed_s * factor(fitted["fixed"], conditions),
        efficiency=device.efficiency * factor(fitted["efficiency"], conditions),
    )
    return speed_split(row.work, [(device, 1 / row.cards)] * row.cards)


def need_gb(row: Row) -> float:
    """The memory that a row's model takes, in GB; with the row's own size of the weights where the model is not on file."""
    context = max(row.depth, memory.LEAST_CONTEXT)
    try:
        found = memory.parts(row.layout, row.work.quant, context, cards=row.cards)
    except UsageError:
        found = memory.parts(row.layout, "Q4_K_M", context, cards=row.cards)
        return found.need_gb - found.weights_gb + row.weights_gb
    return found.need_gb if row.known else found.need_gb - found.weights_gb + row.weights_gb


def unseen(rows: Sequence[Row], by_card: Floats, by_architecture: Floats) -> Estimates:
    """Every row by a fit, and with a range, that no row of its card had a part in.

    Args:
        rows: the measurements.
        by_card: their speeds by fits that had not seen their card.
        by_architecture: likewise, their architecture.
    """
    cards = np.array([row.hardware for row in rows])
    architectures = np.array([row.traits.architecture for row in rows])
    ends = np.zeros((len(rows), 2))
    for card in np.unique(cards):
        own = cards == card
        rest = [row for row, out in zip(rows, own, strict=True) if not out]
        found = {"spread": spreads(rest, by_card[~own], by_architecture[~own])}
        for index in map(int, np.flatnonzero(own)):
            row = rows[index]
            measured = bool(np.any(architectures[~own] == row.traits.architecture))
            speed = range_of(float(by_card[index]), row.work, cards=row.cards, measured=measured, constants=found)
            ends[index] = speed.low_tok_s, speed.high_tok_s
    return Estimates("calibrated", by_card, ends[:, 0], ends[:, 1])


def refitted(rows: Sequence[Row]) -> tuple[Floats, Floats, Floats]:
    """The speed of every row by fits that had not seen its card, its architecture, its model (each shape (rows,)).

    Models are left out in twenty groups, by the alphabet.
    """
    given = design(rows)
    values = solve(given)
    names = sorted({row.model for row in rows})
    groups = (
        [row.hardware for row in rows],
        [row.traits.architecture for row in rows],
        [str(names.index(row.model) % 20) for row in rows],
    )
    by_card, by_architecture, by_model = (left_out(given, values, group) for group in groups)
    return by_card, by_architecture, by_model


def in_force(rows: Sequence[Row]) -> Estimates:
    """Every row by the constants in force."""
    found = [estimate(row) for row in rows]
    return Estimates(
        "calibrated",
        np.array([speed.tok_s for speed in found]),
        np.array([speed.low_tok_s for speed in found]),
        np.array([speed.high_tok_s for speed in found]),
    )


def documented(rows: Sequence[Row]) -> Estimates:
    """The documented method: bandwidth x efficiency x vendor x generation over the bytes of the parameters read."""
    table = constants()["documented"]
    vendors, generations = table["vendors"], table["generations"]
    found: list[float] = []
    for row in rows:
        share = vendors.get(row.traits.vendor, vendors["other"])
        if row.traits.vendor == generations["vendor"] and row.traits.family in generations["architectures"]:
            share *= generations["factor"]
        at = _quant(row.work.quant)
        read = row.work.active_parameters * at.speed_bpw / 8 / 1e9
        found.append(row.traits.bandwidth_gb_s * share * at.efficiency / read)
    tok_s = np.array(found)
    return Estimates("documented", tok_s, tok_s * table["range_low"], tok_s * table["range_high"])


def formula(name: str, rows: Sequence[Row], share: float, apple: float | None = None, fixed_s: float = 0.0) -> Estimates:
    """A public calculator: a share of the bandwidth over the bytes of the file, of a mixture of experts over the active part."""
    shares = np.array([apple if apple and row.traits.vendor == "Apple" else share for row in rows])
    active = np.array([row.work.active_parameters / row.work.parameters for row in rows])
    read = np.array([row.weights_gb for row in rows]) * active
    tok_s = 1 / (fixed_s + read / (shares * np.array([row.traits.bandwidth_gb_s for row in rows])))
    return Estimates(name, tok_s, np.full(len(rows), np.nan), np.full(len(rows), np.nan))


def others(rows: Sequence[Row]) -> list[Estimates]:
    """The methods to compare with."""
    return [
        documented(rows),
        formula("0.55 x bandwidth / bytes", rows, 0.55),
        formula("0.70 (Apple 0.65) x bandwidth / bytes", rows, 0.70, apple=0.65),
        formula("0.67 x bandwidth / bytes, and 1 ms", rows, 0.67, fixed_s=1e-3),
    ]


def kinds(rows: Sequence[Row]) -> dict[str, NDArray[np.bool_]]:
    """The rows that each bar is about, and further kinds."""
    moe = np.array([row.work.moe for row in rows])
    plain = np.array([row.cards == 1 and row.depth <= SHALLOW for row in rows])
    return {
        "dense, one card, shallow, grade A": ~moe & plain & np.array([row.grade == "A" for row in rows]),
        "dense, one card, shallow": ~moe & plain,
        "mixture of experts": moe,
        "mixture of experts, one card, shallow": moe & plain,
        "more than 4,096 tokens deep": np.array([row.depth > SHALLOW for row in rows]),
        "several cards": np.array([row.cards > 1 for row in rows]),
        "all": np.ones(len(rows), dtype=bool),
    }


def by_confidence(rows: Sequence[Row], fits: tuple[Floats, Floats, Floats]) -> dict[str, tuple[Estimates, NDArray[np.bool_]]]:
    """For each degree of confidence, estimates that know as much as it promises, and the rows that it is about.

    High: the card was measured, but not with this model, so each model is left out in turn; the rows are those whose card has
    another model of half to twice the size. Medium: the architecture was measured, the card was not. Low: the architecture was not.
    """
    by_card, by_architecture, by_model = fits
    spread = {"spread": spreads(rows, by_card, by_architecture)}
    sizes: dict[str, set[tuple[str, float]]] = {}
    architectures: dict[str, set[str]] = {}
    for row in rows:
        architectures.setdefault(row.traits.architecture, set()).add(row.hardware)
        if row.cards == 1:
            sizes.setdefault(row.hardware, set()).add((row.model, row.parameters))
    near = [
        row.cards == 1
        and any(model != row.model and row.parameters / 2 <= size <= row.parameters * 2 for model, size in sizes[row.hardware])
        for row in rows
    ]
    shared = [len(architectures[row.traits.architecture]) > 1 for row in rows]

    def made(tok_s: Floats, measured: bool) -> Estimates:
        found = [
            range_of(float(speed), row.work, cards=row.cards, measured=measured, constants=spread)
            for speed, row in zip(tok_s, rows, strict=True)
        ]
        low, high = np.array([speed.low_tok_s for speed in found]), np.array([speed.high_tok_s for speed in found])
        return Estimates("calibrated", tok_s, low, high)

    return {
        "high": (made(by_model, True), np.array(near)),
        "medium": (made(by_card, True), np.array(shared)),
        "low": (made(by_architecture, False), np.ones(len(rows), dtype=bool)),
    }


def figures(made: Estimates, rows: Sequence[Row], chosen: NDArray[np.bool_]) -> tuple[str, str, str, str]:
    """Median error, 90th percentile, share inside the range and median width, of some of the rows."""
    measured = np.array([row.tok_s for row in rows])[chosen]
    error = np.abs(made.tok_s[chosen] / measured - 1)
    if np.isnan(made.low).any():
        return f"{np.median(error):.1%}", f"{np.quantile(error, 0.9):.1%}", "", ""
    low, high = made.low[chosen], made.high[chosen]
    inside = np.mean((measured >= low) & (measured <= high))
    return f"{np.median(error):.1%}", f"{np.quantile(error, 0.9):.1%}", f"{inside:.1%}", f"{np.median(high / low):.2f}"


def bars(made: Estimates, rows: Sequence[Row]) -> list[tuple[str, float, float | None]]:
    """Each bar: what it is about, the figure, and the most (or, for what lies inside, the least) that it may be."""
    measured = np.array([row.tok_s for row in rows])
    error = np.abs(made.tok_s / measured - 1)
    found: list[tuple[str, float, float | None]] = []
    of_kind = kinds(rows)
    for name, (middle, tail) in BARS.items():
        found.append((f"{name}: median error", float(np.median(error[of_kind[name]])), middle))
        if tail is not None:
            found.append((f"{name}: 90th percentile", float(np.quantile(error[of_kind[name]], 0.9)), tail))
    inside = float(np.mean((measured >= made.low) & (measured <= made.high)))
    found.append(("all: outside the range", 1 - inside, 1 - INSIDE_BAR))
    found.append(("all: median high / low", float(np.median(made.high / made.low)), RATIO_BAR))
    return found


def report(rows: Sequence[Row], made: Estimates, fits: tuple[Floats, Floats, Floats] | None = None) -> str:
    """The tables, in Markdown; those by confidence only where there are refits."""
    head = "| | rows | median error | 90th percentile | inside the range | median high / low |\n|---|---|---|---|---|---|"
    lines = ["| bar | figure | at most |", "|---|---|---|"]
    lines += [
        f"| {name} | {value:.2f} | {most:.2f} |" if "high / low" in name else f"| {name} | {value:.1%} | {most:.0%} |"
        for name, value, most in bars(made, rows)
        if most is not None
    ]
    lines += ["", "By kind:", "", head, *_lines(made, rows, kinds(rows), 0)]
    if fits:
        lines += ["", "By confidence, each by fits that know as much as it promises:", "", head]
        for name, (own, chosen) in by_confidence(rows, fits).items():
            lines += _lines(own, rows, {name: chosen}, 0)
    lines += ["", "The methods side by side:", ""]
    chosen = [name for name in kinds(rows) if name in {*BARS, "all"}]
    lines += ["| method | " + " | ".join(f"{name}: median, 90th percentile" for name in chosen) + " | inside |"]
    lines += ["|---|" + "---|" * (len(chosen) + 1)]
    for method in (made, *others(rows)):
        cells = [figures(method, rows, kinds(rows)[name]) for name in chosen]
        lines += [f"| {method.name} | " + " | ".join(f"{cell[0]}, {cell[1]}" for cell in cells) + f" | {cells[-1][2]} |"]
    spread = np.array([spread_class(row.work, row.cards) for row in rows])
    lines += ["", "By the class that a range belongs to:", "", head]
    lines += _lines(made, rows, {name: spread == name for name in dict.fromkeys(sorted(spread))}, 0)
    classes = np.array([f"{row.traits.vendor} {row.traits.architecture}, {row.traits.backend}" for row in rows])
    lines += ["", f"By class of card and backend, of at least {MIDDLING} rows:", "", head]
    lines += _lines(made, rows, {name: classes == name for name in sorted(set(classes))}, MIDDLING)
    return "\n".join(lines)


def _lines(made: Estimates, rows: Sequence[Row], groups: Mapping[str, NDArray[np.bool_]], least: int) -> list[str]:
    return [
        f"| {name} | {chosen.sum()} | " + " | ".join(figures(made, rows, chosen)) + " |"
        for name, chosen in groups.items()
        if chosen.sum() > least
    ]


def _quant(name: str) -> Quant:
    """The quant of a reported name; a mix that the table lacks is taken as the one that it is named after."""
    plain = name.removeprefix("UD-").split(" ", maxsplit=1)[0]
    for tried in (name, plain, plain.replace("_XL", "_M"), f"{plain}_M", plain.replace("_L", ""), f"{plain[:4]}_M"):
        try:
            return quant(tried)
        except UsageError:
            continue
    return quant("Q8_0" if plain.startswith("Q8") else "Q6_K" if plain.startswith(("Q6", "IQ6")) else "Q4_K_M")


def answer_lines(lines: Sequence[Mapping[str, Any]], catalogue: Catalogue) -> list[dict[str, float]]:
    """One object for each line of a CSV."""
    found: list[dict[str, float]] = []
    for index, line in enumerate(lines):
        row = of_line(line, catalogue)
        speed = estimate(row)
        found.append(
            {
                "index": index,
                "tok_s": speed.tok_s,
                "low_tok_s": speed.low_tok_s,
                "high_tok_s": speed.high_tok_s,
                "need_gb": need_gb(row),
            }
        )
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, or answer the lines of a file."""
    parser = argparse.ArgumentParser(description="how far the calibrated speeds are off")
    parser.add_argument(
        "file", type=Path, nargs="?", help="a CSV of measurements; by default those on file, cards left out in turn"
    )
    parser.add_argument("--rows", action="store_true", help="print one JSON object for each line of FILE")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/accuracy.md")
    options = parser.parse_args(arguments)
    catalogue = asyncio.run(load())
    if options.file:
        if not options.file.is_file():
            parser.error(f"{options.file}: there is no such file")
        with options.file.open(encoding="utf-8-sig", newline="", errors="replace") as opened:
            lines = list(csv.DictReader(opened))
        if options.rows:
            for answer in answer_lines(lines, catalogue):
                print(json.dumps(answer))
            return 0
        rows = [row for row in (of_line(line, catalogue) for line in lines) if np.isfinite(row.tok_s)]
        print(report(rows, in_force(rows)))
        return 0
    if options.rows:
        parser.error("--rows needs a file")
    rows = rows_on_file(catalogue)
    fits = refitted(rows)
    made = unseen(rows, *fits[:2])
    text = report(rows, made, fits)
    print(text)
    if options.write:
        DOCS.write_text(with_section(DOCS.read_text(encoding="utf-8"), SECTION, f"\n{text}\n"), encoding="utf-8")
    return int(any(most is not None and value > most for _, value, most in bars(made, rows)))


if __name__ == "__main__":
    sys.exit(main())
