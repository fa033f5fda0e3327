"""A ``state.db`` that is damaged is kept aside and begun anew; one that cannot be written to is read. Both are said loudly."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from answers.errors import DataError
from commands.store.aside import KEPT_DAYS, delete_old, keep_aside, kept_aside
from commands.store.database import Unwritable
from commands.store.servers import Mode, Server
from commands.store.store import Store
from tests.faults.powers import without_override

GUILD = 81384788765712384


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


async def _filled(path: Path) -> None:
    """A store whose settings take several pages."""
    store = await Store.open(path)
    for number in range(1, 200):
        await store.change_channel(GUILD, number, mode=Mode.SHORT, language="es")
    await store.close()


def _middle(content: bytes) -> bytes:
    """Everything but the first two pages overwritten."""
    return content[: 4096 * 2] + b"\x5a" * (len(content) - 4096 * 2)


@asynccontextmanager
async def _opened(path: Path) -> AsyncIterator[Store]:
    """A store that is closed whatever happens, or its thread would keep the tests from ending."""
    store = await Store.open(path)
    try:
        yield store
    finally:
        await store.close()


DAMAGES = {
    "the middle is overwritten": _middle,
    "the head is overwritten": lambda content: b"\xff" * 200 + content[200:],
    "all is overwritten": lambda content: b"no database at all" * 1000,
    "all is zeros": lambda content: bytes(len(content)),
    "the end is missing": lambda content: content[: len(content) // 2],
}


@pytest.mark.parametrize("how", DAMAGES)
async def test_a_damaged_store_is_kept_aside_and_begun_anew(path: Path, how: str, caplog: pytest.LogCaptureFixture) -> None:
    await _filled(path)
    damaged = DAMAGES[how](path.read_bytes())
    path.write_bytes(damaged)
    with caplog.at_level(logging.ERROR, "rigcheck"):
        async with _opened(path) as store:
            assert store.servers() == ()
            (aside,) = [file for file in path.parent.iterdir() if ".damaged-" in file.name]
            assert (store.set_aside, aside.read_bytes()) == (aside, damaged)
            (said,) = caplog.records
            assert "THE STATE WAS DAMAGED" in said.getMessage()
            assert aside.name in said.getMessage()
            # It is a store like any other, and stays one.
            await store.change_server(GUILD, language="it")
    async with _opened(path) as again:
        assert (again.server(GUILD), again.set_aside) == (Server(language="it"), None)


async def test_what_lies_beside_a_damaged_file_is_not_played_into_the_new_one(path: Path) -> None:
    path.write_bytes(b"\xff" * 8192)
    for beside in ("-wal", "-journal"):
        path.with_name(path.name + beside).write_bytes(beside.encode() * 1000)
    async with _opened(path) as store:
        assert store.set_aside
        await store.change_server(GUILD, language="it")
    assert not list(path.parent.glob("state.db-*"))
    async with _opened(path) as store:
        assert store.server(GUILD) == Server(language="it")


async def test_each_damaged_file_is_kept(path: Path) -> None:
    for number in range(3):
        path.write_bytes(bytes([65 + number]) * 5000)
        await (await Store.open(path)).close()
    kept = sorted(file.read_bytes()[:1] for file in path.parent.iterdir() if ".damaged-" in file.name)
    assert kept == [b"A", b"B", b"C"]


async def test_processes_that_find_it_damaged_together_lose_no_new_one(path: Path) -> None:
    path.write_bytes(b"\xff" * 8192)
    stores = await asyncio.gather(*(Store.open(path) for _ in range(4)))
    for number, store in enumerate(stores, 1):
        await store.change_channel(GUILD, number, mode=Mode.OFF)
    await asyncio.gather(*(store.close() for store in stores))
    async with _opened(path) as again:
        assert sorted(again.server(GUILD).channels) == [1, 2, 3, 4]
    assert len([file for file in path.parent.iterdir() if ".damaged-" in file.name]) == 1


async def test_a_full_disk_refuses_the_change_and_nothing_else(path: Path) -> None:
    await _filled(path)
    async with _opened(path) as store:
        before = store.server(GUILD)
        pages = next(iter(await store._database.execute_fetchall("PRAGMA page_count")))[0]
        # What SQLite says of a disk without room, SQLITE_FULL.
        await store._database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(Unwritable, match="the disk refused to write"):
            for number in range(1000, 1400):
                await store.change_channel(GUILD, number, mode=Mode.OFF, language="e" * 200)
        after = store.server(GUILD)
        await store.refresh()
        assert store.server(GUILD) == after
        assert before.channels.items() <= after.channels.items()
        await store._database.execute("PRAGMA max_page_count = 100000")
        await store.change_server(GUILD, language="it")
        assert store.server(GUILD).language == "it"


READ_ONLY = """
import asyncio, sys
from pathlib import Path
from answers.errors import DataError
from commands.store.store import Store

