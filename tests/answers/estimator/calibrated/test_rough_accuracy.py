"""The figures that are set by hand, beside what is published."""

from __future__ import annotations

from pathlib import Path

import pytest

from answers.catalogue.snapshot import Catalogue
from answers.estimator.calibrated.speed import processor_gb_s
from benchmarks._document import with_section
from benchmarks.accuracy_memory import DATA, read
from benchmarks.accuracy_rough import SECTION, processors, prompts, section

ROOT = Path(__file__).resolve().parents[4]


def test_prompts_are_right_to_a_factor_of_two(catalogue: Catalogue) -> None:
    found = prompts(catalogue, read(DATA / "prompts.csv"))
    assert len(found) > 100
    assert sum(row.inside for row in found) >= 0.95 * len(found)
    middle = sorted(row.ratio for row in found)[len(found) // 2]
    assert 0.9 < middle < 1.1


def test_processors_lie_within_their_ranges(catalogue: Catalogue) -> None:
    found = processors(catalogue, read(DATA / "processors.csv"))
    assert [row.group.partition(",")[0] for row in found if not row.inside] == ["Threadripper PRO 5975WX", "AmpereOne A192-32X"]


def test_a_processor_reaches_less_than_its_memory_gives_and_more_from_faster_memory() -> None:
    reached = [processor_gb_s(rate) for rate in (10.0, 50.0, 100.0, 460.0, 1000.0)]
    assert reached == sorted(reached)
    assert all(found < rate for found, rate in zip(reached, (10.0, 50.0, 100.0, 460.0, 1000.0), strict=True))
    assert processor_gb_s(1e9) < 300
    assert processor_gb_s(50.0) == pytest.approx(1 / (1 / (0.77 * 50) + 1 / 300))


def test_every_row_names_its_source() -> None:
    assert all(row["source"] for file in ("prompts.csv", "processors.csv") for row in read(DATA / file))


def test_the_document_shows_what_the_command_prints(catalogue: Catalogue) -> None:
    document = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    tables = section(prompts(catalogue, read(DATA / "prompts.csv")), processors(catalogue, read(DATA / "processors.csv")))
    assert with_section(document, SECTION, tables) == document, "python -m benchmarks.accuracy_rough --write docs/accuracy.md"
