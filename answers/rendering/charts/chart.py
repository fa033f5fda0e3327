"""What charts show: the figures of a reply as lengths, with their texts in a locale. No figure is worked out here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from answers.rendering.formats import Formats
from answers.replies.computed import Computed, ComputedCalibrated
from answers.replies.parts import Fit, HardwareRef, Part, Rung, SpeedFigure
from answers.replies.reply import CanRun, CompareCards, CompareModels, RankCards, WhatCanCardRun

WIDTH, BAR = 600, 552
"""Of a chart and of a full bar, in units of the SVG; png.py says how many pixels that is."""
MOST_BARS = 10
_FIT_COLOURS: dict[Fit, str] = {"comfortable": "#45b56a", "tight": "#f0a020", "no": "#e5575a"}
_PLAIN = "#6c9cf5"
# Apart in lightness too, for those who do not tell them apart by hue.
_WEIGHTS, _CACHE, _RESERVE, _FREE, _UNUSABLE, _SHORT = "#6c9cf5", "#f0a020", "#b48cf0", "#565a64", "#33363e", "#e5575a"
_LETTER, _BOLD, _TITLE, _NOTE = 10.2, 11.8, 14.6, 9.4
"""About how wide a character is, in each size of type."""
_SEEN_GB = 0.05
"""Less is not shown."""
_GAP = 24
"""Between the texts of one line."""
_HEAD, _LINE, _BAR_ROW, _PIECE_ROW = 62, 26, 54, 34
"""Heights, of which the second is that of a further line of text."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar; lengths in units of the SVG, 0 where there is none."""

    label: str
    note: str
    text: str
    colour: str
    width: float
    low: float = 0.0
    high: float = 0.0

    @property
    def tall(self) -> bool:
        """Its texts do not go into one line: the name has one of its own."""
        taken = _BOLD * len(self.label) + _NOTE * len(self.note) + _LETTER * len(self.text)
        return taken + _GAP * (1 + bool(self.note)) > BAR


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of the memory."""

    label: str
    text: str
    colour: str
    left: float
    width: float
    short: bool = False
    """What is missing: it lies over the parts that have no room."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of bars, or of one bar in pieces."""

    title: str
    below: tuple[str, ...]
    """Lines."""
    bars: tuple[Bar, ...] = ()
    pieces: tuple[Piece, ...] = ()
    limit: float = 0.0
    """Where the memory that can be used ends, in a bar that is longer than it."""

    @property
    def top(self) -> int:
        """Where what is drawn begins, below the title and its lines; in units of the SVG, as all that follows."""
        return _HEAD + _LINE * len(self.below)

    @property
    def rows(self) -> tuple[tuple[int, Bar], ...]:
        """The bars, each with where it begins."""
        starts = accumulate((_BAR_ROW + _LINE * bar.tall for bar in self.bars), initial=self.top)
        return tuple(zip(starts, self.bars, strict=False))

    @property
    def height(self) -> int:
        """Of all of it."""
        if self.pieces:
            return self.top + 90 + _PIECE_ROW * len(self.pieces)
        return self.top + 12 + sum(_BAR_ROW + _LINE * bar.tall for bar in self.bars)

    @property
    def large(self) -> bool:
        """The title fits in large letters."""
        return _TITLE * len(self.title) <= BAR

    @property
    def alt(self) -> str:
        """The chart in words, for those who do not see it; at most the 1024 characters that Discord takes."""
        parts = [f"{bar.label}{f' ({bar.note})' if bar.note else ''}: {bar.text}" for bar in self.bars]
        parts += [f"{piece.label}: {piece.text}" for piece in self.pieces]
        text = f"{'. '.join((self.title, *self.below))}. {'; '.join(parts)}."
        return text if len(text) <= 1024 else text[:1023] + "…"


