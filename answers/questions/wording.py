"""How people ask, in every language that has a ``words.toml``: all that is read out of those files, and out of nothing else.

A catalogue that is loaded afresh changes nothing of it, and a process takes most of it from what an earlier one has kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from answers.catalogue import atoms
from answers.kept import kept, stamp
from answers.locales import Locales
from answers.questions.cues import Cues, cue_words
from answers.questions.gate import Gate
from answers.questions.language import Languages
from answers.questions.units import UnitPatterns
from answers.questions.vocabulary import Vocabulary

T = TypeVar("T")


class _Slots(NamedTuple):
    """What every message is read with."""

    vocabulary: Vocabulary
    patterns: UnitPatterns
    languages: Languages
    acceptances: frozenset[str]
    gate: Gate


class Wording:
    """The words of all languages."""

    def __init__(self, locales: Locales) -> None:
        """Raises:
        DataError: for a ``words.toml`` that cannot be read as documented.
        """
        self._locales = locales
        self._of = _stamp(locales)
        slots = self._kept("slots", lambda: _slots(locales))
        self.vocabulary, self.patterns, self.languages = slots.vocabulary, slots.patterns, slots.languages
        self.acceptances = slots.acceptances
        """What people say to take up an offer, in every language."""
        self.gate = slots.gate
        """What a message must hold to be read at all."""
        self._cues: dict[str, Cues] = {}

    def cues(self, language: str) -> Cues:
        """The cues of a language.

        Raises:
            DataError: naming the cue that cannot be read.
        """
        if language not in self._cues:
            self._cues[language] = self._kept(f"cues-{language}", lambda: Cues(language, self._locales.words(language)))
        return self._cues[language]

    def prepare(self) -> None:
        """See that all cues can be read: in memory each language's are held from the first question in it on.

        Raises:
            DataError: naming the cue that cannot be read.
        """
        self._kept("readable", self._readable)

    def _kept(self, name: str, make: Callable[[], T]) -> T:
        # A process that has run for days makes the cues of a language from what its file says by then, which is not what the stamp
        # was taken of if somebody has edited it.
        return kept(name, self._of, make, lambda: _stamp(self._locales) == self._of)

    def _readable(self) -> bool:
        held = dict(self._cues)
        for language in self._locales.languages:
            self.cues(language)
        self._cues = held
        return True


def _words(locales: Locales) -> dict[str, Mapping[str, Any]]:
    return {language: locales.words(language) for language in locales.languages}


def _slots(locales: Locales) -> _Slots:
    words = _words(locales)
    vocabulary = Vocabulary(words)
    asked_with = {language: cue_words(entries) for language, entries in words.items()}
    # No word that people ask with is a misspelt name.
    vocabulary.known |= frozenset[str]().union(*asked_with.values())
    accept = frozenset(phrase for entries in words.values() for phrase in entries.get("offers", {}).get("accept", ()))
    languages, gate = Languages(words, asked_with), Gate(words, vocabulary.topics())
    return _Slots(vocabulary, UnitPatterns.of(vocabulary), languages, accept, gate)


def _stamp(locales: Locales) -> str:
    """What the files say, and the code that reads them."""
    files = [locales.path / language / "words.toml" for language in locales.languages]
    code = [Path(atoms.__file__), *sorted(Path(__file__).parent.glob("*.py"))]
    return stamp([*files, *code])
