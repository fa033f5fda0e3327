"""Shards: which of them a process takes, and which are connected."""

from __future__ import annotations

import pytest

from answers.errors import UsageError
from bot.cli import main
from bot.shards import Part, Shards


@pytest.mark.parametrize(
    ("text", "ids", "count"), [("0-7/32", range(8), 32), ("3/32", (3,), 32), ("0/1", (0,), 1), (" 8-15/16 ", range(8, 16), 16)]
)
def test_a_part_is_written_as_first_last_and_all(text: str, ids: range, count: int) -> None:
    part = Part.read(text)
    assert (part.ids, part.count) == (list(ids), count)


@pytest.mark.parametrize(
    "text", ["", "8", "0-7", "7-0/32", "0-32/32", "32/32", "0/0", "-1/4", "0-7/32/2", "a-b/c", "0–7/32", "1e3/2e3"]
)
def test_what_is_no_part_is_refused_in_a_sentence(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError):
        Part.read(text)
    if text:
        assert main(["run", f"--shards={text}"]) == 2
        said = capsys.readouterr().err
        assert said.startswith("rigcheck: ")
        assert said.count("\n") == 1


def test_every_server_is_heard_of_by_one_part() -> None:
    parts = [Part.read(text) for text in ("0-7/32", "8-30/32", "31/32")]
    for number in range(2000):
        guild_id = (number * 7919) << 22 | number
        assert [part.hears_of(guild_id) for part in parts].count(True) == 1
        assert parts[0].hears_of(guild_id) == ((guild_id >> 22) % 32 < 8)


def test_shards_are_up_from_their_session_to_their_loss() -> None:
    now = [100.0]
    shards = Shards(clock=lambda: now[0])
    assert not shards.all_up([])
    assert not shards.all_up([0])
    shards.connected(0)
    now[0] += 5
    shards.connected(1)
    assert shards.all_up([0, 1])
    assert (shards.up_s(0), shards.up_s(1), shards.up_s(2)) == (5, 0, None)
    shards.lost(0)
    # The library tells of one loss twice.
    shards.lost(0)
    assert not shards.all_up([0, 1])
    assert shards.all_up([1])
    assert (shards.losses(0), shards.losses(1)) == (1, 0)
