"""What a careful speaker minds in every answer of a kind: gender, units, and no word said twice."""

from __future__ import annotations

import re

import pytest

from answers.questions.question import Cards, Intent, Question
from answers.rendering.formats import NBSP
from answers.replies.build import build
from answers.replies.computed import computed

MAC, OLD_MAC = Cards(name="Apple M4 Max 64 GB"), Cards(name="Apple M3 Max 64 GB")
QUICK, CARD, SMALL = (Cards(name=f"GeForce RTX {name}") for name in ("4090", "3090", "3060 12 GB"))
LARGE = "Llama 3.1 405B"


@pytest.fixture
def said(answering):
    """The text of an answer in a language."""

    def say(locale: str, intent: Intent, *models: str, **slots) -> str:
        return answering.answer(Question(intent=intent, models=models, **slots), locale).message.text()

    return say


@pytest.mark.parametrize(
    ("cards", "spanish", "italian"),
    [
        ((MAC, OLD_MAC), "la velocidad del otro", "la velocità dell'altro"),
        ((MAC, SMALL), "la velocidad de la otra", "la velocità dell'altra"),
        ((CARD, SMALL), "la velocidad de la otra", "la velocità dell'altra"),
        ((QUICK, MAC), "la velocidad del otro", "la velocità dell'altro"),
        ((QUICK, CARD, MAC), "la velocidad de la siguiente", "la velocità della seconda"),
        ((QUICK, SMALL, MAC), "la velocidad del siguiente", "la velocità del secondo"),
    ],
)
def test_what_is_slower_has_its_own_gender(said, cards: tuple[Cards, ...], spanish: str, italian: str) -> None:
    for models in ((), ("Llama 3.1 8B",)):
        assert spanish in said("es", Intent.COMPARE_CARDS, *models, cards=cards)
        assert italian in said("it", Intent.COMPARE_CARDS, *models, cards=cards)


@pytest.mark.parametrize(
    ("cards", "spanish", "italian"),
    [
        ((MAC, OLD_MAC), "ninguno", "Nessuno dei due"),
        ((CARD, SMALL), "ninguna", "Nessuna delle due"),
        ((CARD, MAC), "ninguno", "Nessuno dei due"),
    ],
)
def test_none_of_them_has_their_gender(said, cards: tuple[Cards, ...], spanish: str, italian: str) -> None:
    assert f"{LARGE} no cabe en {spanish}\n" in said("es", Intent.COMPARE_CARDS, LARGE, cards=cards)
    assert said("it", Intent.COMPARE_CARDS, LARGE, cards=cards).startswith(f"{italian} regge {LARGE}")


@pytest.mark.parametrize(
    ("card", "spanish", "italian", "other"),
    [(MAC, "basta uno", "ne basta uno", "Un altro"), (CARD, "basta una", "ne basta una", "Un'altra")],
)
@pytest.mark.parametrize("count", [1, 2])
def test_one_of_two_has_its_gender(said, card: Cards, count: int, spanish: str, italian: str, other: str) -> None:
    cards = (card.model_copy(update={"count": count}),)
    assert f"No: para Llama 3.1 8B {spanish}\n" in said("es", Intent.TWO_GPUS, "Llama 3.1 8B", cards=cards)
    text = said("it", Intent.TWO_GPUS, "Llama 3.1 8B", cards=cards)
    assert f"No: per Llama 3.1 8B {italian}\n" in text
    assert f"{other} aggiunge" in text


def test_the_fastest_chip_is_masculine(answering) -> None:
    reply = build(answering.desk, Question(intent=Intent.SPEED, models=("Llama 3.1 8B",)))
    chip = reply.fastest.model_copy(update={"card": answering.desk.card(answering.desk.catalogue.card(MAC.name))})
    for locale, card, of_chip in (
        ("es", "La más rápida, la ", "El más rápido, el "),
        ("it", "La più veloce, la ", "Il più veloce, l'"),
    ):
        assert f"\n{card}" in answering.renderer.render(reply, locale).text()
        text = answering.renderer.render(reply.model_copy(update={"fastest": chip}), locale).text()
        assert f"\n{of_chip}Apple M4 Max 64" in text


