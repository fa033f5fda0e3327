"""Models that run on their maker's servers alone are answered for what they are."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from answers.answering import Answering
from answers.catalogue import closed
from answers.catalogue.closed import closed_by, find_closed
from answers.catalogue.snapshot import Catalogue
from answers.questions.question import Intent
from answers.questions.text import prepare
from answers.replies.asking import Unknown

LISTED = tomllib.loads((Path(closed.__file__).parent / "closed.toml").read_text(encoding="utf-8"))["maker"]


@pytest.mark.parametrize(
    ("text", "maker"),
    [
        ("can i run gpt-4 locally?", "OpenAI"),
        ("GPT 4o on 24gb?", "OpenAI"),
        ("is claude opus 4.5 runnable on a 3090?", "Anthropic"),
        ("can my 4090 run gemini 2.5 pro", "Google"),
        ("grok 4 on an m3 ultra 512gb?", "xAI"),
    ],
)
def test_it_is_said_who_keeps_the_weights(answering: Answering, text: str, maker: str) -> None:
    (answer,) = answering.ask(text, "en")
    assert isinstance(answer.reply, Unknown)
    assert answer.reply.closed_by == maker
    assert f"{maker} doesn't publish its weights" in answer.message.text()


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("can i run gpt-oss 20b on 16gb?", "gpt-oss 20B"),
        ("is qwen3 14b on a 3060 12gb as good as gpt-4?", "Qwen3 14B"),
        ("sonnet 4.5 told me a 3060 12gb runs qwen3 14b, true?", "Qwen3 14B"),
        ("who made grok-2", "Grok-2 270B"),
    ],
)
def test_a_model_that_can_be_run_is_what_is_asked_about(answering: Answering, text: str, model: str) -> None:
    (answer, *_) = answering.ask(text, "en")
    assert answer.question.models == (model,)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("is there a local model as good as gpt-4o for 24gb?", Intent.WHAT_CAN_CARD_RUN),
        ("something like gpt-4 for my 3090?", Intent.WHAT_CAN_CARD_RUN),
        ("¿hay algo como gpt-4 para 24 gb?", Intent.WHAT_CAN_CARD_RUN),
    ],
)
def test_as_a_yardstick_they_are_not_what_is_asked_about(answering: Answering, text: str, intent: Intent) -> None:
    asked = answering.read(text).question
    assert (asked.intent, asked.unknown) == (intent, ())


@pytest.mark.parametrize(
    "text", ["claude says a 3090 is fine", "gpt-4 got expensive lol", "asked gemini 2.5 pro yesterday, no idea either"]
)
def test_talk_about_them_is_no_question(answering: Answering, text: str) -> None:
    assert answering.read(text, "en").question.intent is Intent.NONE


def test_every_name_in_the_file_is_found_and_none_on_file_is_taken(catalogue: Catalogue) -> None:
    for entry in LISTED:
        for model in entry["models"]:
            text = prepare(f"run {model} here")
            found = find_closed(text.folded, [token.text for token in text.tokens])
            assert [text.folded[start:end] for start, end in found] == [model]
            assert closed_by(model) == (entry["name"], tuple(entry["instead"]))
        for name in entry["instead"]:
            assert catalogue.model(name).name == name
    assert [model.name for model in catalogue.models if closed_by(model.name)] == []
