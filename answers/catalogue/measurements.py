"""Measured speeds: read from a table that a spreadsheet opens, and looked up by card, model and quant."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import ValidationError

from answers.catalogue.faults import describe, printable
from answers.catalogue.records import Card, Measurement, Model
from answers.catalogue.store import MEASUREMENTS
from answers.errors import DataError

_SIZE = re.compile(r" \d+ GB$")


def read_measurements(file: Path, cards: Iterable[Card], models: Iterable[Model]) -> tuple[Measurement, ...]:
    """Every measurement of ``file``, whose first line names the fields of the record; an empty cell is a field not on file.

    Args:
        file: the table.
        cards: those on file, which a measurement may refer to.
        models: likewise.

    Raises:
        DataError: naming the file, the line, the measurement and the field.
    """
    known = {"card": {card.name for card in cards}, "model": {model.name for model in models}}
    found: list[Measurement] = []
    lines: dict[int, int] = {}
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            reader = csv.DictReader(opened)
            missing = set(Measurement.model_fields) - set(reader.fieldnames or ())
            if missing:
                raise DataError(f"{file.name}: line 1: {min(missing)} is missing")
            for row in reader:
                measured = _measurement(row, f"{file.name}: line {reader.line_num}")
                if measured.id in lines:
                    raise DataError(f"{file.name}: line {reader.line_num}: {measured.id}: id: line {lines[measured.id]} has it too")
                for field, names in known.items():
                    name = getattr(measured, field)
                    if name is not None and name not in names:
                        raise DataError(f"{file.name}: line {reader.line_num}: {measured.id}: {field}: {name} is not on file")
                lines[measured.id] = reader.line_num
                found.append(measured)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{file}: cannot be read: {error}") from error
    return tuple(found)


def _measurement(row: Mapping[str | None, Any], place: str) -> Measurement:
    if None in row:
        raise DataError(f"{place}: there are more cells than fields")
    try:
        return Measurement.model_validate({field: cell for field, cell in row.items() if cell})
    except ValidationError as error:
        raise DataError(f"{place}: {printable(row.get('id'))}: {describe(error.errors()[0])}") from error


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one model at one quant on one kind of card; speeds in tokens a second."""

    tok_s: float
    """The median over the measurements."""
    low_tok_s: float
    high_tok_s: float
    count: int
    """How many measurements, each of which may be the median of several runs."""
    runs: int
    depth: int
    """The tokens of context that were filled: of the shallowest measurements, which are the ones counted."""
    backends: tuple[str, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Measurements:
    """All measurements of a catalogue, with what an answer looks up in them.

    The rows are kept as the table holds them and become records when they are looked up: making records of all of them would
    lengthen every start by a tenth, and an answer needs a handful.
    """

    rows: tuple[tuple[Any, ...], ...] = ()
    unified: frozenset[str] = frozenset()
    """The names of the cards with unified memory."""

    def all(self) -> tuple[Measurement, ...]:
        """Every measurement.

        Raises:
            DataError: naming the measurement and the field that cannot be right; so does every look-up.
        """
        return _records(self.rows)

    def chip(self, card: str) -> str:
        """The name by which measurements are looked up: of a chip with unified memory, the name without the memory size.

        A speed is the chip's, and such a chip is on file once for each memory size. Of other cards the size tells chips apart
        (RTX 3060 12 GB and 8 GB).
        """
        return _SIZE.sub("", card) if card in self.unified else card

    def of(self, card: str, model: str, quant: str, cards: int = 1) -> Measured | None:
        """What was measured of this very model at this very quant; ``None`` where nothing was.

        Where contexts of several lengths were measured, the shortest counts.
        """
        rows = self._by_key.get((self.chip(card), cards, model, quant))
        if not rows:
            return None
        fitting = _records(rows)
        depth = min(measured.depth for measured in fitting)
        counted = [measured for measured in fitting if measured.depth == depth]
        return Measured(
            tok_s=median(measured.tok_s for measured in counted),
            low_tok_s=min(measured.low_tok_s for measured in counted),
            high_tok_s=max(measured.high_tok_s for measured in counted),
            count=len(counted),
            runs=sum(measured.runs for measured in counted),
            depth=depth,
            backends=_distinct(measured.backend for measured in counted),
            sources=_distinct(measured.source for measured in counted),
        )

    def sizes(self, card: str) -> tuple[int, ...]:
        """The parameter counts of the models that were measured on one card of that name, in ascending order."""
        return self._sizes.get(self.chip(card), ())

    @cached_property
    def _by_chip(self) -> Mapping[str, Sequence[tuple[Any, ...]]]:
        found: dict[str, list[tuple[Any, ...]]] = {}
        for row in self.rows:
            if row[_CARD] is not None:
                found.setdefault(self.chip(row[_CARD]), []).append(row)
        return found

    @cached_property
    def _by_key(self) -> Mapping[tuple[Any, ...], Sequence[tuple[Any, ...]]]:
        found: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        for chip, rows in self._by_chip.items():
            for row in rows:
                found.setdefault((chip, *(row[at] for at in _KEY)), []).append(row)
        return found

    @cached_property
    def _sizes(self) -> Mapping[str, tuple[int, ...]]:
        return {chip: tuple(sorted({row[_PARAMETERS] for row in rows if row[_CARDS] == 1})) for chip, rows in self._by_chip.items()}


_CARD, _CARDS, _PARAMETERS = (MEASUREMENTS.fields.index(name) for name in ("card", "cards", "parameters"))
_KEY = tuple(MEASUREMENTS.fields.index(name) for name in ("cards", "model", "quant"))


def _records(rows: Iterable[tuple[Any, ...]]) -> tuple[Measurement, ...]:
    raw = MEASUREMENTS.raw(list(rows))
    try:
        return MEASUREMENTS.validator.validate_python(raw)
    except ValidationError as error:
        fault = error.errors()[0]
        place = f"{MEASUREMENTS.name} {printable(raw[int(fault['loc'][0])].get('id'))}"
        raise DataError(f"the catalogue: {place}: {describe(fault, skip=1)}") from error


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
