from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from answers.catalogue.check import check
from answers.catalogue.collect import SOURCES
from answers.catalogue.picks import read_picks
from answers.catalogue.snapshot import Catalogue
from answers.errors import DataError

FILE = SOURCES / "picks.toml"
LINES = FILE.read_text(encoding="utf-8").splitlines()


def test_every_use_has_picks_of_the_last_year_with_a_reason_and_its_source(catalogue: Catalogue) -> None:
    for use in ("general", "code", "reasoning", "vision", "small"):
        picked = [pick for pick in catalogue.picks if pick.use == use]
        assert sum(catalogue.model(pick.model).released >= "2025-12" for pick in picked) >= 5, use
        assert all(pick.source.startswith("https://") and pick.month == "2026-11" for pick in picked)


def test_a_pick_is_for_what_its_record_says_that_the_model_does(catalogue: Catalogue) -> None:
    for pick in catalogue.picks:
        if pick.use != "small":
            assert pick.use in catalogue.model(pick.model).uses, pick.name


def test_a_pick_whose_record_is_gone_fails_the_check_by_file_line_and_key(committed: Path, tmp_path: Path) -> None:
    sources = Path(shutil.copytree(SOURCES, tmp_path / "sources"))
    line = LINES.index('model = "Gemma 4 12B"') + 1
    write(sources / "picks.toml", 'model = "Gemma 4 12B"', 'model = "Gemma 9 12B"')
    assert check(committed, sources) == [f"picks.toml: line {line}: general: Gemma 9 12B: model: Gemma 9 12B is not on file"]


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ('over = "Qwen3.6 27B"', 'over = "Qwen3.6 28B"', "general: Qwen3.8 27B: over: Qwen3.6 28B is not on file"),
        ('test = "MMLU-Pro"\n', "", "test: missing, though the reason is score"),
        ('use = "general"\nmodel = "Gemma 4 12B"', 'use = "writing"\nmodel = "Gemma 4 12B"', "use: input should be 'general'"),
        ('why = "best_on"', 'why = "nice"', "why: input should be 'score'"),
        ('month = "2026-11"', 'month = "November"', "month: string should match pattern"),
        ('month = "2026-11"', "", "picks.toml: month is missing"),
        ('model = "Gemma 4 31B"', 'model = "Qwen3.8 27B"', "general: Qwen3.8 27B: model: is picked for that use already"),
    ],
)
def test_what_cannot_be_right_is_named(catalogue: Catalogue, tmp_path: Path, before: str, after: str, problem: str) -> None:
    copied = Path(shutil.copy(FILE, tmp_path))
    write(copied, before, after)
    with pytest.raises(DataError, match=r"^picks\.toml: ") as failed:
        read_picks(copied, catalogue.models)
    assert problem in str(failed.value)


def write(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")
