"""Fits what driver and libraries take of a card: ``python -m benchmarks.calibrate_memory [--check]``.

It replaces the part of ``answers/estimator/calibrated/memory.toml`` between ``[runtime]`` and the next table: a constant, and how
many copies of a model's widest matrix at 16 bits are worked on. Both are those under which the sampled peaks of
``benchmarks/data/vram_used.csv`` lie nearest to the sum of all terms, with the weights as large as their files are, so that no
error of the weights is made up for. ``--check`` writes nothing and ends with 1 where the file is not what the data give.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue
from answers.estimator.calibrated import memory
from benchmarks.accuracy_memory import DATA, layout_of, plain_quant, read

FILE: Final = Path(memory.__file__).with_name("memory.toml")
CONSTANTS_GB: Final = [step / 50 for step in range(31)]
COPIES: Final = [step / 4 for step in range(13)]


@dataclass(frozen=True, slots=True)
class Sample:
    """One sampled peak, in GB."""

    model: str
    used_gb: float
    known_gb: float
    """Weights on the card, by the size of the file, and cache and buffers as estimated."""
    widest_gb: float


@dataclass(frozen=True, slots=True)
class Fit:
    """The two constants."""

    card_gb: float
    copies: float

    def error(self, sample: Sample) -> float:
        """Estimate / measured - 1."""
        return (sample.known_gb + self.card_gb + self.copies * sample.widest_gb) / sample.used_gb - 1


def samples(catalogue: Catalogue, rows: Sequence[dict[str, str]]) -> list[Sample]:
    """The sampled peaks of models on file."""
    found: list[Sample] = []
    for row in rows:
        if not row["how"].startswith("sampled"):
            continue
        name, layout = layout_of(catalogue, row["model"], float(row["params_b"]) * 1e9 if row["params_b"] else None)
        if layout is None:
            continue
        context, quant = int(row["context"]), plain_quant(row["quant"])
        in_system = memory.weights_gb(layout, quant) - memory.card_weights_gb(layout, quant)
        known = float(row["model_gib"]) * memory.GIB - in_system + memory.cache_gb(layout, context, row["kv_type"])
        known += memory.buffers_gb(layout, context, row["kv_type"], flash_attention="fa=True" in row["how"])
        found.append(Sample(name, float(row["used_gib"]) * memory.GIB, known, memory.widest_gb(layout)))
    return found


def fit(chosen: Sequence[Sample]) -> Fit:
    """The constants with the least mean error, every model counting the same; the smaller ones where two do as well."""
    models = sorted({sample.model for sample in chosen})
    groups = [[sample for sample in chosen if sample.model == model] for model in models]

    def loss(candidate: Fit) -> float:
        return sum(statistics.mean(abs(candidate.error(sample)) for sample in group) for group in groups)

    return min((Fit(*pair) for pair in product(CONSTANTS_GB, COPIES)), key=loss)


def left_out_error(chosen: Sequence[Sample]) -> float:
    """The median error of models that the fit had not seen."""
    errors: list[float] = []
    for model in sorted({sample.model for sample in chosen}):
        fitted = fit([sample for sample in chosen if sample.model != model])
        errors += [abs(fitted.error(sample)) for sample in chosen if sample.model == model]
    return statistics.median(errors)


def written(text: str, chosen: Sequence[Sample]) -> str:
    """The file with the fitted part anew."""
    fitted = fit(chosen)
    typical = statistics.median(abs(fitted.error(sample)) for sample in chosen)
    head, _, rest = text.partition("[runtime]\n")
    _, mark, tail = rest.partition("\n[")
    count, models, left_out = len(chosen), len({sample.model for sample in chosen}), left_out_error(chosen)
    part = f"""\
[runtime]
# Written by `make calibrate` from benchmarks/data/vram_used.csv; changes made by hand are lost.
# {count} sampled peaks of {models} models; median error {typical:.1%}, of models left out of the fit {left_out:.1%}.
card_gb = {fitted.card_gb:g}  # driver and libraries
matrix_copies = {fitted.copies:g}  # of the widest matrix at 16 bits, which prompts are multiplied with
"""
    return f"{head}{part}{mark}{tail}"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description="Fits what driver and libraries take of a card.")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 where the file is not what the data give")
    options = parser.parse_args(argv)
    text = FILE.read_text(encoding="utf-8")
    renewed = written(text, samples(asyncio.run(load()), read(DATA / "vram_used.csv")))
    if options.check:
        print(f"{FILE.name}: {'is what the data give' if renewed == text else 'is not what the data give: make calibrate'}")
        return int(renewed != text)
    FILE.write_text(renewed, encoding="utf-8")
    print(f"wrote {FILE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
