"""Reads the models: one TOML file a family, in the field names of the record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from answers.catalogue.faults import record, tables
from answers.catalogue.records import Model
from answers.errors import DataError
from answers.locales import read_toml


def read_models(folder: Path) -> tuple[Model, ...]:
    """Every model of ``folder``, in the order of the files' names and of the records in them.

    Raises:
        DataError: naming the file, the record and the field.
    """
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise DataError(f"{folder} holds no models")
    models: list[Model] = []
    for file in files:
        place = f"models/{file.name}"
        content = read_toml(file)
        family: Any = content.get("family")
        if not isinstance(family, str):
            raise DataError(f"{place}: family is missing")
        models += [record(Model, {"family": family} | fields, place) for fields in tables(content, "model", place)]
    return tuple(models)
