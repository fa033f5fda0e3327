"""Finished answers to what is typed into the options of commands, kept to be given again: most of what is asked was asked before.

A key holds the values of options and what else an answer depends on, never who asked or where, and never a line of chat. What is
kept is kept in memory alone, so many answers and no more; those of another catalogue are dropped.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from answers.answering import Answering
from commands.meter import Counted
from commands.views import Composed

if TYPE_CHECKING:
    from answers.rendering.charts.svg import Picture
    from commands.services import Defaults

MOST = 1024
"""Answers. One takes three kilobytes or so."""


@dataclass(frozen=True, slots=True)
class Key:
    """All that an answer depends on besides the catalogue."""

    typed: Hashable
    """The command, and the values of its options."""
    locale: str
    defaults: Defaults
    """What the server's moderators want questions to mean."""
    public: bool
    short: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """An answer that only has to be sent."""

    composed: Composed
    alone: bool
    """Only the asker sees it."""
    counted: tuple[Counted, ...]
    picture: Picture | None = None
    """The chart that was asked for."""


class Kept:
    """The answers that were given last."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._of: Answering | None = None
        self._finished: OrderedDict[Key, Finished] = OrderedDict()

    def __len__(self) -> int:
        return len(self._finished)

    def get(self, answering: Answering, key: Key) -> Finished | None:
        """The answer out of this catalogue, where it is still there."""
        if answering is not self._of:
            self._of = answering
            self._finished.clear()
        found = self._finished.get(key)
        if found:
            self._finished.move_to_end(key)
        return found

    def clear(self) -> None:
        """Let go of all answers, and of the catalogue that they are out of."""
        self._of = None
        self._finished.clear()

    def put(self, answering: Answering, key: Key, finished: Finished) -> None:
        """Keep an answer, in place of the one that was wanted least lately; one out of a catalogue that has gone is not kept."""
        if answering is self._of:
            self._finished[key] = finished
            if len(self._finished) > self._most:
                self._finished.popitem(last=False)
