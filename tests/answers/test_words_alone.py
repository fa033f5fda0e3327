"""A language may be understood before it is answered in: a folder that holds words.toml and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from answers.answering import Answering
from answers.locales import Locales
from answers.questions.question import Intent
from answers.rendering.check import check


@pytest.fixture
def alone(tmp_path: Path, locales: Locales) -> Path:
    """A folder of locales in which German has its words and no texts."""
    root = tmp_path / "locales"
    shutil.copytree(locales.path / "en", root / "en")
    (root / "de").mkdir()
    shutil.copy(locales.path / "de" / "words.toml", root / "de")
    return root


def test_it_is_a_language_and_no_locale(alone: Path) -> None:
    found = Locales.load(alone)
    assert found.languages == ("de", "en")
    assert list(found.by_code) == ["en"]  # what /settings offers
    assert found.get("de").code == found.get("de-AT").code == "en"


def test_the_check_asks_it_for_no_texts_and_reads_its_words(alone: Path) -> None:
    assert not [problem for problem in check(Locales.load(alone)) if "de/" in problem]
    words = alone / "de" / "words.toml"
    words.write_text(words.read_text(encoding="utf-8").replace('"wer hinter|', '"wer @niemand|'), encoding="utf-8")
    assert [problem for problem in check(Locales.load(alone)) if "de/words.toml" in problem and "@niemand" in problem]


@pytest.mark.parametrize(
    "text",
    [
        "packt ne 3060 12gb den qwen3 14b in q4?",
        "ça tourne qwen3 14b sur une 3060 12go ?",
        "minha 3060 de 12 aguenta o qwen3 14b?",
        "czy 3060 12gb uciągnie qwen3 14b?",
        "потянет 3060 12гб qwen3 14b?",
    ],
)
def test_a_question_in_it_is_answered_in_the_nearest_locale(answering: Answering, text: str) -> None:
    (answer,) = answering.ask(text)
    assert answer.question.intent is Intent.CAN_RUN
    assert answer.locale == answering.locales.get(answering.read(text).lang).code
    assert answer.message == answering.answer(answer.question, answer.locale).message
