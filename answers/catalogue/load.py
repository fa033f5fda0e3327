"""Reads ``catalog.db`` into a snapshot, and refuses a file that is damaged, foreign, newer or tampered with."""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
from pydantic import TypeAdapter, ValidationError

from answers.catalogue.faults import describe
from answers.catalogue.records import Record
from answers.catalogue.snapshot import Catalogue
from answers.catalogue.store import (
    APPLICATION_ID,
    CARDS,
    FIRST_CARDS,
    MODELS,
    PROVENANCE,
    SCHEMA_VERSION,
    Table,
    alias_table,
    schema,
)
from answers.errors import DataError
from answers.locales import data_path

R = TypeVar("R", bound=Record)


async def load(path: Path | None = None) -> Catalogue:
    """The catalogue in ``path``; without a path, the one that the project or the installed package has.

    The file is opened read-only, and only the tables of a catalogue are read.

    Raises:
        DataError: one sentence naming the path, and for a row that cannot be right also the row and the field.
    """
    path = path or data_path("catalog.db")
    if not path.is_file():
        raise DataError(f"{path}: there is no such file; `rigcheck catalogue build` makes the catalogue")
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        async with aiosqlite.connect(uri, uri=True) as database:
            await _recognise(database, path)
            models = await _records(database, MODELS, path)
            cards = await _records(database, CARDS, path)
            first_cards = await _records(database, FIRST_CARDS, path)
            provenance = await _records(database, PROVENANCE, path)
            day = await _date(database, path)
    except sqlite3.DatabaseError as error:
        raise DataError(f"{path}: not a catalogue, or damaged: {error}") from error
    snapshot = Catalogue.of(models, cards, first_cards, provenance, day, SCHEMA_VERSION)
    _resolve(snapshot, path)
    return snapshot


async def _recognise(database: aiosqlite.Connection, path: Path) -> None:
    application_id = await _pragma(database, "application_id")
    version = await _pragma(database, "user_version")
    objects = dict(await _rows(database, "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_autoindex_%'"))
    if not objects:
        raise DataError(f"{path}: the file is empty")
    if application_id != APPLICATION_ID:
        raise DataError(f"{path}: a SQLite file, but not a catalogue of Rigcheck")
    if version > SCHEMA_VERSION:
        raise DataError(
            f"{path}: schema version {version}; this Rigcheck reads up to version {SCHEMA_VERSION}, so it needs an update"
        )
    if version < SCHEMA_VERSION:
        raise DataError(f"{path}: schema version {version} is too old for this Rigcheck; `rigcheck catalogue build` makes it anew")
    expected = schema()
    # A view or a trigger would let a file compute its rows; nothing but the tables themselves is accepted.
    for name in (*expected, *objects):
        if name not in objects:
            raise DataError(f"{path}: table {name} is missing")
        if expected.get(name) != objects[name]:
            raise DataError(f"{path}: {name} is not what a catalogue of schema version {version} holds")


async def _records(database: aiosqlite.Connection, table: Table, path: Path) -> tuple[Any, ...]:
    aliases: dict[str, list[str]] = {}
    if table.has_aliases:
        for name, alias in await _rows(database, f"SELECT {table.name}, alias FROM {alias_table(table)} ORDER BY position"):
            aliases.setdefault(name, []).append(alias)
    columns = ", ".join(table.fields)
    rows = await _rows(database, f"SELECT {columns} FROM {table.name} ORDER BY position")
    key = table.fields.index(table.key)
    raw: list[dict[str, Any]] = []
    for row in rows:
        try:
            raw.append(table.raw(row, aliases.pop(row[key], ())))
        except ValueError as error:
            raise DataError(f"{path}: {table.name} {row[key]}: {error}") from error
    if aliases:
        raise DataError(f"{path}: {alias_table(table)}: {min(aliases)} is no {table.name} on file")
    try:
        return TypeAdapter(tuple[table.kind, ...]).validate_python(raw)
    except ValidationError as error:
        fault = error.errors()[0]
        raise DataError(f"{path}: {table.name} {rows[fault['loc'][0]][key]}: {describe(fault, skip=1)}") from error


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
    for memory_gb, card in snapshot.first_cards.items():
        _follow(snapshot.card, card, f"{path}: first_card {memory_gb:g}: card")


def _follow(look_up: Any, name: str, place: str) -> None:
    try:
        look_up(name)
    except KeyError as error:
        raise DataError(f"{place}: {name} is not on file") from error


async def _pragma(database: aiosqlite.Connection, name: str) -> int:
    return (await _rows(database, f"PRAGMA {name}"))[0][0]


async def _rows(database: aiosqlite.Connection, statement: str) -> list[Any]:
    return list(await database.execute_fetchall(statement))
