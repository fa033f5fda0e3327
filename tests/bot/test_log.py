"""The log tells what happened, and nothing that anybody wrote."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Literal

import discord
import pytest

from answers.errors import DataError
from bot.log import set_up

SECRET = "MTIz.stand.in"


@pytest.fixture(autouse=True)
def untouched() -> Iterator[None]:
    """The log of the tests themselves stays as it is."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def logged(form: Literal["text", "json"], level: str = "INFO") -> io.StringIO:
    stream = io.StringIO()
    set_up(form, level, SECRET, stream)
    return stream


def fail(error: Exception) -> None:
    def remember() -> None:
        typed = "what somebody wrote"
        raise error if typed else AssertionError

    try:
        remember()
    except Exception:
        logging.getLogger("rigcheck").exception("an answer failed", extra={"reference": "k7f2"})


def test_an_event_is_a_line_of_text() -> None:
    stream = logged("text")
    logging.getLogger("rigcheck").info("ready", extra={"guilds": 3})
    (line,) = stream.getvalue().splitlines()
    assert line.endswith("INFO rigcheck: ready guilds=3")


def test_or_a_line_of_json() -> None:
    stream = logged("json")
    logging.getLogger("rigcheck").info("ready %s", "now", extra={"guilds": 3, "when": object})
    event = json.loads(stream.getvalue())
    assert (event["level"], event["logger"], event["message"], event["guilds"]) == ("INFO", "rigcheck", "ready now", 3)
    assert event["time"].endswith("+00:00")


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_traceback_has_its_frames_and_no_text_that_may_quote_somebody(form: Literal["text", "json"]) -> None:
    stream = logged(form)
    fail(ValueError("input_value='can I run my secret model'"))
    written = stream.getvalue()
    assert "test_log.py" in written
    assert "ValueError" in written
    assert "k7f2" in written
    assert "secret model" not in written


def test_causes_are_written_too_and_as_silent() -> None:
    stream = logged("text")
    error = RuntimeError("quotes somebody")
    error.__cause__ = KeyError("somebody else")
    fail(error)
    written = stream.getvalue()
    assert "KeyError" in written
    assert "RuntimeError" in written
    assert "somebody" not in written.replace("what somebody wrote", "")


@pytest.mark.parametrize(
    "error", [DataError("catalog.db: not a catalogue"), OSError("no space left"), discord.ClientException("no guild")]
)
def test_what_quotes_nobody_is_written_whole(error: Exception) -> None:
    stream = logged("text")
    fail(error)
    assert str(error) in stream.getvalue()


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_token_is_never_written(form: Literal["text", "json"]) -> None:
    stream = logged(form)
    logging.getLogger("rigcheck").info("logging in with %s", SECRET, extra={"header": f"Bot {SECRET}"})
    fail(OSError(f"cannot connect as {SECRET}"))
    assert SECRET not in stream.getvalue()


@pytest.mark.parametrize("name", ["discord.gateway", "discord.http", "aiohttp.client", "aiosqlite"])
def test_what_the_libraries_send_and_receive_is_not_written_at_any_level(name: str) -> None:
    stream = logged("text", "DEBUG")
    logging.getLogger(name).debug("For Shard ID 0: WebSocket Event: {'content': 'what somebody wrote'}")
    logging.getLogger("rigcheck").debug("ours")
    assert "somebody" not in stream.getvalue()
    assert "ours" in stream.getvalue()


def test_suggestions_that_came_too_late_are_no_error() -> None:
    stream = logged("text")
    late = discord.NotFound(_Response(404), {"code": 10062, "message": "Unknown interaction"})
    other = discord.HTTPException(_Response(400), {"code": 50035, "message": "Invalid Form Body"})
    for error in (late, other):
        try:
            raise error
        except discord.HTTPException:
            logging.getLogger("discord.app_commands.tree").exception("Ignoring exception in autocomplete for %r", "can-run")
    levels = [line.split()[2] for line in stream.getvalue().splitlines() if line.startswith("20")]
    assert sorted(levels) == ["ERROR", "INFO"]
    assert "50035" in stream.getvalue()
    assert "Unknown interaction" not in stream.getvalue()


class _Response:
    """As much of an HTTP response as an exception of the library looks at."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.reason = "Some Reason"
