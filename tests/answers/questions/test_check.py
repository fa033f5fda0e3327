"""The files about processors are checked, and what is wrong is named with file, key and line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from answers.questions.check import FOLDER, check


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("processors.toml", "memory_speed.toml"):
        shutil.copy(FOLDER / name, tmp_path / name)
    return tmp_path


def test_the_files_as_they_are_have_nothing_wrong() -> None:
    assert check() == []


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("processors.toml", "telling = [", "telling = 7 # [", "telling should be a list of words in quotes"),
        ("processors.toml", "endings = [", 'wrong = ["x"]\nendings = [', "wrong is not a list that is read"),
        ("memory_speed.toml", "ddr3 = 1600", "ddr3 = 16", "kinds.ddr3 should be a number of MT/s"),
        ("memory_speed.toml", "mt_s = 6000", 'mt_s = "6000"', "processors: mt_s should be a number of MT/s"),
        ("memory_speed.toml", "channels = 12", "channels = 128", "processors: channels should be a number of channels of 64 bits"),
        ("memory_speed.toml", 'names = ["epyc 9##5"]', "names = []", "processors: names should be a list of words in quotes"),
        ("memory_speed.toml", "mt_s = 6000", "mt_s = 6000\nspeed = 1", "processors: speed is not read"),
        ("memory_speed.toml", "[kinds]", "[kinds", "memory_speed.toml: "),
    ],
)
def test_what_is_wrong_is_named(folder: Path, file: str, old: str, new: str, said: str) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    found = check(folder)
    assert any(said in sentence and sentence.startswith(file) for sentence in found), found
    assert all("line" in sentence for sentence in found)
