"""Finds the cues of ``words.toml`` in a message.

A cue is a phrase. Its words may be given as alternatives (``vram|memory``), as a beginning (``descarg*``), as optional
(``the?``), as a group of the file (``@card``) or as something recognised (``<model>``, ``<card>``, ``<memory>``, ``<size>``,
``<quant>``, ``<context>``, ``<number>``, ``<rate>``, ``<vendor>``; ``<llm>`` is a model or a size, ``<rig>`` a card or a memory).
``..`` stands for up to four words of the same sentence, or as many as ``reach`` under ``[language]`` says.

In Chinese, Japanese and Korean every character of a message is a word by itself. A word of a cue is then a sequence of characters,
which is looked for wherever it stands; so a message need not be cut into words, which could only be guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple, TypeAlias

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


_End = tuple[str, float, str]
"""What a cue that ends here speaks for, how strongly, and the cue."""


_Node: TypeAlias = "tuple[tuple[_End, ...], tuple[tuple[int, _Node], ...], tuple[tuple[int, _Node], ...]]"
"""Where the first elements of some cues lead: the cues that end there, what may follow (an element, and where it leads), and what
may follow after up to a few words of any kind.

Of the thousands of nodes that a language has nearly all are followed by one element or none: tuples of pairs are looked through as
fast as a dictionary then, and take a third of its memory.
"""


class _Growing:
    """A node while cues are added."""

    def __init__(self) -> None:
        self.ends: list[_End] = []
        self.kids: dict[int, _Growing] = {}
        self.behind: _Growing | None = None

    def kid(self, element: int) -> _Growing:
        """The node that an element leads to."""
        if element == _GAP:
            self.behind = self.behind or _Growing()
            return self.behind
        return self.kids.setdefault(element, _Growing())

    def grown(self) -> _Node:
        """The node as it is looked through."""
        return tuple(self.ends), self._kids(), self.behind._kids() if self.behind else ()

    def _kids(self) -> tuple[tuple[int, _Node], ...]:
        return tuple((element, kid.grown()) for element, kid in self.kids.items())


class _Entry(NamedTuple):
    """What a symbol is to the cues: hundreds of them may begin with the same word, and all of those are followed at once."""

    ids: frozenset[int]
    mask: int
    """The same as the bits of one number: whether two sets share any is then one operation."""
    ends: list[_End]
    kids: dict[int, list[_Node]]
    kids_mask: int
    behind: dict[int, list[_Node]]
    behind_mask: int


def _mask(elements: Iterable[int]) -> int:
    """Elements as the bits of one number."""
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
        root = _Growing()
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
                self._add(root, topic, WEIGHTS[strength], cues)
        for topic, cues in words.get("moods", {}).items():
            self._add(root, topic, 1.0, cues)
        self._first = {element: node.grown() for element, node in root.kids.items()}
        """The element that a cue begins with, and where it leads."""
        self._firsts = _mask(self._first)
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
        ids_of = [entry.ids for entry in entries]
        """What each symbol itself is, and below what begins with it as well."""
        ids: list[Collection[int]] = list(ids_of)
        masks = [entry.mask for entry in entries]
        end = len(symbols)
        longer = self._longer(symbols) if self._of_pair else ()
        for place, elements in enumerate(longer):
            masks[place] |= _mask(elements)
            ids[place] = entries[place].ids.union(elements)
        present = 0
        for mask in masks:
            present |= mask
        masks.append(0)
        found: dict[tuple[str, str, int], Cue] = {}
        # Nodes that a beginning of the message's words leads to, the symbol behind them, and where they began.
        stack: list[tuple[_Node, int, int]] = []
        push = stack.append
        everywhere, reached, firsts = _EVERYWHERE, self._reached, self._firsts

        def go_longer(element: int, nodes: Iterable[_Node], place: int, first: int) -> None:
            """Go on behind an element of several symbols that stands at a place."""
            for node in nodes:
                stack.extend((node, place + length, first) for length in longer[place].get(element, ()))

        for start, entry in enumerate(entries):
            mask, behind_start = masks[start], start + 1
            if longer:
                for element in _bits(firsts & mask):
                    go_longer(element, (self._first[element],), start, start)
            for topic, weight, text in entry.ends:
                key = topic, text, start if topic in everywhere else 0
                if key not in found:
                    found[key] = Cue(topic, weight, start, behind_start, text)
            hits = entry.kids_mask & masks[behind_start]
            while hits:
                lowest = hits & -hits
                hits ^= lowest
                element = lowest.bit_length() - 1
                nodes = entry.kids[element]
                if element in ids_of[behind_start]:
                    for node in nodes:
                        push((node, start + 2, start))
                if longer:
                    go_longer(element, nodes, behind_start, start)
            if entry.behind_mask & present:
                for place in reached(symbols, behind_start):
                    hits = entry.behind_mask & masks[place]
                    while hits:
                        lowest = hits & -hits
                        hits ^= lowest
                        element = lowest.bit_length() - 1
                        nodes = entry.behind[element]
                        if element in ids_of[place]:
                            for node in nodes:
                                push((node, place + 1, start))
                        if longer:
                            go_longer(element, nodes, place, start)
        while stack:
            (ends, kids, behind), at, first = stack.pop()
            for topic, weight, text in ends:
                key = topic, text, first if topic in everywhere else 0
                cue = found.get(key)
                if cue is None or first < cue.first or (first == cue.first and at < cue.last):
                    found[key] = Cue(topic, weight, first, at, text)
            if at >= end:
                continue
            here = ids[at]
            for element, node in kids:
                if element in here:
                    if element in ids_of[at]:
                        push((node, at + 1, first))
                    if longer:
                        go_longer(element, (node,), at, first)
            for element, node in behind:
                if present >> element & 1:
                    for place in reached(symbols, at):
                        if element in ids[place]:
                            if element in ids_of[place]:
                                push((node, place + 1, first))
                            if longer:
                                go_longer(element, (node,), place, first)
        return sorted(found.values())

    def _reached(self, symbols: Sequence[str], at: int) -> range:
        """The places where what follows after a few words may stand: in the same sentence."""
        last = min(at + self._reach + 1, len(symbols))
        for place in range(at, last):
            if symbols[place] == BREAK:
                return range(at, place + 1)
        return range(at, last)

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
        for element in sorted(ids & self._first.keys()):
            ended, nodes, nodes_behind = self._first[element]
            ends.extend(ended)
            for followed, pairs in ((kids, nodes), (behind, nodes_behind)):
                for further, kid in pairs:
                    followed.setdefault(further, []).append(kid)
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

    def _add(self, root: _Growing, topic: str, weight: float, cues: Any) -> None:
        if not isinstance(cues, list):
            raise DataError(f"{self._language}/words.toml: {topic} should be a list of cues in quotes")
        for cue in cues:
            for elements in self._sequences(str(cue)):
                if not elements or elements[0] == _GAP or elements[-1] == _GAP:
                    raise DataError(f"{self._language}/words.toml: the cue {cue!r} of {topic} has no fixed word at an end")
                node = root
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
    return frozenset(intern(word.lower()) for word in plain).union(intern(word) for word in other if word[0].isalnum())


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
