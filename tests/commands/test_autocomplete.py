"""What is suggested while somebody types: best match first, and nothing of what was typed is lost."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.answering import Answering
from answers.questions.question import Cards, Question
from commands.autocomplete import LONGEST, MOST, Autocomplete, Choice
from commands.services import Services
from commands.texts import Texts


@pytest.fixture
def autocomplete(services: Services) -> Autocomplete:
    return Autocomplete(services)


@pytest.fixture(scope="module")
def bare(answering: Answering) -> Autocomplete:
    """The same on no more than suggestions look at, so that it outlives a test."""
    return Autocomplete(SimpleNamespace(texts=Texts(answering.locales), answering=answering))  # type: ignore[arg-type]


def shown(choices: list[Choice]) -> list[tuple[str, str]]:
    return [(choice.name, str(choice.value)) for choice in choices]


@pytest.mark.parametrize(
    ("typed", "label", "value"),
    [
        ("3060", "RTX 3060 12 GB", "GeForce RTX 3060 12 GB"),
        ("2x 3090", "2× RTX 3090", "2x GeForce RTX 3090"),
        ("2x 3090 + 4060 ti 16", "2× RTX 3090 + RTX 4060 Ti 16 GB", "2x 3090 + 4060 ti 16"),
        ("p102-101", "P102-101, a mining card", "P102-101"),
        ("24", "24\u00a0GB of VRAM", "24"),
        ("11,5 gb", "11.5\u00a0GB of VRAM", "11,5 gb"),
        ("2x24", "2× 24\u00a0GB of VRAM", "2x24"),
        ("dos 3090", "2× RTX 3090", "dos 3090"),
        ("m4 max 64", "Apple M4 Max 64 GB", "Apple M4 Max 64 GB"),
    ],
)
def test_hardware(autocomplete: Autocomplete, answering: Answering, typed: str, label: str, value: str) -> None:
    assert shown(autocomplete.hardware_choices(answering, typed, "en"))[0] == (label, value)


@pytest.mark.parametrize(
    ("typed", "label", "value"),
    [
        ("star", "StarCoder 2 15B", "StarCoder 2 15B"),
        ("70b", "dense 70B model", "70b"),
        ("starcoder2-15b-Q4_K_M.gguf", "StarCoder 2 15B · Q4_K_M", "starcoder2-15b-Q4_K_M.gguf"),
        ("llama3.1:8b", "Llama 3.1 8B", "Llama 3.1 8B"),
    ],
)
def test_models(autocomplete: Autocomplete, answering: Answering, typed: str, label: str, value: str) -> None:
    assert shown(autocomplete.model_choices(answering, typed, "en"))[0] == (label, value)


def test_labels_are_in_the_askers_language(autocomplete: Autocomplete, answering: Answering) -> None:
    said = {locale: autocomplete.hardware_choices(answering, "11.5", locale)[0].name for locale in ("en", "es", "es-419", "it")}
    assert said == {
        "en": "11.5\u00a0GB of VRAM",
        "es": "11,5\u00a0GB de VRAM",
        "es-419": "11.5\u00a0GB de VRAM",
        "it": "11,5\u00a0GB di VRAM",
    }


def test_whatever_is_chosen_is_read_as_what_it_says(autocomplete: Autocomplete, answering: Answering) -> None:
    reader = answering.reader
    for typed in ("2x 3090 + 40", "3x 7900", "tesla p40 + 3060", "24", "strix"):
        for choice in autocomplete.hardware_choices(answering, typed, "en"):
            read = reader.hardware(choice.value)
            assert read.cards or read.memory_gb, choice
    for choice in autocomplete.model_choices(answering, "qwen", "en"):
        assert reader.model(choice.value) == Question(models=(choice.value,))


def test_what_stands_before_the_plus_is_kept(autocomplete: Autocomplete, answering: Answering) -> None:
    for choice in autocomplete.hardware_choices(answering, "2x 3090 + 4060", "en"):
        cards = answering.reader.hardware(choice.value).cards
        assert cards[0] == Cards(name="GeForce RTX 3090", count=2)
        assert len(cards) == 2


def test_nothing_is_suggested_for_what_is_nothing(autocomplete: Autocomplete, answering: Answering) -> None:
    assert autocomplete.hardware_choices(answering, "🦙🦙🦙", "en") == []
    assert autocomplete.model_choices(answering, "🦙🦙🦙", "en") == []


@settings(max_examples=200)
@given(typed=st.one_of(st.text(max_size=120), st.from_regex(r"[0-9]{0,2}[xX ]{0,2}[a-z0-9 .+]{0,30}", fullmatch=True)))
def test_whatever_is_typed_discord_takes_the_suggestions(bare: Autocomplete, answering: Answering, typed: str) -> None:
    autocomplete = bare
    for choices in (
        autocomplete.hardware_choices(answering, typed, "es"),
        autocomplete.model_choices(answering, typed, "it"),
        autocomplete.name_choices(answering, typed, "en"),
    ):
        assert len(choices) <= MOST
        assert len({choice.value for choice in choices}) == len(choices)
        assert all(1 <= len(choice.name) <= LONGEST and 1 <= len(choice.value) <= LONGEST for choice in choices)


class Asker:
    """Whoever types, as far as suggestions look at them."""

    def __init__(self, locale: str) -> None:
        self.locale, self.guild_locale = locale, None


async def test_what_is_suggested_again_is_what_would_be_found_anew(
    autocomplete: Autocomplete, services: Services, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete: Any = autocomplete.hardware
    for locale in ("en-US", "it"):
        for _ in range(2):
            found = autocomplete.hardware_choices(answering, "p102", locale.partition("-")[0])
            assert shown(await complete(Asker(locale), "p102")) == shown(found)
    other = Answering(answering.catalogue, answering.locales)
    monkeypatch.setattr(services, "_answering", other)
    monkeypatch.setattr(other, "suggestions", SimpleNamespace(cards=lambda _: ["GeForce RTX 4090"]))
    # Another catalogue is another answer, whatever was suggested before.
    assert [value for _, value in shown(await complete(Asker("en-US"), "p102"))][-1] == "GeForce RTX 4090"


async def test_only_so_many_beginnings_are_kept(autocomplete: Autocomplete, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commands.autocomplete.KEPT", 2)
    looked_up: list[str] = []
    complete: Any = autocomplete._completing(lambda _, typed, __: looked_up.append(typed) or [])  # type: ignore[func-returns-value]
    for typed in ("a", "b", "a", "c", "a", "b"):
        assert await complete(Asker("en-US"), typed) == []
    assert looked_up == ["a", "b", "c", "b"]
