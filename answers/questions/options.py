"""Reads what is typed into one field of a form: a model, hardware, a name, a context.

The same reading as a message gets, but a field says by itself what kind of thing stands in it: a bare "24" is a memory size, and a
name that nobody would read as one in a sentence is still a name here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from answers.catalogue.names import Names
from answers.errors import UsageError
from answers.questions.build import build_question
from answers.questions.entities import find_entities
from answers.questions.hardware import MOST_CARDS
from answers.questions.intents import Decision
from answers.questions.question import Cards, Intent, Question
from answers.questions.text import prepare
from answers.questions.units import K, UnitPatterns
from answers.questions.vocabulary import Vocabulary

HARDWARE_SLOTS = ("cards", "n_cards", "memory_gb", "memory_usable", "unified", "ram_gb", "ram_gb_s")
MODEL_SLOTS = ("models", "parameters", "quant")
LONGEST_CONTEXT = 100_000_000
"""Tokens; more is a slip of the finger."""
LONGEST = 200
"""Characters of a field that are read."""
KEPT = 512
"""Fields whose reading is kept, in memory alone, without who filled them in."""

_COUNTED = re.compile(r"\s*(?:([1-9]\d?)\s*[xX×*]\s*)?(\S.*?)\s*", re.DOTALL)
_BARE_GB = re.compile(r"\d{1,4}(?:[.,]\d{1,2})?")
_BARE_SIZE = re.compile(r"\s*(\d{1,6}(?:[.,]\d{1,3})?)\s*([bBmM])\s*")
_CONTEXT = re.compile(r"\s*(\d{1,9})\s*([kKmM]?)\s*")
_GROUPED = re.compile(r"\s*\d{1,3}(?:[.,\s]\d{3})+\s*")


class OptionReader:
    """Reads fields with the names, the vocabulary and the patterns that messages are read with."""

    def __init__(self, names: Names, vocabulary: Vocabulary, patterns: UnitPatterns, is_unified: Callable[[str], bool]) -> None:
        self._names = names
        self._vocabulary = vocabulary
        self._patterns = patterns
        self._is_unified = is_unified
        # While somebody types, what they have typed is read again and again, and most type what others have typed.
        self.model = lru_cache(maxsize=KEPT)(self._model)
        self.hardware = lru_cache(maxsize=KEPT)(self._hardware)

    def _model(self, text: str) -> Question:
        """Models, a size without a name, and the quant that a GGUF file's name states; else a name that is not on file."""
        typed = text.strip()[:LONGEST]
        if typed in self._names.models.by_name:
            return Question(models=(typed,))
        size = _BARE_SIZE.fullmatch(typed)
        if size:
            return Question(parameters=float(size[1].replace(",", ".")) * (1e9 if size[2] in "bB" else 1e6))
        read = self._read(typed)
        if read.models or read.unknown_kind == "model" or read.parameters is not None:
            kept = {name: read.candidates[name] for name in read.candidates if set(read.candidates[name]) & set(read.models)}
            unknown = read.unknown if read.unknown_kind == "model" else ()
            update = {name: getattr(read, name) for name in MODEL_SLOTS}
            return Question(candidates=kept, unknown=unknown, unknown_kind="model" if unknown else None, **update)
        match = self._names.find_models(typed, near=False)
        if match.names:
            return Question(models=match.names[:1], candidates={typed: match.names} if len(match.names) > 1 else {})
        return Question(unknown=(typed,), unknown_kind="model") if typed else Question()

    def _hardware(self, text: str) -> Question:
        """Cards and how many of each, or an amount of memory; else a name that is not on file."""
        typed = text.strip()[:LONGEST]
        exact = self._exact(typed)
        if exact:
            unified = any(self._is_unified(card.name) for card in exact)
            return Question(cards=exact, n_cards=min(sum(card.count for card in exact), MOST_CARDS), unified=unified)
        read = self._read(typed)
        if not read.cards and read.memory_gb is None and read.ram_gb is None:
            named = self._card(typed)
            if named:
                return named
            read = self._read(f"{typed} GB") if _BARE_GB.fullmatch(typed) else read
        if read.cards or read.memory_gb is not None or read.ram_gb is not None:
            cards = {card.name for card in read.cards}
            kept = {name: names for name, names in read.candidates.items() if set(names) & cards}
            return Question(candidates=kept, **{name: getattr(read, name) for name in HARDWARE_SLOTS})
        unknown = read.unknown if read.unknown_kind == "card" else (typed,) * bool(typed)
        return Question(unknown=unknown, unknown_kind="card" if unknown else None)

    def name(self, text: str) -> Question:
        """A model or a card, whichever the name is of; a name on file before one that is not, a model before a card."""
        typed = text.strip()[:LONGEST]
        if typed in self._names.cards.by_name:
            return Question(cards=(Cards(name=typed),))
        model = self.model(typed)
        if model.models:
            return model
        card = self.hardware(typed)
        return Question(cards=card.cards, candidates=card.candidates) if card.cards else model

    def _read(self, typed: str) -> Question:
        found = find_entities(prepare(typed), self._names, self._vocabulary, self._patterns)
        return build_question(found, Decision(Intent.CAN_RUN, 1.0), self._is_unified)

    def _card(self, typed: str) -> Question | None:
        """One card by a name that a sentence would not be read as naming one."""
        match = self._names.find_cards(typed, near=False)
        if not match.names:
            return None
        first = match.names[0]
        candidates = {typed: match.names} if len(match.names) > 1 else {}
        return Question(cards=(Cards(name=first),), candidates=candidates, unified=self._is_unified(first))

    def _exact(self, typed: str) -> tuple[Cards, ...]:
        """Names on file with their counts, joined with a plus; empty where that is not all there is."""
        if typed in self._names.cards.by_name:
            return (Cards(name=typed),)
        cards: list[Cards] = []
        for part in typed.split("+"):
            counted = _COUNTED.fullmatch(part)
            if not counted or counted[2] not in self._names.cards.by_name:
                return ()
            cards.append(Cards(name=counted[2], count=min(int(counted[1] or 1), MOST_CARDS)))
        same = len({card.name for card in cards}) == len(cards)
        return tuple(cards) if same else ()


def fields(intent: Intent, model: Question | None = None, hardware: Question | None = None, **stated: object) -> Question:
    """One question from what was read of the fields of a form; what is stated in a field of its own goes before the rest."""
    model, hardware = model or Question(), hardware or Question()
    slots: dict[str, object] = {name: getattr(model, name) for name in MODEL_SLOTS}
    slots |= {name: getattr(hardware, name) for name in HARDWARE_SLOTS}
    slots["candidates"] = {**model.candidates, **hardware.candidates}
    first = model if model.unknown else hardware
    slots |= {"unknown": first.unknown, "unknown_kind": first.unknown_kind}
    slots |= {name: value for name, value in stated.items() if value is not None}
    return Question.model_validate({"intent": intent, **slots})


def read_context(typed: str) -> int:
    """A context as it is typed: 8192, 8,192, 32k, 1M; in tokens.

    Raises:
        UsageError: where it is neither, or outside 1 to 100 million tokens.
    """
    found = _CONTEXT.fullmatch(re.sub(r"[.,\s]", "", typed) if _GROUPED.fullmatch(typed) else typed)
    tokens = int(found[1]) * {"": 1, "k": K, "m": K * K}[found[2].lower()] if found else 0
    if not 1 <= tokens <= LONGEST_CONTEXT:
        raise UsageError(f"{typed!r} is no context; say 8192 or 32k")
    return tokens
