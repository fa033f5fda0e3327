"""Compares the calibrated memory with what was measured: ``python -m benchmarks.accuracy_memory [--sizes FILE] [--used FILE]``.

Two things are compared, each row by each:

- the size of published GGUF files with the weights that the layout gives at that quant (text only), against the bars of 3 % for
  llama.cpp's own quants and 8 % for Unsloth's dynamic mixes (UD-*);
- measured memory with the sum of the same terms. llama.cpp's log counts weights on the card, cache and compute buffers; a sampled
  peak counts driver and work space too. Flash attention is taken to be as the row says, and off in logs of before it was usual.

Errors are estimate / measured - 1. Every miss is printed with its cause, as far as it is known. ``--write`` puts the tables into
docs/accuracy.md, where a test holds them to what the code gives. ``--sizes`` and ``--used`` take other files of the same columns.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import re
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue
from answers.estimator.calibrated import memory
from answers.estimator.calibrated.layout import Layout
from answers.estimator.calibrated.mixes import Mix, bits, mix
from benchmarks._document import with_section

DATA: Final = Path(__file__).with_name("data")
STANDARD_BAR, DYNAMIC_BAR, HELD_BAR = 0.03, 0.08, 0.95
"""Errors that 95 % of the files must keep to."""
USED_BAR: Final = 0.03
"""The most that the median error of measured memory may be."""
SECTION: Final = "accuracy_memory"
"""Where the tables stand in docs/accuracy.md."""
_WRITTEN = re.compile(r"(\d+)(?:\.(\d+))? (GB|GiB)")
_DOUBTED = ("looks odd", "printed as G")
"""What the collection says of figures that it doubts itself."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One measured figure beside its estimate."""

    model: str
    quant: str
    kind: str
    measured_gib: float
    estimate_gib: float
    source: str
    cause: str = ""
    """Why the two may differ, where that is known."""
    doubted: bool = False
    """Whether the source's own figure is doubted."""

    @property
    def error(self) -> float:
        """Estimate / measured - 1."""
        return self.estimate_gib / self.measured_gib - 1


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def layout_of(catalogue: Catalogue, name: str, parameters: float | None) -> tuple[str, Layout | None]:
    """The model that a row means, and its layout: by name, among several by size, and an unknown one by its size alone."""
    found = [catalogue.model(known) for known in catalogue.names.find_models(name).names]
    if parameters and found:
        found.sort(key=lambda model: abs((model.text_parameters or model.parameters) / parameters - 1))
    if found and (layout := Layout.of(found[0])) is not None and (len(found) == 1 or parameters):
        return found[0].name, layout
    return name, Layout.of_size(parameters) if parameters else None


def plain_quant(name: str) -> str:
    """The quant of a row, without what the row says beside it: "Q4_K_M (unsloth)" is Q4_K_M."""
    return re.sub(r" \(.*\)$", "", name)


def compare_sizes(catalogue: Catalogue, rows: Sequence[dict[str, str]]) -> list[Compared]:
    """Every file of a quant that is known, beside the weights that the layout gives.

    A file states how many parameters it holds. Where that is not what the language model has on file (a layer more that predicts
    several tokens, a second table of the tokens), the estimate is for as many, and the cause says so.
    """
    known = {model.name for model in catalogue.models}
    compared: list[Compared] = []
    for row in rows:
        parameters = float(row["params_b"]) * 1e9 if row["params_b"] else None
        name, layout = layout_of(catalogue, row["model"], parameters)
        quant = plain_quant(row["quant"])
        mixed = mix(quant)
        if layout is None or mixed is None:
            continue
        share = parameters / layout.text_parameters if parameters else 1.0
        other_count = abs(share - 1) > 0.01
        estimate = memory.weights_gb(layout, quant) * (share if other_count else 1.0) / memory.GIB
        measured = float(row["file_gib"])
        doubted = any(doubt in row["source"] for doubt in _DOUBTED)
        written = row.get("as_written") or row.get("file_as_written") or ""
        if doubted:
            cause = "its source doubts the figure"
        elif abs(estimate - measured) <= rounding_gib(written):
            cause = f"within the rounding of {written}"
        elif other_count:
            own = layout.text_parameters / 1e9
            cause = f"the file holds {share * own:.2f}B parameters, the model {own:.2f}B"
        elif row.get("uploader") == "unsloth" or "unsloth" in row["quant"]:
            cause = "a mix of the uploader's own"
        else:
            cause = "" if name in known else "the model is not on file"
            cause = cause or shape_of(layout, mixed, measured * memory.GIB, estimate * memory.GIB)
        kind = "dynamic" if quant.startswith("UD-") else "standard"
        compared.append(Compared(name, quant, kind, measured, estimate, row["source"], cause, doubted))
    return compared


