"""The bars for memory, and that what is written down of them is what the code gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from answers.catalogue.snapshot import Catalogue
from answers.estimator.calibrated import memory, mixes
from benchmarks import calibrate_memory
from benchmarks._document import with_section
from benchmarks.accuracy_memory import (
    DATA,
    DYNAMIC_BAR,
    HELD_BAR,
    SECTION,
    STANDARD_BAR,
    USED_BAR,
    Compared,
    bars_missed,
    compare_sizes,
    compare_used,
    held,
    read,
    section,
    typical_error,
)

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def sizes(catalogue: Catalogue) -> list[Compared]:
    return compare_sizes(catalogue, read(DATA / "gguf_sizes.csv"))


@pytest.fixture(scope="module")
def used(catalogue: Catalogue) -> list[Compared]:
    return compare_used(catalogue, read(DATA / "vram_used.csv"))


def test_weights_keep_to_their_bars(sizes: list[Compared]) -> None:
    standard = [row for row in sizes if row.kind == "standard" and not row.doubted]
    dynamic = [row for row in sizes if row.kind == "dynamic"]
    assert len(standard) >= 200
    assert held(standard, STANDARD_BAR) >= HELD_BAR
    assert held(dynamic, DYNAMIC_BAR) >= HELD_BAR


def test_measured_memory_keeps_to_its_bar(used: list[Compared]) -> None:
    for kind, least in (("log", 170), ("sampled", 180)):
        rows = [row for row in used if row.kind == kind]
        assert len(rows) >= least
        assert typical_error(rows) <= USED_BAR


def test_no_row_is_left_out_but_those_of_unknown_quants(sizes: list[Compared], used: list[Compared]) -> None:
    assert len(read(DATA / "gguf_sizes.csv")) - len(sizes) == 1  # IQ3_K is no quant of llama.cpp
    assert len(read(DATA / "vram_used.csv")) == len(used)


def test_every_row_names_its_source() -> None:
    for file in ("gguf_sizes.csv", "vram_used.csv"):
        assert all(row["source"] for row in read(DATA / file))


def test_a_bar_that_does_not_hold_is_named(sizes: list[Compared], used: list[Compared]) -> None:
    assert bars_missed(sizes, used) == []
    wrong = [Compared(row.model, row.quant, row.kind, row.measured_gib, 1.1 * row.estimate_gib, row.source) for row in used]
    assert any("log" in sentence for sentence in bars_missed(sizes, wrong))


def test_the_document_shows_what_the_command_prints(sizes: list[Compared], used: list[Compared]) -> None:
    document = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    assert with_section(document, SECTION, section(sizes, used)) == document, (
        "python -m benchmarks.accuracy_memory --write docs/accuracy.md"
    )


def test_a_document_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="accuracy_memory"):
        with_section("# A document", SECTION, "tables")


def test_the_fitted_constants_are_those_that_the_data_give(catalogue: Catalogue) -> None:
    text = calibrate_memory.FILE.read_text(encoding="utf-8")
    chosen = calibrate_memory.samples(catalogue, read(DATA / "vram_used.csv"))
    assert calibrate_memory.written(text, chosen) == text, "make calibrate"


def test_the_fit_holds_for_models_that_it_has_not_seen(catalogue: Catalogue) -> None:
    assert calibrate_memory.left_out_error(calibrate_memory.samples(catalogue, read(DATA / "vram_used.csv"))) <= USED_BAR


def test_no_constant_names_a_model_or_a_card(catalogue: Catalogue) -> None:
    for module in (memory, mixes):
        text = (Path(module.__file__).parent / f"{module.__name__.rsplit('.', 1)[1]}.toml").read_text(encoding="utf-8")
        settings = "\n".join(line.split("#")[0] for line in text.splitlines())
        for name in (*catalogue.families, *(card.name for card in catalogue.surveyed)):
            assert not re.search(rf"\b{re.escape(name)}\b", settings, re.IGNORECASE), name
