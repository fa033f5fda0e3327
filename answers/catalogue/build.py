"""Builds ``catalog.db`` from the sources: the same sources give the same bytes."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answers.catalogue.collect import SOURCES, Collection, collect
from answers.catalogue.store import (
    APPLICATION_ID,
    CARDS,
    FIRST_CARDS,
    MEASUREMENTS,
    MODELS,
    PICKS,
    PROVENANCE,
    QUALITY,
    SCHEMA_VERSION,
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
    except (OSError, sqlite3.Error) as error:
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
        for table, rows in _rows(collection).items():
            if rows:
                places = ", ".join("?" * len(rows[0]))
                # The name is one of the schema's own.
                database.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608


def _rows(collection: Collection) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    return {
        "meta": [("date", collection.meta.date.isoformat())],
        CARDS.name: CARDS.rows(collection.cards),
        MODELS.name: MODELS.rows(collection.models),
        FIRST_CARDS.name: FIRST_CARDS.rows(collection.first_cards),
        MEASUREMENTS.name: MEASUREMENTS.rows(collection.measurements),
        PICKS.name: PICKS.rows(collection.picks),
        QUALITY.name: QUALITY.rows(collection.quality),
        PROVENANCE.name: PROVENANCE.rows(collection.meta.provenance),
        CARDS.alias_table: CARDS.alias_rows(collection.cards),
        MODELS.alias_table: MODELS.alias_rows(collection.models),
    }
