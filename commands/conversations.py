"""What the bot remembers of a chat, in memory alone: which message asked, which one answers it, and what was understood.

Never what anybody wrote. The oldest exchange makes room for the newest, and none is kept for longer than a day.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from answers.questions.options import HARDWARE_SLOTS
from answers.questions.question import Question

FOLLOW_UP_S = 600.0
"""How long a person's next question may go on from the last one."""
KEEP_S = 86_400.0
MOST = 4_096
"""Exchanges that are remembered."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message that asked, and its answer."""

    asked_id: int
    """The message that asked."""
    asker_id: int
    channel_id: int
    locale: str
    questions: tuple[Question, ...]
    """What was understood, before a server's defaults filled it in; empty where nothing was asked."""
    memory: Question | None = None
    """What a follow-up goes on from."""
    pending: tuple[Question, ...] = ()
    """What the numbered choices of the answer stand for."""
    offer: Question | None = None
    """What a bare "yes" takes up."""
    previous: Question | None = None
    """What it went on from itself, so that an edited question goes on from the same."""
    rig: bool = False
    """The answer is for a machine that the asker saved."""
    after: int | None = None
    """The message that asked that."""
    answer_id: int | None = None
    """The message that answers; ``None`` where a reaction did, or where it is gone."""
    answer_channel_id: int | None = None
    """Where the answer stands, where that is another channel."""
    at: float = 0.0


class Conversations:
    """The exchanges of the last day, by their messages and by who asked where."""

    def __init__(self, most: int = MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._exchanges: OrderedDict[int, Exchange] = OrderedDict()
        self._asked_by_answer: dict[int, int] = {}
        self._latest: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._exchanges)

    def remember(self, exchange: Exchange) -> None:
        """Keep an exchange, in place of what was known of the message that asked.

        One that is known already keeps its age: who edits an old question does not take the conversation up again.
        """
        known = self._exchanges.get(exchange.asked_id)
        if known:
            self._unlink(known)
        # A key that is there keeps its place, so the oldest stay in front.
        self._exchanges[exchange.asked_id] = replace(exchange, at=known.at if known else self._clock())
        if exchange.answer_id is not None:
            self._asked_by_answer[exchange.answer_id] = exchange.asked_id
        latest = self._latest.get(place := (exchange.asker_id, exchange.channel_id))
        # Message ids grow with time.
        if exchange.memory and (latest is None or latest <= exchange.asked_id):
            self._latest[place] = exchange.asked_id
        self._make_room()

    def asked(self, message_id: int) -> Exchange | None:
        """The exchange that a message began."""
        return self._fresh(self._exchanges.get(message_id))

    def answered(self, message_id: int) -> Exchange | None:
        """The exchange that a message of the bot answers."""
        return self._fresh(self._exchanges.get(self._asked_by_answer.get(message_id, 0)))

    def latest(self, asker_id: int, channel_id: int) -> Exchange | None:
        """What somebody asked last in a channel, where that is recent enough to go on from."""
        found = self._fresh(self._exchanges.get(self._latest.get((asker_id, channel_id), 0)))
        return found if found and self._clock() - found.at <= FOLLOW_UP_S else None

    def forget(self, message_id: int) -> Exchange | None:
        """Forget the exchange that a message began; what was known of it."""
        found = self._exchanges.pop(message_id, None)
        if found is None:
            return None
        self._unlink(found)
        return found

    def forget_answer(self, message_id: int) -> None:
        """The answer itself has gone; what was asked may still be gone on from."""
        asked_id = self._asked_by_answer.pop(message_id, 0)
        if asked_id in self._exchanges:
            self._exchanges[asked_id] = replace(self._exchanges[asked_id], answer_id=None, pending=(), offer=None)

    def forget_person(self, user_id: int) -> int:
        """Forget everything that a person asked; how many exchanges that were."""
        theirs = [asked_id for asked_id, exchange in self._exchanges.items() if exchange.asker_id == user_id]
        for asked_id in theirs:
            self.forget(asked_id)
        return len(theirs)

    def of_person(self, user_id: int) -> int:
        """How many exchanges of a person are remembered."""
        return sum(exchange.asker_id == user_id for exchange in self._exchanges.values())

    def forget_rigs(self, user_id: int) -> None:
        """Forget the hardware of a person's machine; what else they asked may still be gone on from."""
        bare = {name: Question.model_fields[name].default for name in HARDWARE_SLOTS}
        for asked_id, exchange in self._exchanges.items():
            if exchange.asker_id == user_id and exchange.rig:
                memory = exchange.memory and exchange.memory.model_copy(update=bare)
                self._exchanges[asked_id] = replace(exchange, memory=memory, pending=(), offer=None, rig=False)

    def forget_channels(self, channel_ids: frozenset[int]) -> None:
        """Forget everything that was asked in channels that the bot does not see any more."""
        for asked_id in [asked_id for asked_id, exchange in self._exchanges.items() if exchange.channel_id in channel_ids]:
            self.forget(asked_id)

    def _fresh(self, exchange: Exchange | None) -> Exchange | None:
        return exchange if exchange and self._clock() - exchange.at <= KEEP_S else None

    def _unlink(self, exchange: Exchange) -> None:
        if exchange.answer_id is not None:
            self._asked_by_answer.pop(exchange.answer_id, None)
        place = (exchange.asker_id, exchange.channel_id)
        if self._latest.get(place) == exchange.asked_id:
            del self._latest[place]

    def _make_room(self) -> None:
        now = self._clock()
        while self._exchanges:
            oldest = next(iter(self._exchanges.values()))
            if len(self._exchanges) <= self._most and now - oldest.at <= KEEP_S:
                return
            self.forget(oldest.asked_id)
