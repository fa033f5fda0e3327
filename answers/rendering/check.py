"""Checks the locales: what a folder lacks or has too much of, by file, key and line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.exceptions import TemplateAssertionError

from answers.errors import DataError
from answers.locales import DEFAULT_LOCALE, Locale, Locales, read_toml
from answers.questions.cues import Cues
from answers.rendering.check_commands import check_commands
from answers.rendering.formats import Formats
from answers.rendering.render import Renderer
from answers.replies import reply as replies
from answers.replies.computed import Computed, ComputedCalibrated
from answers.replies.launch import Launch

_FIELD = re.compile(r"\br\.([a-z_0-9]+)")


def kinds() -> Mapping[str, type[replies.Part]]:
    """Every kind of reply, and of what is shown beside one, and its class."""
    union = (*get_args(get_args(replies.Reply)[0]), Computed, ComputedCalibrated, Launch)
    return {member.model_fields["kind"].default: member for member in union}


def check(locales: Locales) -> list[str]:
    """Problems, a sentence each; empty where every locale says everything and nothing stands there unused."""
    problems = [problem for locale in locales.by_code.values() for problem in _locale(locales, locale)]
    for language in locales.languages:
        try:
            Cues(language, locales.words(language))
        except DataError as error:
            problems.append(str(error))
    return problems


def _locale(locales: Locales, locale: Locale) -> Iterator[str]:
    folder = locales.path / locale.code
    yield from _terms(locales, locale, folder / "terms.toml")
    try:
        Formats(locale)
    except DataError as error:
        yield str(error)
        return
    yield from _templates(locales, locale, folder / "answers")
    yield from check_commands(locales, locale)


def _terms(locales: Locales, locale: Locale, file: Path) -> Iterator[str]:
    own = read_toml(file)
    reference = locales.by_code[DEFAULT_LOCALE].terms
    where = f"{locale.code}/{file.name}"
    inherits = own.get("locale", {}).get("inherits")
    for section, entries in own.items():
        if section == "locale":
            continue
        if section not in reference:
            yield f"{where}, line {_line(file, f'[{section}]')}: [{section}] is not a section that answers use"
            continue
        for key, value in entries.items():
            if key not in reference[section] and section != "country":
                yield f"{where}, line {_line(file, key)}: {section}.{key} is not used"
            if not isinstance(value, str):
                yield f"{where}, line {_line(file, key)}: {section}.{key} is not a text"
    if inherits:
        return
    for section, entries in reference.items():
        for key in entries:
            if section != "locale" and key not in own.get(section, {}):
                yield f"{where}: {section}.{key} is missing"


def _templates(locales: Locales, locale: Locale, folder: Path) -> Iterator[str]:
    files = {file.stem: file for file in sorted(folder.glob("*.j2"))}
    complete = locale.code == DEFAULT_LOCALE or "inherits" not in read_toml(locales.path / locale.code / "terms.toml")["locale"]
    known = kinds()
    for kind in known:
        if complete and kind not in files:
            yield f"{locale.code}/answers/{kind}.j2 is missing"
    environment = Renderer(locales).environment(locale)
    for stem, file in files.items():
        where = f"{locale.code}/answers/{file.name}"
        if stem not in known and not stem.startswith("_"):
            yield f"{where}: there is no reply of this kind"
            continue
        text = file.read_text(encoding="utf-8")
        try:
            tree = environment.parse(text)
            environment.compile(text)
        except (TemplateSyntaxError, TemplateAssertionError) as error:
            yield f"{where}, line {error.lineno}: {error.message}"
            continue
        yield from _fields(where, text, known.get(stem))
        yield from _imports(where, tree, environment)
        for filtered in tree.find_all(nodes.Filter):
            if filtered.name not in environment.filters:
                yield f"{where}, line {filtered.lineno}: there is no filter {filtered.name}"


def _fields(where: str, text: str, kind: type[replies.Part] | None) -> Iterator[str]:
    """Fields of the reply that a template names and the reply does not have."""
    if kind is None:
        return
    for number, line in enumerate(text.splitlines(), 1):
        for name in _FIELD.findall(line):
            if name not in kind.model_fields:
                yield f"{where}, line {number}: r.{name} is not a figure of this answer"


def _imports(where: str, tree: nodes.Template, environment: Environment) -> Iterator[str]:
    """Macros that are imported and not used, or used and not there."""
    for statement in tree.find_all(nodes.FromImport):
        source = statement.template
        if not isinstance(source, nodes.Const):
            continue
        try:
            module = environment.get_template(str(source.value)).module
        except Exception as error:
            raise DataError(f"{where}, line {statement.lineno}: {error}") from error
        used = {name.name for name in tree.find_all(nodes.Name) if name.ctx == "load"}
        for entry in statement.names:
            name, alias = entry if isinstance(entry, tuple) else (entry, entry)
            if not hasattr(module, name):
                yield f"{where}, line {statement.lineno}: {source.value} has no macro {name}"
            elif alias not in used:
                yield f"{where}, line {statement.lineno}: {alias} is imported and not used"


def _line(file: Path, key: str) -> int:
    """The line of a TOML file that a key stands in; 1 where it is not found as written."""
    starts = (key, f'"{key}"')
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith(starts):
            return number
    return 1
