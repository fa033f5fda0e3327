"""Charts are well-formed whatever a name holds, have room for every name, and come out in the size that they say."""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.answering import Answering
from answers.questions.question import Cards, Intent, Question
from answers.rendering.charts import png as drawing
from answers.rendering.charts.chart import BAR, Bar, Chart, Piece, chart_of
from answers.rendering.charts.png import SCALE, png
from answers.rendering.charts.svg import picture_of
from answers.rendering.formats import Formats
from answers.replies.computed import computed

LOCALES = ("en", "en-GB", "es", "es-419", "it")
MODELS = ("StarCoder 2 15B", "Llama 3.1 70B", "Qwen3 32B")
CARDS = tuple(Cards(name=name) for name in ("GeForce RTX 3060 12 GB", "GeForce RTX 4090", "Tesla P40", "GeForce GT 1030"))
ASKED = (
    *(Question(intent=Intent.CAN_RUN, models=(model,), memory_gb=gb) for model in MODELS for gb in (12, 24, 96)),
    *(Question(intent=Intent.RANK_CARDS, models=(model,)) for model in MODELS),
    Question(intent=Intent.COMPARE_CARDS, cards=CARDS),
    Question(intent=Intent.COMPARE_CARDS, cards=CARDS, models=MODELS[:1]),
    Question(intent=Intent.COMPARE_MODELS, models=MODELS),
    Question(intent=Intent.COMPARE_MODELS, models=MODELS, cards=CARDS[:1]),
    *(Question(intent=Intent.WHAT_CAN_CARD_RUN, cards=(card,)) for card in CARDS[:3]),
    Question(intent=Intent.WHAT_CAN_CARD_RUN, cards=(CARDS[0],), use="code"),
)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("question", ASKED)
def test_the_chart_of_an_answer_is_well_formed_and_inside_its_bars(answering: Answering, locale: str, question: Question) -> None:
    answer = answering.answer(question, locale)
    picture = answering.picture(answer)
    assert picture is not None
    root = ElementTree.fromstring(picture.svg)
    assert 0 < len(picture.alt) <= 1024
    widths = [float(node.get("width", "0")) for node in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert max(widths[1:]) <= BAR


@pytest.mark.parametrize("question", ASKED)
def test_a_chart_says_in_words_what_the_answer_says(answering: Answering, question: Question) -> None:
    answer = answering.answer(question, "en")
    picture = answering.picture(answer)
    assert picture is not None
    reply = answer.reply.model_dump()
    names = [row["model"]["name"] for key in ("current", "with_ram") for row in reply.get(key, ())]
    names += [(row.get("card") or row["model"])[key] for row, key in _compared(reply)]
    assert all(f"{name}" in picture.alt for name in names or question.models)
    assert names or question.intent in (Intent.CAN_RUN, Intent.RANK_CARDS)


def _compared(reply: dict[str, list[dict[str, dict[str, str]]]]) -> list[tuple[dict[str, dict[str, str]], str]]:
    if reply["kind"] == "compare_cards":
        return [(row, "label") for row in reply["cards"]]
    return [(row, "name") for row in reply["models"]] if reply["kind"] == "compare_models" else []


def test_what_is_missing_is_what_the_answer_says_is_missing(answering: Answering) -> None:
    question = Question(intent=Intent.CAN_RUN, models=("StarCoder 2 15B",), memory_gb=8)
    answer = answering.answer(question, "en")
    picture = answering.picture(answer)
    assert picture is not None
    assert "2.6 GB" in answer.message.text().replace("\N{NO-BREAK SPACE}", " ")
    assert "Missing: 2.6 GB" in picture.alt.replace("\N{NO-BREAK SPACE}", " ")


def test_memory_at_another_quant_than_the_others_says_so(answering: Answering) -> None:
    question = Question(intent=Intent.COMPARE_MODELS, models=("Qwen3 14B", "gpt-oss 20B"))
    answer = answering.answer(question, "en")
    picture = answering.picture(answer)
    assert picture is not None
    assert "memory needed at Q4_K_M" in picture.alt
    assert "gpt-oss 20B (MXFP4)" in picture.alt
    assert "Qwen3 14B:" in picture.alt
    assert [
        line.count("MXFP4") > 0 for line in answer.message.text().splitlines() if "GB at" in line.replace("\N{NO-BREAK SPACE}", " ")
    ] == [
        False,
        True,
    ]


@pytest.mark.parametrize("card", CARDS[:3])
@pytest.mark.parametrize("model", ("StarCoder 2 15B", "Qwen3 14B", "Gemma 4 E4B"))
def test_the_parts_of_the_memory_make_up_all_of_it(answering: Answering, model: str, card: Cards) -> None:
    question = Question(intent=Intent.CAN_RUN, models=(model,), cards=(card,))
    chart = chart_of(
        answering.answer(question, "en").reply, Formats(answering.locales.get("en")), computed(answering.desk, question)
    )
    assert chart is not None
    drawn = [piece for piece in chart.pieces if piece.width]
    assert all(abs(one.left + one.width - other.left) < 0.2 for one, other in pairwise(drawn[:-1]))
    assert drawn[-1].left + drawn[-1].width == pytest.approx(BAR, abs=0.2)


def test_labels_are_in_the_askers_language(answering: Answering) -> None:
    pictures = [answering.picture(answering.answer(ASKED[0], locale)) for locale in ("en", "es", "it")]
    words = [picture.alt for picture in pictures if picture]
    assert ["Weights" in words[0], "Pesos" in words[1], "Pesi" in words[2]] == [True] * 3


@given(st.text(), st.text())
def test_odd_names_stay_text(name: str, other: str) -> None:
    for chart in (
        Chart(name, (other,), bars=(Bar(name, other, name, "#fff", 10.0),)),
        Chart(name, (other, name), pieces=(Piece(name, other, "#fff", 0.0, 10.0),)),
    ):
        root = ElementTree.fromstring(picture_of(chart).svg)
        assert {node.tag.rpartition("}")[2] for node in root.iter()} <= {
            *("svg", "style", "text", "tspan", "rect", "g", "path", "clipPath")
        }


_SEGMENTS = ((14, 0), (16, 1), (16, 2), (16, 3))


def _advances(file: Path) -> Callable[[str], float]:
    """How wide a text is in a font, as a multiple of its size: from its own tables (the OpenType specification)."""
    font = file.read_bytes()
    tables = {font[at : at + 4]: struct.unpack_from(">I", font, at + 8)[0] for at in range(12, 12 + 16 * font[5], 16)}
    (em,) = struct.unpack_from(">H", font, tables[b"head"] + 18)
    (metrics,) = struct.unpack_from(">H", font, tables[b"hhea"] + 34)
    # The one map of characters that there is, in segments (format 4).
    map_ = tables[b"cmap"] + struct.unpack_from(">I", font, tables[b"cmap"] + 8)[0]
    form, size = struct.unpack_from(">H4xH", font, map_)
    assert form == 4
    ends, firsts, deltas, offsets = (struct.unpack_from(f">{size // 2}H", font, map_ + at + size * nth) for at, nth in _SEGMENTS)
    glyphs: dict[int, int] = {}
    for nth, (end, first, delta, offset) in enumerate(zip(ends, firsts, deltas, offsets, strict=True)):
        for code in range(first, end + 1):
            place = map_ + 16 + 3 * size + 2 * nth + offset + 2 * (code - first)
            glyph = struct.unpack_from(">H", font, place)[0] if offset and code < 0xFFFF else code
            glyphs[code] = (glyph + delta) & 0xFFFF
    advances = [struct.unpack_from(">H", font, tables[b"hmtx"] + 4 * glyph)[0] for glyph in range(metrics)]
    return lambda text: sum(advances[min(glyphs[ord(sign)], metrics - 1)] for sign in text) / em


def test_every_name_on_file_has_room_beside_the_widest_figures(answering: Answering) -> None:
    fonts = Path(drawing.__file__).parent / "fonts"
    plain, bold = (_advances(fonts / f"DejaVuSansCondensed{weight}.ttf") for weight in ("", "-Bold"))
    labels = [answering.desk.card(card).label for card in answering.catalogue.cards]
    names = [*(model.name for model in answering.catalogue.models), *labels, *(f"8× {label}" for label in labels)]
    figure, note = "1.234,5 tok/s (1.234–5.678)", "IQ4_XS · di misura"
    for name in names:
        bar = Bar(name, note, figure, "#fff", 10.0)
        assert 20 * bold(name) <= BAR, name
        if not bar.tall:
            assert 20 * (bold(name) + plain(figure)) + 18 * plain(note) + 20 <= BAR, name
        chart = Chart(name, (name,))
        assert (25 if chart.large else 20) * bold(name) <= BAR, name
    assert 18 * plain(note) + 20 * plain(figure) + 20 <= BAR
    assert any(not Bar(name, note, "9.0 tok/s (5–14)", "#fff", 10.0).tall for name in names)


def test_names_are_whole(answering: Answering) -> None:
    longest = sorted((card.name for card in answering.catalogue.cards), key=len)[-4:]
    models = sorted((model.name for model in answering.catalogue.models), key=len)[-4:]
    cards = tuple(Cards(name=name, count=4) for name in longest)
    for question in (
        Question(intent=Intent.COMPARE_CARDS, cards=cards),
        Question(intent=Intent.COMPARE_CARDS, cards=cards, models=("Qwen3 0.6B",)),
        Question(intent=Intent.COMPARE_MODELS, models=tuple(models)),
        Question(intent=Intent.COMPARE_MODELS, models=tuple(models), memory_gb=96),
        Question(intent=Intent.CAN_RUN, models=(models[-1],), cards=cards[-1:]),
    ):
        picture = answering.picture(answering.answer(question, "en"))
        if picture:
            assert "…" not in picture.alt


@pytest.mark.parametrize("question", (ASKED[0], ASKED[9], ASKED[-1]))
def test_the_picture_has_the_size_that_the_chart_says(answering: Answering, question: Question) -> None:
    picture = answering.picture(answering.answer(question, "en"))
    assert picture is not None
    root = ElementTree.fromstring(picture.svg)
    drawn = png(picture.svg)
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", drawn[16:24])
    assert (width, height) == (600 * SCALE, round(int(root.get("height", "0")) * SCALE))
