"""Finds models by name: aliases, tags, family and size, sizes in a list, misspellings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

from answers.catalogue.atoms import Atom, Span, Token, adjacent, holding, name_atoms, parameters, tied
from answers.catalogue.records import Model

_FILLERS = frozenset(("instruct", "inst", "hf", "gguf", "it", "pt", "latest", "model", "llm", "v1", "fp16", "bf16"))
"""Parts of a repository's or a tag's name that do not tell models apart."""

USUAL_VERSIONS = {
    "llama": ("3.1", "3.3", "3.2", "3", "2", "4"),
    "qwen": ("2.5", "3", "3.5", "3.6", "2", "3.8", "1.5"),
    "gemma": ("3", "2", "4"),
    "phi": ("4", "3", "3.5", "2"),
    "granite": ("3.3", "4", "3.2", "3.1"),
    "olmo": ("2", "3"),
    "hermes": ("3", "4", "2"),
    "glm": ("4", "4.5", "4.6", "4.7"),
}
"""The version that people mean when they name none, likeliest first: a "qwen 32b" is a Qwen2.5 32B."""

_ACTIVE = re.compile(r"[ae][0-9.]+[bm]")
MARKS_OF_LISTS = frozenset("/,&+-")
_MOST = 25  # Candidates that an ambiguous name may have: as many as a select menu shows.
_TOLERANCE = 0.05
"""How far a typed size may be from the count on file: StarCoder's 15.5B is called 16B."""


