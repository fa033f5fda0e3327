"""Runs the bot's command line in a world where time passes many times as fast: ten minutes of an outage take seconds.

The event loop's clock and the one that heartbeats go by are quickened; what the bot itself measures with other clocks is not.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import sys
import time
from types import SimpleNamespace
from typing import Any

import discord.gateway

SPEED = float(os.environ.get("FAULT_SPEED", "30"))


class _Selector(selectors.DefaultSelector):
    def select(self, timeout: float | None = None) -> list[Any]:
        return super().select(timeout / SPEED if timeout and timeout > 0 else timeout)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__(_Selector())

    def time(self) -> float:
        return super().time() * SPEED


class _Policy(asyncio.DefaultEventLoopPolicy):
    _loop_factory = _Loop


class _KeepAlive(discord.gateway.KeepAliveHandler):
    def __init__(self, *arguments: Any, interval: float | None = None, **options: Any) -> None:
        super().__init__(*arguments, interval=interval and interval / SPEED, **options)


def main() -> int:
    """Quicken time, then run what was asked for."""
    asyncio.set_event_loop_policy(_Policy())
    discord.gateway.time = SimpleNamespace(**{**vars(time), "perf_counter": lambda: time.perf_counter() * SPEED})
    discord.gateway.KeepAliveHandler = _KeepAlive
    from bot.cli import main as command_line

    return command_line()


if __name__ == "__main__":
    sys.exit(main())
