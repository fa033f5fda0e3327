"""The message: what a locale's template says, cut into the parts that every surface shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from answers.errors import DataError

TITLE_LENGTH = 70
Colour = Literal["green", "amber", "red", "grey"]


@dataclass(frozen=True, slots=True)
class Field:
    """A heading with up to three lines."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """One rendered answer. Text is Markdown as Discord reads it: bold only."""

    title: str
    body: tuple[str, ...]
    table: tuple[str, ...]
    fields: tuple[Field, ...]
    footer: str
    colour: Colour
    choices: tuple[str, ...] = ()
    """Numbered ways on, where the message asks back."""
    assumed: str = ""
    """What was taken for said of the asker, before the footer."""

    @property
    def small_print(self) -> str:
        """The last line: what was taken for said, then the footer, which goes on in small letters unless it begins with a name."""
        after = self.footer
        if self.assumed and after[1:2].islower():
            after = after[:1].lower() + after[1:]
        return " · ".join(part for part in (self.assumed, after) if part)

    def lines(self) -> tuple[str, ...]:
        """Every written line, as a phone would show them, without blank ones."""
        out = [self.title, *self.body, *self.table]
        for field in self.fields:
            out += [field.name, *field.lines]
        out += [f"{number}. {choice}" for number, choice in enumerate(self.choices, 1)]
        return tuple(out + [self.small_print] * bool(self.small_print))

    def text(self) -> str:
        """Plain text for a console: parts apart by a blank line, no Markdown."""
        parts = [self.title, "\n".join(self.body), "\n".join(self.table)]
        parts += [f"{field.name}\n" + "\n".join(field.lines) for field in self.fields]
        parts.append("\n".join(f"{number}. {choice}" for number, choice in enumerate(self.choices, 1)))
        parts.append(self.small_print)
        return plain("\n\n".join(part for part in parts if part))


def plain(text: str) -> str:
    """Markdown taken out: bold marks, and the backslashes that keep typed text from being Markdown."""
    return re.sub(r"\\([\\*_~`|>#\[\]()<@:-])", r"\1", text.replace("**", ""))


def _shortest_needed(versions: list[str]) -> str:
    """The first version of a title that fits on two lines of a phone; the last one cut where none does."""
    stripped = [version.strip() for version in versions]
    fitting = [version for version in stripped if len(plain(version)) <= TITLE_LENGTH]
    return fitting[0] if fitting else stripped[-1][: TITLE_LENGTH - 1].rstrip() + "…"


def parse(text: str, colour: Colour, source: str) -> Message:
    """Cut a rendered template into a message.

    ``# `` opens the title (shorter versions may follow after ``||``: the first that fits is taken), ``## `` a field, ``-# `` the
    footer, ``1. `` a choice; lines between ````` ``` ````` are the table.

    Raises:
        DataError: for a template that gives no title, or two.
    """
    title = footer = ""
    body: list[str] = []
    table: list[str] = []
    fields: list[tuple[str, list[str]]] = []
    choices: list[str] = []
    in_table = False
    for raw in text.splitlines():
        line = raw.rstrip()
        if line.startswith("```"):
            in_table = not in_table
        elif in_table:
            table.append(line)
        elif not line.strip():
            continue
        elif line.startswith("# "):
            if title:
                raise DataError(f"{source}: two titles")
            title = _shortest_needed(line[2:].split("||"))
        elif line.startswith("## "):
            fields.append((line[3:].strip(), []))
        elif line.startswith("-# "):
            footer = line[3:].strip()
        elif line.startswith("1. "):
            choices.append(line[3:].strip())
        elif fields:
            fields[-1][1].append(line.strip())
        else:
            body.append(line.strip())
    if not title:
        raise DataError(f"{source}: no title")
    kept = tuple(Field(name, tuple(lines)) for name, lines in fields if lines)
    return Message(title, tuple(body), tuple(table), kept, footer, colour, tuple(choices))
