"""Why a message was read as it was can be looked up."""

from __future__ import annotations

import pytest

from answers.catalogue.snapshot import Catalogue
from answers.locales import Locales
from answers.questions.explain import explain
from answers.questions.read import Reader


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue, locales: Locales) -> Reader:
    return Reader(catalogue, locales)


def said(explained: str, what: str) -> list[str]:
    """What stands behind a heading."""
    lines = (line.split(maxsplit=1) for line in explained.splitlines()[1:])
    return [parts[1] for parts in lines if parts[0] == what]


def test_names_amounts_and_cues_are_shown_with_what_was_made_of_them(reader: Reader) -> None:
    explained = explain(reader, "dual 3090, does   mixtral 8x7b q5 run? 32k ctx")
    assert explained.splitlines()[0] == "dual 3090, does mixtral 8x7b q5 run? 32k ctx"
    assert said(explained, "card") == ["3090 -> 2 x GeForce RTX 3090"]
    assert said(explained, "model") == ["mixtral 8x7b -> Mixtral 8x7B"]
    assert said(explained, "quant") == ["q5 -> Q5_K_M"]
    assert said(explained, "context") == ["32k -> 32768"]
    assert any(cue.startswith("can_run +3") for cue in said(explained, "cue"))
    assert said(explained, "intent")[0].startswith("can_run, confidence 0.9")


def test_a_statement_is_shown_as_one(reader: Reader) -> None:
    explained = explain(reader, "my friend says a 3090 runs mixtral")
    assert "worded as a statement" in said(explained, "form")[0]
    assert said(explained, "intent") == ["none, confidence 0.00"]


def test_what_a_follow_up_goes_on_from_counts(reader: Reader) -> None:
    before = reader.read("can a 3060 run codestral?").question
    explained = explain(reader, "and how fast?", previous=before)
    assert said(explained, "intent")[0].startswith("speed")


@pytest.mark.parametrize("text", ["", "?", "\x00", "zorblax 27b on an rtx 9999"])
def test_nothing_is_too_odd_to_be_explained(reader: Reader, text: str) -> None:
    assert said(explain(reader, text), "intent")
