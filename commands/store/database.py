"""Opens ``state.db``: tells it from other files, brings it up to date, and writes to it in whole transactions."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import aiosqlite

from answers.errors import DataError

APPLICATION_ID: Final = 0x52494753
"""Marks a SQLite file as the state of a Rigcheck bot ("RIGS")."""
BUSY_MS: Final = 5_000
"""How long a write waits for another process to finish its own."""
DAMAGE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
_BETWEEN_TRIES_S: Final = 0.05
_BROKEN: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_CLOSED_TO_US: Final = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


class Damaged(DataError):
    """The file is no sound database; nothing that was in it can be relied on."""


class Unwritable(DataError):
    """The file cannot be written to: no room, no permission, or another process holds it. Nothing has changed."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An open file."""

    database: aiosqlite.Connection
    trouble: str | None = None
    """Why it cannot be written to, where it can only be read."""


def migrations() -> tuple[str, ...]:
    """The SQL scripts in order; a file is at version N once the first N have run."""
    folder = files("commands.store") / "migrations"
    scripts = sorted((file for file in folder.iterdir() if re.fullmatch(r"\d{3}_\w+\.sql", file.name)), key=lambda file: file.name)
    return tuple(script.read_text(encoding="utf-8") for script in scripts)


async def connect(path: Path, scripts: tuple[str, ...], busy_ms: int = BUSY_MS) -> Opened:
    """The file, made where it is not there, at the version that ``scripts`` lead to; one that cannot be written to is only read.

    A file that is not ours, damaged or newer is not written to.

    Raises:
        Damaged: where the file is no sound database.
        DataError: one sentence naming the file and what is wrong with it.
    """
    _place(path)
    try:
        return Opened(await _open(str(path), path, scripts, busy_ms, writes=True))
    except Unwritable as error:
        if not _is_closed_to_us(error):
            raise
        return Opened(await _open(_for_reading(path, error), path, scripts, busy_ms, writes=False), str(error))


async def _open(address: str, path: Path, scripts: tuple[str, ...], busy_ms: int, *, writes: bool) -> aiosqlite.Connection:
    database = aiosqlite.connect(address, isolation_level=None, timeout=busy_ms / 1000, uri=not writes)
    try:
        await database
    except sqlite3.Error as error:
        # The library does not wait for its thread here: one that outlived the loop would end with a traceback.
        thread = getattr(database, "_thread", None)
        if thread is not None:
            await asyncio.to_thread(thread.join)
        raise Unwritable(f"{path}: cannot be opened: {error}") from error
    try:
        await _recognise(database, path, len(scripts))
        if writes:
            await _prepare(database, busy_ms)
            await _migrate(database, path, scripts)
        elif await pragma(database, "user_version") != len(scripts):
            raise DataError(f"{path}: of an older Rigcheck, and cannot be brought up to date, since it cannot be written to")
    except BaseException as error:
        await database.close()
        if isinstance(error, DAMAGE):
            raise fault(path, error) from error
        raise
    return database


def _is_closed_to_us(error: Unwritable) -> bool:
    """Whether the file or its folder is read-only; one that is locked, or on a full disk, is not."""
    return getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF in _CLOSED_TO_US


def _for_reading(path: Path, error: Unwritable) -> str:
    """The address that opens a file for reading, with its log where there is one.

    Raises:
        Unwritable: where it is not there, or cannot be read whole without writing beside it.
    """
    if not path.is_file():
        raise error
    log = path.with_name(f"{path.name}-wal")
    unfinished = log.exists() and log.stat().st_size > 0
    if unfinished and not path.with_name(f"{path.name}-shm").exists():
        # What is in the log belongs to the settings, and to read it SQLite has to make a file in the folder.
        raise error
    return f"{path.resolve().as_uri()}?mode=ro" + ("" if unfinished else "&immutable=1")


def identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another one of the same name; ``None`` where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