@dataclass(frozen=True, slots=True)
class _Row:
    label: str
    rung: Rung | None = None
    speed: SpeedFigure | None = None
    value: float | None = None
    """Where not a speed is shown."""
    apart: str | None = None
    """The quant of a model that is split with system memory, or whose memory is that at another quant than the others'."""


def chart_of(reply: Part, formats: Formats, terms: Part | None = None) -> Chart | None:
    """The chart of a reply; ``None`` where there is nothing to draw.

    Args:
        reply: what is answered.
        formats: of the locale.
        terms: how the figures of a :class:`CanRun` are computed.
    """
    if isinstance(reply, CanRun):
        return _memory(reply, formats, terms)
    if isinstance(reply, RankCards):
        rows = [_Row(row.card.label, row.rung, row.rung.speed) for row in reply.rows]
        return _speeds(formats, reply.model.name, rows)
    if isinstance(reply, WhatCanCardRun):
        models = [*reply.current, *reply.with_ram] or [*reply.older]
        rows = [
            _Row(one.model.name, one.rung, one.rung.speed)
            if one.rung
            else _Row(one.model.name, speed=one.split.speed if one.split else None, apart=one.split.quant if one.split else None)
            for one in models
        ]
        label = _named(reply.hardware)
        return _speeds(formats, label or formats.gb0(reply.hardware.memory_gb), rows)
    if isinstance(reply, CompareCards) and reply.model is None:
        rows = [_Row(row.card.label, value=row.card.bandwidth_gb_s) for row in reply.cards]
        return _amounts(formats, _say(formats, "cards"), _say(formats, "bandwidth"), rows, formats.gb_s)
    if isinstance(reply, CompareCards) and reply.model is not None:
        rows = [_Row(row.card.label, row.rung, row.rung.speed if row.rung else None) for row in reply.cards]
        return _speeds(formats, reply.model.name, rows, missing=formats.term("no", "fit"))
    if isinstance(reply, CompareModels):
        if reply.hardware and reply.hardware.named:
            rows = [_Row(row.model.name, row.rung, row.rung.speed if row.rung else None) for row in reply.models]
            label = _named(reply.hardware)
            return _speeds(formats, label, rows, missing=formats.term("no", "fit"))
        quants = {row.common for row in reply.models}
        usual = "Q4_K_M" if "Q4_K_M" in quants else reply.models[0].common
        rows = [
            _Row(row.model.name, value=row.need_at_q4_gb, apart=row.common if row.common != usual else None) for row in reply.models
        ]
        return _amounts(formats, _say(formats, "models"), _say(formats, "need", quant=usual), rows, formats.gb)
    return None


def _say(formats: Formats, key: str, **values: str) -> str:
    return str(formats.locale.terms["chart"][key]).format(**values)


def _speeds(formats: Formats, title: str, rows: Sequence[_Row], missing: str | None = None) -> Chart | None:
    """Bars of speeds with their ranges; rows without one are left out, or say what is the matter where ``missing`` does."""
    shown = [row for row in rows if row.speed or missing][:MOST_BARS]
    longest = max((row.speed.high_tok_s for row in shown if row.speed), default=0.0)
    if not longest:
        return None
    bars: list[Bar] = []
    for row in shown:
        speed, fit = row.speed, row.rung.fit if row.rung else "comfortable"
        text = formats.toks(speed) if speed else "–" if row.rung else missing or "–"
        note = _note(row.rung, formats) if row.rung else ""
        if row.apart:
            note = f"{row.apart} · {_say(formats, 'with_ram')}"
        if speed is None:
            bars.append(Bar(_fitted(row.label), note, text, _PLAIN, 0.0))
            continue
        width, low, high = (round(max(BAR * value / longest, 2.0), 1) for value in (speed.tok_s, speed.low_tok_s, speed.high_tok_s))
        # A line that ends at the bar's very end would be cut in half.
        bars.append(Bar(_fitted(row.label), note, text, _FIT_COLOURS[fit], width, low, min(high, BAR - 3.0)))
    return Chart(_fitted(title), (_say(formats, "speed"),), tuple(bars))


