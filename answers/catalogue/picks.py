"""Reads the picks: the models that are recommended, per use, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from answers.catalogue.faults import record, tables
from answers.catalogue.records import Model, Pick
from answers.errors import DataError
from answers.locales import read_toml


def read_picks(file: Path, models: Iterable[Model]) -> tuple[Pick, ...]:
    """Every pick of ``file``, in its order.

    Args:
        file: the picks, with the month that they are of.
        models: those on file, which a pick refers to.

    Raises:
        DataError: naming the file, the line, the pick and the field.
    """
    content = read_toml(file)
    month: Any = content.get("month")
    if not isinstance(month, str):
        raise DataError(f'{file.name}: month is missing; write the month that the picks are of, as in "2026-11"')
    known = {model.name for model in models}
    lines = _lines(file)
    found: dict[str, Pick] = {}
    for number, fields in enumerate(tables(content, "pick", file.name)):
        start = lines[number] if number < len(lines) else 1
        named = f"{fields.get('use')}: {fields.get('model')}"
        pick = record(Pick, {"name": named, "month": month} | fields, f"{file.name}: line {start}")
        if pick.name in found:
            raise DataError(f"{file.name}: line {start}: {pick.name}: model: is picked for that use already")
        for field, name in (("model", pick.model), ("over", pick.over)):
            if name is not None and name not in known:
                raise DataError(f"{file.name}: line {_line(file, start, field)}: {pick.name}: {field}: {name} is not on file")
        found[pick.name] = pick
    return tuple(found.values())


def _lines(file: Path) -> list[int]:
    """The line that each ``[[pick]]`` begins at."""
    return [number for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1) if line.strip() == "[[pick]]"]


def _line(file: Path, start: int, field: str) -> int:
    """The line of a field of the pick that begins at ``start``; that of the pick where it is not written as expected."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()[start:], start + 1):
        if line.strip() == "[[pick]]":
            break
        if line.partition("=")[0].strip() == field:
            return number
    return start
