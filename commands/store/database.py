"""Opens ``state.db``: tells it from other files, brings it up to date, and writes to it in whole transactions."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
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


def migrations() -> tuple[str, ...]:
    """The SQL scripts in order; a file is at version N once the first N have run."""
    folder = files("commands.store") / "migrations"
    scripts = sorted((file for file in folder.iterdir() if re.fullmatch(r"\d{3}_\w+\.sql", file.name)), key=lambda file: file.name)
    return tuple(script.read_text(encoding="utf-8") for script in scripts)


async def connect(path: Path, scripts: tuple[str, ...], busy_ms: int = BUSY_MS) -> aiosqlite.Connection:
    """The file, made where it is not there, at the version that ``scripts`` lead to.

    A file that is not ours, damaged or newer is not written to.

    Raises:
        DataError: one sentence naming the file and what is wrong with it.
    """
    _place(path)
    try:
        database = await aiosqlite.connect(path, isolation_level=None, timeout=busy_ms / 1000)
    except sqlite3.Error as error:
        raise DataError(f"{path}: cannot be opened: {error}") from error
    try:
        await _recognise(database, path, len(scripts))
        await _prepare(database, busy_ms)
        await _migrate(database, path, scripts)
    except BaseException as error:
        await database.close()
        if isinstance(error, DAMAGE):
            raise fault(path, error) from error
        raise
    return database


def _place(path: Path) -> None:
    if not path.parent.is_dir():
        raise DataError(f"{path}: there is no folder {path.parent}")
    if path.is_dir():
        raise DataError(f"{path}: a folder, where the bot's state is a file")


def fault(path: Path, error: Exception) -> DataError:
    """What SQLite says about a file, as one sentence."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return DataError(f"{path}: locked by another process")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return DataError(f"{path}: cannot be written to: {error}")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return DataError(f"{path}: the disk refused to write: {error}")
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
        raise DataError(f"{path}: damaged: {str(health).splitlines()[0]}")


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
