"""Tells at once that a message cannot be a question for us: nothing in it is named, counted, or spoken of with our words.

Most of what is written in a channel is talk. A message passes unless it holds no number, no word that begins a name on file, no
word that slots are told in, and none of the words without which no cue of any language can be complete.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from sys import intern
from typing import Any, NamedTuple

from answers.catalogue.atoms import UNSPACED, Token
from answers.questions.vocabulary import fold_word

_SMALL = 200
"""The commonest words of a language, the more common the worse: of the words of a cue, others are looked for before these."""
_STEM = 3
"""Letters of the beginning of a word ("descarg*") that are compared."""
_STRENGTHS = ("decisive", "strong", "medium")
"""Without a name or a number, weak cues decide nothing."""


class _Choice(NamedTuple):
    """The alternatives of one element of a cue; the smaller, the less they are said without it."""

    common: int
    number: int
    said: list[str]
    longest: list[str]
    """What is looked for, of each of them."""
    plain: bool
    """Whether all of them are whole words of a script that spaces its words."""


class Gate:
    """The words one of which a message must hold to be read at all."""

    def __init__(self, languages: Mapping[str, Mapping[str, Any]], topics: Iterable[str]) -> None:
        """``languages``: language -> its parsed ``words.toml``; ``topics``: the words that begin a phrase of the vocabulary which
        says something by itself."""
        # One character of Chinese, Japanese or Korean says too little: the first two of a word are looked for.
        self._words = {intern(topic) for topic in topics if not UNSPACED.match(topic)}
        self._pairs: set[str] = set()
        self._stems: set[str] = set()
        beside: dict[str, set[str]] = {}
        common = [words.get("language", {}).get("common", ())[:_SMALL] for words in languages.values()]
        small: dict[str, int] = {}
        for place, word in sorted((place, fold_word(word)) for listed in common for place, word in enumerate(listed)):
            small.setdefault(word, _SMALL - place)
        for words in languages.values():
            for spelling in words.get("names", {}).get("spelled", {}):
                self._note(fold_word(spelling))
            groups = {name: tuple(map(str, entries)) for name, entries in words.get("groups", {}).items()}
            # The same words and groups stand in hundreds of cues.
            choices: dict[str, _Choice] = {}
            fold = cache(fold_word)
            for topic, strengths in words.get("intents", {}).items():
                if topic != "none":
                    for strength in _STRENGTHS:
                        for cue in strengths.get(strength, ()):
                            needed = [element for element in str(cue).split() if not _may_be_missing(element)]
                            for element in needed:
                                if element not in choices:
                                    choices[element] = _choice(element, groups, small, fold)
                            self._add([choices[element] for element in needed], beside)
        # Many words stand beside the same ones; tuples of the same words take a tenth of the memory of a set for each.
        same: dict[tuple[str, ...], tuple[str, ...]] = {}
        others = {word: tuple(intern(other) for other in sorted(said)) for word, said in beside.items()}
        self._beside = {intern(word): same.setdefault(said, said) for word, said in others.items()}
        """A word of cues -> words one of which stands in each of those cues too."""

    def passes(self, tokens: Sequence[Token], names: Collection[str]) -> bool:
        """Whether a message may be a question; ``names``: the words that names on file begin with."""
        words, stems = self._words, self._stems
        before = ""
        for token in tokens:
            text = token.text
            if text in words or text in names or text[0].isdigit() or text[:_STEM] in stems:
                return True
            if UNSPACED.match(text):
                if before + text in self._pairs:
                    return True
                before = text
            else:
                before = ""
        said = {token.text for token in tokens}
        return any(not said.isdisjoint(self._beside[word]) for word in said & self._beside.keys())

    def _add(self, needed: Sequence[_Choice], beside: dict[str, set[str]]) -> None:
        """Note the alternatives of that element of a cue which is said least without it."""
        rarest, *others = sorted(needed) or [_Choice(0, 0, [], [], plain=True)]
        # A common word of a cue says something only beside another one of it.
        second = set(others[0].longest) if others and others[0].plain else set[str]()
        for word, longest in zip(rarest.said, rarest.longest, strict=True):
            if word.endswith("*"):
                self._stems.add(longest[:_STEM])
            elif second and _is_plain(word):
                beside.setdefault(longest, set()).update(second)
            else:
                self._note(longest)

    def _note(self, word: str) -> None:
        if UNSPACED.match(word) and len(word) > 1:
            self._pairs.add(word[:2])
        else:
            self._words.add(intern(word))


def _may_be_missing(element: str) -> bool:
    return element == ".." or (element.endswith("?") and len(element) > 1)


def _choice(element: str, groups: Mapping[str, Collection[str]], small: Mapping[str, int], fold: Callable[[str], str]) -> _Choice:
    alternatives: list[str] = []
    for alternative in element.split("|"):
        alternatives.extend(groups.get(alternative[1:], ()) if alternative.startswith("@") else (alternative,))
    said = [alternative for alternative in alternatives if not alternative.startswith("<")]
    common = sum(small.get(fold(word), 0) for word in said)
    return _Choice(common, len(said), said, [_longest(word, fold) for word in said], all(map(_is_plain, said)))


def _is_plain(word: str) -> bool:
    """Whether an alternative is one whole word of a script that spaces its words."""
    return not word.endswith("*") and not UNSPACED.match(word)


def _longest(word: str, fold: Callable[[str], str]) -> str:
    """What is looked for: of "l'hai" and "x16" the longest part."""
    folded = fold(word.removesuffix("*"))
    return max(folded.split(" "), key=len) if " " in folded else folded
