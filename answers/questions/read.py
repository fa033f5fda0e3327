"""Reads a message: text -> question, with the language it was asked in and how sure the reading is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from answers.catalogue.atoms import name_atoms, parameters
from answers.catalogue.names import Names
from answers.catalogue.records import Card, Model, Segment
from answers.locales import DEFAULT_LOCALE, Locales
from answers.questions.build import build_question, split_alternatives
from answers.questions.confidence import confidence
from answers.questions.entities import find_entities
from answers.questions.followup import carry
from answers.questions.intents import COMPARING, RECORD, Decision, Facts, decide
from answers.questions.learned import helped, learned
from answers.questions.options import OptionReader
from answers.questions.question import Intent, Question, Reading
from answers.questions.several import parts_of, says_hardware, together
from answers.questions.slots import Entities
from answers.questions.text import Text, prepare
from answers.questions.wording import Wording

_NOTHING = Question()
_MARGIN = 0.5
"""How much more the next language has to make of a text than the likeliest one."""
_TRIED = 3
"""Languages that are tried on a message that the likeliest one does not explain."""
_SEPARATE = 0.6
"""How sure each of several questions in one message must be to be read by itself."""
_ASKED = 0.4
"""How sure each of two questions that "and" joins must be: none of them has the whole to itself."""
_FEW = 2
"""Words of a message that does nothing but narrow the question before."""
_OF_MODELS = RECORD - {Intent.PURPOSE}
"""What is asked of hardly anything but a model."""
_LOUD = 5.0
"""The weight of a cue that decides alone that something is not for us."""


class CatalogueLike(Protocol):
    """What the reader needs of a catalogue."""

    @property
    def models(self) -> tuple[Model, ...]:
        """All models."""
        ...

    @property
    def cards(self) -> tuple[Card, ...]:
        """All cards."""
        ...

    def card(self, name: str) -> Card:
        """The card of exactly this name."""
        ...


class Look(NamedTuple):
    """What a text was found to name and to ask, and in which language."""

    found: Entities
    facts: Facts
    ranked: list[str]
    """The languages that it may be in, likeliest first."""
    language: str
    decision: Decision


class Reader:
    """Reads questions against one catalogue, in every language that has a ``words.toml``."""

    def __init__(
        self, catalogue: CatalogueLike, locales: Locales, names: Names | None = None, wording: Wording | None = None
    ) -> None:
        """``names`` and ``wording``: the look-up by name and what is read out of the locales, where the caller has them already.

        Raises:
            DataError: for a ``words.toml`` that cannot be read as documented.
        """
        self._catalogue = catalogue
        self._names: Names = names or getattr(catalogue, "names", None) or Names(catalogue.models, catalogue.cards)
        self.wording = wording or Wording(locales)
        self._cues_of = self.wording.cues
        self._vocabulary = self.wording.vocabulary
        self._patterns = self.wording.patterns
        self._languages = self.wording.languages
        self._beginnings = self._names.beginnings
        self._options = OptionReader(self._names, self._vocabulary, self._patterns, self._is_unified)

    def model(self, text: str) -> Question:
        """What a field for a model says: a question with nothing but its models, size, quant and what its name may mean."""
        return self._options.model(text)

    def hardware(self, text: str) -> Question:
        """What a field for hardware says: a question with nothing but its cards or memory and what a name may mean."""
        return self._options.hardware(text)

    def name(self, text: str) -> Question:
        """What a field for a model or a card says."""
        return self._options.name(text)

    def prepare(self) -> None:
        """See now rather than with a question that all words can be read.

        Raises:
            DataError: naming the cue that cannot be read.
        """
        self.wording.prepare()
        learned()

    def read(self, text: str, lang: str | None = None, previous: Question | None = None) -> Reading:
        """The question that a message asks; intent ``none`` where it asks nothing that is answered here.

        ``lang`` is a hint. ``previous`` is the question that this one may go on from: what a follow-up leaves unsaid is taken
        from it. The same arguments always give the same reading, and no text makes it raise.
        """
        prepared = prepare(text)
        if previous is None and not self.wording.gate.passes(prepared.tokens, self._beginnings):
            return Reading(question=_NOTHING, lang=self._languages.rank(prepared.tokens, prepared.cleaned, lang)[0], confidence=0.0)
        whole = self._read(prepared, lang, previous)
        if whole.question.intent is Intent.NONE:
            return whole
        parts = parts_of(prepared)
        if len(parts) < 2:
            parts = self._joined(prepared, whole.question, whole.more, lang)
        if len(parts) < 2:
            return whole
        readings: list[Reading] = []
        for part in parts:
            before = readings[-1].question if readings else previous
            reading = self._read(prepare(part), lang, before)
            if reading.confidence < _SEPARATE or not reading.matched:
                return whole
            readings.append(reading)
        return together(readings, whole)

    def look(self, prepared: Text, lang: str | None, previous: Question | None, guesses: bool = True) -> Look:
        """What a text, read as one question, names and asks, before a question is made of it.

        Without ``guesses`` the cues alone decide, and not what was learnt from lines where they leave doubt.
        """
        found = find_entities(prepared, self._names, self._vocabulary, self._patterns)
        ranked = self._languages.rank(prepared.tokens, prepared.cleaned, lang, found.named)
        if previous is not None and previous.cards and not previous.unified and not found.cards:
            # "and with 64gb of ram too?" adds to the card that was spoken of.
            found.memories = [replace(item, role="ram") if item.said_ram else item for item in found.memories]
            found.cpu_only = found.cpu_only and "cpu_only" in found.marks
        if previous is not None and previous.cpu_only and previous.ram_gb is None and not (found.cards or "vram" in found.marks):
            # "with how much RAM?" - "32gb"
            found.memories = [replace(item, role="ram") for item in found.memories]
            found.cpu_only = True
        facts = Facts.of(found)
        if prepared.addressed:
            # Whoever is called by name is asked, and not we: our own name is a mention, which is gone by now.
            return Look(found, facts, ranked, ranked[0] if ranked else DEFAULT_LOCALE, Decision(Intent.NONE, 0.0, against=_LOUD))
        language, decision = self._decide(found, facts, ranked, previous is not None)
        lacks = decision.intent is Intent.NONE or (decision.intent is Intent.MAX_CONTEXT and not (facts.llm or facts.rig))
        if found.doubtful and lacks and not decision.stating and previous is None:
            # "who is behind granite", "what is the context limit of llama": what is asked of models alone makes a model's name of
            # an ordinary word.
            trusted = find_entities(prepared, self._names, self._vocabulary, self._patterns, trusting=True)
            second = decide(self._cues_of(language).find(trusted.symbols), Facts.of(trusted))
            if second.intent in _OF_MODELS | {Intent.MAX_CONTEXT} and second.strong:
                found, facts, decision = trusted, Facts.of(trusted), second
        if guesses and previous is None:
            decision = helped(decision, facts, found.symbols)
        return Look(found, facts, ranked, language, decision)

    def _read(self, prepared: Text, lang: str | None, previous: Question | None) -> Reading:
        """The reading of a text as one question."""
        found, facts, _, language, decision = self.look(prepared, lang, previous)
        question = build_question(found, decision, self._is_unified)
        if question.intent is Intent.COMPARE_MODELS and len(question.models) == 1 and found.sizes:
            # "qwen3 30b a3b or the 32b?"
            sized = question.model_copy(update={"models": (), "parameters": found.sizes[0].value})
            other = self._sized(sized, question).models
            question = question.model_copy(update={"models": tuple(dict.fromkeys((*question.models, *other)))})
        carried = previous is not None and self._goes_on(question, decision, facts)
        if previous is not None and carried:
            question = carry(self._sized(question, previous), decision, previous, facts.rig)
        if question.intent is Intent.NONE:
            return Reading(question=_NOTHING, lang=language, confidence=0.0, matched=decision.matched)
        sure = confidence(decision, facts, carried)
        first, *others = split_alternatives(question, found)
        further = [
            question.model_copy(update={"intent": intent, "also_intents": ()})
            for intent in decision.also
            # Which card to take is answered by comparing them.
            if {intent, question.intent} != {Intent.CHOOSE_GPU, Intent.COMPARE_CARDS}
        ]
        return Reading(question=first, lang=language, confidence=sure, more=(*others, *further), matched=decision.matched)

    def _sized(self, question: Question, previous: Question) -> Question:
        """A size that is said by itself after a model was named, as the model of its family that has it: "the 14b?"."""
        if question.parameters is None or question.models or question.unknown or not previous.models:
            return question
        # Of "Qwen3 30B-A3B" the family is Qwen3.
        plain = [text for text in name_atoms(previous.models[0]) if not parameters(text.lstrip("ae"))]
        size = f"{question.parameters / 1e9:g}b"
        for said in (plain, [text for text in plain if text.isalpha()]):
            names = self._names.models.rank([*said, size]) if said else ()
            if names:
                return question.model_copy(update={"models": names[:1], "parameters": None})
        return question

    def _joined(self, text: Text, whole: Question, others: Sequence[Question], lang: str | None) -> list[str]:
        """The two questions that "and" joins, each about hardware of its own: "can it run on 12 GB and how fast on a 4090?"."""
        amounts = len(whole.cards) + (whole.memory_gb is not None)
        amounts += sum(len(other.cards) for other in others)
        if not whole.models or amounts < 2 or whole.intent in COMPARING or whole.intent is Intent.TWO_GPUS:
            return []
        for token in text.tokens[1:-1]:
            if token.text in self._vocabulary.words["joins"]:
                parts = [text.cleaned[: token.start], text.cleaned[token.end :]]
                readings = [self._read(prepare(part), lang, None) for part in parts]
                first, second = (reading.question for reading in readings)
                asked = all(says_hardware(reading.question) and reading.confidence >= _ASKED for reading in readings)
                if asked and first.intent is not second.intent and first.models:
                    return parts
        return []

    def _decide(self, found: Entities, facts: Facts, ranked: list[str], follows_up: bool) -> tuple[str, Decision]:
        """The decision in the likeliest language; where that has little to say, in the next one if it makes more of the text."""
        if not ranked:
            return DEFAULT_LOCALE, Decision(Intent.NONE, 0.0)
        language = ranked[0]
        decision = decide(self._cues_of(language).find(found.symbols), facts, follows_up)
        if decision.clear or decision.stating or decision.against >= _LOUD:
            return language, decision
        for other in ranked[1:_TRIED]:
            second = decide(self._cues_of(other).find(found.symbols), facts, follows_up)
            if second.against >= _LOUD or second.worth > decision.worth + _MARGIN:
                language, decision = other, second
        text = found.text
        if language != ranked[0] and not self._languages.tells(text.tokens, text.cleaned, found.named):
            # Words that all languages share were taken for one's own: nobody asked in it.
            language = ranked[0]
        return language, decision

    def _goes_on(self, question: Question, decision: Decision, facts: Facts) -> bool:
        """Whether a message goes on from the question before it."""
        if decision.against >= 2.0 and not decision.follows:
            return False
        # "and amd?", "for coding?", "what about the smallest"
        narrows = bool(question.vendor or question.use or question.order)
        if decision.follows:
            return (
                facts.llm
                or facts.rig
                or decision.intent is not Intent.NONE
                or question.context is not None
                or question.quant is not None
                or question.ram_gb is not None
                or narrows
            )
        if decision.intent is Intent.NONE:
            # The answer to a question that was asked back: "3060 12gb".
            return (facts.plain_words == 0 and (facts.llm or facts.rig)) or (narrows and facts.asks and facts.plain_words <= _FEW)
        if decision.intent is Intent.WHAT_CAN_CARD_RUN and decision.strong and facts.rig:
            # "what can a 4090 run?" leaves nothing open.
            return False
        if decision.intent in {Intent.CAN_RUN, Intent.SPEED, Intent.MAX_CONTEXT, Intent.FITS_NOT}:
            return not (facts.llm and facts.rig)
        return not facts.llm

    def _is_unified(self, name: str) -> bool:
        return self._catalogue.card(name).segment is Segment.UNIFIED


def as_output(reading: Reading, text: str) -> dict[str, Any]:
    """A reading as ``rigcheck understand`` prints it."""
    question = reading.question
    same = [other for other in reading.more if other.intent is question.intent]
    cards = [card.name for part in (question, *same) for card in part.cards]
    models = [name for part in (question, *same) for name in part.models]
    return {
        "text": text,
        "lang": reading.lang,
        "intent": str(question.intent),
        "also_intents": [str(intent) for intent in question.also_intents],
        "models": list(dict.fromkeys(models)),
        "cards": list(dict.fromkeys(cards)),
        "n_cards": question.n_cards,
        "memory_gb": question.memory_gb,
        "quant": question.quant or question.min_quality,
        "context": question.context,
        "parameters": question.parameters,
        "candidates": {typed: list(names) for part in (question, *same) for typed, names in part.candidates.items()},
        "confidence": reading.confidence,
    }
