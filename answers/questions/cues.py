"""Finds the cues of ``words.toml`` in a message.

A cue is a phrase. Its words may be given as alternatives (``vram|memory``), as a beginning (``descarg*``), as optional
(``the?``), as a group of the file (``@card``) or as something recognised (``<model>``, ``<card>``, ``<memory>``, ``<size>``,
``<quant>``, ``<context>``, ``<number>``, ``<rate>``, ``<vendor>``; ``<llm>`` is a model or a size, ``<rig>`` a card or a memory).
``..`` stands for up to four words of the same sentence, or as many as ``reach`` under ``[language]`` says.

In Chinese, Japanese and Korean every character of a message is a word by itself. A word of a cue is then a sequence of characters,
which is looked for wherever it stands; so a message need not be cut into words, which could only be guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from answers.catalogue.atoms import UNSPACED, clean, texts, tokenise
from answers.errors import DataError

BREAK = "."
"""The symbol between sentences; no cue reaches across it."""
SLOTS = {
    "<llm>": ("<model>", "<size>"),
    "<rig>": ("<card>", "<memory>"),
}
_SYMBOLS = frozenset(("<model>", "<size>", "<card>", "<memory>", "<ram>", "<quant>", "<context>", "<number>", "<rate>", "<vendor>"))
_REACH = 4
_GAP = -1
_EVERYWHERE = frozenset(("question", "followup"))
"""Topics whose cues are noted wherever they stand, since it matters which part of a message is worded so."""
WEIGHTS = {"decisive": 5.0, "strong": 3.0, "medium": 2.0, "weak": 1.0, "against": -3.0}


class Cue(NamedTuple):
    """A cue found: what it speaks for, how strongly, and where."""

    topic: str
    weight: float
    first: int
    last: int
    """Symbols ``first`` to ``last``, exclusive."""
    text: str


class _Node:
    __slots__ = ("behind", "ends", "kids", "mask")

    def __init__(self) -> None:
        self.kids: dict[int, tuple[_Node]] = {}
        """What may follow, by its element."""
        self.mask = 0
        """The elements of ``kids`` as bits."""
        self.behind: _Node | None = None
        """What follows after up to a few words of any kind."""
        self.ends: list[tuple[str, float, str]] = []

    def kid(self, element: int) -> _Node:
        """The node that an element leads to."""
        if element == _GAP:
            self.behind = self.behind or _Node()
            return self.behind
        if element not in self.kids:
            self.kids[element] = (_Node(),)
            self.mask |= 1 << element
        return self.kids[element][0]


class _Entry(NamedTuple):
    """What a symbol is to the cues: hundreds of them may begin with the same word, and all of those are followed at once."""

    ids: frozenset[int]
    mask: int
    ends: list[tuple[str, float, str]]
    kids: dict[int, list[_Node]]
    kids_mask: int
    behind: dict[int, list[_Node]]
    behind_mask: int


def _mask(elements: Iterable[int]) -> int:
    """Elements as the bits of one number: whether two sets share any is then one operation."""
    mask = 0
    for element in elements:
        mask |= 1 << element
    return mask


def _bits(mask: int) -> Iterable[int]:
    """The places of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class Cues:
    """All cues of one language, as one tree."""

    def __init__(self, language: str, words: Mapping[str, Any]) -> None:
        """``words``: the parsed ``words.toml``.

        Raises:
            DataError: naming the cue that cannot be read.
        """
        self._language = language
        self._reach: int = words.get("language", {}).get("reach", _REACH)
        self._groups: dict[str, list[str]] = {name: list(entries) for name, entries in words.get("groups", {}).items()}
        self._root = _Node()
        self._classes: dict[frozenset[str], int] = {}
        self._of_word: dict[str, tuple[int, ...]] = {}
        self._of_stem: dict[str, tuple[int, ...]] = {}
        self._of_pair: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        """The first two symbols of a word of several -> its symbols and its element."""
        # The same words and groups stand in hundreds of cues.
        self._ways_of: dict[str, list[list[int]]] = {}
        for topic, lists in words.get("intents", {}).items():
            for strength, cues in lists.items():
                if strength not in WEIGHTS:
                    raise DataError(f"{language}/words.toml: intents.{topic}.{strength}: use decisive, strong, medium or weak")
                self._add(topic, WEIGHTS[strength], cues)
        for topic, cues in words.get("moods", {}).items():
            self._add(topic, 1.0, cues)
        self._known = lru_cache(4096)(self._entry)
        self._stem_lengths = tuple(sorted({len(stem) for stem in self._of_stem}))

    def __getstate__(self) -> dict[str, Any]:
        # What was looked up is not kept with the cues, nor what only building them takes.
        return self.__dict__ | {"_known": None, "_ways_of": {}, "_classes": {}}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._known = lru_cache(4096)(self._entry)

    def find(self, symbols: Sequence[str]) -> list[Cue]:
        """The cues in a message, each at the first place where it stands; those of a question wherever they do."""
        known = self._known
        entries = [known(symbol) for symbol in symbols]
        masks = [entry.mask for entry in entries]
        end = len(symbols)
        longer = self._longer(symbols) if self._of_pair else ()
        for place, ids in enumerate(longer):
            masks[place] |= _mask(ids)
        present = 0
        for mask in masks:
            present |= mask
        masks.append(0)
        found: dict[tuple[str, str, int], Cue] = {}
        # Nodes that a beginning of the message's words leads to, the symbol behind them, and where they began.
        stack: list[tuple[_Node, int, int]] = []

        def follow(kids: Mapping[int, Sequence[_Node]], hits: int, place: int, first: int) -> None:
            """Go on with what begins with the elements ``hits`` that stand at a place."""
            for identity in _bits(hits):
                for node in kids[identity]:
                    if identity in entries[place].ids:
                        stack.append((node, place + 1, first))
                    if longer:
                        stack.extend((node, place + length, first) for length in longer[place].get(identity, ()))

        def reach(behind: Mapping[int, Sequence[_Node]], mask: int, at: int, first: int) -> None:
            """Go on with what follows a few words later, in the same sentence."""
            for place in range(at, min(at + self._reach + 1, end)):
                hits = mask & masks[place]
                if hits:
                    follow(behind, hits, place, first)
                if symbols[place] == BREAK:
                    break

        for start, entry in enumerate(entries):
            for identity in _bits(self._root.mask & masks[start]) if longer else ():
                for length in longer[start].get(identity, ()):
                    stack.extend((node, start + length, start) for node in self._root.kids[identity])
            for topic, weight, text in entry.ends:
                found.setdefault((topic, text, start if topic in _EVERYWHERE else 0), Cue(topic, weight, start, start + 1, text))
            hits = entry.kids_mask & masks[start + 1]
            if hits:
                follow(entry.kids, hits, start + 1, start)
            if entry.behind_mask & present:
                reach(entry.behind, entry.behind_mask, start + 1, start)
        while stack:
            node, at, first = stack.pop()
            for topic, weight, text in node.ends:
                key = topic, text, first if topic in _EVERYWHERE else 0
                cue = found.get(key)
                if cue is None or first < cue.first or (first == cue.first and at < cue.last):
                    found[key] = Cue(topic, weight, first, at, text)
            if at >= end:
                continue
            hits = node.mask & masks[at]
            if hits:
                follow(node.kids, hits, at, first)
            if node.behind is not None and node.behind.mask & present:
                reach(node.behind.kids, node.behind.mask, at, first)
        return sorted(found.values())

    def _longer(self, symbols: Sequence[str]) -> list[dict[int, list[int]]]:
        """For every symbol the elements that stand for several symbols from there on, and how many."""
        longer: list[dict[int, list[int]]] = [{} for _ in symbols]
        for index in range(len(symbols) - 1):
            for parts, identity in self._of_pair.get(symbols[index] + symbols[index + 1], ()):
                size = len(parts)
                if size == 2 or tuple(symbols[index : index + size]) == parts:
                    longer[index].setdefault(identity, []).append(size)
        return longer

    def _entry(self, symbol: str) -> _Entry:
        """The elements of cues that a symbol stands for, and what follows in all the cues that begin with one of them."""
        ids = frozenset(self._ids(symbol))
        ends: list[tuple[str, float, str]] = []
        kids: dict[int, list[_Node]] = {}
        behind: dict[int, list[_Node]] = {}
        for identity in sorted(ids & self._root.kids.keys()):
            node = self._root.kids[identity][0]
            ends.extend(node.ends)
            for followed, source in ((kids, node), (behind, node.behind)):
                for element, nodes in source.kids.items() if source else ():
                    followed.setdefault(element, []).extend(nodes)
        return _Entry(ids, _mask(ids), ends, kids, _mask(kids), behind, _mask(behind))

    def _ids(self, symbol: str) -> tuple[int, ...]:
        own = self._of_word.get(symbol, ())
        for length in self._stem_lengths:
            if length > len(symbol):
                break
            stem = self._of_stem.get(symbol[:length])
            if stem:
                own = own + stem
        if symbol[0].isdigit():
            own = own + self._of_word.get("<number>", ())
        return own

    def _add(self, topic: str, weight: float, cues: Any) -> None:
        if not isinstance(cues, list):
            raise DataError(f"{self._language}/words.toml: {topic} should be a list of cues in quotes")
        for cue in cues:
            for elements in self._sequences(str(cue)):
                if not elements or elements[0] == _GAP or elements[-1] == _GAP:
                    raise DataError(f"{self._language}/words.toml: the cue {cue!r} of {topic} has no fixed word at an end")
                node = self._root
                for element in elements:
                    node = node.kid(element)
                node.ends.append((topic, weight, str(cue)))

    def _sequences(self, cue: str) -> Iterable[list[int]]:
        sequences: list[list[int]] = [[]]
        for word in cue.split():
            if word == "..":
                sequences = [[*sequence, _GAP] for sequence in sequences]
                continue
            optional = word.endswith("?") and len(word) > 1
            plain = word.removesuffix("?") if optional else word
            ways = self._ways_of.get(plain)
            if ways is None:
                ways = self._ways_of[plain] = self._ways(plain, cue)
            longer = [[*sequence, *way] for sequence in sequences for way in ways]
            sequences = [*longer, *sequences] if optional else longer
        return sequences

    def _ways(self, word: str, cue: str) -> list[list[int]]:
        """The elements that one word of a cue may stand for: one class for all its plain alternatives, whole runs of characters
        among them, and a sequence for each that is several tokens otherwise ("l'hai", "x16")."""
        alternatives: set[str] = set()
        for alternative in word.split("|"):
            if alternative.startswith("@"):
                if alternative[1:] not in self._groups:
                    raise DataError(
                        f"{self._language}/words.toml: the cue {cue!r} names {alternative}, which is not under [groups]"
                    )
                alternatives.update(self._groups[alternative[1:]])
            else:
                alternatives.update(SLOTS.get(alternative, (alternative,)))
        split = [_tokens(alternative) for alternative in sorted(alternatives)]
        runs = [len(tokens) > 1 and any(map(UNSPACED.match, tokens)) for tokens in split]
        single = frozenset(
            " ".join(tokens) for tokens, run in zip(split, runs, strict=True) if tokens and (run or len(tokens) == 1)
        )
        ways = [
            [self._class(frozenset((token,))) for token in tokens]
            for tokens, run in zip(split, runs, strict=True)
            if len(tokens) > 1 and not run
        ]
        return [[self._class(single)], *ways] if single else ways

    def _class(self, alternatives: frozenset[str]) -> int:
        if alternatives in self._classes:
            return self._classes[alternatives]
        identity = self._classes[alternatives] = len(self._classes)
        for word in alternatives:
            if " " in word:
                parts = tuple(word.split())
                self._of_pair.setdefault(parts[0] + parts[1], []).append((parts, identity))
                continue
            table, key = (self._of_stem, word[:-1]) if word.endswith("*") else (self._of_word, word)
            table[key] = (*table.get(key, ()), identity)
        return identity


def cue_words(words: Mapping[str, Any]) -> frozenset[str]:
    """Every word that stands in a cue of a parsed ``words.toml``, without building the cues."""
    lists = [*words.get("groups", {}).values(), *words.get("moods", {}).values()]
    lists += [cues for strengths in words.get("intents", {}).values() for cues in strengths.values()]
    # The same words stand in hundreds of cues: each is cut once.
    said = set(" ".join(str(cue) for cues in lists for cue in cues).replace("|", " ").split())
    plain = {word for word in said if word.isascii() and word.isalpha()}
    other = texts(clean(" ".join(sorted(said - plain))))
    return frozenset(word.lower() for word in plain).union(word for word in other if word[0].isalnum())


@lru_cache(8192)
def _tokens(word: str) -> tuple[str, ...]:
    """The tokens of one alternative; the same words come up in hundreds of cues."""
    if word in _SYMBOLS:
        return (word,)
    if word.endswith("*"):
        return (_fold(word[:-1]) + "*",)
    if word.isascii() and word.isalpha():
        return (word.lower(),)
    return tuple(token.text for token in tokenise(clean(word)) if token.text[0].isalnum())


def _fold(word: str) -> str:
    return "".join(token.text for token in tokenise(clean(word)))
