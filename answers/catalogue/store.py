"""The tables of ``catalog.db``: their definitions, derived from the records, and the way between a record and a row.

Every table is STRICT. A field is a column of the same name; a tuple is JSON text, a truth value 0 or 1, a date its ISO form.
Aliases have tables of their own, so that no two records can hold the same one, and references are foreign keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cached_property
from types import GenericAlias, NoneType
from typing import Any, Final, Generic, TypeVar, cast, get_args, get_origin

from pydantic import TypeAdapter
from pydantic_core import from_json

from answers.catalogue.faults import printable
from answers.catalogue.records import Card, FirstCard, Measurement, Model, Pick, Provenance, QuantQuality, Record
from answers.errors import DataError

APPLICATION_ID: Final = 0x52494743
"""Marks a SQLite file as a catalogue of Rigcheck ("RIGC")."""
SCHEMA_VERSION: Final = 4
"""Raised by every change of the tables that an older Rigcheck cannot read."""

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Table(Generic[R]):
    """One table of records, in catalogue order."""

    name: str
    kind: type[R]
    key: str
    """The field that names a record."""
    references: Mapping[str, str] = field(default_factory=dict[str, str])
    """Field -> the table whose name it holds."""

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that are columns of the table itself."""
        return tuple(name for name in self.kind.model_fields if name != "aliases")

    @cached_property
    def list_columns(self) -> tuple[int, ...]:
        """Which of the fields are columns that hold JSON lists."""
        return tuple(column for column, name in enumerate(self.fields) if self._holds(name)[0] is tuple)

    @property
    def has_aliases(self) -> bool:
        """Whether the records have aliases, which stand in a table of their own."""
        return "aliases" in self.kind.model_fields

    @property
    def alias_table(self) -> str:
        """The name of the table that holds the records' aliases."""
        return f"{self.name}_alias"

    @cached_property
    def validator(self) -> TypeAdapter[tuple[R, ...]]:
        """Makes the records of all rows at once."""
        return TypeAdapter(cast("type[tuple[R, ...]]", GenericAlias(tuple, (self.kind, ...))))

    def definitions(self) -> dict[str, str]:
        """The tables that hold the records: name -> the statement that creates it."""
        columns = ["position INTEGER PRIMARY KEY", *map(self._column, self.fields)]
        statements = {self.name: _create(self.name, columns)}
        if self.has_aliases:
            owner = f"{self.name} TEXT NOT NULL REFERENCES {self.name} ({self.key})"
            columns = ["position INTEGER PRIMARY KEY", "alias TEXT NOT NULL COLLATE NOCASE UNIQUE", owner]
            statements[self.alias_table] = _create(self.alias_table, columns)
        return statements

    def select(self) -> str:
        """The statement that reads the rows as ``raw`` takes them."""
        return f"SELECT {', '.join(self.fields)} FROM {self.name} ORDER BY position"  # noqa: S608 - names of the schema's own

    def select_aliases(self) -> str:
        """The statement that reads the name of a record and one of its aliases a row."""
        return f"SELECT {self.name}, alias FROM {self.alias_table} ORDER BY position"  # noqa: S608 - names of the schema's own

    def rows(self, records: Iterable[R]) -> list[tuple[Any, ...]]:
        """The rows of the table."""
        return [(position, *(_to_column(getattr(record, name)) for name in self.fields)) for position, record in enumerate(records)]

    def alias_rows(self, records: Iterable[Card | Model]) -> list[tuple[Any, ...]]:
        """The rows of the table of aliases."""
        pairs = [(alias, record.name) for record in records for alias in record.aliases]
        return [(position, *pair) for position, pair in enumerate(pairs)]

    def raw(self, rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
        """The fields of each row as the records' validator takes them; what is not on file is left out.

        Raises:
            DataError: naming the table, the record and the field, where a list is no JSON.
        """
        cells = [list(row) for row in rows]
        for column in self.list_columns:
            for row, items in zip(cells, self._lists(column, rows), strict=True):
                row[column] = items
        return [{name: value for name, value in zip(self.fields, row, strict=True) if value is not None} for row in cells]

    def _lists(self, column: int, rows: Sequence[Sequence[Any]]) -> Sequence[Any]:
        # One parse of a whole column takes a tenth of the time that one parse a cell does.
        try:
            lists = from_json(f"[{','.join(row[column] for row in rows)}]")
            if len(lists) == len(rows):
                return lists
        except (ValueError, TypeError):
            pass
        return [self._list(column, row) for row in rows]

    def _list(self, column: int, row: Sequence[Any]) -> Any:
        try:
            return from_json(row[column])
        except (ValueError, TypeError) as error:
            name = printable(row[self.fields.index(self.key)])
            raise DataError(f"{self.name} {name}: {self.fields[column]}: should be a JSON list") from error

    def _holds(self, name: str) -> tuple[Any, bool]:
        """The plain type of a field, and whether it may be missing."""
        annotation: Any = self.kind.model_fields[name].annotation
        choices = [choice for choice in get_args(annotation) if choice is not NoneType]
        optional = len(choices) < len(get_args(annotation))
        plain = choices[0] if optional else annotation
        return get_origin(plain) or plain, optional

    def _column(self, name: str) -> str:
        kind, optional = self._holds(name)
        column = f"{name} " + ("INTEGER" if kind in (int, bool) else "REAL" if kind is float else "TEXT")
        column += "" if optional else " NOT NULL"
        if name == self.key:
            column += " UNIQUE"
        if kind is bool:
            column += f" CHECK ({name} IN (0, 1))"
        if kind is tuple:
            column += f" CHECK (json_type({name}) = 'array')"
        if name in self.references:
            column += f" REFERENCES {self.references[name]} (name) DEFERRABLE INITIALLY DEFERRED"
        return column


CARDS: Final = Table("card", Card, "name")
MODELS: Final = Table("model", Model, "name", {"superseded_by": "model"})
FIRST_CARDS: Final = Table("first_card", FirstCard, "memory_gb", {"card": "card"})
MEASUREMENTS: Final = Table("measurement", Measurement, "id", {"card": "card", "model": "model"})
PICKS: Final = Table("pick", Pick, "name", {"model": "model", "over": "model"})
QUALITY: Final = Table("quality", QuantQuality, "name", {"model": "model"})
PROVENANCE: Final = Table("provenance", Provenance, "name")
TABLES: Final[tuple[Table[Any], ...]] = (CARDS, MODELS, FIRST_CARDS, MEASUREMENTS, PICKS, QUALITY, PROVENANCE)


def schema() -> dict[str, str]:
    """Every table of a catalogue: name -> the statement that creates it."""
    statements = {"meta": "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID"}
    for table in TABLES:
        statements |= table.definitions()
    return statements


def _create(name: str, columns: Iterable[str]) -> str:
    return f"CREATE TABLE {name} (\n  " + ",\n  ".join(columns) + "\n) STRICT"


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
