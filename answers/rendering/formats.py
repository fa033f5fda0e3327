"""Numbers, dates, lists and plurals of one locale, from Babel's CLDR data.

One number filter decides how every number of every answer looks; see :class:`Formats`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any, Literal

from babel import UnknownLocaleError
from babel.dates import format_date, format_skeleton
from babel.lists import format_list
from babel.numbers import NumberPattern, format_compact_decimal, parse_pattern

from answers.catalogue.records import Segment
from answers.errors import DataError
from answers.locales import Locale
from answers.rendering.cldr import babel_locale
from answers.replies.desk import range_decimals, size_name

NBSP = "\u00a0"
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_MARKDOWN = re.compile(r"([\\*_~`|>#\[\]()<@:])")
_SOUNDS_VOWEL = re.compile(r"[AEIOUaeiou8]|1(?![\d.])|11(?!\d)")
"""What begins with a vowel in Italian: letters, uno, otto and what begins with it, undici; but mille."""
# A sound that Spanish does not repeat changes the word before it. iMac and such are read as in English.
_SPANISH = {"standard": ("y", "e", re.compile(r"I(?!e)|i(?![eA-Z])")), "or": ("o", "u", re.compile(r"[Oo8]|11(?!\d)"))}
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]+")


_MOST_OF_A_UNIT, _WITH_DECIMAL = 100, 9.95
"""A hundred seconds are told in minutes; below ten of a unit a decimal counts."""


class Formats:
    """The filters of one locale."""

    def __init__(self, locale: Locale) -> None:
        """Raises:
        DataError: where Babel does not know the locale that terms.toml names.
        """
        self.locale = locale
        try:
            self.babel = babel_locale(locale.babel)
        except (ValueError, UnknownLocaleError) as error:
            raise DataError(
                f"{locale.code}/terms.toml: locale.babel = {locale.babel!r} is not a locale that Babel knows"
            ) from error
        self._written = lru_cache(maxsize=8192)(self._write)
        self.month = lru_cache(maxsize=512)(self._month)
        self.day = lru_cache(maxsize=512)(self._day)
        self._patterns: dict[tuple[int, bool], NumberPattern] = {}

    def filters(self) -> Mapping[str, Any]:
        """Every filter by the name that templates use."""
        names = (
            *(
                "number",
                "count",
                "plain",
                "gb",
                "gb0",
                "gib",
                "gb_s",
                "tok_s",
                "toks",
                "toks_only",
                "about_toks",
                "rough",
                "range_of",
                "low",
                "high",
                "ctx",
                "tokens",
            ),
            *("size", "big", "flop", "percent", "times", "watts", "tflops", "money", "duration", "month", "day"),
            *("names", "all_names", "any_of", "after", "upper_first", "term", "terms", "typed", "source"),
        )
        return {name: getattr(self, name) for name in names}

    # -- numbers ----------------------------------------------------------------------------------------------------------------

    def number(self, value: float, decimals: int = 0) -> str:
        """A number with that many decimals: 9.8, 1,129 (en) · 9,8, 1129, 12.345 (es) · 9,8, 1.129 (it).

        CLDR's rule that some languages leave four digits ungrouped is not applied by Babel; ``grouping`` in terms.toml decides.
        """
        # Figures hardly repeat, but rounded there are few of them.
        return self._written(f"{value:.{decimals}f}", decimals)

    def _write(self, rounded_text: str, decimals: int) -> str:
        rounded = Decimal(rounded_text)
        ungrouped = self.locale.grouping == "five" and abs(rounded) < 10_000
        key = (decimals, ungrouped)
        if key not in self._patterns:
            digits = "0" if ungrouped else "#,##0"
            self._patterns[key] = parse_pattern(digits + ("." + "0" * decimals if decimals else ""))
        return self._patterns[key].apply(rounded, self.babel)

    def count(self, value: float) -> str:
        """A whole number."""
        return self.number(value, 0)

    def plain(self, value: float) -> str:
        """A figure with the decimals that it has, at most two: 135 · 88.3 · 1.89."""
        decimals = next(places for places in (0, 1, 2) if places == 2 or round(value, places) == value)
        return self.number(value, decimals)

    def gb(self, value: float) -> str:
        """Memory that a model takes, with one decimal: 9.8 GB."""
        return f"{self.number(value, 1)}{NBSP}GB"

    def gb0(self, value: float | None) -> str:
        """Memory of a card, as it is sold: 12 GB; decimals only where it has them. A dash where no card is that large."""
        if value is None:
            return "–"
        return f"{self.number(value, 0 if float(value).is_integer() else 1)}{NBSP}GB"

    def gib(self, value: float) -> str:
        """The same as a power of two: 12 GiB."""
        return self.gb0(value).replace("GB", "GiB")

    def gb_s(self, value: float) -> str:
        """Bandwidth: 936 GB/s."""
        return f"{self.number(value, 0 if value >= 100 or float(value).is_integer() else 1)}{NBSP}GB/s"

    def tok_s(self, value: float) -> str:
        """The figure of a speed: no decimals from 100 up, one below."""
        return self.number(value, 0 if value >= 100 or round(value, 1) >= 100 else 1)

    def toks_only(self, speed: Any) -> str:
        """23.5 tok/s."""
        value = speed if isinstance(speed, (int, float)) else speed.tok_s
        return f"{self.tok_s(value)}{NBSP}tok/s"

    def about_toks(self, value: float) -> str:
        """A rough speed: no decimals from 10 up."""
        return f"{self.number(value, 0 if value >= 10 else 1)}{NBSP}tok/s"

    def rough(self, value: float) -> str:
        """A figure of which little more than the size is known, to one or two digits: 1,200 · 90."""
        digits = len(str(round(value)))
        return self.number(float(round(value, -max(0, digits - 2))), 0)

    def range_of(self, speed: Any) -> str:
        """14–38, both ends without decimals; 0.4–1.3 where the lower one is small."""
        return self.ends(speed.low_tok_s, speed.high_tok_s)

    def ends(self, low_tok_s: float, high_tok_s: float) -> str:
        """The same of two figures."""
        decimals = range_decimals(low_tok_s)
        return f"{self.number(low_tok_s, decimals)}–{self.number(high_tok_s, decimals)}"

    def low(self, speed: Any) -> str:
        """The lower end of a speed's range, as :meth:`range_of` prints it."""
        return self.number(speed.low_tok_s, range_decimals(speed.low_tok_s))

    def high(self, speed: Any) -> str:
        """The upper end."""
        return self.number(speed.high_tok_s, range_decimals(speed.low_tok_s))

    def toks(self, speed: Any) -> str:
        """23.5 tok/s (14–38)."""
        return f"{self.toks_only(speed)} ({self.range_of(speed)})"

    def source(self, text: str) -> str:
        """Where a measurement stands, short: ``github.com/owner/name`` of a file in it, the site of a page."""
        place = text.split("@", 1)[0].split(" ", 1)[0].removeprefix("https://").rstrip("/,;:")
        return "/".join(place.split("/")[:3])

    def ctx(self, tokens: int) -> str:
        """A context as people write it: 4k, 32k, 128k (k = 1,024), 1M (of either kind), else the number."""
        for million in (1024**2, 10**6):
            if tokens >= million and tokens % million == 0:
                return f"{self.number(tokens // million, 0)}M"
        if tokens >= 1024 and tokens % 1024 == 0:
            return f"{self.number(tokens // 1024, 0)}k"
        return self.number(tokens, 0)

    def tokens(self, tokens: int) -> str:
        """A longest context, rounded down to what people would set: 11k, 900, 12M."""
        if tokens >= 1024**2:
            return f"{self.number(tokens // 1024**2, 0)}M"
        return f"{self.number(tokens // 1024, 0)}k" if tokens >= 1024 else self.number(tokens // 100 * 100, 0)

    def size(self, parameters: float) -> str:
        """15B, 15.5B, 355M."""
        name = size_name(parameters)
        return self.number(float(name[:-1]), 1 if "." in name else 0) + name[-1]

    def big(self, value: float) -> str:
        """A large count in words: 658.59 billion · 658,59 mil millones · 658,59 miliardi."""
        if value < 1e6:
            return self.number(value, 0)
        words = format_compact_decimal(Decimal(repr(float(value))), format_type="long", locale=self.babel, fraction_digits=2)
        return words.replace(" ", NBSP, 1)

    def flop(self, value: float) -> str:
        """1.6 × 10²³, the first figure rounded half up."""
        exponent = Decimal(repr(float(value))).adjusted()
        mantissa = (Decimal(repr(float(value))).scaleb(-exponent)).quantize(Decimal("0.1"), rounding=ROUND_HALF_UP)
        if mantissa >= 10:
            mantissa, exponent = mantissa / 10, exponent + 1
        return f"{self.number(float(mantissa), 1)} × 10{str(exponent).translate(_SUPERSCRIPT)}"

    def percent(self, share: float) -> str:
        """A share: 22.7% (en, it) · 22,7 % (es)."""
        space = NBSP if "\u00a0%" in self.babel.percent_formats[None].pattern else ""
        return f"{self.number(share * 100, 1)}{space}%"

    def times(self, value: float) -> str:
        """How many times: 1.5."""
        return self.number(value, 1)

    def watts(self, value: float) -> str:
        """Power: 170 W, 408 kW."""
        if value >= 10_000:
            return f"{self.number(value / 1000, 0 if value >= 1e5 else 1)}{NBSP}kW"
        return f"{self.number(value, 0)}{NBSP}W"

    def tflops(self, value: float) -> str:
        """Arithmetic rate: 12.7 TFLOPS."""
        return f"{self.number(value, 1 if value < 100 else 0)}{NBSP}TFLOPS"

    def money(self, usd: float) -> str:
        """A cost in US dollars: $212,218 (en) · 212.218 USD elsewhere."""
        figure = self.number(usd, 0)
        return f"${figure}" if self.locale.chain[-2:] == ("en",) or self.babel.language == "en" else f"{figure}{NBSP}USD"

    def duration(self, seconds: float) -> str:
        """How long: 8.5 s, 36 s, 4 min, 2.5 h."""
        for unit, size in (("s", 1), ("min", 60), ("h", 3600)):
            value = seconds / size
            if value < _MOST_OF_A_UNIT or unit == "h":
                return f"{self.number(value, 1 if value < _WITH_DECIMAL else 0)}{NBSP}{unit}"
        raise AssertionError("the last unit takes whatever is left")

    # -- dates, lists, terms ----------------------------------------------------------------------------------------------------

    def _month(self, when: str) -> str:
        """February 2024 · febrero de 2024 · febbraio 2024; the year alone where no month is known."""
        if len(when) == 4:
            return when
        moment = date(int(when[:4]), int(when[5:7]), 1)
        return format_skeleton("yMMMM", moment, locale=self.babel)

    def _day(self, when: str) -> str:
        """The whole date where it is known, else as much as is."""
        if len(when) < 10:
            return self._month(when)
        return format_date(date.fromisoformat(when), "long", locale=self.babel)

    def all_names(self, names: Sequence[str]) -> str:
        """A, B and C."""
        return self._listed(names, "standard")

    def any_of(self, names: Sequence[str]) -> str:
        """A, B or C."""
        return self._listed(names, "or")

    def _listed(self, names: Sequence[str], style: Literal["standard", "or"]) -> str:
        written = format_list(list(names), style, locale=self.babel)
        word, other, sounds = _SPANISH[style]
        if self.babel.language == "es" and len(names) > 1 and sounds.match(names[-1]):
            return f"{written.removesuffix(f' {word} {names[-1]}')} {other} {names[-1]}"
        return written

    def names(self, names: Sequence[str], most: int = 3, *, feminine: bool = False) -> str:
        """The first three "and 30 more"; all of them where there are at most one more than that.

        ``feminine`` says that what is listed is so in languages where that changes "more": cards, sources.
        """
        if len(names) <= most + 1:
            return self.all_names(names)
        more = self.phrase("and_more_feminine") if feminine else self.phrase("and_more")
        return self.all_names([*names[:most], more.format(n=self.number(len(names) - most, 0))])

    def after(self, text: str, full: str, elided: str) -> str:
        """The text after an article that is cut short before a vowel, in letters or in a number as it is read out.

        ``8 dicembre`` after ``il `` and ``l'``: l'8 dicembre, l'11 dicembre, but il 10 dicembre.
        """
        return f"{elided if _SOUNDS_VOWEL.match(text) else full}{text}"

    def upper_first(self, text: str) -> str:
        """The text with a capital at its start, the rest as it is."""
        return text[:1].upper() + text[1:]

    def phrase(self, key: str) -> str:
        """A short phrase of terms.toml, section [phrases]."""
        return str(self.locale.terms["phrases"][key])

    def term(self, value: str, kind: str) -> str:
        """What the locale calls a value of the catalogue (a task, a segment, a country); the value itself where it is a name."""
        key = value.value if isinstance(value, Segment) else value
        return str(self.locale.terms.get(kind, {}).get(key, key))

    def terms(self, values: Sequence[str], kind: str) -> list[str]:
        """The same for several values; two that the locale calls alike are named once."""
        return list(dict.fromkeys(self.term(value, kind) for value in values))

    def plural(self, number: float, **forms: str) -> str:
        """The form of the locale's plural rule for that number: one, few, many, other."""
        form = self.babel.plural_form(abs(number))
        return forms.get(form) or forms["other"]

    def typed(self, text: str) -> str:
        """What somebody typed, made harmless: one line, no Markdown, no mentions, at most 60 characters."""
        clean = " ".join(_UNSEEN.sub(" ", text).split())
        clean = clean if len(clean) <= 60 else clean[:59].rstrip() + "…"
        return _MARKDOWN.sub(r"\\\1", clean)


_SHORTER = (
    *((" Generation", ""), ("Radeon ", ""), ("Quadro ", ""), ("Tesla ", ""), (" Blackwell", " BW"), (" SUPER", " S")),
    *(("Playstation ", "PS"), ("Xbox Series ", "Xbox "), (" Mobile", " Mob"), (" Embedded", " Emb"), (" GPU", "")),
    *(
        (" Edition", ""),
        (" Extreme", " Ext"),
        ("RTX ", ""),
        ("GTX ", ""),
        (" Max-Q", " MQ"),
        (" Refresh", " Rfr"),
        ("Data Center", "DC"),
    ),
)
"""Words of the names of cards and what stands for them in a narrow column, those that are missed least first."""


def _cut(cell: str, width: int) -> str:
    """A cell with words left out or shortened that tell no cards apart, and cut in its middle where that is not enough.

    What tells cards apart stands at the end of their names.
    """
    for word, shorter in _SHORTER:
        if len(cell) <= width:
            break
        cell = cell.replace(word, shorter)
    if len(cell) <= width:
        return cell
    if len(tight := cell.replace(" GB", "G")) <= width:
        return tight
    tail = (width - 1) * 2 // 3
    return f"{cell[: width - 1 - tail].rstrip()}…{cell[-tail:].lstrip()}"


def table(rows: Sequence[Sequence[str]], align: str, width: int = 30) -> list[str]:
    """Rows of a table with columns apart by two spaces (one where that would be too wide), its first column cut where need be.

    ``align`` has one ``<`` or ``>`` a column.
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(align))]
    gap = 2 if sum(widths) + 2 * (len(widths) - 1) <= width else 1
    excess = sum(widths) + gap * (len(widths) - 1) - width
    if excess > 0:
        widths[0] = max(widths[0] - excess, 4)
    lines: list[str] = []
    for row in rows:
        cells = [_cut(cell, widths[i]) for i, cell in enumerate(row)]
        lines.append((" " * gap).join(f"{cell:{align[i]}{widths[i]}}" for i, cell in enumerate(cells)).rstrip())
    return lines
