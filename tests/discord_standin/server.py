"""The HTTP side: takes requests and uploads, lets faults and rate limits befall them, and records what came of them."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import BodyPartReader, web

from . import errors
from .errors import ApiError
from .faults import Fault, Faults
from .messages import Upload
from .record import Exchange, Record
from .rest import ROUTES, Answer, Request, Rest

MESSAGES_PER_CHANNEL = (5, 5.0)
"""Messages that Discord takes in one channel, and within how many seconds."""


Handler = Callable[..., Answer]


class Server:
    """Takes the bot's requests, passes them on to their routes, and keeps the record."""

    def __init__(self, rest: Rest, faults: Faults, token: list[str]) -> None:
        self.faults = faults
        self._files = rest.messages.files
        self._token = token
        self.record = Record()
        self.arrived = asyncio.Event()
        self.under_way = 0
        self.message_rate: tuple[int, float] | None = MESSAGES_PER_CHANNEL
        self._buckets: dict[str, tuple[float, int]] = {}
        self._routes = [(verb, _regex(path), getattr(rest, name)) for verb, path, name in ROUTES]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One request, from its faults to its record."""
        path, method = request.match_info["path"], request.method
        self.under_way += 1
        try:
            fault = self.faults.find(method, path)
            if fault and fault.hangs_up:
                if request.transport:
                    request.transport.abort()
                return web.Response()
            if fault and fault.carries_out:
                await self._carry_out(request, method, path, None)
                self.record.exchanges.pop()
                return self._reply(method, path, None, (), (fault.status or 502, fault.body), fault.headers)
            if fault and fault.status is not None:
                body, files = await _read(request)
                return self._reply(method, path, body, files, (fault.status, fault.body), fault.headers)
            return await self._carry_out(request, method, path, fault)
        finally:
            self.under_way -= 1
            self.tell()

    async def _carry_out(self, request: web.Request, method: str, path: str, fault: Fault | None) -> web.StreamResponse:
        headers: dict[str, str] = {}
        body: Any = None
        files: Sequence[Upload] = ()
        try:
            body, files = await _read(request)
            # An interaction's token stands in the path; for everything else the bot has to show its own.
            if (
                not path.startswith(("interactions/", "webhooks/"))
                and request.headers.get("Authorization") != f"Bot {self._token[0]}"
            ):
                raise errors.unauthorized()
            handler, values = self._route(method, path)
            headers = self._limit(method, path)
            answer = handler(Request(body, files, request.query), **values)
        except ApiError as error:
            answer = error.status, error.body
            headers |= error.headers
        if fault and fault.delay:
            await asyncio.sleep(fault.delay)
        return self._reply(method, path, body, files, answer, headers)

    def tell(self) -> None:
        """Wake whoever waits for something that the bot sends."""
        arrived, self.arrived = self.arrived, asyncio.Event()
        arrived.set()

    def _reply(
        self, method: str, path: str, body: Any, files: Sequence[Upload], answer: Answer, headers: dict[str, str]
    ) -> web.Response:
        status, content = answer
        names = tuple(upload.name for upload in files)
        # A snapshot: what a message looks like later is no business of the answer that told of it.
        raw = json.dumps(content).encode()
        if self.record.keep:
            self.record.add(Exchange(method, path, body, names, status, json.loads(raw)))
        # Clients take a 429 without Via for a ban by the network in front of Discord.
        headers = {"Via": "1.1 stand-in", **headers}
        if status == 204:
            return web.Response(status=204, headers=headers)
        # Not json_response: clients compare the content type as a whole, and it has no charset.
        return web.Response(body=raw, status=status, content_type="application/json", headers=headers)

    def _route(self, method: str, path: str) -> tuple[Handler, dict[str, str]]:
        for verb, pattern, handler in self._routes:
            if verb == method:
                match = pattern.fullmatch(path)
                if match:
                    return handler, match.groupdict()
        raise ApiError(404, 0, "404: Not Found")

    def _limit(self, method: str, path: str) -> dict[str, str]:
        """The rate limit of sending to a channel: headers, and a refusal for those who do not heed them."""
        match = re.fullmatch(r"channels/(\d+)/messages", path)
        if method != "POST" or not match or not self.message_rate:
            return {}
        limit, window = self.message_rate
        now = time.time()
        reset, used = self._buckets.get(match[1], (0.0, 0))
        if now >= reset:
            reset, used = now + window, 0
        used += 1
        self._buckets[match[1]] = (reset, used)
        headers = {
            "X-RateLimit-Bucket": "6d0b6d2e9f8a",
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(max(0, limit - used)),
            "X-RateLimit-Reset": f"{reset:.3f}",
            "X-RateLimit-Reset-After": f"{reset - now:.3f}",
        }
        if used > limit:
            error = ApiError(429, 0, "You are being rate limited.")
            error.body = {"message": "You are being rate limited.", "retry_after": round(reset - now, 3), "global": False}
            error.headers = headers | {"X-RateLimit-Scope": "user", "Retry-After": str(max(1, round(reset - now)))}
            raise error
        return headers

    async def cdn(self, request: web.Request) -> web.StreamResponse:
        """What was uploaded."""
        content = self._files.get(request.match_info["key"])
        return web.Response(status=404) if content is None else web.Response(body=content)


def _regex(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))


async def _read(request: web.Request) -> tuple[Any, list[Upload]]:
    """The JSON of a request, and what was uploaded with it."""
    if not request.can_read_body:
        return {}, []
    try:
        if not request.content_type.startswith("multipart/"):
            raw = await request.read()
            return (json.loads(raw) if raw else {}), []
        body: Any = {}
        files: list[Upload] = []
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader)
            content = bytes(await part.read())
            if part.name == "payload_json":
                body = json.loads(content)
            else:
                files.append(Upload(part.name or "", part.filename or "", content))
    except ValueError:
        raise errors.invalid_json() from None
    return body, files
