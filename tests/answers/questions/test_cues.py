"""The language in which ``words.toml`` describes how people ask."""

from __future__ import annotations

from typing import Any

import pytest

from answers.errors import DataError
from answers.locales import Locales
from answers.questions.cues import Cues
from answers.questions.question import Intent
from answers.questions.vocabulary import Vocabulary


def cues(*strong: str, groups: dict[str, list[str]] | None = None) -> Cues:
    return Cues("xx", {"groups": groups or {}, "intents": {"speed": {"strong": list(strong)}}})


def hits(cue: str, message: str, **options: Any) -> bool:
    return bool(cues(cue, **options).find(message.split()))


@pytest.mark.parametrize(
    ("cue", "message", "expected"),
    [
        ("how fast", "tell me how fast", True),
        ("how fast", "how very fast", False),
        ("how .. fast", "how very very fast", True),
        ("how .. fast", "how a b c d e fast", False),
        ("how .. fast", "how . fast", False),
        ("vram|memory for", "memory for", True),
        ("the? card", "card", True),
        ("descarg* esto", "descargando esto", True),
        ("<llm> on <rig>", "<size> on <memory>", True),
        ("<number> cards", "12 cards", True),
        ("¿Qué GPU", "que gpu", True),
        ("quant'è", "quant e", True),
        ("what's up", "whats up", True),
    ],
)
def test_a_cue_matches(cue: str, message: str, expected: bool) -> None:
    assert hits(cue, message) is expected


def test_a_group_stands_for_its_words() -> None:
    assert hits("which @card", "which gpu", groups={"card": ["card", "gpu"]})


@pytest.mark.parametrize("cue", ["which @nothing", ".. fast", "fast ..", "fast?"])
def test_a_cue_that_cannot_be_meant_is_refused_by_name(cue: str) -> None:
    with pytest.raises(DataError, match=r"xx/words\.toml"):
        cues(cue)


def test_an_unknown_strength_or_slot_is_refused_by_name() -> None:
    with pytest.raises(DataError, match="mighty"):
        Cues("xx", {"intents": {"speed": {"mighty": ["fast"]}}})
    with pytest.raises(DataError, match="colour"):
        Vocabulary({"xx": {"slots": {"colour": ["red"]}}})
    with pytest.raises(DataError, match="gigabytes"):
        Vocabulary({"xx": {"slots": {"gigabytes": "gb"}}})


def test_every_language_has_cues_for_every_intent(locales: Locales) -> None:
    for language in locales.languages:
        assert set(locales.words(language)["intents"]) == {str(intent) for intent in Intent}, language
