"""Checks ``catalog.db``: that every row can be right, and that the file is what the sources build."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from answers.catalogue.build import fill
from answers.catalogue.collect import SOURCES, collect
from answers.catalogue.faults import describe, printable
from answers.catalogue.recognise import DAMAGE, OBJECTS, address, recognise
from answers.catalogue.store import TABLES, Table, schema
from answers.errors import DataError


def check(path: Path, sources: Path = SOURCES) -> list[str]:
    """Everything that is wrong with the catalogue in ``path``, a sentence each; none where it is in order.

    Without ``sources``, which an installed package does not have, the rows are checked for themselves only.
    """
    try:
        with closing(sqlite3.connect(address(path), uri=True)) as database:
            application_id, version = (
                database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
            )
            recognise(path, application_id, version, dict(database.execute(OBJECTS)))
            problems = [sentence for table in TABLES for sentence in _faulty_rows(database, table)]
            problems += _dead_references(database)
            if sources.is_dir():
                problems += _differences(database, sources)
            return problems
    except DataError as error:
        return [str(error)]
    except DAMAGE as error:
        return [f"{path}: not a catalogue, or damaged: {printable(error)}"]


def _faulty_rows(database: sqlite3.Connection, table: Table[Any]) -> Iterator[str]:
    for row in database.execute(table.select()):
        try:
            (fields,) = table.raw([row])
            table.kind.model_validate(fields)
        except DataError as error:
            yield str(error)
        except ValidationError as error:
            name = printable(row[table.fields.index(table.key)])
            yield from (f"{table.name} {name}: {describe(fault)}" for fault in error.errors())


def _dead_references(database: sqlite3.Connection) -> Iterator[str]:
    for table in TABLES:
        for field, other in table.references.items():
            statement = f"SELECT {table.key}, {field} FROM {table.name} WHERE {field} NOT IN (SELECT name FROM {other})"  # noqa: S608
            for name, missing in database.execute(statement):
                yield f"{table.name} {printable(name)}: {field}: {printable(missing)} is not on file"
        if table.has_aliases:
            statement = f"SELECT alias, {table.name} FROM {table.alias_table} WHERE {table.name} NOT IN (SELECT {table.key} FROM {table.name})"  # noqa: S608, E501
            for alias, missing in database.execute(statement):
                yield f"{table.alias_table} {printable(alias)}: {printable(missing)} is not on file"


def _differences(database: sqlite3.Connection, sources: Path) -> Iterator[str]:
    with closing(sqlite3.connect(":memory:")) as built:
        fill(built, collect(sources))
        found = [sentence for table in schema() for sentence in _different_rows(database, built, table)]
        yield from found
        if not found and list(database.iterdump()) != list(built.iterdump()):
            yield "the file holds the rows that the sources give, but in another order"


def _different_rows(database: sqlite3.Connection, built: sqlite3.Connection, table: str) -> Iterator[str]:
    here, there = _by_name(database, table), _by_name(built, table)
    for name in here.keys() - there.keys():
        yield f"{table} {printable(name)}: in the file, but not in the sources"
    for name, expected in there.items():
        if name not in here:
            yield f"{table} {name}: in the sources, but not in the file"
            continue
        for field, value in expected.items():
            if here[name][field] != value:
                yield f"{table} {name}: {field}: the file has {here[name][field]!r}, the sources give {value!r}"


def _by_name(database: sqlite3.Connection, table: str) -> dict[Any, dict[str, Any]]:
    """The rows of a table by their first field that is not the position; the position itself is left out."""
    cursor = database.execute(f"SELECT * FROM {table}")  # noqa: S608 - a name of the schema's own
    fields = [column[0] for column in cursor.description]
    first = int(fields[0] == "position")
    return {row[first]: dict(zip(fields[first:], row[first:], strict=True)) for row in cursor}
