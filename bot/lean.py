"""Spares the library work that nobody here needs the result of: the one module that reaches into it.

Where a newer library has not got what is reached for, it does all of its work, as it would without this module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, cast

import aiohttp
import discord
from discord import utils
from discord.http import MultipartParameters, Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

Message = Mapping[str, Any]
"""A message as the gateway tells it."""


def hear_only(client: discord.Client, events: Mapping[str, Callable[[Message], bool]]) -> None:
    """Have the library take only those of an event that may be wanted: making a message of one takes longer than many an answer."""
    parsers: dict[str, Callable[[Any], None]] = getattr(client._connection, "parsers", {})  # pyright: ignore[reportPrivateUsage]
    for event, wanted in events.items():
        if event in parsers:
            parsers[event] = _where(wanted, parsers[event])


def _where(wanted: Callable[[Message], bool], parse: Callable[[Any], None]) -> Callable[[Any], None]:
    def parse_wanted(data: Any) -> None:
        if wanted(data):
            parse(data)

    return parse_wanted


class _Adapter(AsyncWebhookAdapter):
    """Answers interactions without being told what the answer looks like."""

    def create_interaction_response(
        self,
        interaction_id: int,
        token: str,
        *,
        session: aiohttp.ClientSession,
        proxy: str | None = None,
        proxy_auth: aiohttp.BasicAuth | None = None,
        params: MultipartParameters,
    ) -> Coroutine[Any, Any, Any]:
        """Send an answer; of what Discord would tell of it, the library gets only what it cannot do without."""
        if params.files:
            return super().create_interaction_response(
                interaction_id, token, session=session, proxy=proxy, proxy_auth=proxy_auth, params=params
            )
        place = "/interactions/{webhook_id}/{webhook_token}/callback"
        route = Route("POST", place, webhook_id=interaction_id, webhook_token=token)
        sending = self.request(route, session=session, proxy=proxy, proxy_auth=proxy_auth, payload=params.payload)
        return _told(sending, {"interaction": {"id": str(interaction_id)}})


async def _told(sending: Coroutine[Any, Any, Any], told: dict[str, Any]) -> dict[str, Any]:
    await sending
    return told


def answer_unechoed() -> None:
    """Have interactions answered in this context and those that it is copied to without an echo of the answer."""
    async_context.set(_Adapter())


_strictly: Callable[[str | bytes], Any] = utils._from_json  # pyright: ignore[reportPrivateUsage]


def read_broken_text() -> None:
    """Have the library read what orjson refuses: half a character, as it may stand at the end of a text that was cut, is replaced.

    Left as it is, one such message would end the connection.
    """
    utils._from_json = _leniently  # pyright: ignore[reportPrivateUsage]


def _leniently(text: str | bytes) -> Any:
    try:
        return _strictly(text)
    except ValueError:
        return _mended(json.loads(text))


def _mended(value: Any) -> Any:
    """The value with a replacement character for each half of one."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mended(inner) for inner in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {_mended(key): _mended(inner) for key, inner in cast("dict[str, Any]", value).items()}
    return value
