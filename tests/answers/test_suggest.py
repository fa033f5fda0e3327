"""Names on file for what somebody has begun to type."""

from __future__ import annotations

import pytest

from answers.answering import Answering
from answers.catalogue.suggest import MOST


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("star", "StarCoder 2 15B"),
        ("starcoder2", "StarCoder 2 15B"),
        ("llama 8b", "Llama 3.1 8B"),
        ("bigcode/starcoder2-3b", "StarCoder 2 3B"),
        ("polycodr", "PolyCoder"),
    ],
)
def test_the_likeliest_model_comes_first(answering: Answering, typed: str, first: str) -> None:
    assert answering.suggestions.models(typed)[0] == first


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("3060", "GeForce RTX 3060 12 GB"),
        ("4060 ti 16", "GeForce RTX 4060 Ti 16 GB"),
        ("p40", "Tesla P40"),
        ("arc b5", "Arc B570"),
        ("rtx40900", "GeForce RTX 4090"),
    ],
)
def test_the_likeliest_card_comes_first(answering: Answering, typed: str, first: str) -> None:
    assert answering.suggestions.cards(typed)[0] == first


@pytest.mark.parametrize("typed", ["", "a", "1", "x" * 500, "rtx", "!!!", "🦙", "q"])
def test_there_are_never_more_than_discord_shows(answering: Answering, typed: str) -> None:
    models, cards = answering.suggestions.models(typed), answering.suggestions.cards(typed)
    assert len(models) <= MOST
    assert len(cards) <= MOST
    assert len(set(models)) == len(models)
    assert len(set(cards)) == len(cards)


def test_before_anything_is_typed_there_is_something_to_choose(answering: Answering) -> None:
    models = [answering.catalogue.model(name) for name in answering.suggestions.models("")]
    assert models
    assert all(model.superseded_by is None for model in models)
    assert "GeForce RTX 3060 12 GB" in answering.suggestions.cards("")


def test_every_name_is_found_by_itself(answering: Answering) -> None:
    assert all(model.name in answering.suggestions.models(model.name) for model in answering.catalogue.models)
    missed = [card.name for card in answering.catalogue.cards if card.name not in answering.suggestions.cards(card.name)]
    assert missed == []
