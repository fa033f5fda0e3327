"""What the bot says besides its answers: ``locales/<code>/bot.toml``, sentences with figures in the locale's own format.

A text is a Jinja2 template with the filters of the answers' templates. What a locale lacks comes from the one it inherits.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Template, TemplateError, TemplateSyntaxError, meta

from answers.errors import DataError
from answers.locales import DEFAULT_LOCALE, Locale, Locales, read_toml
from answers.rendering.message import Colour, Message, parse
from answers.rendering.render import Renderer

FILE = "bot.toml"
_METHODS = ("say", "message")


class Texts:
    """The texts of all locales."""

    def __init__(self, locales: Locales) -> None:
        """Raises:
        DataError: where a file is no TOML.
        """
        self.locales = locales
        self._renderer = Renderer(locales)
        self.own = {code: _flat(read_toml(file)) for code in locales.by_code if (file := locales.path / code / FILE).exists()}
        self._template = lru_cache(maxsize=None)(self._compile)
        self._said = lru_cache(maxsize=4096)(self._fill)

    def say(self, key: str, locale: str | None, /, **figures: Any) -> str:
        """One sentence.

        Args:
            key: section and name, ``settings.saved``.
            locale: any locale; the nearest one on file is taken.
            figures: what the text names.

        Raises:
            DataError: where there is no such text, or it cannot be filled in.
        """
        chosen = self.locales.get(locale).code
        given = tuple(figures.items())
        try:
            # Most of what is said is said again, to others: labels above all.
            return self._said(key, chosen, given)
        except TypeError:
            return self._fill(key, chosen, given)

    def _fill(self, key: str, chosen: str, given: tuple[tuple[str, Any], ...]) -> str:
        try:
            return self._template(key, chosen).render(dict(given)).strip()
        except TemplateError as error:
            raise DataError(f"{chosen}/{FILE}: {key}: {error.message}") from error

    def message(self, key: str, locale: str | None, colour: Colour = "grey", /, **figures: Any) -> Message:
        """A whole message, written as the answers' templates are: title, body, fields, footer.

        Raises:
            DataError: as ``say``, and where the text has no title.
        """
        return parse(self.say(key, locale, **figures), colour, f"{FILE}: {key}")

    def _compile(self, key: str, code: str) -> Template:
        locale = self.locales.by_code[code]
        text = next((self.own[link][key] for link in locale.chain if key in self.own.get(link, {})), None)
        if text is None:
            raise DataError(f"{code}/{FILE}: there is no {key}")
        return self._renderer.environment(locale).from_string(text)


def _flat(content: Mapping[str, Any]) -> dict[str, str]:
    return {
        f"{section}.{name}": text
        for section, entries in content.items()
        if isinstance(entries, dict)
        for name, text in entries.items()
        if isinstance(text, str)
    }


def check(locales: Locales, code: Path | None = None) -> list[str]:
    """Problems, a sentence each: a text that is missing, unused or cannot be filled in, by file, key and line.

    Args:
        locales: the folders to check.
        code: the modules whose texts they have to hold; by default those of the commands.
    """
    folder = code or Path(__file__).parent
    used = {key: place for file in sorted(folder.rglob("*.py")) for key, place in _used(file, folder)}
    files = {known: locales.path / known / FILE for known in locales.by_code}
    reference = _flat(read_toml(files[DEFAULT_LOCALE])) if files[DEFAULT_LOCALE].exists() else {}
    problems = [f"{place}: {DEFAULT_LOCALE}/{FILE} has no {key}" for key, place in used.items() if key not in reference]
    environment = Renderer(locales).environment(locales.by_code[DEFAULT_LOCALE])
    figures = {key: _figures(environment, text) for key, text in reference.items()}
    for known, file in files.items():
        own = read_toml(file) if file.exists() else {}
        problems += _own(locales, locales.by_code[known], file, own, figures, used.keys())
    return problems


def _own(
    locales: Locales, locale: Locale, file: Path, own: Mapping[str, Any], figures: Mapping[str, set[str]], used: Any
) -> Iterator[str]:
    where = f"{locale.code}/{FILE}"
    environment = Renderer(locales).environment(locale)
    texts = _flat(own)
    for section, entries in own.items():
        if not isinstance(entries, dict) or not all(isinstance(text, str) for text in entries.values()):
            yield f"{where}, line {_line(file, section, '')}: {section} is not a table of texts"
    for key, text in texts.items():
        place = f"{where}, line {_line(file, *key.split('.', 1))}: {key}"
        if key not in figures or key not in used:
            yield f"{place} is not used"
            continue
        try:
            environment.from_string(text)
        except TemplateSyntaxError as error:
            yield f"{place}: {error.message}"
            continue
        for name in sorted(_figures(environment, text) - figures[key]):
            yield f"{place}: {name} is not a figure of this text"
    if "inherits" not in read_toml(locales.path / locale.code / "terms.toml").get("locale", {}):
        yield from (f"{where}: {key} is missing" for key in figures if key not in texts)


def _figures(environment: Any, text: str) -> set[str]:
    """What a text names besides the helpers that every text has."""
    try:
        return meta.find_undeclared_variables(environment.parse(text)) - environment.globals.keys()
    except TemplateSyntaxError:
        return set()


def _used(file: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """The keys that a module says, each with its place. A key that is put together at run time is written as a list of keys."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_key(node.value):
            yield node.value, f"{folder.name}/{file.relative_to(folder).as_posix()}, line {node.lineno}"


def _is_key(text: str) -> bool:
    section, _, name = text.partition(".")
    return section in SECTIONS and name.replace("_", "").isalnum()


SECTIONS = (
    *("settings", "catalogue", "chat", "refused", "button", "error", "mode", "help", "privacy", "page", "view"),
    *("rig", "panel"),
)
"""The tables of ``bot.toml``; a string of the code that begins with one and a point is the key of a text."""


def _line(file: Path, section: str, name: str) -> int:
    """The line of a file that a key stands in; 1 where it is not found as written."""
    current = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines() if file.exists() else [], 1):
        if line.startswith("["):
            current = line.partition("]")[0][1:].strip()
            if not name and current == section:
                return number
        elif current == section and name and line.partition("=")[0].strip() == name:
            return number
    return 1
