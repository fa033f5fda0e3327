"""Whatever is typed is read, never raises, and costs no more than its length."""

from __future__ import annotations

import importlib.util
import json
import math
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answers.catalogue.snapshot import Catalogue
from answers.locales import Locales
from answers.questions.question import Question
from answers.questions.read import Reader, as_output

PLACE = Path(__file__).parents[2] / "hostile" / "corpus.py"
SPEC = importlib.util.spec_from_file_location("hostile_corpus", PLACE)
assert SPEC and SPEC.loader
HOSTILE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(HOSTILE)

WORDS = [
    "can",
    "i",
    "run",
    "what",
    "fits",
    "how",
    "much",
    "vram",
    "llama",
    "3.1",
    "8b",
    "qwen",
    "32b",
    "3060",
    "4090",
    "12gb",
    "2x",
    "two",
    "and",
    "or",
    "vs",
    "on",
    "a",
    "with",
    "32k",
    "ctx",
    "q4_k_m",
    "?",
    ",",
    ".",
    "/",
    "me",
    "corre",
    "en",
    "una",
    "ci",
    "sta",
    "su",
    "quanta",
    "-5",
    "GB",
    "1e99",
    "0",
    "foo",
    "27b",
    "rtx",
    "9999",
    "m2",
    "max",
    "pro",
    "laptop",
    "de",
    "12",
    "x",
    "x2",
    "8xa100",
    "7/13/34b",
    "of",
    "the",
    "```",
    ">",
    "<@1>",
    "{{7*7}}",
]


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue, locales: Locales) -> Reader:
    return Reader(catalogue, locales)


def valid(reader: Reader, catalogue: Catalogue, text: str, previous: Question | None = None) -> Question:
    """Read a text, and hold the reading to what every reading promises."""
    reading = reader.read(text, previous=previous)
    output = as_output(reading, text)
    json.dumps(output, allow_nan=False)
    assert 0 <= reading.confidence <= 1
    for question in (reading.question, *reading.more):
        assert all(catalogue.model(name) for name in question.models)
        assert all(catalogue.card(card.name) and 1 <= card.count <= 64 for card in question.cards)
        assert question.memory_gb is None or math.isfinite(question.memory_gb)
    return reading.question


def test_a_thousand_hostile_messages_are_read(reader: Reader, catalogue: Catalogue) -> None:
    messages = HOSTILE.corpus()
    assert len(set(messages)) >= 1000
    previous: Question | None = None
    for message in messages:
        previous = valid(reader, catalogue, message, previous)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=300))
def test_any_text_is_read(reader: Reader, catalogue: Catalogue, text: str) -> None:
    valid(reader, catalogue, text)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.sampled_from(WORDS), max_size=20), glue=st.sampled_from(["", " ", " "]))
def test_any_words_of_questions_are_read_the_same_way_twice(
    reader: Reader, catalogue: Catalogue, words: list[str], glue: str
) -> None:
    text = glue.join(words)
    assert valid(reader, catalogue, text) == valid(reader, catalogue, text)


@pytest.mark.parametrize(
    "piece", ["a", "1", "1,", "8x", "(", "?", "3060 ", "7b/", "q4_", "-", "<@1", "http://", "12gb ", "no ", "漢", "> ", "'", "`"]
)
def test_the_cost_grows_with_the_length_at_most(reader: Reader, piece: str) -> None:
    def cost(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        times: list[float] = []
        for _ in range(3):
            begin = time.perf_counter()
            reader.read(text)
            times.append(time.perf_counter() - begin)
        return min(times)

    # A ratio, not a time: a hundred times the text may cost a hundred times as much, and a quadratic reader ten thousand times.
    assert cost(100_000) / cost(1_000) < 300