def _note(rung: Rung, formats: Formats) -> str:
    """The quant, and the word that an amber bar stands for."""
    return f"{rung.quant} · {formats.term('tight', 'fit')}" if rung.fit == "tight" else rung.quant


def _amounts(formats: Formats, title: str, below: str, rows: Sequence[_Row], say: Callable[[float], str]) -> Chart | None:
    longest = max((row.value or 0.0 for row in rows), default=0.0)
    if not longest:
        return None
    bars: list[Bar] = []
    for row in rows[:MOST_BARS]:
        text = say(row.value) if row.value else "–"
        width = round(BAR * (row.value or 0.0) / longest, 1)
        bars.append(Bar(_fitted(row.label), row.apart or "", text, _PLAIN, width))
    return Chart(title, (below,), tuple(bars))


def _memory(reply: CanRun, formats: Formats, terms: Part | None) -> Chart | None:
    if not isinstance(terms, (Computed, ComputedCalibrated)) or terms.hardware is None:
        return None
    parts = [(_say(formats, "weights"), terms.weights_gb, _WEIGHTS)]
    if isinstance(terms, ComputedCalibrated):
        parts.append((_say(formats, "cache"), terms.cache_gb, _CACHE))
        parts.append((_say(formats, "reserve"), terms.buffers_gb + terms.runtime_gb, _RESERVE))
    else:
        parts.append((_say(formats, "cache_and_reserve"), terms.need_gb - terms.weights_gb, _RESERVE))
    usable = terms.hardware.usable_gb
    # Sizes taken as powers of two: of a card of "12 GB", which has 12.9, more than 12 can be used.
    total = max(terms.hardware.binary_gb or terms.hardware.total_gb, usable)
    left = usable - terms.need_gb
    longest = max(total, terms.need_gb)
    starts = accumulate((gb for _, gb, _ in parts), initial=0.0)
    pieces = [
        Piece(label, formats.gb(gb), colour, round(BAR * start / longest, 1), round(BAR * gb / longest, 1))
        for (label, gb, colour), start in zip(parts, starts, strict=False)
    ]
    end = round(BAR * usable / longest, 1)
    if left >= 0:
        pieces.append(Piece(_say(formats, "free"), formats.gb(left), _FREE, 0.0, 0.0))
        if total - usable >= _SEEN_GB:
            pieces.append(Piece(_say(formats, "unusable"), formats.gb(total - usable), _UNUSABLE, end, round(BAR - end, 1)))
    else:
        missing = round(-BAR * left / longest, 1)
        pieces.append(Piece(_say(formats, "short"), formats.gb(-left), _SHORT, end, missing, short=True))
    card = _named(terms.hardware)
    has = _say(formats, "memory", quant=terms.quant, need=formats.gb(terms.need_gb), usable=formats.gb(usable))
    held = terms.hardware
    sizes = f" · {formats.gib(held.total_gb)} = {formats.gb(held.binary_gb)}" if held.binary_gb else ""
    named = (_cut(card, int(BAR / _NOTE) - len(sizes)) or formats.gb0(terms.hardware.total_gb)) + sizes
    return Chart(_fitted(reply.model.name), (named, has), pieces=tuple(pieces), limit=end if left < 0 else 0.0)


def _named(hardware: HardwareRef) -> str:
    return " + ".join(f"{held.count}× {held.card.label}" if held.count > 1 else held.card.label for held in hardware.cards)


def _fitted(name: str) -> str:
    """A name as long as a line has room for: longer than any on file, shorter than several of them."""
    return _cut(name, int(BAR / _BOLD))


def _cut(text: str, most: int) -> str:
    """Cut in the middle: what tells cards and models apart stands at the end of their names."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return f"{text[: most - 1 - tail].rstrip()}…{text[-tail:].lstrip()}"
