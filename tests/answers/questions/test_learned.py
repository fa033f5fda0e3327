"""What was learnt from lines decides where the cues leave doubt, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from answers.catalogue.snapshot import Catalogue
from answers.errors import DataError
from answers.locales import Locales
from answers.questions.explain import explain
from answers.questions.intents import Decision
from answers.questions.learned import MOST, ZERO, Learned, features, helped, learned
from answers.questions.question import Intent
from answers.questions.read import Look, Reader
from answers.questions.text import prepare
from benchmarks.learn import Example, fit

SURE = 0.7
"""How sure a reading must be where nobody addressed the bot."""
SAID = "fast fast fast"


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue, locales: Locales) -> Reader:
    return Reader(catalogue, locales)


@pytest.fixture(scope="module")
def scorer() -> Learned:
    """One that hears a question about speed in the word "fast", and nothing in anything else."""
    return Learned([Intent.NONE, Intent.SPEED], [0.0, 0.0], 0.1, {"fast": chr(ZERO) + chr(ZERO + MOST)})


def look(reader: Reader, text: str) -> Look:
    return reader.look(prepare(text), None, None, guesses=False)


def test_the_likeliest_intent_and_what_spoke_for_it(reader: Reader, scorer: Learned) -> None:
    found = look(reader, "fast 3090")
    guess = scorer.guess(found.found.symbols, found.facts, explain=True)
    assert (guess.intent, guess.because) == (Intent.SPEED, ("fast",))
    assert guess.likely == pytest.approx(0.99, abs=0.01)
    assert scorer.guess(["3090"], found.facts).likely == 0.5


def test_it_decides_where_the_cues_hear_nothing(reader: Reader, scorer: Learned) -> None:
    found = look(reader, "3090 fast")
    nothing = Decision(Intent.NONE, 0.0)
    assert helped(nothing, found.facts, found.found.symbols, scorer).intent is Intent.SPEED
    assert helped(nothing, found.facts, ["slow"], scorer) is nothing


@pytest.mark.parametrize(
    "decision",
    [
        Decision(Intent.NONE, 0.0, stating=True),
        Decision(Intent.NONE, 0.0, against=5.0),
        Decision(Intent.COMPARE_CARDS, 5.0, asking=True, strong=True),
    ],
)
def test_clear_cues_statements_and_what_is_not_for_us_stand(reader: Reader, scorer: Learned, decision: Decision) -> None:
    found = look(reader, "3090 fast")
    assert helped(decision, found.facts, found.found.symbols, scorer) is decision


def test_what_names_nothing_and_asks_nothing_is_left_alone(reader: Reader, scorer: Learned) -> None:
    found = look(reader, SAID)
    decision = Decision(Intent.NONE, 0.0)
    assert helped(decision, found.facts, found.found.symbols, scorer) is decision


@pytest.mark.parametrize("text", ["what's for lunch?", "which one do you like?", "how does it work?"])
def test_nothing_is_guessed_where_no_model_and_no_hardware_is_spoken_of(reader: Reader, text: str) -> None:
    found = look(reader, text)
    certain = Learned([Intent.NONE, Intent.PURPOSE], [0.0, 20.0], 0.1, {})
    assert helped(found.decision, found.facts, found.found.symbols, certain).intent is not Intent.PURPOSE


def test_what_lines_teach_is_learnt_and_kept(reader: Reader, tmp_path: Path) -> None:
    lines: list[Example] = []
    for word, intent in (("blorp", Intent.SPEED), ("snarf", Intent.CREATOR)):
        for card in ("3090", "4090", "4080"):
            found = look(reader, f"{card} {word}")
            lines.append(Example(word, intent, found.found.symbols, found.facts, found.decision))
    file = tmp_path / "learned.json"
    file.write_text(fit(lines).as_json(), encoding="utf-8")
    kept = Learned.load(file)
    found = look(reader, "3060 snarf")
    assert kept.guess(found.found.symbols, found.facts).intent is Intent.CREATOR
    assert kept.as_json() == fit(lines).as_json()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "learned.json"
    file.write_text('{"intents": ["speed"]}', encoding="utf-8")
    with pytest.raises(DataError, match=r"learned\.json: .*benchmarks\.learn"):
        Learned.load(file)


def test_the_scorer_of_the_repository_knows_every_intent_that_is_asked_in_words() -> None:
    assert set(learned().intents) == set(Intent) - {Intent.WHICH_QUANT}


def test_a_guess_is_never_sure_enough_to_speak_unasked_and_is_explained(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    certain = Learned([Intent.NONE, Intent.SPEED], [0.0, 20.0], 0.1, {"<card>": chr(ZERO) + chr(ZERO + MOST)})
    monkeypatch.setattr("answers.questions.learned.learned", lambda: certain)
    monkeypatch.setattr("answers.questions.explain.learned", lambda: certain)
    reading = reader.read("3090 blorp snarf")
    assert (reading.question.intent, reading.confidence < SURE) == (Intent.SPEED, True)
    assert "learnt" in explain(reader, "3090 blorp snarf")


def test_features_tell_two_cards_and_a_model_with_hardware(reader: Reader) -> None:
    found = look(reader, "mixtral 3090 4090")
    seen = set(features(found.found.symbols, found.facts))
    assert {"<model>", "<card> <card>", "=llm and rig", "=cards 2"} <= seen
    assert "=llm and rig" not in set(features(found.found.symbols, replace(found.facts, rig=False)))
