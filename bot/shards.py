"""Which part of Discord a process takes, and which of its shards are connected."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from answers.errors import UsageError

_PART = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?/([1-9]\d{0,4})")


@dataclass(frozen=True, slots=True)
class Part:
    """The shards ``first`` to ``last`` of ``count``, all of them from 0 on."""

    first: int
    last: int
    count: int

    @classmethod
    def read(cls, text: str) -> Part:
        """What ``0-7/32`` or ``3/32`` means.

        Raises:
            UsageError: where it means nothing.
        """
        match = _PART.fullmatch(text.strip())
        if match is None:
            raise UsageError(f"{text!r} are no shards: write the first, the last and how many there are in all, as in 0-7/32")
        first, count = int(match[1]), int(match[3])
        last = int(match[2] or first)
        if not first <= last < count:
            raise UsageError(f"there are no shards {text}: of {count} they are 0 to {count - 1}, the first before the last")
        return cls(first, last, count)

    @property
    def ids(self) -> list[int]:
        """The shards."""
        return list(range(self.first, self.last + 1))

    def hears_of(self, guild_id: int) -> bool:
        """Whether a server is told to one of these shards, by Discord's formula."""
        return self.first <= (guild_id >> 22) % self.count <= self.last


@dataclass(frozen=True, slots=True)
class ShardHealth:
    """How one shard is."""

    shard: int
    up_s: float | None
    """For how long it has been connected; ``None`` where it is not."""
    latency_s: float | None
    """Between a heartbeat and its answer; ``None`` before the first."""
    losses: int


@dataclass(slots=True)
class Shards:
    """Which shards are connected; kept by the client from what the library tells it."""

    clock: Callable[[], float] = time.monotonic
    _since: dict[int, float] = field(default_factory=dict[int, float])
    _losses: dict[int, int] = field(default_factory=dict[int, int])

    def connected(self, shard_id: int) -> None:
        """A session was begun or taken up again."""
        self._since[shard_id] = self.clock()

    def lost(self, shard_id: int) -> None:
        """A connection has ended."""
        if self._since.pop(shard_id, None) is not None:
            self._losses[shard_id] = self._losses.get(shard_id, 0) + 1

    def up_s(self, shard_id: int) -> float | None:
        """For how many seconds a shard has been connected; ``None`` where it is not."""
        since = self._since.get(shard_id)
        return None if since is None else self.clock() - since

    def losses(self, shard_id: int) -> int:
        """How often a shard has lost its connection."""
        return self._losses.get(shard_id, 0)

    def all_up(self, shard_ids: Iterable[int]) -> bool:
        """Whether there are shards, and all of them are connected."""
        wanted = set(shard_ids)
        return bool(wanted) and wanted <= self._since.keys()
