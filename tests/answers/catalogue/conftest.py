from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from answers.catalogue.build import build
from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalogue built from the sources; not to be written to."""
    target = tmp_path_factory.mktemp("built") / "catalog.db"
    build(target)
    return target


@pytest.fixture(scope="session")
def committed() -> Path:
    """The catalogue of the project; not to be written to."""
    return ROOT / "catalog.db"


@pytest.fixture(scope="session")
def catalogue(committed: Path) -> Catalogue:
    return asyncio.run(load(committed))


@pytest.fixture
def copy(committed: Path, tmp_path: Path) -> Path:
    """A copy of the committed catalogue that a test may damage."""
    return Path(shutil.copy(committed, tmp_path / "catalog.db"))


@pytest.fixture
def shared() -> Path:
    """Where the source documents and the tables that the catalogue came from lie, on machines that have them."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the source documents are not on this machine")
    return folder


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of the sources that a test may damage, with the models of two families only, which is quicker to read."""
    copied = Path(shutil.copytree(ROOT / "answers" / "catalogue" / "sources", tmp_path / "sources"))
    for file in (copied / "models").iterdir():
        if file.name not in ("qwen2.toml", "qwen3.toml"):
            file.unlink()
    measured = copied / "measurements.csv"
    header, *rows = measured.read_text(encoding="utf-8").splitlines()
    measured.write_text("\n".join([header, *(row for row in rows if ",Qwen3 8B," in row)]) + "\n", encoding="utf-8")
    # Picks and published figures name models of many families.
    quality = copied / "quality.csv"
    quality.write_text(quality.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    (copied / "picks.toml").write_text('month = "2026-11"\n', encoding="utf-8")
    return copied


@pytest.fixture
def edit(sources: Path) -> Callable[[str, str, str], None]:
    """Replace a text in one file of the copied sources; an empty text stands for the end of the file."""

    def replace(file: str, old: str, new: str) -> None:
        path = sources / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1) if old else text + new, encoding="utf-8")

    return replace
