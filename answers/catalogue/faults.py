"""Turns what is wrong with a row into one clear sentence: where it stands, which record, which field, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from answers.catalogue.records import Record
from answers.errors import DataError

R = TypeVar("R", bound=Record)


def tables(content: Mapping[str, Any], key: str, place: str) -> list[dict[str, Any]]:
    """The ``[[key]]`` tables of a parsed TOML file.

    Raises:
        DataError: where ``key`` is something else than a list of tables.
    """
    entries: Any = content.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in cast("list[Any]", entries)):
        raise DataError(f"{place}: {key} is not written as [[{key}]] tables")
    return cast("list[dict[str, Any]]", entries)


def record(kind: type[R], fields: Mapping[str, Any], place: str) -> R:
    """One record from its fields.

    Raises:
        DataError: naming ``place``, the record and the field.
    """
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        name = fields.get("name") or fields.get("card") or f"a {kind.__name__.lower()} without a name"
        raise DataError(f"{place}: {printable(name)}: {describe(error.errors()[0])}") from error


def printable(name: Any) -> str:
    """The name of a record in a sentence: on one line and not too long, whatever a damaged file holds."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(name))[:80]


def describe(fault: ErrorDetails, skip: int = 0) -> str:
    """What pydantic found: the field, what it should be, and what it holds.

    Args:
        fault: one of pydantic's faults.
        skip: how many steps of its path lead to the record rather than into it.
    """
    field = ".".join(str(step) for step in fault["loc"][skip:])
    if fault["type"] == "missing":
        return f"{field} is missing"
    if fault["type"] == "extra_forbidden":
        return f"{field} is not a field of this record"
    message = fault["msg"].removeprefix("Value error, ")
    if not field:
        return message
    held = repr(fault["input"])
    return f"{field}: {message[:1].lower()}{message[1:]}, not {held if len(held) <= 80 else held[:77] + '...'}"
