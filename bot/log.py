"""The log: one line an event, as text or as JSON, without the content of messages and without the token.

The text of an exception may quote what somebody typed. So a traceback is written with the frames and the kind of the exception, and
with its text only where that comes from Discord, from the operating system or from a sentence of our own.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Literal, TextIO

from answers.errors import DataError
from commands.errors import ALREADY_ANSWERED, UNKNOWN_INTERACTION

_LOG = logging.getLogger("rigcheck")
_OWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
_HIDDEN = "…"
_TRIES_AGAIN = ("Attempting a reconnect", "Failed to connect for shard_id")
"""How what the library says of a connection that it could not make begins."""


class _Formatter(logging.Formatter):
    def __init__(self, secret: str) -> None:
        super().__init__()
        self._secret = secret

    def hide(self, text: str) -> str:
        """The text without the token."""
        return text.replace(self._secret, _HIDDEN) if self._secret else text


class TextFormatter(_Formatter):
    """``2026-03-02 10:11:12 INFO bot: ready shards=1``, tracebacks below it."""

    def format(self, record: logging.LogRecord) -> str:
        """One event."""
        when = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%d %H:%M:%S")
        extra = "".join(f" {name}={value}" for name, value in _extra(record).items())
        line = f"{when} {record.levelname} {record.name}: {record.getMessage()}{extra}"
        trace = _trace(record)
        return self.hide(f"{line}\n{trace}" if trace else line)


class JsonFormatter(_Formatter):
    """An object a line: time, level, logger, message, then whatever the event carries."""

    def format(self, record: logging.LogRecord) -> str:
        """One event."""
        event: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_extra(record),
        }
        trace = _trace(record)
        if trace:
            event["trace"] = trace
        return self.hide(json.dumps(event, ensure_ascii=False, default=str))


def _extra(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in record.__dict__.items() if name not in _OWN}


def _trace(record: logging.LogRecord) -> str:
    """The exceptions of an event, outermost last, as Python prints them but for texts that may quote somebody."""
    if not record.exc_info or record.exc_info[1] is None:
        return ""
    parts: list[str] = []
    error: BaseException | None = record.exc_info[1]
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        frames = "".join(traceback.format_tb(error.__traceback__)).rstrip()
        parts.append("\n".join(part for part in (frames, _named(error)) if part))
        error = error.__cause__ or error.__context__
    return "\n".join(reversed(parts))


def _named(error: BaseException) -> str:
    kind = type(error)
    name = f"{kind.__module__}.{kind.__qualname__}"
    quotes_nobody = isinstance(error, (OSError, DataError)) or (
        kind.__module__.startswith("discord.") and not kind.__module__.startswith("discord.app_commands")
    )
    return f"{name}: {error}" if quotes_nobody else name


def _is_fault(record: logging.LogRecord) -> bool:
    """Whether the library tells of a fault: suggestions that came too late, since whoever typed has typed on, are none."""
    error = record.exc_info[1] if record.exc_info else None
    if getattr(error, "code", None) not in {UNKNOWN_INTERACTION, ALREADY_ANSWERED}:
        return True
    _LOG.info("suggestions came too late", extra={"code": getattr(error, "code", None)})
    return False


def _without_alarm(record: logging.LogRecord) -> bool:
    """That Discord cannot be reached is no fault of ours, and the next try is under way: one line, and no traceback."""
    error = record.exc_info[1] if record.exc_info else None
    away = isinstance(error, OSError) or type(error).__module__.partition(".")[0] in ("aiohttp", "discord")
    if error is not None and away and record.msg.startswith(_TRIES_AGAIN):
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info, record.cause = None, f"{type(error).__module__}.{type(error).__qualname__}"
    return True


def set_up(form: Literal["text", "json"], level: str, secret: str = "", stream: TextIO | None = None) -> None:
    """Log to standard error from now on."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter(secret) if form == "json" else TextFormatter(secret))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Below INFO these print what they send and receive, which holds what people wrote.
    for name in ("discord", "aiohttp", "aiosqlite", "asyncio"):
        logging.getLogger(name).setLevel(max(logging.INFO, logging.getLevelNamesMapping()[level]))
    logging.getLogger("discord.app_commands.tree").addFilter(_is_fault)
    for name in ("discord.client", "discord.shard"):
        logging.getLogger(name).addFilter(_without_alarm)