class ModelNames:
    """The names of all models, indexed by their atoms."""

    def __init__(self, models: Sequence[Model]) -> None:
        self._models = models
        # The same few models are asked about again and again.
        self._ranked = lru_cache(2048)(self._rank)
        self.by_name = {model.name: index for index, model in enumerate(models)}
        self._posting: dict[str, set[int]] = {}
        self._aliases: list[list[tuple[frozenset[str], bool]]] = []
        self._families = [frozenset(words if len(words := name_atoms(model.family)) == 1 else ()) for model in models]
        self._starts: dict[str, set[str]] = {}
        self._first: dict[str, set[int]] = {}
        for index, model in enumerate(models):
            self._aliases.append(self._read(index, model))
        self._beginnings = {word[:3] for word in self._starts}
        self._by_letter: dict[str, list[str]] = {}
        for word in self._starts:
            if len(word) >= 4 and word.isalpha():
                self._by_letter.setdefault(word[0], []).append(word)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_ranked": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._ranked = lru_cache(2048)(self._rank)

    def _read(self, index: int, model: Model) -> list[tuple[frozenset[str], bool]]:
        spellings: dict[frozenset[str], bool] = {}
        repository = (model.hf_repo or "").rpartition("/")[2]
        for place, spelling in enumerate((model.name, *model.aliases, repository)):
            said = [text for text in name_atoms(spelling) if text not in _FILLERS]
            if not said:
                continue
            if place <= len(model.aliases) and len(said[0]) > 1:
                self._starts.setdefault(said[0], set()).update(said[1:2])
                self._first.setdefault(said[0], set()).add(index)
                if said[0] in self._families[index] and len(said) > 1 and not said[1].isalpha():
                    # The family is easily left out: "r1" begins the name of DeepSeek-R1.
                    self._first.setdefault(said[1], set()).add(index)
            for text in said:
                self._posting.setdefault(text, set()).add(index)
            key = frozenset(said)
            # A tag such as "qwen:32b" stands for one release; the same words without the colon do not.
            spellings[key] = spellings.get(key, True) and ":" in spelling
        return list(spellings.items())

    @property
    def spellings(self) -> dict[str, str]:
        """Every spelling on file -> the name of its model."""
        return {spelling: model.name for model in self._models for spelling in (model.name, *model.aliases)}

    def spans(
        self,
        tokens: Sequence[Token],
        pieces: Sequence[Atom],
        ordinary: Collection[str] = (),
        known: Collection[str] = (),
        links: Collection[str] = (),
        joins: Collection[str] = (),
    ) -> list[Span]:
        """The models named in a running text; see ``Names.spans``."""
        found: list[Span] = []
        index = 0
        while index < len(pieces):
            mention = self._mention(tokens, pieces, index, known)
            if mention is None:
                index += 1
                continue
            said, after, fuzzy, wrong = mention
            first, sized = index, any(parameters(text) for text in said) or wrong is not None
            if not sized:
                before = self._size_before(tokens, pieces, index, links)
                behind = None if before is not None else self._size_behind(pieces, after, said, links)
                if before is not None:
                    first, size = before
                    if self._having([*said, size]):
                        said.append(self._on_file(said, size))
                    else:
                        wrong = size
                elif behind is not None:
                    after, size = behind
                    said.append(self._on_file(said, size))
            plain = [text for text in said if not parameters(text)]
            if first < index and wrong is None:
                found.extend(self._listed_before(tokens, pieces, first, plain, joins))
            spans, after = self._listed(tokens, pieces, after, plain, joins)
            alone = len(said) == 1 and wrong is None and not spans
            if alone and said[0] in ordinary and not self._stands_alone(said[0]):
                index += 1
                continue
            if fuzzy and alone and len(said[0]) < 7:
                # One letter off a short name is a word more often than a name.
                index += 1
                continue
            weak = alone and (said[0] in ordinary or fuzzy or len(said[0]) < 3)
            start, end = pieces[first].first, pieces[max(after - 1, index)].last
            if spans:
                end = spans[0].first
            if wrong is not None:
                found.append(Span("model", start, end, (*said, wrong), (), size=parameters(wrong)))
            elif not (spans and not sized and len(said) == len(plain)):
                typed = tokens[start : pieces[max(after - 1, index)].last]
                names = self.rank(said, tag=any(token.text == ":" for token in typed))
                if names:
                    found.append(Span("model", start, end, tuple(said), names, weak))
            found.extend(spans)
            index = max(after, index + 1)
        return found

    @property
    def beginnings(self) -> frozenset[str]:
        """The words that names on file begin with."""
        return frozenset(self._starts)

    def begins(self, word: str) -> bool:
        """Whether a name on file begins with this word."""
        return word in self._starts

    def rank(self, said: Iterable[str], tag: bool = False) -> tuple[str, ...]:
        """The models whose names hold all these atoms, likeliest first; one name where there is no doubt."""
        return self._ranked(frozenset(said), tag)

    def _rank(self, wanted: frozenset[str], tag: bool) -> tuple[str, ...]:
        having = self._having(wanted)
        if len(wanted) == 1:
            # A single word means the models whose names begin with it, not every name it stands in.
            having = having & self._first.get(next(iter(wanted)), having)
        costs = {index: self._cost(index, wanted, tag) for index in having}
        if not costs:
            return ()
        least = min(costs.values())
        if least > len(wanted):
            return ()  # A single word of a long name is no name.
        sized = any(parameters(text) for text in wanted)
        heads = [text for text in wanted if text in USUAL_VERSIONS]
        if least == 0:
            exact = [index for index, cost in costs.items() if cost == 0]
            named = any(wanted == self._aliases[index][0][0] for index in exact)
            siblings: list[int] = []
            if not sized and not named:
                siblings = [index for index in costs if index not in exact and self._lacks_only_size(index, wanted)]
            elif sized and heads and len(wanted) == 2:
                siblings = [index for index, cost in costs.items() if cost == 1]
            # With a size, the version that people mean goes before the one whose name is no more than that: "qwen 14b".
            groups = ([*exact, *siblings],) if sized else (exact, siblings)
            ranked = [index for group in groups for index in self._sorted(group, wanted, heads)]
        else:
            reach = least if least < 1.5 else least + 1
            near = {index for index, cost in costs.items() if cost <= reach}
            if not sized and least < 1:
                near |= {index for index in costs if self._lacks_only_size(index, wanted)}
            ranked = self._sorted(sorted(near), wanted, heads, costs)
        return tuple(self._models[index].name for index in ranked[:_MOST])

    def _having(self, said: Iterable[str]) -> set[int]:
        """The records that hold all these atoms."""
        return holding(self._posting, said)

    def _cost(self, index: int, wanted: frozenset[str], tag: bool) -> float:
        """How much of the nearest spelling was left unsaid; the name of the family is easily left out ("r1")."""
        family = self._families[index]
        return min(
            len(alias ^ wanted) - 0.5 * len((alias - wanted) & family) + (colon and not tag)
            for alias, colon in self._aliases[index]
        )

    def _lacks_only_size(self, index: int, wanted: frozenset[str]) -> bool:
        known = wanted | self._families[index]
        return any(
            wanted < alias and all(parameters(text) or _ACTIVE.fullmatch(text) for text in alias - known)
            for alias, _ in self._aliases[index]
        )

    def _stands_alone(self, word: str) -> bool:
        """Whether a word is a name by itself or with a size or version, and not just the first word of a longer name."""
        return any(
            alias - {word} == frozenset(text for text in alias if parameters(text) or text[0].isdigit())
            for index in self._first.get(word, ())
            for alias, _ in self._aliases[index]
        )

    def _sorted(
        self, indices: Sequence[int], wanted: frozenset[str], heads: Sequence[str], costs: dict[int, float] | None = None
    ) -> list[int]:
        def key(index: int) -> tuple[float, int, bool, bool, str, int]:
            model = self._models[index]
            atoms_of_name = self._aliases[index][0][0]
            version = 99
            for head in heads:
                order = USUAL_VERSIONS[head]
                version = min((order.index(text) for text in atoms_of_name if text in order), default=len(order))
            cost = costs[index] if costs else 0
            default = any(alias <= wanted or not any(parameters(text) for text in alias) for alias, _ in self._aliases[index])
            return cost, version, not default, model.superseded_by is not None, _backwards(model.released), model.parameters

        return sorted(indices, key=key)

    def _mention(
        self, tokens: Sequence[Token], pieces: Sequence[Atom], index: int, known: Collection[str]
    ) -> tuple[list[str], int, bool, str | None] | None:
        """The atoms of a name that starts at ``index``, where it ends, whether it is misspelt, and a size that does not belong."""
        said, after, fuzzy = self._start(tokens, pieces, index, known)
        if not said:
            return None
        having = self._having(said)
        end = after
        while after < len(pieces) and adjacent(tokens, pieces[after - 1].last, pieces[after].first):
            text = pieces[after].text
            if text.isdigit() and after + 1 < len(pieces) and pieces[after + 1].text == "x":
                # "llama 3.1 70b 3x3090": how many cards there are is no part of the name.
                break
            smaller = having & self._posting.get(text, set())
            if not smaller:
                text = _dotted(text)
                smaller = having & self._posting.get(text, set())
            if smaller:
                having = smaller
                said.append(text)
                after = end = after + 1
                continue
            if pieces[after].text in _FILLERS:
                after += 1
                # "Mixtral-8x7B-Instruct-v0.1-GGUF" is one name to its end.
                end = after if tied(tokens, pieces[after - 1]) else end
                continue
            piece = pieces[after]
            size = parameters(piece.text)
            if size:
                match = next((text for text in self._sizes(having) if _close(parameters(text), size)), None)
                if match is None:
                    match = self._size_by_count(having, size)
                if match is None:
                    listed = _comma(tokens, pieces[after - 1].last, piece.first)
                    return (said, end, fuzzy, None) if listed else (said, after + 1, fuzzy, piece.text)
                if match:
                    said.append(match)
                after = end = after + 1
                continue
            wrong = self._wrong_version(tokens, pieces, after)
            if wrong is not None:
                return [*said, piece.text], wrong[0], fuzzy, wrong[1]
            break
        return said, end, fuzzy, None

    def _start(
        self, tokens: Sequence[Token], pieces: Sequence[Atom], index: int, known: Collection[str]
    ) -> tuple[list[str], int, bool]:
        text = pieces[index].text
        if index + 1 < len(pieces):
            # "star coder", "deep seek": two words that are one on file.
            behind = pieces[index + 1].text
            joined = text + behind
            if (
                joined in self._starts
                and joined.isalpha()
                and behind not in self._starts.get(text, ())
                and adjacent(tokens, pieces[index].last, pieces[index + 1].first)
            ):
                return [joined], index + 2, False
        if text in self._starts:
            return [text], index + 1, False
        if len(text) < 4 or not text.isalpha() or not text.isascii() or text in known:
            return [], index, False
        # "deepseekcoder", "gptoss": one word that is two on file.
        for cut in range(3, len(text) - 2) if text[:3] in self._beginnings else ():
            head, tail = text[:cut], text[cut:]
            if tail in self._starts.get(head, ()):
                return [head, tail], index + 1, False
        if text in self._posting:
            return [], index, False
        near = self._misspelt(text)
        return ([near], index + 1, True) if near else ([], index, False)

    def _misspelt(self, word: str) -> str | None:
        choices = self._by_letter.get(word[0])
        if not choices or len(word) > 24:
            return None
        from rapidfuzz.distance import OSA

        allowed = 1 if len(word) < 9 else 2
        best = min(choices, key=lambda choice: OSA.distance(word, choice, score_cutoff=allowed))
        return best if OSA.distance(word, best, score_cutoff=allowed) <= allowed else None

    def _sizes(self, having: set[int]) -> list[str]:
        return sorted({text for index in having for alias, _ in self._aliases[index] for text in alias if parameters(text)})

    def _size_by_count(self, having: set[int], size: float) -> str | None:
        """A size that the name does not hold but the record confirms: "mixtral 47b"; empty where the name holds no size."""
        for index in sorted(having):
            if _close(self._models[index].parameters, size):
                return next((text for text in sorted(self._aliases[index][0][0]) if parameters(text)), "")
        return None

    def _on_file(self, said: Sequence[str], size: str) -> str:
        having = self._having(said)
        if having & self._posting.get(size, set()):
            return size
        return next((text for text in self._sizes(having) if _close(parameters(text), parameters(size) or 0)), size)

    def _wrong_version(self, tokens: Sequence[Token], pieces: Sequence[Atom], at: int) -> tuple[int, str] | None:
        """A version that no record has ("llama 5 8b"): where the name ends, and its size or nothing."""
        piece = pieces[at]
        if not piece.text.replace(".", "").isdigit():
            return None
        if at + 1 < len(pieces) and adjacent(tokens, piece.last, pieces[at + 1].first) and parameters(pieces[at + 1].text):
            return at + 2, pieces[at + 1].text
        return (at + 1, "") if tokens[piece.first].glued and len(piece.text) <= 3 else None

    def _size_before(
        self, tokens: Sequence[Token], pieces: Sequence[Atom], index: int, links: Collection[str]
    ) -> tuple[int, str] | None:
        """A size before the name: "30b llama", "the 70b of llama 2"."""
        if index == 0:
            return None
        piece = pieces[index - 1]
        if parameters(piece.text):
            direct = adjacent(tokens, piece.last, pieces[index].first) and not _comma(tokens, piece.last, pieces[index].first)
            return (index - 1, piece.text) if direct else None
        if index > 1 and piece.text in links and parameters(pieces[index - 2].text) and piece.first == pieces[index - 2].last:
            return index - 2, pieces[index - 2].text
        return None

    def _size_behind(
        self, pieces: Sequence[Atom], after: int, said: Sequence[str], links: Collection[str]
    ) -> tuple[int, str] | None:
        """A size a word or two behind the name ("llama 2, the 70b"), where the name has it."""
        for at in range(after, min(after + 2, len(pieces))):
            piece = pieces[at]
            if parameters(piece.text):
                return (at + 1, piece.text) if self._having([*said, piece.text]) else None
            if piece.text not in links:
                return None
        return None

    def _listed_before(
        self, tokens: Sequence[Token], pieces: Sequence[Atom], first: int, plain: Sequence[str], joins: Collection[str]
    ) -> list[Span]:
        """Sizes ahead of the one that stands before a name: "the 8b, 14b and 32b qwen3"."""
        found: list[Span] = []
        at = first - 1
        while at >= 0:
            piece = pieces[at]
            between = tokens[piece.last : pieces[at + 1].first]
            if any(token.text not in MARKS_OF_LISTS for token in between):
                break
            if parameters(piece.text):
                size = self._on_file(plain, piece.text)
                if not self._having([*plain, size]):
                    break
                found.insert(0, Span("model", piece.first, piece.last, (*plain, size), self.rank([*plain, size])))
            elif piece.text not in joins:
                break
            at -= 1
        return found

    def _versions(self, tokens: Sequence[Token], pieces: Sequence[Atom], at: int, plain: Sequence[str]) -> list[Span]:
        """Another version with the size of both: "llama 3 and 3.1 8b"; nothing where the number is none."""
        if at + 1 >= len(pieces) or not adjacent(tokens, pieces[at].last, pieces[at + 1].first):
            return []
        version, size = pieces[at], pieces[at + 1]
        heads = [text for text in plain if text.isalpha()]
        if not parameters(size.text) or len(heads) == len(plain) or not heads or version.text in plain:
            return []
        spans: list[Span] = []
        for said, piece in ((plain, version), ([*heads, version.text], size)):
            own = self._on_file(said, size.text)
            names = self.rank([*said, own]) if self._having([*said, own]) else ()
            if not names:
                return []
            spans.append(Span("model", piece.first, piece.last, (*said, own), names))
        return spans

    def _listed(
        self, tokens: Sequence[Token], pieces: Sequence[Atom], after: int, plain: Sequence[str], joins: Collection[str]
    ) -> tuple[list[Span], int]:
        """Further sizes of the same name: "7b, 13b and 70b", "7/13/34b"."""
        if not plain:
            return [], after
        items: list[tuple[Atom, str]] = []
        pending: list[Atom] = []
        at = after
        while at < len(pieces):
            piece = pieces[at]
            between = tokens[pieces[at - 1].last : piece.first] if at else []
            if piece.text in joins and all(token.text in MARKS_OF_LISTS for token in between):
                at += 1
                continue
            if len(between) > 2 or any(token.text not in MARKS_OF_LISTS for token in between):
                break
            versions = [] if items or pending else self._versions(tokens, pieces, at, plain)
            if versions:
                return versions, at + 2
            if parameters(piece.text):
                items.extend((early, early.text + piece.text[-1]) for early in pending)
                pending = []
                items.append((piece, piece.text))
            elif piece.text.replace(".", "", 1).isdigit() and at + 1 < len(pieces):
                pending.append(piece)
            else:
                break
            at += 1
        spans: list[Span] = []
        for piece, size in items:
            names = self.rank([*plain, self._on_file(plain, size)])
            if names:
                spans.append(Span("model", piece.first, piece.last, (*plain, size), names))
                after = pieces.index(piece) + 1
        return spans, after


def _comma(tokens: Sequence[Token], before: int, after: int) -> bool:
    return any(tokens[index].text in {",", "."} for index in range(before, after))


def _dotted(text: str) -> str:
    """A version typed without its point: "31" is 3.1."""
    return f"{text[0]}.{text[1]}" if len(text) == 2 and text.isdigit() else text


def _close(one: float | None, other: float) -> bool:
    return bool(one) and abs(one - other) <= _TOLERANCE * one


def _backwards(day: str) -> str:
    """A key that puts later dates first."""
    return day.translate(str.maketrans("0123456789", "9876543210"))
