"""Builds ``catalog.db`` from the sources: the same sources give the same bytes."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from answers.catalogue.collect import SOURCES, Collection, collect
from answers.catalogue.store import (
    APPLICATION_ID,
    CARDS,
    FIRST_CARDS,
    MODELS,
    PROVENANCE,
    SCHEMA_VERSION,
    TABLES,
    alias_rows,
    alias_table,
    schema,
)
from answers.errors import DataError


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build wrote."""

    path: Path
    models: int
    cards: int
    surveyed: int
    aliases: int
    size: int
    """In bytes."""


def build(target: Path, sources: Path = SOURCES) -> BuildReport:
    """Write the catalogue that ``sources`` describe to ``target``, which is replaced in one step.

    Raises:
        DataError: one sentence naming the file, the record and the field that is wrong; or why ``target`` cannot be written.
    """
    collection = collect(sources)
    draft = target.with_name(f"{target.name}.draft")
    try:
        draft.unlink(missing_ok=True)
        database = sqlite3.connect(draft)
        try:
            fill(database, collection)
        finally:
            database.close()
        draft.replace(target)
    except (OSError, sqlite3.OperationalError) as error:
        draft.unlink(missing_ok=True)
        raise DataError(f"{target}: cannot be written: {error}") from error
    return BuildReport(
        path=target,
        models=len(collection.models),
        cards=len(collection.cards),
        surveyed=sum(card.surveyed for card in collection.cards),
        aliases=sum(len(entry.aliases) for entry in (*collection.models, *collection.cards)),
        size=target.stat().st_size,
    )


def fill(database: sqlite3.Connection, collection: Collection) -> None:
    """Create the tables in an empty database and write every record."""
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    database.execute("PRAGMA foreign_keys = ON")
    with database:
        for statement in schema().values():
            database.execute(statement)
        database.executemany("INSERT INTO meta VALUES (?, ?)", [("date", collection.meta.date.isoformat())])
        records = {
            CARDS.name: collection.cards,
            MODELS.name: collection.models,
            FIRST_CARDS.name: collection.first_cards,
            PROVENANCE.name: collection.meta.provenance,
        }
        for table in TABLES:
            _insert(database, table.name, [table.row(position, entry) for position, entry in enumerate(records[table.name])])
        for table, entries in ((CARDS, collection.cards), (MODELS, collection.models)):
            _insert(database, alias_table(table), alias_rows(entries))


def _insert(database: sqlite3.Connection, table: str, rows: list[tuple[object, ...]] | list[tuple[int, str, str]]) -> None:
    if rows:
        database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
