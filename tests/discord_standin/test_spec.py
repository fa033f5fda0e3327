"""The check against Discord's OpenAPI document finds what is wrong, and forgives what is known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord_standin import Exchange, spec

pytestmark = pytest.mark.skipif(not spec.available(), reason="Discord's OpenAPI document is not at hand")


def sent(path: str, body: Any, status: int = 200, method: str = "POST") -> list[Exchange]:
    return [Exchange(method, path, body, (), status, None)]


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("channels/1/messages", {"content": 5}, "content"),
        ("channels/1/messages", {"embeds": [{"title": ["x"]}]}, "embeds/0/title"),
        ("channels/1/messages", {"message_reference": {"message_id": "none"}}, "message_reference"),
        ("interactions/1/tok-1/callback", {"type": 77}, "type"),
        ("no/such/route", {"content": "x"}, "no such route"),
    ],
)
def test_a_wrong_body_is_found(path: str, body: Any, told: str) -> None:
    [violation] = spec.violations(sent(path, body))
    assert told in violation


@pytest.mark.parametrize(
    "body",
    [
        {"content": "x"},
        # discord.py sends ids as integers.
        {"content": "x", "message_reference": {"message_id": 1577086774457401381, "channel_id": 1577086774457401381}},
        {"content": "x", "attachments": [{"id": 0, "filename": "chart.png"}]},
    ],
)
def test_a_right_body_passes(body: Any) -> None:
    assert spec.violations(sent("channels/1/messages", body)) == []


def test_what_was_refused_is_not_held_against_the_document() -> None:
    assert spec.violations(sent("channels/1/messages", {"content": 5}, status=400)) == []
