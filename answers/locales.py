"""Finds and loads ``locales/<code>/``: the words people ask with and the words we answer with.

A locale is a folder. ``terms.toml`` opens with ``[locale]``: the Babel locale that formats its numbers, and the locale it
inherits from. What a folder lacks comes from the one it inherits (es-419 from es, en-GB from en); a locale that is missing
altogether is English.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from answers.errors import DataError

DEFAULT_LOCALE = "en"


def data_path(name: str) -> Path:
    """The path of ``catalog.db`` or ``locales``: from the setting, else beside the project, else inside the installed package.

    The settings are the environment variables ``RIGCHECK_CATALOG`` and ``RIGCHECK_LOCALES``.

    Raises:
        DataError: where none of the three has it.
    """
    setting = {"catalog.db": "RIGCHECK_CATALOG", "locales": "RIGCHECK_LOCALES"}[name]
    stated = os.environ.get(setting)
    if stated:
        return Path(stated)
    here = Path(__file__).resolve().parent
    for place in (here.parent / name, here / "_data" / name):
        if place.exists():
            return place
    raise DataError(f"{name} is neither beside the project nor inside the installed package; set {setting} to its path")


@dataclass(frozen=True)
class Locale:
    """One locale, its inheritance already worked out."""

    code: str
    babel: str
    chain: tuple[str, ...]
    """Folder names to look in, nearest first; always ends in ``en``."""
    terms: Mapping[str, Any]
    grouping: str
    """``all``: 1,129; ``five``: four digits stand together (1129), five are grouped (12.345)."""


@dataclass(frozen=True)
class Locales:
    """All locales of one folder."""

    path: Path
    by_code: Mapping[str, Locale]

    @classmethod
    def load(cls, path: Path | None = None) -> Locales:
        """Read every folder of ``path`` that holds a ``terms.toml``.

        Raises:
            DataError: for a folder that is missing, a file that is no TOML, or a locale that inherits from one that is not there.
        """
        root = path or data_path("locales")
        raw = {file.parent.name: read_toml(file) for file in sorted(root.glob("*/terms.toml"))}
        if DEFAULT_LOCALE not in raw:
            raise DataError(f"{root} has no {DEFAULT_LOCALE}/terms.toml")
        return cls(root, {code: _resolve(code, raw) for code in raw})

    def get(self, code: str | None) -> Locale:
        """The nearest locale on file for ``code``: es-MX -> es-419 where there is one, else es, else English."""
        if not code:
            return self.by_code[DEFAULT_LOCALE]
        if code in self.by_code:
            return self.by_code[code]
        wanted = code.replace("_", "-")
        exact = {known.lower(): known for known in self.by_code}
        if wanted.lower() in exact:
            return self.by_code[exact[wanted.lower()]]
        language, _, region = wanted.lower().partition("-")
        if language == "es" and region and region != "es" and "es-419" in self.by_code:
            return self.by_code["es-419"]
        return self.by_code.get(language) or self.by_code[DEFAULT_LOCALE]

    def words(self, language: str) -> Mapping[str, Any]:
        """The parsed ``words.toml`` of a language: how people ask. Empty where the folder has none."""
        file = self.path / language / "words.toml"
        return read_toml(file) if file.exists() else {}

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that have a ``words.toml``."""
        return tuple(sorted(file.parent.name for file in self.path.glob("*/words.toml")))


def read_toml(file: Path) -> dict[str, Any]:
    """One TOML file.

    Raises:
        DataError: naming the file and the place, where it cannot be read as TOML.
    """
    try:
        return tomli.loads(file.read_text(encoding="utf-8"))
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{file.parent.name}/{file.name}: {error}") from error
    except OSError as error:
        raise DataError(f"{file}: {error.strerror}") from error


def _resolve(code: str, raw: Mapping[str, Mapping[str, Any]]) -> Locale:
    chain = [code]
    while parent := raw[chain[-1]].get("locale", {}).get("inherits"):
        if parent not in raw or parent in chain:
            raise DataError(f"{chain[-1]}/terms.toml: locale.inherits names {parent!r}, which cannot be inherited from")
        chain.append(parent)
    if chain[-1] != DEFAULT_LOCALE:
        chain.append(DEFAULT_LOCALE)
    # English stands in for a whole missing locale, not for single terms: those are reported by `locales check`.
    own = [link for link in chain if link != DEFAULT_LOCALE] or [DEFAULT_LOCALE]
    if code == DEFAULT_LOCALE or DEFAULT_LOCALE in chain[:-1]:
        own = chain
    if raw[code].get("locale", {}).get("inherits") == DEFAULT_LOCALE:
        own = chain
    terms: dict[str, Any] = {}
    for link in reversed(own):
        terms = _merge(terms, raw[link])
    about = terms.get("locale", {})
    return Locale(code, about.get("babel", code.replace("-", "_")), tuple(chain), terms, about.get("grouping", "all"))


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        merged[key] = _merge(merged[key], value) if isinstance(value, dict) and isinstance(merged.get(key), dict) else value
    return merged
