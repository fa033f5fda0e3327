"""What can be no question is passed over at once, and nothing that is one."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from answers.catalogue.atoms import Token
from answers.catalogue.snapshot import Catalogue
from answers.locales import Locales
from answers.questions.gate import Gate
from answers.questions.read import Reader
from answers.questions.text import prepare

PLACE = Path(__file__).parent


def lines() -> Iterator[dict[str, Any]]:
    for file in (PLACE / "own_lines.jsonl", *sorted((PLACE / "fresh").glob("*.jsonl"))):
        yield from (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip())


@pytest.fixture(scope="module")
def languages(locales: Locales) -> dict[str, Any]:
    return {language: locales.words(language) for language in locales.languages}


class Open(Gate):
    """A gate that everything passes."""

    def __init__(self) -> None:
        """Nothing has to be looked for."""

    def passes(self, tokens: Sequence[Token], names: Collection[str]) -> bool:
        return True


def test_every_question_that_is_understood_passes(catalogue: Catalogue, locales: Locales) -> None:
    plain, gated = Reader(catalogue, locales), Reader(catalogue, locales)
    plain.wording.gate = Open()
    shut = 0
    for line in lines():
        before, after = plain.read(line["text"]), gated.read(line["text"])
        assert after.question == before.question, line["text"]
        shut += after.question.intent == "none" and not after.matched
    assert shut > 0


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("brb lunch", False),
        ("happy birthday!!", False),
        ("3090", True),
        ("what does granite need", True),
        ("how accurate are these estimates", True),
        ("qual è la più veloce", True),
        ("两张卡会更快吗", True),
    ],
)
def test_what_passes(languages: dict[str, Any], text: str, passes: bool) -> None:
    gate = Gate(languages, ("vram", "gpu"))
    assert gate.passes(prepare(text).tokens, {"granite", "llama"}) is passes


def test_of_a_cue_the_word_that_is_said_least_is_looked_for() -> None:
    words = {
        "en": {
            "language": {"common": ["how", "is"]},
            "groups": {"fast": ["quick*"]},
            "intents": {"speed": {"strong": ["how .. is @fast"]}},
        }
    }
    gate = Gate(words, ())
    assert gate.passes(prepare("quicker").tokens, ())
    assert not gate.passes(prepare("how is it").tokens, ())
