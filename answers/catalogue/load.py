"""Reads ``catalog.db`` into a snapshot, and refuses a file that is damaged, foreign, newer or tampered with."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from sys import intern
from typing import Any, TypeVar

import aiosqlite
import pydantic
from pydantic import ValidationError

from answers.catalogue.faults import describe, printable
from answers.catalogue.recognise import DAMAGE, OBJECTS, address, recognise
from answers.catalogue.records import Record
from answers.catalogue.snapshot import Catalogue
from answers.catalogue.store import CARDS, FIRST_CARDS, MEASUREMENTS, MODELS, PICKS, PROVENANCE, QUALITY, SCHEMA_VERSION, Table
from answers.errors import DataError
from answers.kept import keep, recalled, stamp
from answers.locales import data_path

R = TypeVar("R", bound=Record)
_KEPT = "catalogue"
"""The name that a snapshot is kept under."""


async def load(path: Path | None = None) -> Catalogue:
    """The catalogue in ``path``; without a path, the one that the project or the installed package has.

    The file is opened read-only, and only the tables of a catalogue are read. What an earlier process made of the same content is
    taken from where that was kept.

    Raises:
        DataError: one sentence naming the path, and for a row that cannot be right also the row and the field.
    """
    path = path or data_path("catalog.db")
    place = address(path)
    with _no_collection():
        written, of = _written(path), _stamp(path)
        snapshot = recalled(_KEPT, of)
        if snapshot is None:
            snapshot = await _opened(place, path)
            # What is written over it and back again meanwhile leaves the stamp as it was.
            if (_written(path), _stamp(path)) == (written, of):
                keep(_KEPT, of, snapshot)
    return snapshot


def _stamp(path: Path) -> str:
    """What the file says, and the code that reads it; one that nothing is kept under where it cannot be read."""
    try:
        return stamp([path, *sorted(Path(__file__).parent.glob("*.py"))], pydantic.VERSION)
    except OSError:
        return ""


def _written(path: Path) -> tuple[int, ...]:
    """Which file it is and when it was written last, as far as the file system knows."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


async def _opened(place: str, path: Path) -> Catalogue:
    try:
        async with aiosqlite.connect(place, uri=True) as database:
            return await _read(database, path)
    except DAMAGE as error:
        raise DataError(f"{path}: not a catalogue, or damaged: {printable(error)}") from error


@contextmanager
def _no_collection() -> Generator[None, None, None]:
    # Everything that a load makes is kept, so looking for garbage meanwhile is a fifth of the time for nothing.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


async def _read(database: aiosqlite.Connection, path: Path) -> Catalogue:
    await _recognise(database, path)
    snapshot = Catalogue.of(
        models=await _records(database, MODELS, path),
        cards=await _records(database, CARDS, path),
        first_cards=await _records(database, FIRST_CARDS, path),
        picks=await _records(database, PICKS, path),
        quality=await _records(database, QUALITY, path),
        provenance=await _records(database, PROVENANCE, path),
        measurements=await _rows(database, MEASUREMENTS.select()),
        day=await _date(database, path),
        schema_version=SCHEMA_VERSION,
    )
    _resolve(snapshot, path)
    return snapshot


async def _recognise(database: aiosqlite.Connection, path: Path) -> None:
    application_id, version = [(await _rows(database, f"PRAGMA {name}"))[0][0] for name in ("application_id", "user_version")]
    recognise(path, application_id, version, dict(await _rows(database, OBJECTS)))


async def _records(database: aiosqlite.Connection, table: Table[R], path: Path) -> tuple[R, ...]:
    rows = await _rows(database, table.select())
    aliases = await _rows(database, table.select_aliases()) if table.has_aliases else []
    try:
        raw = table.raw(rows)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error
    by_name = {fields.get(table.key): fields for fields in raw}
    for name, alias in aliases:
        if name not in by_name:
            raise DataError(f"{path}: {table.alias_table}: {printable(name)} is no {table.name} on file")
        by_name[name].setdefault("aliases", []).append(alias)
    try:
        records = table.validator.validate_python(raw)
    except ValidationError as error:
        fault = error.errors()[0]
        record = raw[int(fault["loc"][0])]
        raise DataError(f"{path}: {table.name} {printable(record.get(table.key))}: {describe(fault, skip=1)}") from error
    # Which fields a record has from the file is of no use to anybody, and noting it for each takes as much memory as the records.
    noted = set(table.fields)
    for record in records:
        object.__setattr__(record, "__pydantic_fields_set__", noted)
    return records


async def _date(database: aiosqlite.Connection, path: Path) -> date:
    rows = await _rows(database, "SELECT value FROM meta WHERE key = 'date'")
    try:
        return date.fromisoformat(rows[0][0])
    except (IndexError, ValueError) as error:
        raise DataError(f"{path}: meta date: should be an ISO date") from error


def _resolve(snapshot: Catalogue, path: Path) -> None:
    """Foreign keys are not checked when a file is only read, so the references are followed here."""
    for model in snapshot.models:
        if model.superseded_by is not None:
            _follow(snapshot.model, model.superseded_by, f"{path}: model {model.name}: superseded_by")
    for field, look_up in (("card", snapshot.card), ("model", snapshot.model)):
        column = MEASUREMENTS.fields.index(field)
        for row in snapshot.measured.rows:
            if row[column] is not None:
                _follow(look_up, row[column], f"{path}: measurement {row[0]}: {field}")
    for pick in snapshot.picks:
        for field, name in (("model", pick.model), ("over", pick.over)):
            if name is not None:
                _follow(snapshot.model, name, f"{path}: pick {pick.name}: {field}")
    for name in snapshot.quality:
        _follow(snapshot.model, name, f"{path}: quality {name}: model")
    for memory_gb, card in snapshot.first_cards.items():
        _follow(snapshot.card, card, f"{path}: first_card {memory_gb:g}: card")


def _follow(look_up: Any, name: str, place: str) -> None:
    try:
        look_up(name)
    except KeyError as error:
        raise DataError(f"{place}: {printable(name)} is not on file") from error


async def _rows(database: aiosqlite.Connection, statement: str) -> list[tuple[Any, ...]]:
    rows = await database.execute_fetchall(statement)
    # A column says the same thing in hundreds of rows: it is held once, here and in what is kept.
    return [tuple(intern(cell) if type(cell) is str else cell for cell in row) for row in rows]
