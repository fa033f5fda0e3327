"""How long an answer takes to be written, and a prompt to be read."""

from __future__ import annotations

import pytest

from answers.answering import Answering, text_of
from answers.questions.question import Cards, Intent, Question
from answers.rendering.formats import Formats
from answers.replies.reply import Speed

CARD = (Cards(name="GeForce RTX 3090"),)


def speed(answering: Answering, **slots: object) -> Speed:
    question = Question.model_validate({"intent": Intent.SPEED, "models": ("Qwen3 14B",), "cards": CARD, **slots})
    reply = answering.answer(question).reply
    assert isinstance(reply, Speed)
    return reply


def test_it_is_the_tokens_over_the_speed_and_its_range(answering: Answering) -> None:
    reply = speed(answering, output_tokens=1000)
    assert reply.rung is not None
    assert reply.rung.speed is not None
    assert reply.writing is not None
    found = reply.rung.speed
    assert reply.writing.seconds == pytest.approx(1000 / found.tok_s)
    assert (reply.writing.low_s, reply.writing.high_s) == pytest.approx((1000 / found.high_tok_s, 1000 / found.low_tok_s))
    assert speed(answering).writing is None


def test_a_prompt_as_long_as_the_context_that_was_asked_for(answering: Answering) -> None:
    reply = speed(answering, context=16384)
    assert reply.prompt_tok_s is not None
    assert reply.prompt_s == pytest.approx(16384 / reply.prompt_tok_s)
    assert speed(answering).prompt_s is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("how long would qwen3 14b take to write 1000 tokens on a 3090?", "Writing 1,000 tokens takes about "),
        ("¿cuánto tarda qwen3 14b en escribir 2000 tokens en una 3090?", "Escribir 2000 tokens le lleva unos "),
        ("quanto ci mette qwen3 14b a generare 500 token su una 3090?", "Per scrivere 500 token ci mette circa "),
    ],
)
def test_it_is_said_in_the_language_of_the_question(answering: Answering, text: str, said: str) -> None:
    assert said in text_of(answering.ask(text))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.84, "0.8 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (36.2, "36 s"),
        (99.9, "100 s"),
        (100.0, "1.7 min"),
        (3000, "50 min"),
        (9000, "2.5 h"),
        (9e6, "2,500 h"),
    ],
)
def test_a_duration_has_the_unit_that_suits_it(answering: Answering, seconds: float, said: str) -> None:
    assert Formats(answering.locales.get("en")).duration(seconds).replace("\u00a0", " ") == said
