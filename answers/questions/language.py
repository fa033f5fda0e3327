"""Which of the languages that have a ``words.toml`` a message is written in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from answers.catalogue.atoms import Token
from answers.locales import DEFAULT_LOCALE
from answers.questions.vocabulary import fold_word

_NONE: tuple[tuple[str, ...], float] = ((), 0.0)
HINT_WEIGHT = 0.4
"""What a stated language counts for: less than one word that only one language has."""


class Languages:
    """The commonest words of every language, each weighing less the more languages share it."""

    def __init__(self, languages: Mapping[str, Mapping[str, Any]]) -> None:
        owners: dict[str, set[str]] = {}
        for language, words in languages.items():
            for word in words.get("language", {}).get("common", []):
                owners.setdefault(fold_word(word), set()).add(language)
        self._weights = {word: (tuple(sorted(where)), 1.0 / len(where)) for word, where in owners.items() if " " not in word}
        letters: dict[str, set[str]] = {}
        for language, words in languages.items():
            for letter in words.get("language", {}).get("letters", ""):
                letters.setdefault(letter, set()).add(language)
        self._letters = {letter: (tuple(sorted(where)), 1.0 / len(where)) for letter, where in letters.items()}
        self._codes = tuple(languages)

    def rank(self, tokens: Sequence[Token], cleaned: str, hint: str | None, named: Collection[int] = ()) -> list[str]:
        """The languages, likeliest first; without any evidence the hint, else English, comes first.

        ``named`` are the tokens of names and amounts: the "Ti" of a card is no Italian.
        """
        scores = dict.fromkeys(self._codes, 0.0)
        for index, token in enumerate(tokens):
            entry = self._weights.get(token.text)
            if entry and index not in named:
                for language in entry[0]:
                    scores[language] += entry[1]
        if not cleaned.isascii():
            for letter in cleaned:
                for language in self._letters.get(letter, _NONE)[0]:
                    scores[language] += self._letters[letter][1]
        base = (hint or "").replace("_", "-").partition("-")[0]
        if base in scores:
            scores[base] += HINT_WEIGHT
        if DEFAULT_LOCALE in scores:
            scores[DEFAULT_LOCALE] += 0.1
        return sorted(scores, key=lambda language: -scores[language])
