"""The whole way from a text to its message: nothing that is typed makes it fail, and the same text always gets the same answer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.answering import text_of

LOCALES = ("en", "en-GB", "es", "es-419", "it", "de", None)
PIECES = st.sampled_from(
    (
        "can I run",
        "StarCoder 2 15B",
        "llama",
        "qwen3",
        "30b-a3b",
        "8b",
        "70b",
        "a 3060",
        "2x 3090",
        "4060 laptop",
        "M4 Max 64GB",
        "7900xtx",
        "on 12 GB",
        "0 GB",
        "-5 GB",
        "1e99 context",
        "999999999999 tokens",
        "q4km",
        "Q8_0",
        "iq1_s",
        "32k ctx",
        "who made",
        "how fast",
        "vs",
        "and",
        "?",
        "minimum q6",
        "¿me corre",
        "en una",
        "gráfica",
        "con 24 gigas",
        "quién creó",
        "mi gira",
        "su una",
        "da 12",
        "chi ha fatto",
        "quanta vram",
        "{{ 7*7 }}",
        "<@123>",
        "@everyone",
        "**",
        "`",
        "# ",
        "-# ",
        "١٢",
        "１２ＧＢ",
        "💥",
        "https://x.y/z?q=1",
        "' OR 1=1 --",
        "../../etc",
        "\u202e",
        "\x00",
        "\n\n",
        "||",
    )
)


def whole(answering, text: str, locale: str | None) -> str:
    answers = answering.ask(text, locale)
    assert answers
    for answer in answers:
        assert answer.message.title
        assert answer.message.lines()
    return text_of(answers)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400), st.sampled_from(LOCALES))
def test_any_text_gets_an_answer(answering, text: str, locale: str | None) -> None:
    assert whole(answering, text, locale) == whole(answering, text, locale)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=9), st.sampled_from(LOCALES), st.lists(PIECES, max_size=5))
def test_any_mixture_of_what_people_type_gets_an_answer(
    answering, pieces: list[str], locale: str | None, before: list[str]
) -> None:
    previous = answering.read(" ".join(before)).question if before else None
    answers = answering.ask(" ".join(pieces), locale, previous)
    for answer in answers:
        assert answer.message.title
        for pending in answer.pending:
            assert answering.answer(pending, locale).message.title


@pytest.mark.parametrize("text", ["a" * 100_000, "can I run " * 10_000, "\x00\xff" * 5_000, "(" * 50_000, "3060 " * 20_000])
def test_a_very_long_text_gets_an_answer(answering, text: str) -> None:
    assert whole(answering, text, "en")


@pytest.mark.parametrize("unit", ["can i run llama 8b on a 3060? ", "x", "1 ", "q4 8b 12gb ", "¿", "(a", "ñandú "])
def test_time_grows_no_faster_than_the_text(answering, unit: str) -> None:
    def best_of(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        times = []
        for _ in range(3):
            start = time.perf_counter()
            answering.ask(text, "en")
            times.append(time.perf_counter() - start)
        return min(times)

    best_of(1_000)
    # A hundred times the text may take a hundred times as long; a quadratic way would take ten thousand times.
    assert best_of(100_000) / best_of(1_000) < 400


def test_what_was_typed_is_shown_harmless(answering) -> None:
    (answer,) = answering.ask("can I run **Foo**<@123> 27B on 24 GB?", "en")
    assert "<@123>" not in answer.message.title.replace("\\", "") or "\\<\\@" in answer.message.title
    assert "**Foo" not in answer.message.title


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("can I run StarCoder on 0 GB?", "out_of_range"),
        ("can I run StarCoder on 12 GB with 1e99 context?", "out_of_range"),
        ("", "not_asked"),
        ("   \n\t ", "not_asked"),
        ("{{ 7*7 }}", "not_asked"),
    ],
)
def test_what_cannot_be_answered_gets_a_sentence(text: str, kind: str, answering) -> None:
    (answer,) = answering.ask(text, "en")
    assert answer.reply.kind == kind
    assert "49" not in answer.message.text()


def test_a_context_above_the_models_own_is_answered_for_the_longest_it_takes(answering) -> None:
    (answer,) = answering.ask("can I run StarCoder 2 15B on 24 GB with 200k context?", "en")
    assert "16k context, the longest it takes" in answer.message.footer


def test_the_same_answer_is_given_once(answering) -> None:
    # Of what does not fit, how fast it is and whether it runs have one answer.
    asked = answering.read("i have a 5070 ti and 64gb ddr5, can I run gpt-oss 120b? how fast")
    assert len(asked.more) == 1
    assert len(answering.ask("i have a 5070 ti and 64gb ddr5, can I run gpt-oss 120b? how fast")) == 1
    # A yes tells the speed; another card's is another answer.
    assert len(answering.ask("can a 4060 run mistral nemo, and how fast?")) == 1
    assert len(answering.ask("can a 4060 run mistral nemo? how fast is it on a 3090?")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "has anyone tried gemma 3 27b on a 3090? what speed do you get",
        "¿alguien ha probado gemma 3 27b en una 3090? ¿qué velocidad saca?",
        "qualcuno ha provato gemma 3 27b su una 3090? quanti token al secondo fa?",
    ],
)
def test_a_speed_that_the_yes_tells_is_not_told_twice(answering, text: str) -> None:
    answers = answering.ask(text)
    assert [answer.reply.__dict__["kind"] for answer in answers] == ["can_run"]
    assert "27" in text_of(answers)
    assert "tok/s" in text_of(answers)
