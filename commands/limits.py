"""Keeps a chatty server calm: how many answers a person and a channel get, by token buckets."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

_MOST_BUCKETS = 10_000


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and then one more every so many seconds."""

    burst: int
    every_s: float


@dataclass(frozen=True, slots=True)
class Wait:
    """A refusal."""

    seconds: int
    """Whole seconds until there is an answer again."""
    first: bool
    """The first refusal since the last answer: the one that is worth a sentence."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float
    refused: bool = False


PERSON = Rate(burst=5, every_s=4.0)
CHANNEL = Rate(burst=20, every_s=0.5)


class Limits:
    """The buckets of all persons and channels. Nothing is kept of what anybody asked."""

    def __init__(self, person: Rate = PERSON, channel: Rate = CHANNEL, clock: Callable[[], float] = time.monotonic) -> None:
        self._person, self._channel = person, channel
        self._clock = clock
        self._persons: OrderedDict[int, _Bucket] = OrderedDict()
        self._channels: OrderedDict[int, _Bucket] = OrderedDict()

    def take(self, user_id: int, channel_id: int | None = None) -> Wait | None:
        """Take one answer for a person in a channel; ``None`` where it is theirs. A refusal takes nothing."""
        now = self._clock()
        buckets = [(self._bucket(self._persons, user_id, self._person, now), self._person)]
        if channel_id is not None:
            buckets.append((self._bucket(self._channels, channel_id, self._channel, now), self._channel))
        seconds = max((1.0 - bucket.tokens) * rate.every_s for bucket, rate in buckets)
        person = buckets[0][0]
        if seconds > 0:
            first, person.refused = not person.refused, True
            return Wait(max(1, ceil(seconds)), first)
        for bucket, _ in buckets:
            bucket.tokens -= 1.0
        person.refused = False
        return None

    def forget(self, user_id: int) -> None:
        """Forget a person whose bucket is full again; until then, forgetting would be a way round the limit."""
        bucket = self._persons.get(user_id)
        if bucket and bucket.tokens + (self._clock() - bucket.at) / self._person.every_s >= self._person.burst:
            del self._persons[user_id]

    def __len__(self) -> int:
        return len(self._persons) + len(self._channels)

    @staticmethod
    def _bucket(buckets: OrderedDict[int, _Bucket], owner: int, rate: Rate, now: float) -> _Bucket:
        bucket = buckets.get(owner)
        if bucket is None:
            # The one that was used longest ago is the fullest, and so the one that is missed least.
            if len(buckets) >= _MOST_BUCKETS:
                buckets.popitem(last=False)
            bucket = buckets[owner] = _Bucket(float(rate.burst), now)
        buckets.move_to_end(owner)
        bucket.tokens = min(float(rate.burst), bucket.tokens + max(0.0, now - bucket.at) / rate.every_s)
        bucket.at = now
        return bucket