def shape_of(layout: Layout, mixed: Mix, measured_gb: float, estimate_gb: float) -> str:
    """What the size of a file tells of how it was made."""
    if measured_gb * 8e9 / layout.text_parameters < bits(mixed.base):
        return f"fewer bits a weight than {mixed.base} has"
    larger_gb = layout.embedding * (bits(mixed.output) - bits(mixed.base)) / 8e9
    if layout.tied and abs(estimate_gb - larger_gb - measured_gb) <= 0.01 * measured_gb:
        return f"its tied table of the tokens is stored as {mixed.base}"
    return ""


def rounding_gib(written: str) -> float:
    """Half a unit of the last digit of a size as it was written; 0 where it cannot be told."""
    found = _WRITTEN.fullmatch(written.strip())
    if not found:
        return 0.0
    half = 0.5 * 10.0 ** -len(found[2] or "")
    return half / memory.GIB if found[3] == "GB" else half


def compare_used(catalogue: Catalogue, rows: Sequence[dict[str, str]]) -> list[Compared]:
    """Every measurement of memory whose terms are known, beside the same terms of the estimate."""
    compared: list[Compared] = []
    for row in rows:
        log, sampled = row["how"].startswith("llama.cpp log"), row["how"].startswith("sampled")
        parameters = float(row["params_b"]) * 1e9 if row["params_b"] else None
        name, layout = layout_of(catalogue, row["model"], parameters)
        quant = plain_quant(row["quant"])
        if not (log or sampled) or layout is None or mix(quant) is None:
            continue
        context, kv = int(row["context"]), row["kv_type"]
        # The first logs count one card's buffers, however many there were.
        cards = int(row["n_gpus"]) if "sum of" in row["how"] else 1
        flash = "fa=True" in row["how"]
        need = memory.card_weights_gb(layout, quant) + memory.cache_gb(layout, context, kv)
        need += memory.buffers_gb(layout, context, kv, cards, flash_attention=flash)
        if sampled:
            need += memory.runtime_gb(layout, cards)
        kind = "log" if log else "sampled"
        compared.append(Compared(name, quant, kind, float(row["used_gib"]), need / memory.GIB, row["source"]))
    return compared


def held(rows: Sequence[Compared], bar: float) -> float:
    """Which share of the rows keeps to an error."""
    return sum(abs(row.error) <= bar for row in rows) / len(rows) if rows else 1.0


def typical_error(rows: Sequence[Compared]) -> float:
    """The median of the errors' sizes."""
    return statistics.median(abs(row.error) for row in rows) if rows else 0.0


