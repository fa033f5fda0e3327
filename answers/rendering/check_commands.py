"""Checks ``commands.toml``: what Discord shows of the commands in a locale, as plain data, held to Discord's own rules.

A file has the tables ``commands``, ``subcommands`` (by command) and ``options``, each with ``name`` and ``description``, and
``choices`` (by option) and ``menus``, whose entries are labels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from answers.locales import DEFAULT_LOCALE, Locale, Locales, read_toml

FILE = "commands.toml"
MOST = {"name": 32, "description": 100, "choices": 100, "menus": 32}
"""Characters that Discord takes."""
_NAME = re.compile(r"[-_'\w]+")

Flat = Mapping[tuple[str, ...], Any]


def check_commands(locales: Locales, locale: Locale) -> Iterator[str]:
    """What is missing, unused, too long, not allowed or named twice in a locale's file, a sentence each."""
    own_file, reference_file = (locales.path / code / FILE for code in (locale.code, DEFAULT_LOCALE))
    if not reference_file.exists():
        return
    where = f"{locale.code}/{FILE}"
    inherits = "inherits" in read_toml(locales.path / locale.code / "terms.toml").get("locale", {})
    if not own_file.exists():
        if not inherits:
            yield f"{where} is missing"
        return
    own, reference = flat(read_toml(own_file)), flat(read_toml(reference_file))
    for key, value in own.items():
        place = f"{where}: {'.'.join(key)}"
        if key not in reference:
            yield f"{place} is not used"
        elif not isinstance(value, str):
            yield f"{place} is not a text"
        else:
            yield from (f"{place}: {fault}" for fault in _faults(key, value))
    if not inherits:
        yield from (f"{where}: {'.'.join(key)} is missing" for key in reference if key not in own)
    yield from (f"{where}: {fault}" for fault in _twice(_whole(locales, locale)))


def flat(content: Mapping[str, Any], above: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Every entry of a file by its path."""
    found: dict[tuple[str, ...], Any] = {}
    for key, value in content.items():
        path = (*above, key)
        found |= flat(value, path) if isinstance(value, dict) else {path: value}
    return found


def _faults(key: tuple[str, ...], text: str) -> Iterator[str]:
    kind = key[0] if key[0] in MOST else key[-1]
    most = MOST.get(kind, MOST["description"])
    if not text.strip():
        yield "there is nothing in it"
    elif len(text) > most:
        yield f"{len(text)} characters, where Discord takes {most}"
    elif kind == "name" and (not _NAME.fullmatch(text) or text != text.lower()):
        yield f"{text!r} is no name: lower case, no spaces, no signs but - and _"


def _whole(locales: Locales, locale: Locale) -> Flat:
    """The locale's texts with what it inherits."""
    whole: dict[tuple[str, ...], Any] = {}
    for code in reversed(locale.chain):
        file: Path = locales.path / code / FILE
        whole |= flat(read_toml(file)) if file.exists() else {}
    return whole


def _twice(whole: Flat) -> Iterator[str]:
    """Names that two commands, two subcommands of one command, two options, or two entries of a menu share."""
    by_group: dict[tuple[str, ...], Counter[str]] = {}
    for key, value in whole.items():
        if key[-1] == "name" or key[0] in {"choices", "menus"}:
            group = key[:-1] if key[0] in {"choices", "menus"} else key[:-2]
            by_group.setdefault(group, Counter())[str(value)] += 1
    for group, counted in by_group.items():
        yield from (f"{'.'.join(group)}: {name!r} stands for {times} things" for name, times in counted.items() if times > 1)
