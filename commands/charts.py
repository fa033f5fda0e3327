"""Pictures of answers: drawn in a process of their own, because drawing keeps Python's lock, and the last ones kept."""

from __future__ import annotations

import asyncio
import io
import logging
import multiprocessing
import os
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress

import discord

from answers.rendering.charts.svg import Picture

MOST = 128
"""Pictures kept; one takes 70 kilobytes or so."""
DRAWN_WITHIN_S = 1.0
"""How long an answer waits for its chart before it is put off."""
_LOG = logging.getLogger("rigcheck")


class Charts:
    """Draws charts. Its process starts with the first one."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._drawn: OrderedDict[str, bytes] = OrderedDict()
        self._drawing: dict[str, asyncio.Task[bytes | None]] = {}
        self._process: ProcessPoolExecutor | None = None

    def __len__(self) -> int:
        return len(self._drawn)

    def begin(self, picture: Picture) -> asyncio.Task[bytes | None]:
        """Begin to draw; equal pictures are drawn once. The result is ``None`` where drawing failed: an answer does without."""
        task = self._drawing.get(picture.svg)
        if task is None:
            task = self._drawing[picture.svg] = asyncio.create_task(self._draw(picture.svg))
            task.add_done_callback(lambda _: self._drawing.pop(picture.svg, None))
        return task

    async def attached(self, picture: Picture, put_off: Callable[[], Awaitable[object]]) -> tuple[list[discord.File], bool]:
        """The attachment, or none where drawing failed; and whether the answer was put off for it.

        Discord gives up on an answer that has not come within three seconds: where many are drawn, ``put_off`` tells it to wait.
        """
        drawing = self.begin(picture)
        await asyncio.wait([drawing], timeout=DRAWN_WITHIN_S)
        late = not drawing.done()
        if late:
            await put_off()
        # Others may wait for the same picture.
        png = await asyncio.shield(drawing)
        return [file_of(picture, png)] if png else [], late

    async def _draw(self, svg: str) -> bytes | None:
        if svg in self._drawn:
            self._drawn.move_to_end(svg)
            return self._drawn[svg]
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._process = ProcessPoolExecutor(max_workers=1, mp_context=context, initializer=_begin)
        process = self._process
        try:
            drawn = await asyncio.get_running_loop().run_in_executor(process, _png, svg)
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


def _begin() -> None:
    """In the process that draws: give way to answers, and end with the bot, however that ends."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        os.nice(10)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            parent.join()
            os._exit(0)

        threading.Thread(target=watch, daemon=True).start()


def _png(svg: str) -> bytes:
    # Only the process that draws loads what draws.
    from answers.rendering.charts.png import png

    return png(svg)
