"""Which of the languages that have a ``words.toml`` a message is written in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from answers.catalogue.atoms import Token
from answers.locales import DEFAULT_LOCALE
from answers.questions.unspaced import HAN_WORD, SYLLABLE_WORD
from answers.questions.vocabulary import fold_word

_NONE: tuple[tuple[str, ...], float] = ((), 0.0)
HINT_WEIGHT = 0.4
"""What a stated language counts for: less than one word that only one language has."""
_CUE_WEIGHT = 0.3
"""What a word counts for that people ask with in just one language, though it is none of its commonest."""
_LIKELY = 0.5
"""The part of the likeliest language's evidence that another one needs to be thought possible."""
_LITTLE = 1.0
"""Less than this between two languages leaves both possible."""


class Languages:
    """The commonest words of every language, each weighing less the more languages share it."""

    def __init__(self, languages: Mapping[str, Mapping[str, Any]], asked_with: Mapping[str, Collection[str]]) -> None:
        """``languages``: language -> its parsed ``words.toml``; ``asked_with``: language -> the words of its cues."""
        owners: dict[str, set[str]] = {}
        for language, words in languages.items():
            for word in words.get("language", {}).get("common", []):
                owners.setdefault(fold_word(word), set()).add(language)
        entries = {where: (tuple(sorted(where)), 1.0 / len(where)) for where in map(frozenset, owners.values())}
        self._weights = {word: entries[frozenset(where)] for word, where in owners.items() if " " not in word}
        once: set[str] = set()
        twice: set[str] = set()
        for said in asked_with.values():
            twice |= once.intersection(said)
            once.update(said)
        shared = twice | self._weights.keys()
        for language, said in asked_with.items():
            self._weights.update(dict.fromkeys(sorted(set(said) - shared), ((language,), _CUE_WEIGHT)))
        letters: dict[str, set[str]] = {}
        for language, words in languages.items():
            for letter in words.get("language", {}).get("letters", ""):
                letters.setdefault(letter, set()).add(language)
        self._letters = {letter: (tuple(sorted(where)), 1.0 / len(where)) for letter, where in letters.items()}
        self._codes = tuple(languages)

    def rank(self, tokens: Sequence[Token], cleaned: str, hint: str | None, named: Collection[int] = ()) -> list[str]:
        """The languages that a message may be in, likeliest first; without any evidence the hint, else English, comes first.

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
        if not cleaned.isascii():
            written = self._by_script(tokens, base, named)
            if written is not None:
                return [written, *(code for code in (DEFAULT_LOCALE,) if code in scores)]
        if base in scores:
            scores[base] += HINT_WEIGHT
        if DEFAULT_LOCALE in scores:
            scores[DEFAULT_LOCALE] += 0.1
        ranked = sorted(scores, key=lambda language: -scores[language])
        most = max(scores.values(), default=0.0)
        return [language for language in ranked if scores[language] >= _LIKELY * most or most - scores[language] < _LITTLE]

    def tells(self, tokens: Sequence[Token], cleaned: str, named: Collection[int]) -> bool:
        """Whether any word or letter of a message speaks for one language rather than another: those of "vram 8gb" do not."""
        return not cleaned.isascii() or any(
            index not in named and token.text in self._weights for index, token in enumerate(tokens)
        )

    def _by_script(self, tokens: Sequence[Token], hint: str, named: Collection[int]) -> str | None:
        """The language that a script tells; ``None`` where most of the words are Latin."""
        words = dict.fromkeys(_WORD, 0.0)
        latin = 0
        for index, token in enumerate(tokens):
            script = _script(token.text)
            if script is None:
                latin += token.text in self._weights and index not in named
            else:
                words[script] += _WORD[script]
        total = sum(words.values())
        if not total or 2 * total < latin:
            return None
        if words["kana"]:
            language = "ja"
        elif words["han"] >= words["hangul"] and words["han"] >= words["cyrillic"]:
            # Of a few Chinese characters the hint says whether they are Japanese, unless they are such as only Chinese has.
            chinese = any("zh" in self._letters.get(letter, _NONE)[0] for token in tokens for letter in token.text)
            language = "ja" if hint == "ja" and not chinese else "zh"
        else:
            language = "ko" if words["hangul"] >= words["cyrillic"] else "ru"
        return language if language in self._codes else None


_WORD = {"kana": SYLLABLE_WORD, "hangul": SYLLABLE_WORD, "han": HAN_WORD, "cyrillic": 1.0}
"""Parts of a word that a token of each script is."""


def _script(word: str) -> str | None:
    """The script of a token, where it is none of the Latin languages' that is read here."""
    first = word[0]
    if first < "\u0400":
        return None
    if first <= "\u04ff":
        return "cyrillic"
    if "\u3040" <= first <= "\u30fe":
        return "kana"
    if "\u3400" <= first <= "\u9fff":
        return "han"
    return "hangul" if "\uac00" <= first <= "\ud7af" else None
