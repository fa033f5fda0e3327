"""From a reply to a message in a locale: one Jinja2 template per kind of reply, ``locales/<code>/answers/<kind>.j2``."""

from __future__ import annotations

import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from jinja2 import (
    BytecodeCache,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    Template,
    TemplateNotFound,
    TemplateSyntaxError,
)
from jinja2.bccache import Bucket

from answers.errors import DataError
from answers.kept import own_folder, read_sealed, write_sealed
from answers.locales import Locale, Locales
from answers.rendering.formats import Formats, table
from answers.rendering.message import Colour, Message, parse
from answers.replies.parts import Part

_FIT_COLOURS: dict[str, Colour] = {"comfortable": "green", "tight": "amber", "no": "red"}


class Renderer:
    """Templates of all locales; a locale's environment is made when it is first used."""

    def __init__(self, locales: Locales) -> None:
        self.locales = locales
        self._environments: dict[str, Environment] = {}

    def render(self, reply: Part, locale: str | None = None) -> Message:
        """The message of a reply.

        Raises:
            DataError: naming the template, where it is missing, cannot be read or uses something that is not there.
        """
        chosen = self.locales.get(locale)
        kind = str(reply.__dict__["kind"])
        try:
            text = self.environment(chosen).get_template(f"{kind}.j2").render(r=reply)
        except TemplateNotFound as error:
            raise DataError(f"{chosen.code}: no template answers/{error.name}") from error
        except TemplateSyntaxError as error:
            raise DataError(f"{chosen.code}/answers/{error.name}, line {error.lineno}: {error.message}") from error
        except Exception as error:
            # Templates are data that anybody may edit: whatever goes wrong in one is the template's fault, and named as such.
            raise DataError(f"{chosen.code}/answers/{kind}.j2: {error}") from error
        return parse(text, colour_of(reply), f"{chosen.code}/answers/{kind}.j2")

    def environment(self, locale: Locale) -> Environment:
        """The Jinja2 environment of a locale: its own templates first, then those it inherits."""
        known = self._environments.get(locale.code)
        if known:
            return known
        folders = [str(self.locales.path / link / "answers") for link in locale.chain]
        made = Environment(
            loader=FileSystemLoader(folders),
            undefined=StrictUndefined,
            autoescape=False,  # noqa: S701 (the output is Discord's Markdown, not HTML; typed text goes through `typed`)
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            bytecode_cache=_compiled(locale),
        )
        formats = Formats(locale)
        made.filters.update(formats.filters())
        helpers: dict[str, Any] = {"plural": formats.plural, "table": _table, "first": _first}
        made.globals.update(helpers)
        made.template_class = _Template
        self._environments[locale.code] = made
        return made


class _Template(Template):
    """A template whose globals are one plain dictionary.

    Jinja compares them each time that a template imports macros, which on its own chain of dictionaries takes a tenth of an answer.
    """

    @classmethod
    def _from_namespace(
        cls, environment: Environment, namespace: MutableMapping[str, Any], globals: MutableMapping[str, Any]
    ) -> Template:
        return super()._from_namespace(environment, namespace, dict(globals))


class _Compiled(BytecodeCache):
    """Compiled templates in a folder of the user's own, keyed by their source: saves a process most of its first answer.

    A folder that cannot be read or written costs only that time, never an answer, and neither does a damaged file. How the locale
    writes numbers is part of the key: filters on fixed values are worked out when a template is compiled, and es-419 writes them
    otherwise than es, whose file it shares.
    """

    def __init__(self, locale: Locale, folder: Path) -> None:
        self._of = f"{sys.version}/{locale.code}/{locale.babel}/{locale.grouping}"
        self._folder = folder

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The key of a template: its name, its file, and the locale and the Python that it was compiled for."""
        return super().get_cache_key(f"{self._of}/{name}", filename)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a template's code where it is there."""
        content = read_sealed(self._file(bucket))
        if content:
            bucket.bytecode_from_string(content)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template's code where that is possible."""
        write_sealed(self._file(bucket), bucket.bytecode_to_string())

    def _file(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}.template"


def _compiled(locale: Locale) -> _Compiled | None:
    """The cache; ``None`` where there is no folder that is the user's own."""
    folder = own_folder()
    return _Compiled(locale, folder) if folder else None


def _table(align: str, caller: Any) -> str:
    """``{% call table("<>>") %}``: a line a row, cells parted by ``|``."""
    rows = [[cell.strip() for cell in line.split("|")] for line in caller().splitlines() if line.strip()]
    return "\n".join(["```", *table(rows, align), "```", ""])


def _first(most: int, caller: Any) -> str:
    """``{% call first(3) %}``: at most that many of the lines inside, so that a field stays short."""
    lines = [line.strip() for line in caller().splitlines() if line.strip()]
    return "\n".join([*lines[:most], ""])


def colour_of(reply: Part) -> Colour:
    """Green comfortable, amber tight, red no, grey for information."""
    verdict = reply.__dict__.get("verdict")
    if verdict:
        return _FIT_COLOURS[verdict]
    return "grey"
