"""Starts and stops a bot as a process of its own, and collects what it writes."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

LAST_LINES = 30


class BotEnded(AssertionError):
    """The bot's process ended while something was still expected of it."""


class BotProcess:
    """A running bot. Start it with `StandIn.start`, which also stops it in the end."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._lines: list[str] = []
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, command: Sequence[str | Path], env: Mapping[str, str], cwd: Path | None = None) -> BotProcess:
        """Run a command. Its environment is ours without any settings of a bot, and with `env`."""
        ours = {key: value for key, value in os.environ.items() if not key.startswith(("DISCORD_", "RIGCHECK_"))}
        # Unbuffered, so that the log of a bot that had to be killed is whole.
        settings = {**ours, "PYTHONUNBUFFERED": "1", **env}
        words = [str(word) for word in command]
        return cls(await asyncio.create_subprocess_exec(*words, env=settings, cwd=cwd, stdout=PIPE, stderr=STDOUT))

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.returncode is None

    @property
    def log(self) -> str:
        """Everything that the bot has written so far, on both of its outputs."""
        return "".join(self._lines)

    async def wait(self, within: float = 15.0) -> int:
        """Wait until the process ends by itself; returns its exit code. Raises BotEnded where it does not."""
        try:
            async with asyncio.timeout(within):
                code = await self._process.wait()
                await self._reader
        except TimeoutError:
            await self.kill()
            raise BotEnded(f"the bot did not end within {within:g} s; it wrote:\n{self.tail()}") from None
        return code

    async def stop(self, within: float = 15.0) -> int:
        """Ask it to end (SIGTERM) and wait for that; returns its exit code. Raises BotEnded where it had to be killed."""
        if self.running:
            self._process.send_signal(signal.SIGTERM)
        return await self.wait(within)

    async def kill(self) -> None:
        """End it at once, as a crash of the machine does."""
        if self.running:
            self._process.kill()
        await self._process.wait()
        await self._reader

    async def until(self, done: Callable[[], bool], what: str, within: float = 30.0) -> None:
        """Wait until something is true. Raises BotEnded if the process ends first, AssertionError if it takes too long."""
        try:
            async with asyncio.timeout(within):
                while not done():
                    if not self.running:
                        await self._reader
                        raise BotEnded(f"the bot ended with {self._process.returncode}: {what}; it wrote:\n{self.tail()}")
                    await asyncio.sleep(0.005)
        except TimeoutError:
            raise AssertionError(f"{what} within {within:g} s; the bot wrote:\n{self.tail()}") from None

    def tail(self) -> str:
        return "".join(self._lines[-LAST_LINES:]) or "(nothing)"

    async def _read(self) -> None:
        assert self._process.stdout
        # By pieces and not by lines: a line of a log may be longer than a reader's buffer.
        while piece := await self._process.stdout.read(1 << 16):
            self._lines.extend(piece.decode(errors="replace").splitlines(keepends=True))
