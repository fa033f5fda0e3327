"""What the words of a message speak for where the cues leave it open, learnt from the labelled lines of the repository.

A linear scorer over single words, pairs of words, beginnings of words and what was recognised. It is asked only where the cues
leave doubt, and its word is never sure enough to speak unasked. ``learned.json`` is made by ``python -m benchmarks.learn``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from answers.catalogue.atoms import UNSPACED
from answers.errors import DataError
from answers.questions.confidence import confidence
from answers.questions.intents import RECORD, Decision, Facts
from answers.questions.question import Intent

FILE = Path(__file__).with_name("learned.json")
ZERO = 80
"""The character code that stands for a weight of nothing: each weight is one printable character."""
MOST = 46
"""Steps that a weight may be above or below nothing."""
_DOUBTED = 0.6
"""How sure the cues may be at most for the scorer to be asked."""
_LIKELY, _LIKELIER, _LIKELIEST = 0.5, 0.6, 0.8
"""How likely something must then be to be taken instead: another intent, any where the cues hear no question, none where they do
hear one."""
_LOUD = 5.0
"""The weight of the cues that leave no doubt that something is not for us."""
_STEM = 4
_FACTS = ("llm", "rig", "asks", "refers", "asks_vram", "says_models", "use", "memory", "apart")


class Guess(NamedTuple):
    """The likeliest intent, and how likely it is, 0 to 1."""

    intent: Intent
    likely: float
    because: tuple[str, ...] = ()
    """What spoke for it most."""


def features(symbols: Sequence[str], facts: Facts) -> Iterator[str]:
    """What the scorer sees of a message: words as they are, two in a row, how long ones begin, and what was recognised."""
    words = ["0" if symbol[0].isdigit() else symbol for symbol in symbols]
    before = "^"
    for word in words:
        yield word
        yield f"{before} {word}"
        if len(word) > _STEM and word[0] != "<":
            yield f"{word[:_STEM]}*"
        before = word
    yield f"{before} $"
    # A word of Chinese, Japanese or Korean is two or three characters.
    for first, second, third in zip(words, words[1:], words[2:], strict=False):
        if UNSPACED.match(first) or UNSPACED.match(second):
            yield f"{first} {second} {third}"
    for fact in _FACTS:
        if getattr(facts, fact):
            yield f"={fact}"
    if facts.llm and facts.rig:
        yield "=llm and rig"
    counted = ("models", facts.models), ("cards", facts.cards), ("together", facts.together), ("quants", facts.quants)
    yield from (f"={what} 2" for what, count in counted if count > 1)


class Learned:
    """The scorer as it was learnt."""

    def __init__(self, intents: Sequence[Intent], bias: Sequence[float], step: float, weights: dict[str, str]) -> None:
        """``weights``: feature -> a character for each intent; ``step``: what one step of a character is worth."""
        self.intents = tuple(intents)
        self._bias = tuple(bias)
        self._step = step
        self._weights = weights

    @classmethod
    def load(cls, file: Path = FILE) -> Self:
        """The scorer that a file holds.

        Raises:
            DataError: for a file that cannot be read as one.
        """
        try:
            read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            intents = [Intent(name) for name in read["intents"]]
            scorer = cls(intents, [float(value) for value in read["bias"]], float(read["step"]), read["weights"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"{file.name}: cannot be read ({error}); make it anew with: python -m benchmarks.learn") from error
        return scorer

    def as_json(self) -> str:
        """The file's text, a feature a line."""
        head = json.dumps({"intents": self.intents, "bias": self._bias, "step": self._step})
        rows = ",\n".join(f"{json.dumps(feature, ensure_ascii=False)}: {json.dumps(row)}" for feature, row in self._weights.items())
        return f'{head[:-1]},\n"weights": {{\n{rows}\n}}}}\n'

    def guess(self, symbols: Sequence[str], facts: Facts, explain: bool = False) -> Guess:
        """The likeliest intent of a message; with ``explain`` also the features that spoke for it most."""
        weights = self._weights
        known = [(feature, weights[feature]) for feature in dict.fromkeys(features(symbols, facts)) if feature in weights]
        rows = [row.encode("latin-1") for _, row in known]
        sums = [sum(column) for column in zip(*rows, strict=True)] if rows else [0] * len(self._bias)
        nothing = ZERO * len(rows)
        scores = [bias + self._step * (total - nothing) for bias, total in zip(self._bias, sums, strict=True)]
        top = max(range(len(scores)), key=scores.__getitem__)
        likely = 1.0 / sum(math.exp(score - scores[top]) for score in scores)
        because: tuple[str, ...] = ()
        if explain:
            most = sorted(known, key=lambda entry: -ord(entry[1][top]))[:5]
            because = tuple(feature for feature, row in most if ord(row[top]) > ZERO)
        return Guess(self.intents[top], likely, because)


@cache
def learned() -> Learned:
    """The scorer of the repository; read when it is first needed."""
    return Learned.load()


def helped(decision: Decision, facts: Facts, symbols: Sequence[str], scorer: Learned | None = None) -> Decision:
    """The decision of the cues, or the scorer's where they leave doubt."""
    silent = decision.intent is Intent.NONE
    spoken = facts.llm or facts.rig or facts.quants or facts.says_models or facts.asks_vram
    if silent and (decision.against >= _LOUD or decision.stating or not spoken):
        # "what's for lunch?" is asked of anybody.
        return decision
    if not silent and confidence(decision, facts, False) > _DOUBTED:
        return decision
    guess = (scorer or learned()).guess(symbols, facts)
    least = _LIKELIER if silent else _LIKELIEST if guess.intent is Intent.NONE else _LIKELY
    unfit = guess.intent in RECORD and not facts.models
    if unfit or guess.intent is decision.intent or guess.likely < least:
        return decision
    return replace(decision, intent=guess.intent, also=(), strong=False, likely=guess.likely)