@pytest.mark.parametrize("card", [SMALL, CARD, MAC, SMALL.model_copy(update={"count": 2})])
@pytest.mark.parametrize("locale", ["en", "es", "it"])
def test_only_times_are_added_to_times(answering, card: Cards, locale: str) -> None:
    terms = computed(answering.desk, Question(intent=Intent.CAN_RUN, models=("Llama 3.1 8B",), cards=(card,), quant="Q4_K_M"))
    text = answering.renderer.render(terms, locale).text().replace(",", ".").replace(NBSP, " ")
    (line,) = (line for line in text.splitlines() if " ms = " in line or " fissi = " in line or " fijos = " in line)
    parts, whole = re.sub(r"\([^)]*\)", "", line).split(" = ")
    times = [float(figure) for figure in re.findall(r"[\d.]+(?= ms)", parts)]
    assert len(times) == len(parts.split(" + ")) == 3
    assert sum(times) == pytest.approx(float(whole.split(" ms")[0]), abs=0.16)
    assert 1000 / terms.speed.speed.tok_s == pytest.approx(float(whole.split(" ms")[0]), abs=0.06)


@pytest.mark.parametrize(("locale", "reached"), [("en", "reached"), ("es", "aprovechados"), ("it", "sfruttati")])
def test_the_speed_on_a_processor_is_what_its_terms_come_to(answering, locale: str, reached: str) -> None:
    asked = Question(intent=Intent.CAN_RUN, models=("Llama 3.1 8B",), cpu_only=True, ram_gb=64)
    text = answering.renderer.render(computed(answering.desk, asked), locale).text().replace(",", ".").replace(NBSP, " ")
    bandwidth, share, read, speed = re.search(rf"(\d+) GB/s × ([\d.]+) {reached} ÷ ([\d.]+) GB = ([\d.]+) tok/s", text).groups()
    assert float(bandwidth) * float(share) / float(read) == pytest.approx(float(speed), abs=0.06)


@pytest.mark.parametrize(
    ("locale", "word", "there"), [("en", "Measured", "there"), ("es", "Medido", "ahí"), ("it", "Misurato", "lì")]
)
def test_what_was_measured_is_said_once(said, locale: str, word: str, there: str) -> None:
    speed = said(locale, Intent.SPEED, "Llama 3.1 8B", cards=(CARD,), quant="Q4_K_M")
    assert len(re.findall(word, speed)) == 1
    assert re.search(rf"^{word}\n[\d.,]+{NBSP}tok/s", speed, re.MULTILINE)
    assert f"\n{word} {there}: " in said(locale, Intent.CAN_RUN, "Llama 3.1 8B", cards=(CARD,), quant="Q4_K_M")


@pytest.mark.parametrize(("locale", "chosen"), [("es", "selección de "), ("it", "scelte di ")])
def test_a_footer_goes_on_in_small_letters(said, locale: str, chosen: str) -> None:
    # 12 GiB hold more than 12 GB of models, and say so first; 24 GB that are free are 24 GB.
    assert f" · {chosen}" in said(locale, Intent.WHAT_CAN_CARD_RUN, cards=(SMALL,))
    assert f"\n{chosen.capitalize()}" in said(locale, Intent.WHAT_CAN_CARD_RUN, memory_gb=24, memory_usable=True)


@pytest.mark.parametrize(
    ("locale", "one", "many"), [("en", "Source", "Sources"), ("es", "Fuente", "Fuentes"), ("it", "Fonte", "Fonti")]
)
def test_several_sources_are_called_so(answering, locale: str, one: str, many: str) -> None:
    reply = build(answering.desk, Question(intent=Intent.SPEED, models=("Llama 3.1 8B",), cards=(CARD,), quant="Q4_K_M"))
    places = tuple(f"https://{name}.example/x" for name in "abc")
    for count, word, rest in ((1, one, ""), (2, many, "b.example"), (3, many, "altre 2" if locale == "it" else "2 ")):
        measured = reply.measured.model_copy(update={"sources": places[:count]})
        text = answering.renderer.render(reply.model_copy(update={"measured": measured}), locale).text()
        (line,) = (line for line in text.splitlines() if line.startswith(f"{word}: "))
        assert "a.example" in line
        assert rest in line
