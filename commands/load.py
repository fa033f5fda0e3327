"""How late the bot is with what people ask, so that under too much load it leaves out what is missed least.

Discord gives an interaction a few seconds. What comes when most of them have gone is answered with a sentence, which is worked out
at once, rather than with an answer that may come too late to be shown at all. Suggestions go first: whoever typed has typed on.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

DEADLINE_S = 3.0
"""What Discord gives an interaction."""
_LEFT_OUT, _CUT_SHORT = 1 / 6, 2 / 3
"""Of the deadline: later than that, suggestions are left out, and questions get a sentence."""
_MANY = 50
"""Interactions within a second, below which lateness comes from elsewhere: a connection that was lost, a slow network."""
_WINDOW_S, _WINDOWS = 1200.0, 3
"""The quickest way of the last hour is what being on time takes; clocks drift apart by less than matters meanwhile."""


class Load:
    """Tells lateness from the moments at which Discord made its ids, by a clock that nobody sets."""

    def __init__(self, deadline_s: float = DEADLINE_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._suggest_s, self._answer_s = deadline_s * _LEFT_OUT, deadline_s * _CUT_SHORT
        self._clock = clock
        self._least: deque[float] = deque((float("inf"),), maxlen=_WINDOWS)
        self._window_ends = clock() + _WINDOW_S
        self._second = 0.0
        self._heard = self._heard_before = 0

    def late_s(self, snowflake: int) -> float:
        """How many seconds later than it might have been something is heard; 0 where there is not much to do at all.

        To be asked once for each interaction: it counts them.
        """
        now = self._clock()
        self._count(now)
        # Discord's clock and ours begin at different moments; the least difference is the way of what was not late.
        way = now - (snowflake >> 22) / 1000
        if now >= self._window_ends:
            self._window_ends = now + _WINDOW_S
            self._least.append(way)
        elif way < self._least[-1]:
            self._least[-1] = way
        return way - min(self._least) if max(self._heard, self._heard_before) >= _MANY else 0.0

    def leaves_out(self, late_s: float) -> bool:
        """Whether suggestions that are so late are left out."""
        return late_s > self._suggest_s

    def cuts_short(self, late_s: float) -> bool:
        """Whether a question that is so late gets no more than a sentence."""
        return late_s > self._answer_s

    def _count(self, now: float) -> None:
        if now - self._second >= 1.0:
            self._heard_before = self._heard if now - self._second < 2.0 else 0
            self._heard, self._second = 0, now
        self._heard += 1
