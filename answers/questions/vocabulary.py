"""The words that slots are told in (units, counts, laptops, ...), taken from the ``words.toml`` of every language.

They are read together: an Italian who writes "24 gigs" and a German who writes "dual 3090" are both understood, and no slot depends
on the language having been recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from sys import intern
from typing import Any, NamedTuple

from answers.catalogue.atoms import UNSPACED, Token, clean, fold, texts
from answers.errors import DataError
from answers.questions.unspaced import respelled, runs_of

KINDS = (
    "gigabytes", "megabytes", "terabytes", "tokens", "context", "ram", "vram", "system_memory", "unified", "laptop",
    "usable", "total", "links", "joins", "alternatives", "card_words", "model_words", "them", "pronouns", "unquantised",
    "bits", "at_least", "at_most",
    "needed",
    "software",
    "it", "cpu", "cpu_only", "held", "taken", "offload", "articles",
    "per_second", "thousands", "asks", "asks_last", "clause_ends", "counters", "one_more", "further",
    "kv_cache", "why", "watts", "including", "yardstick", "commercial", "at_once", "output", "copies",
)  # fmt: skip
"""Lists under ``[slots]``; a locale may leave any of them out."""


_BESIDE = frozenset(
    (
        "count", "it", "links", "joins", "alternatives", "articles", "held", "taken", "total", "usable", "them", "pronouns",
        "gigabytes", "megabytes", "terabytes", "tokens", "bits", "per_second", "thousands", "needed", "at_least", "at_most",
        "counters", "further", "why", "watts", "including", "yardstick", "channels", "commercial", "at_once", "output", "copies",
    )
)  # fmt: skip
"""Kinds that say nothing by themselves."""


_TYPED_LATIN = str.maketrans("aceopxyk", "асеорхук")
"""Latin letters that look like Cyrillic ones, which slip into Cyrillic words: "геммy"."""
_ENDLESS = "аья"
"""Russian nouns are declined behind the last of these letters."""
_SHORTEST = 4
"""Letters that a stem needs to tell a name from another word."""


class Mark(NamedTuple):
    """A word or phrase of the vocabulary found in a text."""

    kind: str
    first: int
    last: int
    value: float


class Vocabulary:
    """Phrases by their first token."""

    def __init__(self, languages: Mapping[str, Mapping[str, Any]]) -> None:
        """``languages``: language -> its parsed ``words.toml``.

        Raises:
            DataError: naming the language and the list, where an entry under ``[slots]`` is not of the documented form.
        """
        self._singles: dict[str, list[tuple[str, float]]] = {}
        """A phrase of one token -> its kinds."""
        self._longer: dict[str, dict[str, list[tuple[tuple[str, ...], str, float]]]] = {}
        """The first two tokens of a longer phrase -> the phrases, longest first."""
        self.words: dict[str, frozenset[str]] = {kind: frozenset() for kind in KINDS}
        self.ordinary: frozenset[str] = frozenset()
        self.known: frozenset[str] = frozenset()
        self.per_second: frozenset[str] = frozenset()
        """Phrases behind a number of tokens that make it a speed, folded."""
        self._spelled: dict[str, str] = {}
        self._stems: dict[str, str] = {}
        """The stems of names spelled in Cyrillic: "гемм" of "гемма"."""
        self._behind_numbers: dict[str, str] = {}
        self._model_endings: tuple[str, ...] = ()
        self._declensions: tuple[str, ...] = ()
        """Endings in Cyrillic."""
        self._card_endings: frozenset[str] = frozenset()
        for language, words in languages.items():
            self._add(language, words)
        self._runs = runs_of(self._spelled)
        self._stems = {
            stem: name
            for spelling, name in self._spelled.items()
            if _is_cyrillic(spelling) and len(stem := spelling.rstrip(_ENDLESS)) >= _SHORTEST
        }
        for behind in self._longer.values():
            for entries in behind.values():
                entries.sort(key=lambda entry: -len(entry[0]))
        self.between = self.words["joins"] | self.words["alternatives"]
        """Words between the members of a list."""
        told = (phrase for kind in ("vram", "ram", "system_memory") for phrase in self._phrases(languages, kind))
        said = set(map(fold_word, self._phrases(languages, "unified")))
        memory = {word for phrase in told for word in fold_word(phrase).split()}
        self.unified_memory = frozenset(phrase for phrase in said if not memory.isdisjoint(phrase.split()))
        """Phrases for shared memory that do not name a machine: "unified memory"."""
        kinds = {kind for entries in self._singles.values() for kind, _ in entries} | {
            kind for behind in self._longer.values() for entries in behind.values() for _, kind, _ in entries
        }
        self.quants_in_words = frozenset(kind for kind in kinds if kind.startswith("quant:"))
        """Kinds of marks that tell a quant in words."""
        self.vendors = frozenset(kind for kind in kinds if kind.startswith("vendor:"))
        """Kinds of marks that name who makes cards."""
        self.small = frozenset[str](("x",)).union(
            self.between,
            *(self.words[kind] for kind in ("links", "articles", "held", "vram")),
            # "macbook air m2 8gb": what a machine is called says no more than its chip does.
            *(phrase.split() for phrase in self._phrases(languages, "unified")),
        )
        """Words that stand between names and amounts and say little by themselves."""

    @staticmethod
    def _phrases(languages: Mapping[str, Mapping[str, Any]], kind: str) -> Iterable[str]:
        return (phrase for words in languages.values() for phrase in words.get("slots", {}).get(kind, ()))

    def _add(self, language: str, words: Mapping[str, Any]) -> None:
        slots = words.get("slots", {})
        for kind, entries in slots.items():
            if kind in {"counts", "channels"}:
                for word, count in entries.items():
                    self._enter(str(word), "count" if kind == "counts" else kind, float(count))
            elif kind in KINDS:
                for phrase in _strings(entries, language, kind):
                    self._enter(phrase, kind, 0.0)
                single = [text for text in (fold_word(phrase) for phrase in entries) if " " not in text]
                self.words[kind] = self.words[kind] | frozenset(single)
            elif kind in {"use", "vendor", "order", "quant"}:
                for value, phrases in entries.items():
                    for phrase in _strings(phrases, language, f"{kind}.{value}"):
                        self._enter(phrase, f"{kind}:{value}", 0.0)
            else:
                raise DataError(f"{language}/words.toml: slots.{kind} is not a list that is read")
        self.per_second |= {fold(clean(phrase)) for phrase in slots.get("per_second", ())}
        names = words.get("names", {})
        for spelling, name in names.get("spelled", {}).items():
            self._spelled[fold_word(spelling)] = str(name)
        for spelling, name in names.get("behind_numbers", {}).items():
            self._behind_numbers[fold_word(spelling)] = str(name)
        endings = {fold_word(ending) for ending in _strings(names.get("model_endings", []), language, "names.model_endings")}
        longest_first = sorted({*self._model_endings, *self._declensions, *endings}, key=lambda ending: (-len(ending), ending))
        self._model_endings = tuple(ending for ending in longest_first if not _is_cyrillic(ending))
        self._declensions = tuple(ending for ending in longest_first if _is_cyrillic(ending))
        self._card_endings |= {
            fold_word(ending) for ending in _strings(names.get("card_endings", []), language, "names.card_endings")
        }
        self.ordinary = self.ordinary | {
            fold_word(word) for word in _strings(names.get("ordinary", []), language, "names.ordinary")
        }
        about = words.get("language", {})
        common = {fold_word(word) for word in _strings(about.get("common", []), language, "language.common")}
        others = {fold_word(word) for word in _strings(names.get("known", []), language, "names.known")}
        self.known = self.known | common | others | self.ordinary

    def _enter(self, phrase: str, kind: str, value: float) -> None:
        tokens = (phrase.lower(),) if phrase.isascii() and phrase.isalpha() else tuple(texts(clean(phrase)))
        tokens = tuple(map(intern, tokens))
        if len(tokens) == 1:
            self._singles.setdefault(tokens[0], []).append((kind, value))
        elif tokens:
            self._longer.setdefault(tokens[0], {}).setdefault(tokens[1], []).append((tokens, kind, value))

    def topics(self) -> set[str]:
        """A word of each phrase that says something without a name or an amount beside it, the longest one."""
        single = {text for text, entries in self._singles.items() if any(kind not in _BESIDE for kind, _ in entries)}
        phrases = [entry for behind in self._longer.values() for entries in behind.values() for entry in entries]
        return single | {max(reversed(parts), key=len) for parts, kind, _ in phrases if kind not in _BESIDE} | set(self._spelled)

    def respelled(self, tokens: Sequence[Token], is_name: Callable[[str], bool]) -> tuple[Token, ...]:
        """The tokens with names as they are on file: "лама" is llama, "codestrala" codestral, "3090-й" and "3090er" 3090.

        ``is_name`` says whether a word begins a name on file.
        """
        kept: list[Token] = []
        for token in respelled(tokens, self._runs):
            text = token.text
            if text in self._card_endings and token.glued and kept:
                hyphen = len(kept) > 1 and kept[-1].text == "-" and kept[-1].glued
                card = kept[-2] if hyphen else kept[-1]
                if card.text.isdigit() and len(card.text) > 2:
                    if hyphen:
                        kept.pop()
                    continue
            name = self._spelled.get(text)
            if text in self._behind_numbers:
                before = kept[-1].text if kept else " "
                if before[-1].isdigit() or before in self._behind_numbers.values():
                    name = self._behind_numbers[text]
            if name is None and not text.isascii() and _is_cyrillic(text):
                name = self._declined(text)
            if name is None and len(text) > 4 and text.isalpha() and not is_name(text) and text not in self.known:
                stems = (text[: -len(ending)] for ending in self._model_endings if text.endswith(ending))
                name = next((stem for stem in stems if len(stem) > 3 and is_name(stem) and stem not in self.ordinary), None)
            kept.append(token if name is None else token._replace(text=name))
        return tuple(kept)

    def _declined(self, text: str) -> str | None:
        """The name that a Cyrillic word is a form of: "геммой" of "гемма"."""
        text = text.translate(_TYPED_LATIN)
        name = self._spelled.get(text)
        if name is None and text not in self.known:
            stems = (text[: -len(ending)] for ending in self._declensions if text.endswith(ending))
            name = next((self._stems[stem] for stem in stems if stem in self._stems), None)
        return name

    def marks(self, tokens: Sequence[Token]) -> list[Mark]:
        """Every phrase found; the same tokens may carry several marks."""
        found: list[Mark] = []
        singles, longer = self._singles, self._longer
        end = len(tokens)
        for index, token in enumerate(tokens):
            text = token.text
            if text in longer and index + 1 < end:
                for parts, kind, value in longer[text].get(tokens[index + 1].text, ()):
                    size = len(parts)
                    if size == 2 or (index + size <= end and _same(tokens, parts, index, size)):
                        found.append(Mark(kind, index, index + size, value))
            for kind, value in singles.get(text, ()):
                found.append(Mark(kind, index, index + 1, value))
        return found


def _is_cyrillic(text: str) -> bool:
    """Whether a word has Cyrillic letters."""
    return "\u0400" <= max(text) <= "\u04ff"


def _same(tokens: Sequence[Token], parts: Sequence[str], first: int, size: int) -> bool:
    """Whether the third and further parts of a phrase stand where it begins at ``first``."""
    return all(tokens[first + offset].text == parts[offset] for offset in range(2, size))


def fold_word(phrase: str) -> str:
    """A phrase as its tokens are compared; a run of characters stays whole."""
    # The same words stand in many lists: each is held once.
    if phrase.isascii() and phrase.isalpha():
        return intern(phrase.lower())
    if UNSPACED.fullmatch(phrase):
        return intern(fold(clean(phrase)))
    return intern(" ".join(texts(clean(phrase))))


def _strings(entries: Any, language: str, where: str) -> list[str]:
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise DataError(f"{language}/words.toml: {where} should be a list of words in quotes")
    return entries
