"""The PNG of an SVG, drawn with the fonts that travel with it: the same picture on every machine.

resvg keeps Python's lock while it draws, so a process of its own has to do it where others wait.
"""

from __future__ import annotations

from pathlib import Path

import resvg_py

SCALE = 1.5
"""Pixels a unit of the SVG: 900 across, twice what a phone shows. Drawing and packing take as long as there are pixels."""
_FONTS = [str(file) for file in sorted((Path(__file__).parent / "fonts").glob("*.ttf"))]


def png(svg: str) -> bytes:
    """The picture.

    Raises:
        ValueError: for what is no SVG.
    """
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=SCALE, skip_system_fonts=True, font_files=_FONTS))
