"""What goes wrong with Discord: rate limits, outages, slow answers, dropped and half-open connections, a revoked token.

All of it is asked for by a test, and lasts for a number of requests, a time, or until it is ended.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .gateway import Gateway

INTERNAL_ERRORS = {500: "500: Internal Server Error", 502: "502: Bad Gateway", 503: "503: Service Unavailable"}


@dataclass(eq=False)
class Fault:
    """One rule; `met` counts the requests that it befell."""

    pattern: re.Pattern[str]
    times: int | None = 1
    until: float | None = None
    status: int | None = None
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    hangs_up: bool = False
    carries_out: bool = False
    """What was asked for is done; only the answer tells otherwise."""
    met: int = 0

    def applies(self, method: str, path: str) -> bool:
        if self.over or not self.pattern.fullmatch(f"{method} {path}"):
            return False
        self.met += 1
        return True

    @property
    def over(self) -> bool:
        spent = self.times is not None and self.met >= self.times
        return spent or (self.until is not None and time.monotonic() > self.until)

    def end(self) -> None:
        """Let everything through again."""
        self.times = self.met


class Faults:
    """The faults in force. Routes are written as in the record: "POST channels/*/messages"; "*" alone is any request."""

    def __init__(self, gateway: Gateway, revoke: Callable[[], None]) -> None:
        self._gateway = gateway
        self._revoke = revoke
        self.rules: list[Fault] = []

    def find(self, method: str, path: str) -> Fault | None:
        """The fault that befalls a request, if any."""
        if not self.rules:
            return None
        self.rules = [rule for rule in self.rules if not rule.over]
        return next((rule for rule in self.rules if rule.applies(method, path)), None)

    def rate_limit(self, route: str, retry_after: float, *, times: int | None = 1, scope: str = "user") -> Fault:
        """Answer 429 on one route. `scope` is "user" or "shared"."""
        return self._limited(route, retry_after, times, scope)

    def rate_limit_globally(self, retry_after: float, *, times: int | None = 1) -> Fault:
        """Answer 429 for everything that the bot does; it must then send nothing at all for a while."""
        return self._limited("*", retry_after, times, "global")

    def fail(self, route: str, status: int = 500, *, times: int | None = 1, seconds: float | None = None) -> Fault:
        """Answer with a server error, for a number of requests or for some seconds."""
        until = None if seconds is None else time.monotonic() + seconds
        body = {"message": INTERNAL_ERRORS.get(status, f"{status}: error"), "code": 0}
        return self._add(Fault(_pattern(route), None if seconds else times, until, status, body))

    def lose_answer(self, route: str, status: int = 502, *, times: int | None = 1) -> Fault:
        """Do what is asked, but answer with a server error, as a gateway does that has waited too long."""
        body = {"message": INTERNAL_ERRORS[status], "code": 0}
        return self._add(Fault(_pattern(route), times, status=status, body=body, carries_out=True))

    def slow(self, route: str, seconds: float, *, times: int | None = 1) -> Fault:
        """Take what comes at once, but answer late."""
        return self._add(Fault(_pattern(route), times, delay=seconds))

    def hang_up(self, route: str, *, times: int | None = 1) -> Fault:
        """Break the connection instead of answering; the request is not carried out."""
        return self._add(Fault(_pattern(route), times, hangs_up=True))

    def reconnect(self, shard: int = 0) -> None:
        """Op 7: ask the bot to connect anew and to resume."""
        self._gateway.connected(shard).op(7)

    def invalidate(self, shard: int = 0, *, resumable: bool = False) -> None:
        """Op 9: end a session. Unless it is resumable, the bot has to identify anew."""
        if resumable:
            self._gateway.connected(shard).op(9, True)
        else:
            self._gateway.forget(shard)

    def drop(self, shard: int = 0) -> None:
        """Cut the connection without a word, as a broken network does."""
        self._gateway.connected(shard).abort()

    async def close(self, shard: int = 0, code: int = 4000) -> None:
        """Close the connection in due form, with one of Discord's close codes."""
        await self._gateway.connected(shard).close(code)

    def freeze(self, shard: int = 0) -> None:
        """Leave the connection half-open: it stands, but nothing comes through any more and no heartbeat is answered."""
        self._gateway.connected(shard).frozen = True

    def delay(self, seconds: float, shard: int = 0) -> None:
        """Slow the connection down: what is sent from now on comes so much later, in its order."""
        self._gateway.connected(shard).late_s = seconds

    async def revoke_token(self) -> None:
        """Make the bot's token worthless, as a reset in the developer portal does."""
        self._revoke()
        await asyncio.gather(*(socket.close(4004) for socket in self._gateway.sockets()))

    def clear(self) -> None:
        """End every fault of the HTTP side."""
        self.rules.clear()

    def _limited(self, route: str, retry_after: float, times: int | None, scope: str) -> Fault:
        body = {"message": "You are being rate limited.", "retry_after": retry_after, "global": scope == "global"}
        headers = {"Retry-After": str(max(1, round(retry_after))), "X-RateLimit-Scope": scope}
        if scope == "global":
            headers["X-RateLimit-Global"] = "true"
        return self._add(Fault(_pattern(route), times, status=429, body=body, headers=headers))

    def _add(self, fault: Fault) -> Fault:
        self.rules.append(fault)
        return fault


def _pattern(route: str) -> re.Pattern[str]:
    if route == "*":
        return re.compile(".*")
    return re.compile(re.escape(route).replace(r"\*", "[^/]+").replace("@original", r"[^/]+"))
