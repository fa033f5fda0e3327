"""How numbers, dates and lists look in each locale."""

from __future__ import annotations

import pickle
import re
from datetime import date
from typing import Any

import pytest
from babel import Locale
from babel.dates import format_date, format_skeleton
from babel.lists import format_list
from babel.numbers import format_compact_decimal, parse_pattern

from answers.locales import Locales
from answers.rendering.cldr import babel_locale
from answers.rendering.formats import NBSP, Formats, table
from answers.replies.parts import SpeedFigure


@pytest.fixture(scope="module")
def formats(locales):
    return {code: Formats(locales.get(code)) for code in ("en", "en-GB", "es", "es-419", "it")}


@pytest.mark.parametrize("code", ["en", "en-GB", "es", "es-419", "it", "pl", "ru", "ja"])
def test_what_is_kept_of_a_locale_is_all_that_is_said(locales: Locales, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/nowhere")
    name = locales.by_code[code].babel if code in locales.by_code else code
    made, whole = pickle.loads(pickle.dumps(babel_locale(name))), Locale.parse(name)
    percent = whole.percent_formats[None].pattern
    monkeypatch.setattr("babel.localedata.load", _no_more)
    assert made == whole
    assert made.percent_formats[None].pattern == percent
    for month in range(1, 13):
        day = date(2024, month, 3)
        assert format_skeleton("yMMMM", day, locale=made) == format_skeleton("yMMMM", day, locale=whole)
        assert format_date(day, "long", locale=made) == format_date(day, "long", locale=whole)
    for names in (["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]):
        assert format_list(names, locale=made) == format_list(names, locale=whole)
    for power in range(18):
        written = [format_compact_decimal(3 * 10**power, format_type="long", locale=locale) for locale in (made, whole)]
        assert written[0] == written[1]
        assert parse_pattern("#,##0.00").apply(1.5 * 10**power, made) == parse_pattern("#,##0.00").apply(1.5 * 10**power, whole)
    assert [made.plural_form(number) for number in range(200)] == [whole.plural_form(number) for number in range(200)]


def _no_more(name: str, merge_inherited: bool = True) -> dict[str, Any]:
    raise AssertionError(f"more of {name} was wanted")


@pytest.mark.parametrize(
    ("code", "small", "four", "five"),
    [
        ("en", "9.8", "1,129", "12,345"),
        ("en-GB", "9.8", "1,129", "12,345"),
        ("es", "9,8", "1129", "12.345"),
        ("es-419", "9.8", "1,129", "12,345"),
        ("it", "9,8", "1.129", "12.345"),
    ],
)
def test_decimal_sign_and_grouping(formats, code: str, small: str, four: str, five: str) -> None:
    assert formats[code].number(9.8, 1) == small
    assert formats[code].count(1129) == four
    assert formats[code].count(12345) == five
    assert formats[code].gb(9.77) == f"{small}{NBSP}GB"


def test_speeds_have_no_decimals_from_100_up(formats) -> None:
    en = formats["en"]
    assert [en.tok_s(value) for value in (5.04, 23.53, 99.94, 99.96, 100.4, 1129.4)] == [
        "5.0",
        "23.5",
        "99.9",
        "100",
        "100",
        "1,129",
    ]
    assert en.toks(SpeedFigure(tok_s=23.53, low_tok_s=14.1, high_tok_s=37.6)) == f"23.5{NBSP}tok/s (14–38)"


@pytest.mark.parametrize(
    ("low", "high", "written"),
    [(0.45, 1.41, "0,5–1,4"), (1.94, 5.2, "1,9–5,2"), (1.96, 5.2, "2–5"), (2.4, 6.6, "2–7"), (0.04, 0.3, "0,04–0,30")],
)
def test_a_range_that_begins_below_two_keeps_decimals(formats, low: float, high: float, written: str) -> None:
    speed = SpeedFigure(tok_s=(low * high) ** 0.5, low_tok_s=low, high_tok_s=high)
    assert formats["es"].range_of(speed) == formats["it"].range_of(speed) == written
    assert formats["en"].range_of(speed) == written.replace(",", ".")
    assert formats["it"].toks(speed).endswith(f"({written})")
    assert f"{formats['es'].low(speed)}–{formats['es'].high(speed)}" == written


@pytest.mark.parametrize(
    ("code", "month", "day"),
    [
        ("en", "February 2024", "February 29, 2024"),
        ("en-GB", "February 2024", "29 February 2024"),
        ("es", "febrero de 2024", "29 de febrero de 2024"),
        ("es-419", "febrero de 2024", "29 de febrero de 2024"),
        ("it", "febbraio 2024", "29 febbraio 2024"),
    ],
)
def test_dates(formats, code: str, month: str, day: str) -> None:
    assert formats[code].month("2024-02-29") == month
    assert formats[code].day("2024-02-29") == day
    assert formats[code].day("2024-02") == month
    assert formats[code].month("2022") == formats[code].day("2022") == "2022"


@pytest.mark.parametrize(
    ("code", "flop"), [("en", "1.6 × 10²³"), ("es", "1,6 × 10²³"), ("es-419", "1.6 × 10²³"), ("it", "1,6 × 10²³")]
)
def test_flop_is_rounded_half_up(formats, code: str, flop: str) -> None:
    assert formats[code].flop(1.55e23) == flop
    assert formats["en"].flop(9.96e22) == "1.0 × 10²³"
    assert formats["en"].flop(5.94e22) == "5.9 × 10²²"


def test_big_counts_are_never_billones(formats) -> None:
    assert formats["en"].big(658_580_000_000) == f"658.58{NBSP}billion"
    assert formats["es"].big(658_580_000_000) == f"658,58{NBSP}mil millones"
    assert formats["it"].big(658_580_000_000) == f"658,58{NBSP}miliardi"
    assert formats["es"].big(15e12).startswith("15") and formats["es"].big(15e12).endswith("billones")  # 15 x 10^12 is right
    assert formats["en"].big(4096) == "4,096"


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("en", "A, B, C, and 30 more"),
        ("en-GB", "A, B, C and 30 more"),
        ("es", "A, B, C y 30 más"),
        ("it", "A, B, C e altri 30"),
    ],
)
def test_a_long_list_prints_its_first_three(formats, code: str, names: str) -> None:
    assert formats[code].names([*"ABC", *(str(n) for n in range(30))]) == names
    assert "D" in formats[code].names([*"ABCD"])


@pytest.mark.parametrize(
    ("last", "both", "either"),
    [
        ("Gemma 3 12B", "A y Gemma 3 12B", "A o Gemma 3 12B"),
        ("InternLM2 20B", "A e InternLM2 20B", "A o InternLM2 20B"),
        ("importancia histórica", "A e importancia histórica", "A o importancia histórica"),
        ("iMac", "A y iMac", "A o iMac"),
        ("Yi 34B", "A y Yi 34B", "A o Yi 34B"),
        ("OLMo 2 13B", "A y OLMo 2 13B", "A u OLMo 2 13B"),
        ("8800 GT", "A y 8800 GT", "A u 8800 GT"),
        ("11 GB", "A y 11 GB", "A u 11 GB"),
        ("1180 GB", "A y 1180 GB", "A o 1180 GB"),
    ],
)
def test_spanish_lists_repeat_no_sound(formats, last: str, both: str, either: str) -> None:
    for code in ("es", "es-419"):
        assert formats[code].all_names(["A", last]) == both
        assert formats[code].any_of(["A", last]) == either
        assert formats[code].all_names(["B", "A", last]) == f"B, {both}"
        assert formats[code].all_names([last]) == last
    assert formats["it"].all_names(["A", last]) == f"A e {last}"
    assert formats["en"].any_of(["A", last]) == f"A or {last}"


def test_what_is_left_out_of_a_list_has_its_gender(formats) -> None:
    written = {code: formats[code].names([*"ABCDE"], feminine=True) for code in ("en", "es", "it")}
    assert written == {"en": "A, B, C, and 2 more", "es": "A, B, C y 2 más", "it": "A, B, C e altre 2"}
    assert formats["it"].names([*"ABCDE"]) == "A, B, C e altri 2"


@pytest.mark.parametrize(
    ("text", "elided"),
    [
        *(("8 dicembre 2026", True), ("11 novembre", True), ("1 marzo", True), ("80", True), ("altro", True), ("Apple M4", True)),
        *(("10 dicembre", False), ("18 aprile", False), ("110", False), ("1.129", False), ("2 giugno", False), ("RTX 3090", False)),
    ],
)
def test_an_italian_article_is_cut_short_before_a_vowel(formats, text: str, elided: bool) -> None:
    assert formats["it"].after(text, "del ", "dell'") == (f"dell'{text}" if elided else f"del {text}")


def test_contexts_sizes_and_shares(formats) -> None:
    en, es = formats["en"], formats["es"]
    contexts = (4096, 32768, 131072, 5000, 1_048_576, 1_000_000, 10_485_760)
    assert [en.ctx(tokens) for tokens in contexts] == ["4k", "32k", "128k", "5,000", "1M", "1M", "10M"]
    assert [en.tokens(tokens) for tokens in (950, 28_000, 1_040_000, 12_790_000)] == ["900", "27k", "1,015k", "12M"]
    assert [es.size(value) for value in (15e9, 15.5e9, 355e6, 6.74e9, 1.04e12)] == ["15B", "15,5B", "355M", "6,7B", "1,0T"]
    assert (en.percent(0.227), es.percent(0.227)) == ("22.7%", f"22,7{NBSP}%")
    assert (en.money(212218), es.money(212218)) == ("$212,218", f"212.218{NBSP}USD")


@pytest.mark.parametrize(
    ("typed", "safe"),
    [
        ("**bold** _x_", r"\*\*bold\*\* \_x\_"),
        ("<@123> @everyone", r"\<\@123\> \@everyone"),
        ("a\nb\u202ec", "a b c"),
        ("{{ 7*7 }}", r"{{ 7\*7 }}"),
        ("x" * 100, "x" * 59 + "…"),
        ("# t || -# f", r"\# t \|\| -\# f"),
    ],
)
def test_typed_text_is_harmless(formats, typed: str, safe: str) -> None:
    assert formats["en"].typed(typed) == safe


def test_a_table_is_cut_to_thirty_columns_in_the_middle_of_its_first() -> None:
    rows = [["Card", "tok/s", "GB", "Quant"], ["A very long name of a card 16 GB", "1,129", "288", "Q4_K_M"]]
    lines = table(rows, "<>>>")
    assert max(map(len, lines)) <= 30
    assert "…" in lines[1]
    assert "16 GB" in lines[1]


def test_cards_are_told_apart_in_a_narrow_column(answering) -> None:
    """Beside three columns of figures fourteen letters are left for a card's name."""
    names = {answering.desk.card(card).short for card in answering.desk.surveyed.cards}
    shown = [table([[name, "100", "180", "IQ4_XS"], ["", "26.5", "", ""]], "<>>>")[0].split("  ")[0] for name in sorted(names)]
    cells = [re.split(r" +100 +180", line)[0] for line in shown]
    assert all(len(cell) <= 14 for cell in cells)
    assert len(set(cells)) == len(names)
    assert sum("…" in cell for cell in cells) < len(names) / 10
