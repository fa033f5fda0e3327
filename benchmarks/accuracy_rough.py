"""Compares the rough figures with published ones: ``python -m benchmarks.accuracy_rough [--write FILE]``.

Two figures are set by hand rather than fitted, since little is published of them: how fast a card reads a prompt, and how fast a
processor writes from system memory. Every row of ``data/prompts.csv`` and ``data/processors.csv`` is estimated and compared.
``--write`` puts the tables into docs/accuracy.md, where a test holds them to what the code gives.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue
from answers.estimator.calibrated import memory
from answers.estimator.calibrated.layout import Layout
from answers.estimator.calibrated.speed import Work, processor_gb_s, prompt_tok_s, range_of
from answers.estimator.calibrated.weights import weights
from benchmarks._document import with_section
from benchmarks.accuracy_memory import DATA, layout_of, read

SECTION: Final = "accuracy_rough"
"""Where the tables stand in docs/accuracy.md."""
ROUGH: Final = 2.0
"""The factor either way that a prompt's speed is said to be right to."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One published speed beside its estimate."""

    group: str
    model: str
    quant: str
    tok_s: float
    estimate: float
    inside: bool
    """Whether the published speed lies within the range of the estimate."""

    @property
    def ratio(self) -> float:
        """Estimate / published."""
        return self.estimate / self.tok_s


def prompts(catalogue: Catalogue, rows: Sequence[Mapping[str, str]]) -> list[Compared]:
    """Every published prompt speed, of 512 to 4096 tokens into an empty cache, in groups of architecture and kind of model."""
    compared: list[Compared] = []
    for row in rows:
        card = catalogue.card(row["card"])
        parameters, active = float(row["parameters_b"]), float(row["active_b"] or row["parameters_b"])
        moe = active < 0.7 * parameters
        found = prompt_tok_s(card.fp16_tflops, active * 1e9, card.vendor, card.bandwidth_gb_s, moe=moe)
        assert found is not None, row["card"]
        measured = float(row["tok_s"])
        kind = card.generation if card.vendor == "Apple" else f"{card.vendor} {card.architecture}"
        group = f"{kind}, {'mixture of experts' if moe else 'dense'}"
        near = 1 / ROUGH <= found / measured <= ROUGH
        compared.append(Compared(group, row["model"], row["quant"], measured, found, near))
    return compared


def processors(catalogue: Catalogue, rows: Sequence[Mapping[str, str]]) -> list[Compared]:
    """Every published speed of a processor that holds the whole model in system memory."""
    compared: list[Compared] = []
    for row in rows:
        parameters = float(row["parameters_b"]) * 1e9
        _, layout = layout_of(catalogue, row["model"], parameters)
        assert layout is not None, row["model"]
        work = work_of(layout, row["quant"], parameters)
        seconds = (work.read_gb + work.cache_gb) / processor_gb_s(float(row["gb_s"]))
        found = range_of(1 / seconds, work, offload=True)
        measured = float(row["tok_s"])
        group = f"{row['hardware']}, {row['memory']} ({float(row['gb_s']):.0f} GB/s)"
        inside = found.low_tok_s <= measured <= found.high_tok_s
        compared.append(Compared(group, row["model"], row["quant"], measured, found.tok_s, inside))
    return compared


def work_of(layout: Layout, quant: str, parameters: float) -> Work:
    """What one token costs with next to nothing in the cache."""
    stored = weights(layout, quant)
    active = parameters * stored.active_gb / stored.all_gb
    return Work(stored.active_gb, memory.cache_gb(layout, 256), layout.layers, parameters, active, quant, layout)


def prompt_lines(rows: Sequence[Compared]) -> list[str]:
    """The table of the prompts, by group."""
    lines = ["| | rows | median estimate / published | from | to | within a factor of two |", "|---|---|---|---|---|---|"]
    for group in [*sorted({row.group for row in rows}), ""]:
        part = [row for row in rows if group in {row.group, ""}]
        ratios = [row.ratio for row in part]
        held = sum(row.inside for row in part) / len(part)
        name = group or "all"
        lines.append(
            f"| {name} | {len(part)} | {statistics.median(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f} | {held:.0%} |"
        )
    return lines


def processor_lines(rows: Sequence[Compared]) -> list[str]:
    """The table of the processors, row by row."""
    lines = ["| | model | quant | published tok/s | estimate | inside the range |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row.group} | {row.model} | {row.quant} | {row.tok_s:.1f} | {row.estimate:.1f} | {'yes' if row.inside else 'no'} |"
        for row in rows
    ]
    return lines


def section(of_prompts: Sequence[Compared], of_processors: Sequence[Compared]) -> str:
    """The tables as docs/accuracy.md shows them."""
    held = sum(row.inside for row in of_processors)
    return "\n".join(
        [
            "",
            "Prompts, by architecture:",
            "",
            *prompt_lines(of_prompts),
            "",
            f"Processors with the whole model in system memory; {held} of {len(of_processors)} lie within their range:",
            "",
            *processor_lines(of_processors),
            "",
        ]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description="Compares the speeds of prompts and of processors with published ones.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="a document to put the tables into")
    options = parser.parse_args(argv)
    catalogue = asyncio.run(load())
    tables = section(prompts(catalogue, read(DATA / "prompts.csv")), processors(catalogue, read(DATA / "processors.csv")))
    if options.write:
        try:
            document = with_section(options.write.read_text(encoding="utf-8"), SECTION, tables)
            options.write.write_text(document, encoding="utf-8")
        except (OSError, ValueError) as error:
            print(f"cannot be written: {error}", file=sys.stderr)
            return 2
    print(tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
