"""Reads what was published about how much a quant costs a model, from a table that a spreadsheet opens."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from answers.catalogue.faults import record
from answers.catalogue.records import Model, QuantQuality
from answers.errors import DataError


def read_quality(file: Path, models: Iterable[Model]) -> tuple[QuantQuality, ...]:
    """Every figure of ``file``, whose first line names the fields of the record; an empty cell is a field not on file.

    Raises:
        DataError: naming the file, the line and the field.
    """
    known = {model.name for model in models}
    found: dict[str, QuantQuality] = {}
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            reader = csv.DictReader(opened)
            for row in reader:
                place = f"{file.name}: line {reader.line_num}"
                cells = {field: cell for field, cell in row.items() if cell}
                said = (cells.get(field) for field in ("model", "quant", "metric", "quantiser"))
                name = " ".join(cell for cell in said if cell)
                figure = record(QuantQuality, {"name": name} | cells, place)
                if figure.model not in known:
                    raise DataError(f"{place}: model: {figure.model} is not on file")
                if name in found:
                    raise DataError(f"{place}: {name} is there already")
                found[name] = figure
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{file}: cannot be read: {error}") from error
    return tuple(found.values())
