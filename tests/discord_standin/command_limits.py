"""What Discord refuses in the commands that a bot registers."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any, Final

from .errors import Form, Key, too_many_commands

SLASH, USER_MENU, MESSAGE_MENU = 1, 2, 3
SUB_COMMAND, SUB_COMMAND_GROUP = 1, 2
MAXIMUM: Final = {SLASH: 100, USER_MENU: 15, MESSAGE_MENU: 15}
LOCALES: Final = frozenset(
    {"id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR", "ro", "fi"}
    | {"sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko"}
)
# Letters and digits of any script, with the combining signs of Devanagari and Thai; \w alone has no combining signs.
NAME: Final = re.compile(r"^[-_'\w\u0900-\u097F\u0E00-\u0E7F]{1,32}$")

Json = dict[str, Any]
Path = tuple[Key, ...]


def check_commands(commands: list[Json], *, at_root: bool = False) -> None:
    """Refuse a list of commands. `at_root` is for a request with just one, whose errors are not numbered."""
    form = Form()
    for kind, limit in MAXIMUM.items():
        if sum(command.get("type", SLASH) == kind for command in commands) > limit:
            raise too_many_commands(limit)
    for number, command in enumerate(commands):
        at: Path = () if at_root else (number,)
        _check_command(form, command, at)
        if size_of(command) > 8000:
            form.wrong(at, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")
    for kind in MAXIMUM:
        same = {number: command for number, command in enumerate(commands) if command.get("type", SLASH) == kind}
        for number in _clashing(list(same.values())):
            message = "Application command names must be unique"
            form.wrong((list(same)[number],), "APPLICATION_COMMANDS_DUPLICATE_NAME", message)
    form.check()


def _check_command(form: Form, command: Json, at: Path) -> None:
    kind = command.get("type", SLASH)
    form.one_of((*at, "type"), kind, (SLASH, USER_MENU, MESSAGE_MENU))
    for key, allowed in (("contexts", (0, 1, 2)), ("integration_types", (0, 1))):
        for number, value in enumerate(command.get(key) or []):
            form.one_of((*at, key, number), value, allowed)
    if kind == SLASH:
        _check_texts(form, command, at, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
        _check_options(form, command.get("options") or [], at)
        return
    form.between((*at, "name"), command.get("name"), 1, 32)
    _check_localised(form, command, at, "name", 32)
    if command.get("description"):
        message = "Context menu commands cannot have description"
        form.wrong((*at, "description"), "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID", message)


def _check_texts(form: Form, node: Json, at: Path, code: str, message: str) -> None:
    name = node.get("name")
    if name is None:
        form.required((*at, "name"))
    elif not _is_name(name):
        form.wrong((*at, "name"), code, message)
    form.between((*at, "description"), node.get("description"), 1, 100)
    _check_localised(form, node, at, "name", 32)
    _check_localised(form, node, at, "description", 100)
    for locale, text in (node.get("name_localizations") or {}).items():
        if 1 <= len(text) <= 32 and not _is_name(text):
            form.wrong((*at, "name_localizations", locale), code, message)


def _check_localised(form: Form, node: Json, at: Path, key: str, limit: int) -> None:
    for locale, text in (node.get(f"{key}_localizations") or {}).items():
        place = (*at, f"{key}_localizations", locale)
        if locale not in LOCALES:
            form.wrong(place, "BASE_TYPE_CHOICES", f"Value must be one of {{{', '.join(sorted(LOCALES))}}}.")
        form.between(place, text, 1, limit)


def _is_name(text: str) -> bool:
    return bool(NAME.match(text)) and text == text.lower()


# What may stand inside of what: by the type of the parent, None being the command itself.
NESTING: Final = {None: tuple(range(1, 12)), SUB_COMMAND_GROUP: (SUB_COMMAND,), SUB_COMMAND: tuple(range(3, 12))}


def _check_options(form: Form, options: list[Json], at: Path, parent: int | None = None) -> None:
    form.at_most((*at, "options"), options, 25)
    optional_before = False
    nested = [option.get("type") in (SUB_COMMAND, SUB_COMMAND_GROUP) for option in options]
    if any(nested) and not all(nested):
        message = "Sub-command and sub-command group option types are mutually exclusive to all other types"
        form.wrong((*at, "options"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", message)
    for number, option in enumerate(options):
        here = (*at, "options", number)
        form.one_of((*here, "type"), option.get("type"), NESTING[parent])
        _check_texts(form, option, here, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
        _check_choices(form, option, here)
        if option.get("type") in (SUB_COMMAND, SUB_COMMAND_GROUP):
            _check_options(form, option.get("options") or [], here, option["type"])
        elif option.get("required") and optional_before:
            message = "Required options must be placed before non-required options"
            form.wrong(here, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", message)
        optional_before = optional_before or not option.get("required")
    for number in _clashing(options):
        message = f"Option name {options[number].get('name')} is already used in these options"
        form.wrong((*at, "options", number), "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", message)


def _check_choices(form: Form, option: Json, at: Path) -> None:
    choices = option.get("choices") or []
    form.at_most((*at, "choices"), choices, 25)
    for number, choice in enumerate(choices):
        here = (*at, "choices", number)
        form.between((*here, "name"), choice.get("name"), 1, 100)
        _check_localised(form, choice, here, "name", 100)
        if isinstance(choice.get("value"), str):
            form.between((*here, "value"), choice["value"], 1, 100)
    if choices and option.get("autocomplete"):
        message = "Autocomplete cannot be enabled for options with choices"
        form.wrong((*at, "autocomplete"), "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES_INVALID", message)


def _clashing(nodes: list[Json]) -> list[int]:
    """Positions of those whose name another before them has, in any locale; where a locale has no name, the plain one counts."""
    locales = {locale for node in nodes for locale in node.get("name_localizations") or {}}
    clashing: set[int] = set()
    for locale in (None, *locales):
        by_name: defaultdict[str, list[int]] = defaultdict(list)
        for number, node in enumerate(nodes):
            name = (node.get("name_localizations") or {}).get(locale) or node.get("name") or ""
            by_name[name].append(number)
        clashing.update(number for numbers in by_name.values() for number in numbers[1:])
    return sorted(clashing)


def size_of(node: Json) -> int:
    """Characters of names, descriptions and values, of each text only the longest of its translations, as Discord counts."""
    total = 0
    for key in ("name", "description"):
        texts = [node.get(key) or "", *(node.get(f"{key}_localizations") or {}).values()]
        total += max(map(len, texts))
    for choice in node.get("choices") or []:
        names = [choice.get("name") or "", *(choice.get("name_localizations") or {}).values()]
        total += max(map(len, names)) + len(str(choice.get("value", "")))
    return total + sum(size_of(option) for option in node.get("options") or [])
