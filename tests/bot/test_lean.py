"""What the library is spared; a library that has not got what is reached for must not go unnoticed here."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from discord.webhook.async_ import async_context

from bot import lean


@pytest.fixture
async def client() -> discord.AutoShardedClient:
    return discord.AutoShardedClient(intents=discord.Intents.none(), shard_count=1)


async def test_only_what_is_wanted_reaches_the_library(client: discord.AutoShardedClient) -> None:
    heard: list[str] = []
    parsers: Any = client._connection.parsers
    parsers["MESSAGE_CREATE"] = lambda data: heard.append(data["id"])
    lean.hear_only(client, {"MESSAGE_CREATE": lambda data: data["id"] != "1", "NO_SUCH_EVENT": lambda _: False})
    for number in "123":
        parsers["MESSAGE_CREATE"]({"id": number})
    assert heard == ["2", "3"]
    assert "NO_SUCH_EVENT" not in parsers


async def test_the_gateway_goes_by_what_is_changed(client: discord.AutoShardedClient) -> None:
    before = client._connection.parsers["MESSAGE_CREATE"]
    lean.hear_only(client, {"MESSAGE_CREATE": lambda _: False})
    assert client._connection.parsers["MESSAGE_CREATE"] is not before


async def test_an_answer_is_not_told_back(monkeypatch: pytest.MonkeyPatch) -> None:
    lean.answer_unechoed()
    adapter, asked = async_context.get(), []

    async def request(route: Any, **options: Any) -> None:
        asked.append((route.path, options.get("params")))

    monkeypatch.setattr(adapter, "request", request)
    params = discord.http.MultipartParameters({"type": 4}, None, None)
    given: Any = {"session": None, "params": params}
    told: Any = await adapter.create_interaction_response(17, "token", **given)
    assert asked == [("/interactions/{webhook_id}/{webhook_token}/callback", None)]
    assert told == {"interaction": {"id": "17"}}