async def main(path):
    store = await Store.open(Path(path))
    print("trouble", store.trouble is not None, sorted(store.server({guild}).channels)[:2])
    try:
        await store.change_server({guild}, language="it")
    except DataError as error:
        print("refused", type(error).__name__, str(error))
    print("language", store.server({guild}).language)
    await store.close()

asyncio.run(main(sys.argv[1]))
""".replace("{guild}", str(GUILD))


@pytest.mark.parametrize("read_only", ["the file", "the folder too"])
async def test_a_store_that_may_only_be_read_is_read(path: Path, read_only: str) -> None:
    await _filled(path)
    path.chmod(0o444)
    if read_only == "the folder too":
        path.parent.chmod(0o555)
    try:
        said, errors = await without_override(READ_ONLY, str(path))
    finally:
        path.parent.chmod(0o755)
    trouble, refused, language = said.splitlines()
    assert trouble == "trouble True [1, 2]"
    assert refused.startswith(f"refused Unwritable {path}: ")
    assert language == "language None"
    assert "none can be changed" in errors


async def test_a_store_that_can_neither_be_made_nor_read_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o555)
    said, errors = await without_override(READ_ONLY, str(folder / "state.db"), fails=True)
    assert not said
    assert "state.db: cannot be" in errors.splitlines()[-1]
    folder.chmod(0o755)


async def test_a_damaged_file_that_cannot_be_renamed_is_refused(path: Path) -> None:
    path.write_bytes(b"\xff" * 8192)
    path.parent.chmod(0o555)
    try:
        said, errors = await without_override(READ_ONLY, str(path), fails=True)
    finally:
        path.parent.chmod(0o755)
    assert not said
    assert "damaged, and cannot be kept aside" in errors.splitlines()[-1]
    assert issubclass(Unwritable, DataError)


async def test_what_is_kept_aside_goes_after_its_days_and_nothing_else_does(path: Path) -> None:
    found = datetime(2026, 12, 1, 12, tzinfo=UTC)
    path.write_bytes(b"\xff" * 8192)
    path.with_name("state.db-wal").write_bytes(b"a machine that somebody saved")
    aside = keep_aside(path, found)
    beside = aside.with_name(aside.name + "-wal")
    others = [path.with_name(name) for name in ("state.db.damaged-mine", "state.db", "other.db.damaged-20200101T000000Z")]
    for other in others:
        other.write_bytes(b"x")
    until = found + timedelta(days=KEPT_DAYS)
    assert kept_aside(path) == {aside: until, beside: until}
    delete_old(path, until - timedelta(seconds=1))
    assert aside.exists()
    assert beside.exists()
    delete_old(path, until)
    assert sorted(path.parent.iterdir()) == sorted(others)


async def test_it_is_looked_for_at_the_start_and_every_day_after(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commands.store.store._DAY_S", 0.01)
    late = path.with_name("state.db.damaged-20200101T000000Z-2")
    late.write_bytes(b"a machine that somebody saved")
    async with _opened(path) as store:
        await _gone(late)
        assert store.aside_until is None
        late.write_bytes(b"another one")
        await _gone(late)


async def _gone(file: Path) -> None:
    while file.exists():  # noqa: ASYNC110 - nothing says when a file has gone
        await asyncio.sleep(0.001)