def size_lines(rows: Sequence[Compared]) -> list[str]:
    """The table of the files, and every miss."""
    lines = ["| files | rows | median error | within the bar | bar |", "|---|---|---|---|---|"]
    kinds: tuple[tuple[str, float, Callable[[Compared], bool]], ...] = (
        ("llama.cpp's quants", STANDARD_BAR, lambda row: row.kind == "standard"),
        ("without figures that their sources doubt", STANDARD_BAR, lambda row: row.kind == "standard" and not row.doubted),
        ("Unsloth's dynamic mixes (UD-*)", DYNAMIC_BAR, lambda row: row.kind == "dynamic"),
    )
    for title, bar, chosen in kinds:
        part = [row for row in rows if chosen(row)]
        shown = f"{typical_error(part):.2%} | {held(part, bar):.1%}"
        lines.append(f"| {title} | {len(part)} | {shown} | {HELD_BAR:.0%} within {bar:.0%} |")
    missed = [row for row in rows if abs(row.error) > (STANDARD_BAR if row.kind == "standard" else DYNAMIC_BAR)]
    lines += [
        "",
        f"Outside the bar are {len(missed)} files:",
        "",
        "| model | quant | file | error | cause |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.model} | {row.quant} | {row.measured_gib:.2f} GiB | {row.error:+.1%} | {row.cause or 'not known'} |"
        for row in sorted(missed, key=lambda row: (row.kind, row.cause, row.model, row.quant))
    ]
    return lines


def used_lines(rows: Sequence[Compared]) -> list[str]:
    """The table of measured memory: by kind, and by model within it."""
    lines = ["| measured | model | rows | median error | errors from | to |", "|---|---|---|---|---|---|"]
    for kind in ("log", "sampled"):
        of_kind = [row for row in rows if row.kind == kind]
        groups = [("all", of_kind)]
        groups += [(name, [row for row in of_kind if row.model == name]) for name in sorted({row.model for row in of_kind})]
        for name, part in groups:
            if part:
                errors = [row.error for row in part]
                lines.append(
                    f"| {kind} | {name} | {len(part)} | {typical_error(part):.2%} | {min(errors):+.1%} | {max(errors):+.1%} |"
                )
    return lines


def bars_missed(sizes: Sequence[Compared], used: Sequence[Compared]) -> list[str]:
    """Which bars do not hold, a sentence each."""
    trusted = [row for row in sizes if not row.doubted]
    standard = held([row for row in trusted if row.kind == "standard"], STANDARD_BAR)
    dynamic = held([row for row in trusted if row.kind == "dynamic"], DYNAMIC_BAR)
    checks = [
        (standard >= HELD_BAR, f"{standard:.1%} of llama.cpp's quants lie within {STANDARD_BAR:.0%}"),
        (dynamic >= HELD_BAR, f"{dynamic:.1%} of the dynamic mixes lie within {DYNAMIC_BAR:.0%}"),
    ]
    for kind in ("log", "sampled"):
        typical = typical_error([row for row in used if row.kind == kind])
        checks.append((typical <= USED_BAR, f"measured memory ({kind}) has a median error of {typical:.1%}"))
    return [sentence for good, sentence in checks if not good]


def section(sizes: Sequence[Compared], used: Sequence[Compared]) -> str:
    """The tables as docs/accuracy.md shows them."""
    return "\n".join(
        [
            "Weights, against the sizes of published files:",
            "",
            *size_lines(sizes),
            "",
            "Memory in use, against measurements. A log counts weights on the card, cache and compute buffers; a sampled peak",
            "counts the runtime too:",
            "",
            *used_lines(used),
        ]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the comparison; 1 where a bar does not hold."""
    parser = argparse.ArgumentParser(description="Compares the calibrated memory with published files and measurements.")
    parser.add_argument("--sizes", type=Path, default=DATA / "gguf_sizes.csv", help="sizes of GGUF files")
    parser.add_argument("--used", type=Path, default=DATA / "vram_used.csv", help="measured memory")
    parser.add_argument("--write", type=Path, metavar="FILE", help="a document to put the tables into")
    options = parser.parse_args(argv)
    catalogue = asyncio.run(load())
    try:
        sizes, used = compare_sizes(catalogue, read(options.sizes)), compare_used(catalogue, read(options.used))
        tables = section(sizes, used)
        if options.write:
            options.write.write_text(with_section(options.write.read_text(encoding="utf-8"), SECTION, tables), encoding="utf-8")
    except (OSError, KeyError, ValueError) as error:
        print(f"cannot be compared: {error}", file=sys.stderr)
        return 2
    print(tables)
    missed = bars_missed(sizes, used)
    print("", *(f"missed: {sentence}" for sentence in missed), sep="\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
