"""Models whose weights are not published, by the names that people give them."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tomli

from answers.catalogue.atoms import clean, fold


class Maker(NamedTuple):
    """Who keeps a model to itself, and what of its own is on file instead."""

    name: str
    instead: tuple[str, ...]


class _Names(NamedTuple):
    makers: dict[str, Maker]
    """By the name without its spaces and hyphens."""
    pattern: re.Pattern[str]
    hints: frozenset[str]
    """Words one of which each name begins with."""


def find_closed(folded: str, words: Collection[str]) -> list[tuple[int, int]]:
    """Where such models are named in a folded text, in order; ``words`` are the texts of its tokens."""
    names = _names()
    if names.hints.isdisjoint(words):
        return []
    return [match.span() for match in names.pattern.finditer(folded)]


def closed_by(typed: str) -> Maker | None:
    """Who keeps the model of that name to itself; ``None`` where it is not known to be kept."""
    return _names().makers.get(_bare(fold(clean(typed))))


@cache
def _names() -> _Names:
    listed = tomli.loads((Path(__file__).parent / "closed.toml").read_text(encoding="utf-8"))["maker"]
    makers = {_bare(model): Maker(entry["name"], tuple(entry["instead"])) for entry in listed for model in entry["models"]}
    written = sorted({model for entry in listed for model in entry["models"]}, key=lambda model: (-len(model), model))
    ways = "|".join(re.sub(r"(?:\\ |\\-)", "[- ]?", re.escape(model)) for model in written)
    hints = frozenset(match[0] for model in written if (match := re.match(r"[a-z]+", model)))
    return _Names(makers, re.compile(rf"(?<![a-z0-9.])(?:{ways})(?![a-z0-9]|\.[0-9])"), hints)


def _bare(name: str) -> str:
    return re.sub(r"[- ]", "", name)
