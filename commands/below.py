"""What stands below an answer, as Discord is sent it: made once for an answer, and made anybody's own in a moment.

Everything that a component knows stands in its custom id (see ``state``), and all of that but who asked is the same for everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from discord.ui import View

from commands.state import Code, custom_id

MOST_LABEL = 80
MOST_OPTIONS = 25
_ROW, _BUTTON, _SELECT = 1, 2, 3
"""Discord's numbers for the kinds of components."""
GREY, BLUE = 2, 1
"""Discord's numbers for the styles of buttons."""


@dataclass(frozen=True, slots=True)
class Part:
    """A button or a select, whoever asked."""

    row: int
    kind: str
    """``b`` or ``s``, as in its id."""
    action: str
    code: Code
    body: Mapping[str, Any]
    """All of it but its id."""


def button(code: Code, action: str, label: str, *, row: int, disabled: bool = False, style: int = GREY) -> Part:
    """A button."""
    shown = label if len(label) <= MOST_LABEL else label[: MOST_LABEL - 1] + "…"
    return Part(row, "b", action, code, {"type": _BUTTON, "style": style, "label": shown, "disabled": disabled})


def select(code: Code, action: str, options: Iterable[Mapping[str, Any]], *, row: int, placeholder: str | None = None) -> Part:
    """A select of at most 25 options."""
    body: dict[str, Any] = {"type": _SELECT, "options": list(options)[:MOST_OPTIONS]}
    return Part(row, "s", action, code, body | {"placeholder": placeholder} if placeholder else body)


def option(label: str, value: str, chosen: bool = False) -> Mapping[str, Any]:
    """One option of a select."""
    return {"label": label, "value": value, "default": chosen}


class Below(View):
    """The components below an answer. None of them waits for anything: whatever is pressed says itself what it is for."""

    def __init__(self, parts: Iterable[Part], asker: int) -> None:
        super().__init__(timeout=None)
        codes: dict[Code, str] = {}
        rows: dict[int, list[dict[str, Any]]] = {}
        for part in parts:
            code = codes.get(part.code) or codes.setdefault(part.code, part.code.of(asker))
            rows.setdefault(part.row, []).append({**part.body, "custom_id": custom_id(part.kind, part.action, code)})
        self._rows = [{"type": _ROW, "components": rows[row]} for row in sorted(rows)]

    def is_finished(self) -> bool:
        """Always, so that the library remembers nothing of it."""
        return True

    def to_components(self) -> list[dict[str, Any]]:
        """The components as they are sent."""
        return self._rows
