"""Charts are well-formed whatever a name holds, say the same as the answer, and come out in the size that they say."""

from __future__ import annotations

import struct
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.answering import Answering
from answers.questions.question import Intent, Question
from answers.rendering.charts.chart import BAR, Bar, Chart, Piece
from answers.rendering.charts.png import SCALE, png
from answers.rendering.charts.svg import picture_of

LOCALES = ("en", "en-GB", "es", "es-419", "it")
MODELS = ("StarCoder 2 15B", "Llama 3.1 70B", "Qwen3 32B")
ASKED = (
    *(Question(intent=Intent.CAN_RUN, models=(model,), memory_gb=gb) for model in MODELS for gb in (12, 24, 96)),
    *(Question(intent=Intent.RANK_CARDS, models=(model,)) for model in MODELS),
)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("question", ASKED)
def test_the_chart_of_an_answer_is_well_formed_and_inside_its_bars(answering: Answering, locale: str, question: Question) -> None:
    picture = answering.picture(answering.answer(question, locale))
    assert picture is not None
    root = ElementTree.fromstring(picture.svg)
    assert 0 < len(picture.alt) <= 1024
    assert question.models[0] in picture.alt
    widths = [float(node.get("width", "0")) for node in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert max(widths[1:]) <= BAR


def test_labels_are_in_the_askers_language(answering: Answering) -> None:
    pictures = [answering.picture(answering.answer(ASKED[0], locale)) for locale in ("en", "es", "it")]
    words = [picture.alt for picture in pictures if picture]
    assert ["Weights" in words[0], "Pesos" in words[1], "Pesi" in words[2]] == [True] * 3


@given(st.text(), st.text())
def test_odd_names_stay_text(name: str, other: str) -> None:
    for chart in (
        Chart(name, other, bars=(Bar(name, other, name, "#fff", 10.0),)),
        Chart(name, other, pieces=(Piece(name, other, "#fff", 0.0, 10.0),)),
    ):
        root = ElementTree.fromstring(picture_of(chart).svg)
        assert {node.tag.rpartition("}")[2] for node in root.iter()} <= {
            *("svg", "style", "text", "tspan", "rect", "g", "path", "clipPath")
        }


@pytest.mark.parametrize("question", (ASKED[0], ASKED[-1]))
def test_the_picture_has_the_size_that_the_chart_says(answering: Answering, question: Question) -> None:
    picture = answering.picture(answering.answer(question, "en"))
    assert picture is not None
    root = ElementTree.fromstring(picture.svg)
    drawn = png(picture.svg)
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", drawn[16:24])
    assert (width, height) == (600 * SCALE, round(int(root.get("height", "0")) * SCALE))