def _place(path: Path) -> None:
    if not path.parent.is_dir():
        raise DataError(f"{path}: there is no folder {path.parent}")
    if path.is_dir():
        raise DataError(f"{path}: a folder, where the bot's state is a file")


def fault(path: Path, error: Exception) -> DataError:
    """What SQLite says about a file, as one sentence."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Unwritable(f"{path}: locked by another process")
    if code in _CLOSED_TO_US:
        return Unwritable(f"{path}: cannot be written to: {error}")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return Unwritable(f"{path}: the disk refused to write: {error}")
    if code in _BROKEN or isinstance(error, UnicodeDecodeError):
        return Damaged(f"{path}: damaged: {error}")
    return DataError(f"{path}: damaged, or no state of this bot: {error}")


@asynccontextmanager
async def transaction(database: aiosqlite.Connection, path: Path, version: int) -> AsyncGenerator[None, None]:
    """One write, whole or not at all, that no other writer comes between.

    Raises:
        DataError: where a newer Rigcheck has taken the file over meanwhile.
    """
    await database.execute("BEGIN IMMEDIATE")
    try:
        found = await pragma(database, "user_version")
        if found != version:
            raise _newer(path, found, version)
        yield
        await database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            await database.execute("ROLLBACK")
        raise


async def pragma(database: aiosqlite.Connection, name: str) -> Any:
    """The value of one of SQLite's settings."""
    (row,) = await database.execute_fetchall(f"PRAGMA {name}")
    return row[0]


async def _recognise(database: aiosqlite.Connection, path: Path, version: int) -> None:
    """Refuse what is not ours, newer or damaged, before anything is written."""
    # One transaction: another process that makes the file meanwhile is seen either not at all or whole.
    await database.execute("BEGIN")
    try:
        (row,) = await database.execute_fetchall("SELECT count(*) FROM sqlite_master")
        marked, found = await pragma(database, "application_id"), await pragma(database, "user_version")
        health = await pragma(database, "quick_check")
    finally:
        if database.in_transaction:
            await database.execute("ROLLBACK")
    if row[0] == 0 and marked == 0 and found == 0:
        return
    if marked != APPLICATION_ID:
        raise DataError(f"{path}: a SQLite file, but not the state of a Rigcheck bot")
    if found > version:
        raise _newer(path, found, version)
    if health != "ok":
        raise Damaged(f"{path}: damaged: {str(health).splitlines()[0]}")


def _newer(path: Path, found: int, version: int) -> DataError:
    return DataError(f"{path}: schema version {found} is newer than this Rigcheck, which reads version {version}")


async def _prepare(database: aiosqlite.Connection, busy_ms: int) -> None:
    # Two processes that start together both want to switch to WAL, for which SQLite does not wait by itself.
    tries_left = int(busy_ms / 1000 / _BETWEEN_TRIES_S)
    while True:
        try:
            await database.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or tries_left <= 0:
                raise
            tries_left -= 1
            await asyncio.sleep(_BETWEEN_TRIES_S)
    # SQLite opens what is read-only without a word, and says so only of the first write.
    await database.execute("BEGIN IMMEDIATE")
    await database.execute("ROLLBACK")
    # Settings change rarely: each change may wait for the disk, so that not even a power cut loses one.
    await database.execute("PRAGMA synchronous = FULL")
    # What is forgotten is overwritten.
    await database.execute("PRAGMA secure_delete = ON")


async def _migrate(database: aiosqlite.Connection, path: Path, scripts: tuple[str, ...]) -> None:
    if await pragma(database, "user_version") == len(scripts):
        return
    await database.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been quicker.
        found = await pragma(database, "user_version")
        if found > len(scripts):
            raise _newer(path, found, len(scripts))
        for script in scripts[found:]:
            for statement in _statements(script):
                await database.execute(statement)
        await database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        await database.execute(f"PRAGMA user_version = {len(scripts)}")
        await database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            await database.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: sqlite3 would commit before it runs a whole one."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
