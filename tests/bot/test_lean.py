"""What the library is spared; a library that has not got what is reached for must not go unnoticed here."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from discord import utils
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


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r'{"d": {"content": "cut \ud83d", "\udc00": [1, "a\ud83db"]}}', {"d": {"content": "cut �", "�": [1, "a�b"]}}),
        (r'{"d": "whole \ud83d\ude00 \\ud83d"}', {"d": "whole 😀 \\ud83d"}),
        ('{"d": "á 显存"}', {"d": "á 显存"}),
    ],
)
def test_half_a_character_is_replaced_and_nothing_else(monkeypatch: pytest.MonkeyPatch, sent: str, read: object) -> None:
    monkeypatch.setattr(utils, "_from_json", utils._from_json)
    lean.read_broken_text()
    for _ in range(2):
        lean.read_broken_text()
        assert utils._from_json(sent) == read
        assert utils._from_json(sent.encode()) == read


def test_what_is_no_json_is_refused_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(utils, "_from_json", utils._from_json)
    lean.read_broken_text()
    with pytest.raises(ValueError, match="Expecting"):
        utils._from_json('{"d": ')
