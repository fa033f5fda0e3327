"""The SVG of a chart, from a Jinja2 template."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from answers.rendering.charts.chart import Chart

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may hold, however it is written."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart that only has to be drawn: equal ones are drawn alike."""

    svg: str
    alt: str


def picture_of(chart: Chart) -> Picture:
    """The picture of a chart."""
    name = "bars.svg.j2" if chart.bars else "memory.svg.j2"
    return Picture(_NO_XML.sub("", _environment().get_template(name).render(chart=chart)), chart.alt)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
