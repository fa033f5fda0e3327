"""Tells a catalogue from any other file, before a row of it is read."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from answers.catalogue.store import APPLICATION_ID, SCHEMA_VERSION, schema
from answers.errors import DataError

DAMAGE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged file raises; the second comes from messages and names that are no text any more."""
OBJECTS: Final = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_autoindex_%'"
"""The statement that lists everything a file defines."""


MOST_BYTES: Final = 64 << 20
"""Many times what the project's catalogue takes; more would fill the memory before anything about it is known."""


def address(path: Path) -> str:
    """The URI that opens the file read-only, without locks or journals, so that it works on a read-only disk.

    Raises:
        DataError: where there is no such file, or it is too large to be a catalogue.
    """
    if not path.is_file():
        raise DataError(f"{path}: there is no such file; `rigcheck catalogue build` makes the catalogue")
    if path.stat().st_size > MOST_BYTES:
        raise DataError(f"{path}: {path.stat().st_size / 1e6:,.0f} MB, which is too large for a catalogue")
    return f"{path.resolve().as_uri()}?mode=ro&immutable=1"


def recognise(path: Path, application_id: int, version: int, objects: Mapping[str, str]) -> None:
    """Refuse what is not a catalogue that this Rigcheck reads.

    Args:
        path: the file, for the sentence.
        application_id: what the file says it belongs to.
        version: the file's schema version.
        objects: everything the file defines, name -> statement.

    Raises:
        DataError: one sentence naming the file and what is wrong with it.
    """
    if not objects:
        raise DataError(f"{path}: the file is empty")
    if application_id != APPLICATION_ID:
        raise DataError(f"{path}: a SQLite file, but not a catalogue of Rigcheck")
    if version > SCHEMA_VERSION:
        raise DataError(f"{path}: schema version {version} is newer than this Rigcheck, which reads version {SCHEMA_VERSION}")
    if version < SCHEMA_VERSION:
        raise DataError(f"{path}: schema version {version} is too old for this Rigcheck, which reads version {SCHEMA_VERSION}")
    expected = schema()
    # A view or a trigger would let a file compute its rows; nothing but the tables themselves is accepted.
    for name in (*expected, *objects):
        if name not in objects:
            raise DataError(f"{path}: table {name} is missing")
        if expected.get(name) != objects[name]:
            raise DataError(f"{path}: {name} is not what a catalogue of schema version {version} holds")
