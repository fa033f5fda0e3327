"""``catalog.db`` is replaced or written to while a reload reads it: nothing changes, the reply says so, the next one takes it."""

from __future__ import annotations

import asyncio
import gc
import shutil
import sqlite3
import weakref
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

import commands.services
from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue
from answers.errors import DataError
from commands.kept import Key
from commands.services import Defaults, Services

ROOT = Path(__file__).resolve().parents[2]


def _changed(path: Path) -> Path:
    """Another whole catalogue."""
    shutil.copy(ROOT / "catalog.db", path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE card SET bandwidth_gb_s = 999 WHERE name = 'GeForce RTX 3090'")
        database.commit()
    return path


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    shutil.copy(ROOT / "catalog.db", tmp_path / "catalog.db")
    made = await Services.open(tmp_path / "state.db", catalogue=tmp_path / "catalog.db", reload_pause_s=0)
    yield made
    await made.close()


async def test_nothing_holds_a_catalogue_that_was_replaced(services: Services) -> None:
    # Somebody was answered from it, and nobody has asked since.
    services.kept.get(services.answering, Key("typed", "en", Defaults(), public=True, short=False))
    services.answering.ask("can I run StarCoder 2 15B on 12 GB?")
    replaced = weakref.ref(services.answering)
    assert replaced() is not None
    await services.reload()
    gc.collect()
    assert replaced() is None


@pytest.mark.parametrize("how", ["renamed over", "written over", "gone"])
async def test_a_catalogue_that_is_replaced_mid_read_is_not_taken(
    services: Services, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = services.answering
    new = _changed(tmp_path / "new.db")

    async def meanwhile(path: Path) -> Catalogue:
        read = await load(path)
        # Before it is known whether all of it was of one file.
        if how == "renamed over":
            shutil.copy(new, tmp_path / "next.db").replace(path)
        elif how == "written over":
            path.write_bytes(new.read_bytes())
        else:
            path.unlink()
        return read

    with monkeypatch.context() as patch:
        patch.setattr(commands.services, "load", meanwhile)
        with pytest.raises(DataError, match=r"catalog\.db"):
            await services.reload()
    assert services.answering is before
    assert services.generation == 1
    shutil.copy(new, services.catalogue)
    assert (await services.reload()).cards.changed == ("GeForce RTX 3090",)


async def test_a_catalogue_that_is_written_in_place_again_and_again_is_taken_whole_or_not_at_all(
    services: Services, tmp_path: Path
) -> None:
    old, new = (ROOT / "catalog.db").read_bytes(), _changed(tmp_path / "new.db").read_bytes()
    bandwidth = services.answering.catalogue.card("GeForce RTX 3090").bandwidth_gb_s
    stop = asyncio.Event()

    def write(content: bytes) -> None:
        with services.catalogue.open("r+b") as file:
            for start in range(0, len(content), 65_536):
                file.write(content[start : start + 65_536])
                file.flush()
            file.truncate()

    async def writing() -> None:
        while not stop.is_set():
            for content in (new, old):
                await asyncio.to_thread(write, content)

    writer = asyncio.create_task(writing())
    refused = 0
    for _ in range(8):
        try:
            await services.reload()
        except DataError:
            refused += 1
        card = services.answering.catalogue.card("GeForce RTX 3090")
        assert card.bandwidth_gb_s in (bandwidth, 999)
    stop.set()
    await writer
    assert refused
    await services.reload()
    assert services.answering.catalogue.card("GeForce RTX 3090").bandwidth_gb_s == bandwidth
