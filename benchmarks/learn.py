"""Learns ``answers/questions/learned.json`` from the labelled lines: ``python -m benchmarks.learn [--check]``.

The lines are those of ``tests/answers/questions``. A softmax over the features of :mod:`answers.questions.learned` is fitted with
AdaGrad; features of fewer than two lines are left out. ``--check`` writes nothing: it splits the lines in five parts by a hash of
their text, learns from four, and prints how many of the fifth the cues alone read right, and how many with the scorer's help. The
cues were written with these lines at hand, so what they leave open is less than on lines that nobody has seen.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from answers.catalogue.load import load
from answers.locales import Locales
from answers.questions.intents import Decision, Facts
from answers.questions.learned import FILE, MOST, ZERO, Learned, features, helped
from answers.questions.question import Intent
from answers.questions.read import Reader
from answers.questions.text import prepare

LINES = Path(__file__).parent.parent / "tests" / "answers" / "questions"
_PARTS = 5
_ROUNDS = 25
_RATE = 0.3
_SHRINK = 2e-5
"""How much each round of a line draws every weight that it touches to nothing."""
_LEAST_LINES = 2
_LEAST_STEPS = 2
"""A feature all of whose weights are less is left out."""

Floats = npt.NDArray[np.float64]


class Example(NamedTuple):
    """A line as the scorer sees it, with what was asked and what the cues make of it."""

    text: str
    asked: Intent
    symbols: Sequence[str]
    facts: Facts
    decision: Decision


def examples(reader: Reader) -> list[Example]:
    """All labelled lines that stand by themselves, each once."""
    found: dict[str, Example] = {}
    for file in sorted(LINES.rglob("*.jsonl")):
        for text in file.read_text(encoding="utf-8").splitlines():
            line: dict[str, Any] = json.loads(text) if text.strip() else {}
            if line and not (line.get("other") or {}).get("previous_question"):
                look = reader.look(prepare(line["text"]), None, None, guesses=False)
                found[line["text"]] = Example(line["text"], Intent(line["intent"]), look.found.symbols, look.facts, look.decision)
    return list(found.values())


def fit(lines: Sequence[Example]) -> Learned:
    """The scorer that these lines make; the same lines always make the same."""
    seen = [list(dict.fromkeys(features(line.symbols, line.facts))) for line in lines]
    counts = Counter(feature for said in seen for feature in said)
    kept = sorted(feature for feature, count in counts.items() if count >= _LEAST_LINES)
    places = {feature: place for place, feature in enumerate(kept)}
    intents = sorted({line.asked for line in lines})
    wanted = [intents.index(line.asked) for line in lines]
    rows = [np.array([places[feature] for feature in said if feature in places], dtype=np.intp) for said in seen]
    weights: Floats = np.zeros((len(kept), len(intents)))
    squares: Floats = np.full_like(weights, 1e-2)
    bias: Floats = np.zeros(len(intents))
    bias_squares: Floats = np.full_like(bias, 1e-2)
    order = np.random.default_rng(1)
    for _ in range(_ROUNDS):
        for index in order.permutation(len(rows)):
            row = rows[index]
            score = bias + weights[row].sum(axis=0)
            slope = np.exp(score - score.max())
            slope /= slope.sum()
            slope[wanted[index]] -= 1.0
            squares[row] += slope * slope
            weights[row] -= _RATE * slope / np.sqrt(squares[row]) + _SHRINK * weights[row]
            bias_squares += slope * slope
            bias -= _RATE * slope / np.sqrt(bias_squares)
    step = float(np.quantile(np.abs(weights), 0.9995)) / MOST
    steps = np.clip(np.rint(weights / step), -MOST, MOST).astype(int)
    told = {
        feature: "".join(chr(ZERO + int(value)) for value in steps[place])
        for feature, place in places.items()
        if np.abs(steps[place]).max() >= _LEAST_STEPS
    }
    return Learned(intents, [round(float(value), 4) for value in bias], round(step, 6), told)


def check(lines: Sequence[Example]) -> tuple[int, int, int]:
    """Lines, those that the cues alone read right, and those read right with the help of what the other parts teach."""
    part = [blake2b(line.text.encode(), digest_size=1).digest()[0] % _PARTS for line in lines]
    alone = right = 0
    for left_out in range(_PARTS):
        scorer = fit([line for line, place in zip(lines, part, strict=True) if place != left_out])
        for line, place in zip(lines, part, strict=True):
            if place == left_out:
                alone += line.decision.intent is line.asked
                right += helped(line.decision, line.facts, line.symbols, scorer).intent is line.asked
    return len(lines), alone, right


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn and write the file, or check what learning brings."""
    parser = argparse.ArgumentParser(description="learn what words speak for from the labelled lines")
    parser.add_argument("--check", action="store_true", help="print what the scorer brings on lines left out, and write nothing")
    options = parser.parse_args(arguments)
    reader = Reader(asyncio.run(load()), Locales.load())
    lines = examples(reader)
    if options.check:
        count, alone, right = check(lines)
        print(f"{count} lines, each left out once: the cues alone {alone / count:.1%}, with the scorer {right / count:.1%}")
        return 0
    FILE.write_text(fit(lines).as_json(), encoding="utf-8")
    print(f"{FILE.name}: {FILE.stat().st_size / 1e6:.2f} MB from {len(lines)} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
