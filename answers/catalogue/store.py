"""The tables of ``catalog.db``: their definitions, derived from the records, and the way between a record and a row.

Every table is STRICT. A field is a column of the same name; a tuple is JSON text, a truth value 0 or 1, a date its ISO form. Aliases
have tables of their own, so that no two records can hold the same one, and references are foreign keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property
from types import NoneType
from typing import Any, Final, get_args, get_origin

from answers.catalogue.records import Card, FirstCard, Model, Provenance, Record

APPLICATION_ID: Final = 0x52494743
"""Marks a SQLite file as a catalogue of Rigcheck ("RIGC")."""
SCHEMA_VERSION: Final = 1
"""Raised by every change of the tables that an older Rigcheck cannot read."""


@dataclass(frozen=True)
class Table:
    """One table of records, in catalogue order."""

    name: str
    kind: type[Record]
    key: str
    """The field that names a record."""
    references: Mapping[str, str]
    """Field -> the table whose key it holds."""

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that are columns of the table itself."""
        return tuple(field for field in self.kind.model_fields if field != "aliases")

    @cached_property
    def is_list(self) -> tuple[bool, ...]:
        """Of each of the fields, whether its column holds a JSON list."""
        return tuple(self._holds(field)[0] is tuple for field in self.fields)

    @property
    def has_aliases(self) -> bool:
        """Whether the records have aliases, which stand in a table of their own."""
        return "aliases" in self.kind.model_fields

    def definition(self) -> str:
        """The statement that creates the table."""
        columns = ["position INTEGER PRIMARY KEY", *(self._column(field) for field in self.fields)]
        return f"CREATE TABLE {self.name} (\n  " + ",\n  ".join(columns) + "\n) STRICT"

    def _holds(self, field: str) -> tuple[Any, bool]:
        """The plain type of a field, and whether it may be missing."""
        annotation = self.kind.model_fields[field].annotation
        choices = [choice for choice in get_args(annotation) if choice is not NoneType]
        if NoneType in get_args(annotation):
            annotation = choices[0]
        origin = get_origin(annotation) or annotation
        return origin, annotation is not self.kind.model_fields[field].annotation

    def _column(self, field: str) -> str:
        kind, optional = self._holds(field)
        column = f"{field} " + ("INTEGER" if kind in (int, bool) else "REAL" if kind is float else "TEXT")
        column += "" if optional else " NOT NULL"
        if field == self.key:
            column += " UNIQUE"
        if kind is bool:
            column += f" CHECK ({field} IN (0, 1))"
        if kind is tuple:
            column += f" CHECK (json_type({field}) = 'array')"
        if field in self.references:
            column += f" REFERENCES {self.references[field]} (name) DEFERRABLE INITIALLY DEFERRED"
        return column

    def row(self, position: int, record: Record) -> tuple[Any, ...]:
        """The row of a record."""
        return (position, *(_to_column(getattr(record, field)) for field in self.fields))

    def raw(self, row: Sequence[Any], aliases: Sequence[str] = ()) -> dict[str, Any]:
        """The fields of a row, position left out, as the record's validator takes them; what is not on file is left out.

        Raises:
            ValueError: where a list is no JSON; the text names the field.
        """
        fields: dict[str, Any] = {}
        for field, is_list, value in zip(self.fields, self.is_list, row, strict=True):
            if value is not None:
                fields[field] = _from_json(field, value) if is_list else value
        if aliases:
            fields["aliases"] = aliases
        return fields


CARDS: Final = Table("card", Card, "name", {})
MODELS: Final = Table("model", Model, "name", {"superseded_by": "model"})
FIRST_CARDS: Final = Table("first_card", FirstCard, "memory_gb", {"card": "card"})
PROVENANCE: Final = Table("provenance", Provenance, "name", {})
TABLES: Final = (CARDS, MODELS, FIRST_CARDS, PROVENANCE)


def alias_table(table: Table) -> str:
    """The name of the table that holds the aliases of a table's records."""
    return f"{table.name}_alias"


def schema() -> dict[str, str]:
    """Every table of a catalogue: name -> the statement that creates it."""
    statements = {"meta": "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID"}
    for table in TABLES:
        statements[table.name] = table.definition()
        if table.has_aliases:
            statements[alias_table(table)] = (
                f"CREATE TABLE {alias_table(table)} (\n  position INTEGER PRIMARY KEY,\n  alias TEXT NOT NULL COLLATE NOCASE UNIQUE,\n"
                f"  {table.name} TEXT NOT NULL REFERENCES {table.name} ({table.key})\n) STRICT"
            )
    return statements


def alias_rows(records: Iterable[Card | Model]) -> list[tuple[int, str, str]]:
    """The rows of an alias table: position, alias, name."""
    pairs = [(alias, record.name) for record in records for alias in record.aliases]
    return [(position, *pair) for position, pair in enumerate(pairs)]


def _from_json(field: str, text: Any) -> Any:
    if text == "[]":
        return ()
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{field}: should be a JSON list") from error


def _to_column(value: Any) -> Any:
    match value:
        case bool():
            return int(value)
        case StrEnum():
            return value.value
        case date():
            return value.isoformat()
        case tuple():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return value
