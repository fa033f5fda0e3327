"""Checks the files about processors, which anybody may edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import tomli

FOLDER = Path(__file__).parent
_LISTS = ("families", "parts", "endings", "telling", "alone", "on_file")
_MT_S = (100.0, 20_000.0)
_CHANNELS = (0.25, 24.0)


def check(folder: Path = FOLDER) -> list[str]:
    """What is wrong in ``processors.toml`` and ``memory_speed.toml``, a sentence each that names file, key and line."""
    return [*_processors(folder / "processors.toml"), *_memory_speed(folder / "memory_speed.toml")]


def _read(file: Path) -> tuple[Mapping[str, Any], list[str]]:
    try:
        return tomli.loads(file.read_text(encoding="utf-8")), []
    except (tomli.TOMLDecodeError, OSError, UnicodeDecodeError) as error:
        return {}, [f"{file.name}: {error}"]


def _processors(file: Path) -> Iterator[str]:
    said, wrong = _read(file)
    yield from wrong
    for key in () if wrong else _LISTS:
        if not _are_words(said.get(key)):
            yield f"{file.name}: line {_line(file, key)}: {key} should be a list of words in quotes"
    for key in said.keys() - set(_LISTS):
        yield f"{file.name}: line {_line(file, key)}: {key} is not a list that is read"


def _memory_speed(file: Path) -> Iterator[str]:
    said, wrong = _read(file)
    yield from wrong
    if wrong:
        return
    kinds = said.get("kinds")
    for name, mt_s in cast("Mapping[str, Any]", kinds).items() if isinstance(kinds, dict) else ():
        if not _lies(mt_s, _MT_S):
            yield f"{file.name}: line {_line(file, name)}: kinds.{name} should be a number of MT/s"
    if not isinstance(kinds, dict):
        yield f"{file.name}: [kinds] is missing"
    entries = said.get("processors")
    if not isinstance(entries, list):
        yield f"{file.name}: [[processors]] is missing"
        return
    lines = [
        number for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1) if line.strip() == "[[processors]]"
    ]
    for line, entry in zip(lines, cast("list[Mapping[str, Any]]", entries), strict=False):
        where = f"{file.name}: line {line}: processors"
        if not _are_words(entry.get("names")):
            yield f"{where}: names should be a list of words in quotes"
        if not _lies(entry.get("mt_s"), _MT_S):
            yield f"{where}: mt_s should be a number of MT/s"
        if not _lies(entry.get("channels"), _CHANNELS):
            yield f"{where}: channels should be a number of channels of 64 bits"
        for key in entry.keys() - {"names", "mt_s", "channels"}:
            yield f"{where}: {key} is not read"


def _are_words(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(word, str) and word.strip() for word in cast("list[Any]", value))
    )


def _lies(value: Any, bounds: tuple[float, float]) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bounds[0] <= value <= bounds[1]


def _line(file: Path, key: str) -> int:
    """The line that a key stands in; the first where it stands in none."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.strip().startswith((f"{key} ", f"{key}="))), 1)
