"""Which language a message may be in."""

from __future__ import annotations

from answers.catalogue.atoms import tokenise
from answers.questions.language import Languages

LANGUAGES = Languages(
    {
        "en": {"language": {"common": ["with", "the", "me"]}},
        "de": {"language": {"common": ["mit", "der", "und"], "letters": "ß"}},
        "es": {"language": {"common": ["con", "me"]}},
    },
    {"en": {"suggest", "model"}, "de": {"packt", "model"}, "es": {"mueve"}},
)


def rank(text: str, hint: str | None = None) -> list[str]:
    return LANGUAGES.rank(tokenise(text), text, hint)


def test_a_language_that_nothing_speaks_for_is_not_possible_beside_one_that_much_does() -> None:
    assert rank("mit der 3090 und q4") == ["de"]


def test_every_language_is_possible_where_nothing_tells_them_apart() -> None:
    assert set(rank("3090 q4")) == {"en", "de", "es"}


def test_words_that_people_ask_with_in_one_language_tell_it() -> None:
    assert rank("packt 3090")[0] == "de"
    assert rank("3090 mueve")[0] == "es"
    assert rank("3090 model")[0] == "en"


def test_a_little_evidence_leaves_others_possible() -> None:
    assert "en" in rank("con 3090 suggest")
