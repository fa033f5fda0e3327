"""Finds processors in a text: their numbers are no amounts of memory, and the memory beside them is the system's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tomli

from answers.catalogue.atoms import Token, covered


class Processor(NamedTuple):
    """The tokens that name a processor."""

    first: int
    last: int
    """Exclusive."""


class _Patterns(NamedTuple):
    hints: frozenset[str]
    """Words one of which every name holds."""
    name: re.Pattern[str]
    on_file: re.Pattern[str]


def find_processors(folded: str, tokens: Sequence[Token], said: Collection[str]) -> list[Processor]:
    """The processors named in a folded text, in order; ``said`` are the words of its tokens."""
    patterns = _patterns()
    if patterns.hints.isdisjoint(said):
        return []
    kept = [match.span() for match in patterns.on_file.finditer(folded)]
    spans = [match.span() for match in patterns.name.finditer(folded)]
    return [
        Processor(*covered(tokens, start, end))
        for start, end in spans
        if not any(start < last and first < end for first, last in kept)
    ]


@cache
def _patterns() -> _Patterns:
    said = tomli.loads((Path(__file__).parent / "processors.toml").read_text(encoding="utf-8"))
    ending, telling = _any(said["endings"]), _any(said["telling"])
    # A number of three digits ends in fewer letters: "128g" is memory.
    number = rf"(?:[0-9]{{4,5}}(?:{ending})?|[0-9]{{3}}(?:hx|h|v|u|k|kf|p|t)?)(?: ?v[1-9])?"
    family = rf"{_any(said['families'])}(?:[- ](?:{_any(said['parts'])})(?![a-z0-9]))*(?:[- ]?{number}(?![a-z0-9]))?"
    bare = rf"[0-9]{{4,5}}(?:{telling})"
    name = rf"(?<![a-z0-9])(?:{_any(said['alone'])}|{family}|{bare})(?![a-z0-9])"
    words = [entry.split()[0] for entry in (*said["families"], *said["alone"])]
    hints = {re.match(r"[a-z]+|[0-9]+", word)[0] for word in words} | set(said["telling"]) | {"x"}  # type: ignore[index]
    return _Patterns(frozenset(hints), re.compile(name), re.compile(_any(said["on_file"])))


def _any(phrases: Iterable[str]) -> str:
    """A pattern for any of the phrases, the longest first, with or without the space in it; # is a digit."""
    ordered = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return "(?:" + "|".join(re.escape(phrase).replace(r"\ ", r"[- ]?").replace(r"\#", "[0-9]") for phrase in ordered) + ")"
