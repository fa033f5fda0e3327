"""Keeps what went between the bot and the stand-in, so that a test can look at it and check it against Discord's document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Exchange:
    """One request of the bot and the answer to it."""

    method: str
    path: str
    """Without the API's base, such as "channels/123/messages"."""
    body: Any
    files: tuple[str, ...]
    status: int
    answer: Any

    @property
    def refused(self) -> bool:
        return self.status >= 400

    @property
    def code(self) -> int | None:
        """Discord's error code, where the request was refused."""
        return self.answer.get("code") if self.refused and isinstance(self.answer, dict) else None

    @property
    def route(self) -> str:
        """Method and path with every id and token replaced by *, such as "POST channels/*/messages"."""
        return f"{self.method} {re.sub(r'(?<=/)([0-9]+|tok-[^/]+)(?=/|$)', '*', self.path)}"


class Record:
    """The exchanges in order. Set `keep` to False where only speed is measured."""

    def __init__(self) -> None:
        self.keep = True
        self.exchanges: list[Exchange] = []

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self.exchanges)

    def __len__(self) -> int:
        return len(self.exchanges)

    def add(self, exchange: Exchange) -> None:
        if self.keep:
            self.exchanges.append(exchange)

    def to(self, route: str) -> list[Exchange]:
        """Exchanges with a route such as "POST channels/*/messages"."""
        return [exchange for exchange in self.exchanges if exchange.route == route]

    @property
    def refused(self) -> list[Exchange]:
        """What was refused, faults that a test injected included."""
        return [exchange for exchange in self.exchanges if exchange.refused]

    def clear(self) -> None:
        self.exchanges.clear()
