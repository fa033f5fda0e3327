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


@pytest.mark.parametrize(
    ("cue", "message", "expected"),
    [
        ("能|可以 .. 跑|带得动", "<card> 可 以 带 得 动 <model>", True),
        ("能|可以 .. 跑|带得动", "<card> 可 带 得 动 <model>", False),
        ("能|能不能 跑", "能 不 能 跑", True),
        ("どの グラボ|gpu", "ど の グ ラ ボ", True),
        ("n卡 <model>", "n 卡 <model>", True),
        ("卡 .. 跑", "卡 a b c d e 跑", False),
    ],
)
def test_words_of_scripts_without_spaces_are_sequences_of_characters(cue: str, message: str, expected: bool) -> None:
    assert hits(cue, message) is expected


def test_a_language_says_how_far_a_gap_reaches() -> None:
    words = {"language": {"reach": 5}, "intents": {"speed": {"strong": ["卡 .. 跑"]}}}
    assert Cues("xx", words).find(["卡", "a", "b", "c", "d", "e", "跑"])


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
    # Which quant to download is asked by a form alone: in a sentence it is whether, and at which quant, a model runs.
    asked = {str(intent) for intent in Intent} - {Intent.WHICH_QUANT}
    for language in locales.languages:
        assert set(locales.words(language)["intents"]) == asked, language
