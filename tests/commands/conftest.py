from __future__ import annotations

import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from answers.answering import Answering
from answers.catalogue.load import load
from answers.locales import Locales
from commands.services import Services
from commands.store.store import Store

ROOT = Path(__file__).resolve().parents[2]


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def catalogue_file(tmp_path: Path) -> Path:
    """A copy of the project's catalogue that a test may change."""
    return Path(shutil.copy(ROOT / "catalog.db", tmp_path / "catalog.db"))


def change(path: Path, *statements: str) -> None:
    """Change a catalogue as somebody would who pays no attention to its constraints."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            database.execute(statement)
        database.commit()


@pytest.fixture(scope="session")
def first_answering() -> Callable[[], Answering]:
    """What the project's catalogue answers with; loaded once, since nothing in it changes."""
    import asyncio

    answering = asyncio.run(_open())
    return lambda: answering


async def _open() -> Answering:
    return Answering(await load(ROOT / "catalog.db"), Locales.load())


@pytest.fixture
async def services(
    tmp_path: Path, catalogue_file: Path, clock: Clock, first_answering: Callable[[], Answering]
) -> AsyncIterator[Services]:
    """Services with real files, where time passes when a test says so."""
    store = await Store.open(tmp_path / "state.db")
    made = Services(first_answering(), store, catalogue=catalogue_file, reload_pause_s=10.0, clock=clock)
    yield made
    await made.close()
