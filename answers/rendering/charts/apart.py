"""What the process that draws runs. It loads this module and what draws, and nothing of the bot: it has to be there in a moment."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from contextlib import suppress

_GIVES_WAY = 10


def begin() -> None:
    """Give way to answers, and end with the process that asked for it, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        os.nice(_GIVES_WAY)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            parent.join()
            os._exit(0)

        threading.Thread(target=watch, daemon=True).start()


def draw(svg: str) -> bytes:
    """The PNG of an SVG.

    Raises:
        ValueError: for what is no SVG.
    """
    # Only this process loads what draws.
    from answers.rendering.charts.png import png

    return png(svg)
