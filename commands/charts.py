"""Pictures of answers: drawn in a process of their own, because drawing keeps Python's lock, and the last ones kept."""

from __future__ import annotations

import asyncio
import io
import logging
import multiprocessing
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import discord

from answers.rendering.charts.apart import begin, draw

if TYPE_CHECKING:
    # Drawn by few answers, and not loaded by the others.
    from answers.rendering.charts.svg import Picture

MOST = 128
"""Pictures kept; one takes 70 kilobytes or so."""
DRAWN_WITHIN_S = 1.0
"""How long an answer waits for its chart before it is put off."""
TURN_WITHIN_S = 1.0
"""How long an answer with a chart waits for its turn at the most."""
OTHERS_SHARE = 1.0
"""Between two answers with charts others have so many times as long as the first of them took."""
PutOff = Callable[[], Awaitable[object]]
"""Tells Discord, which gives up after three seconds, that an answer will come later."""
_LOG = logging.getLogger("rigcheck")


class Charts:
    """Draws charts. Its process starts with the first one."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._drawn: OrderedDict[str, bytes] = OrderedDict()
        self._drawing: dict[str, asyncio.Task[bytes | None]] = {}
        self._process: ProcessPoolExecutor | None = None
        self._turn = asyncio.Lock()
        self._next_at = 0.0

    def __len__(self) -> int:
        return len(self._drawn)

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """One after another where many want charts at once, so that whoever asks for none is answered between them."""
        try:
            async with asyncio.timeout(TURN_WITHIN_S):
                await self._turn.acquire()
        except TimeoutError:
            # Discord waits no longer than it does: from here on there are no turns.
            yield
            return
        try:
            begun = time.perf_counter()
            if begun < self._next_at:
                await asyncio.sleep(self._next_at - begun)
                begun = time.perf_counter()
            yield
            done = time.perf_counter()
            self._next_at = done + OTHERS_SHARE * (done - begun)
        finally:
            self._turn.release()

    def begin(self, picture: Picture) -> asyncio.Task[bytes | None]:
        """Begin to draw; equal pictures are drawn once. The result is ``None`` where drawing failed: an answer does without."""
        task = self._drawing.get(picture.svg)
        if task is None:
            task = self._drawing[picture.svg] = asyncio.create_task(self._draw(picture.svg))
            task.add_done_callback(lambda _: self._drawing.pop(picture.svg, None))
        return task

    async def attached(self, picture: Picture, put_off: PutOff) -> list[discord.File]:
        """The attachment, or none where drawing failed; an answer whose chart takes long is put off."""
        drawing = self.begin(picture)
        await asyncio.wait([drawing], timeout=DRAWN_WITHIN_S)
        if not drawing.done():
            await put_off()
        # Others may wait for the same picture.
        png = await asyncio.shield(drawing)
        return [file_of(picture, png)] if png else []

    async def _draw(self, svg: str) -> bytes | None:
        if svg in self._drawn:
            self._drawn.move_to_end(svg)
            return self._drawn[svg]
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._process = ProcessPoolExecutor(max_workers=1, mp_context=context, initializer=begin)
        process = self._process
        try:
            # Handing over the first one starts the process, which takes a while.
            drawn = await asyncio.wrap_future(await asyncio.to_thread(process.submit, draw, svg))
        except (BrokenProcessPool, ValueError, OSError):
            _LOG.exception("a chart could not be drawn")
            if self._process is process:
                self._process = None
                process.shutdown(wait=False, cancel_futures=True)
            return None
        self._drawn[svg] = drawn
        if len(self._drawn) > self._most:
            self._drawn.popitem(last=False)
        return drawn

    async def close(self) -> None:
        """End the process, once it has drawn what it is at."""
        for task in list(self._drawing.values()):
            task.cancel()
        if self._process is not None:
            process, self._process = self._process, None
            await asyncio.to_thread(process.shutdown, wait=True, cancel_futures=True)


def file_of(picture: Picture, png: bytes) -> discord.File:
    """The attachment, with the chart in words for those who do not see it."""
    return discord.File(io.BytesIO(png), "chart.png", description=picture.alt)
