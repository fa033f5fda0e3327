"""Runs the bot's command line with a clock on the wall that jumps whenever a file says by how much."""

from __future__ import annotations

import datetime
import os
import sys
import time
from pathlib import Path

FILE = Path(os.environ["FAULT_JUMP_FILE"])
_time, _time_ns = time.time, time.time_ns


def jump_s() -> float:
    """By how many seconds the clock is wrong at the moment."""
    try:
        return float(FILE.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0.0


class _Datetime(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(time.time(), tz)


def main() -> int:
    """Put the clock in place before anything reads it, then run what was asked for."""
    time.time = lambda: _time() + jump_s()
    time.time_ns = lambda: _time_ns() + int(jump_s() * 1e9)
    # Those who take the class from its module get the one that jumps; what they compare it with stays the real one.
    import bot.log
    import commands.services

    commands.services.datetime = _Datetime  # pyright: ignore[reportPrivateImportUsage]
    bot.log.datetime = _Datetime  # pyright: ignore[reportPrivateImportUsage]
    from bot.cli import main as command_line

    return command_line()


if __name__ == "__main__":
    sys.exit(main())
