"""Suggests names on file for what somebody has begun to type, best first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from answers.catalogue.atoms import fold
from answers.catalogue.records import Card, Model, Segment
from answers.catalogue.snapshot import Catalogue

MOST = 25
_PART = 3
"""Letters by which names are looked up."""
_RANKED = 200
"""Names that are put in order; whoever has typed so little that more match goes on typing."""
_RECENT_DAYS = 6 * 365
_ALIKE = 70
"""How alike, of 100, a name has to be to what is typed where nothing on file has it in it."""
_WORD = re.compile(r"[a-z]+|\d+")
_BRAND = re.compile(r"^(?:GeForce|Radeon RX|Radeon|Quadro|Tesla|Apple) (?=\S)")
"""What people leave out in front of a card's name."""
_ORDER = {Segment.CONSUMER: 0, Segment.UNIFIED: 1, Segment.WORKSTATION: 2, Segment.MOBILE: 3, Segment.DATACENTRE: 4}


class Suggestions:
    """The names of one catalogue, in the order in which people are likely to mean them."""

    def __init__(self, catalogue: Catalogue) -> None:
        models = sorted(catalogue.models, key=lambda model: (model.superseded_by is None, model.released, model.size), reverse=True)
        first = frozenset(catalogue.first_cards.values())
        recent = catalogue.date.toordinal() - _RECENT_DAYS
        cards = sorted(catalogue.cards, key=lambda card: _likeliness(card, first, recent))
        self._models = _Index((model.name, model.name, model.aliases) for model in models)
        self._cards = _Index((card.name, _BRAND.sub("", card.name), (card.name, *card.aliases)) for card in cards)
        self._usual_models = tuple(model.name for model in models if _is_usual(model))[:MOST]
        self._usual_cards = tuple(catalogue.first_cards[size] for size in catalogue.suggested_sizes)[:MOST]
        self.models = lru_cache(maxsize=1024)(self._find_models)
        self.cards = lru_cache(maxsize=1024)(self._find_cards)

    def _find_models(self, typed: str) -> tuple[str, ...]:
        """At most 25 models; the latest ones where nothing is typed."""
        return self._models.find(typed) if typed.strip() else self._usual_models

    def _find_cards(self, typed: str) -> tuple[str, ...]:
        """At most 25 cards; where nothing is typed, the one that is named first for each memory size."""
        return self._cards.find(typed) if typed.strip() else self._usual_cards


def _is_usual(model: Model) -> bool:
    return model.superseded_by is None and bool(set(model.uses) - {"base"})


def _likeliness(card: Card, first: frozenset[str], recent: int) -> tuple[int, bool, bool, int, int, str]:
    """Cards that people own before others, recent before older ones; of several versions the one with the shortest name."""
    released = card.released.toordinal() if card.released else 0
    return _ORDER.get(card.segment, 5), card.name not in first, released < recent, len(card.name), -released, card.name


class _Index:
    """Names and their other spellings, without spaces and signs."""

    def __init__(self, names: Iterable[tuple[str, str, Sequence[str]]]) -> None:
        """Each name with the part of it that people say and its other spellings."""
        self._names: list[str] = []
        self._said: list[str] = []
        self._spellings: list[str] = []
        self._starts: list[str] = []
        for name, said, others in names:
            words = _WORD.findall(fold(said))
            self._names.append(name)
            self._said.append("".join(words))
            self._spellings.append("|".join(("".join(words), *("".join(_WORD.findall(fold(other))) for other in others))))
            self._starts.append(" " + " ".join(words))
        # Where to look, so that a catalogue of ten times the size is not looked through at every letter that is typed.
        self._having: dict[str, list[int]] = {}
        self._beginning: dict[str, list[int]] = {}
        for place, (spelling, starts) in enumerate(zip(self._spellings, self._starts, strict=True)):
            for part in {spelling[at : at + _PART] for at in range(len(spelling) - _PART + 1)}:
                self._having.setdefault(part, []).append(place)
            for part in {word[:length] for word in starts.split() for length in range(1, _PART)}:
                self._beginning.setdefault(part, []).append(place)

    def find(self, typed: str) -> tuple[str, ...]:
        """Names that have every word in them: the very name, then those that begin so, then those with words that do."""
        words = _WORD.findall(fold(typed[:100]))
        if not words:
            return ()
        whole = "".join(words)
        spellings = self._spellings
        begun = self._beginning.get(whole, ()) if len(words) == 1 else ()
        # So many begin with one or two letters that those alone are ranked, whatever else has them.
        found = list(begun) if len(begun) > _RANKED else self._with(whole)
        if len(found) < MOST and len(words) > 1:
            longest = max(words, key=len)
            near = self._with(longest)
            found += sorted({place for place in near if all(word in spellings[place] for word in words)} - set(found))
        if not found:
            return self._alike(whole)
        if len(found) > _RANKED:
            begun = [place for place in found if f" {words[0]}" in self._starts[place]]
            found = (begun or found)[:_RANKED]
        found.sort(key=lambda place: self._rank(place, whole, words))
        return tuple(self._names[place] for place in found[:MOST])

    def _with(self, piece: str) -> list[int]:
        """The places of all spellings that have a piece in them."""
        spellings = self._spellings
        if len(piece) < _PART:
            return [place for place, spelling in enumerate(spellings) if piece in spelling]
        parts = [self._having.get(piece[at : at + _PART], []) for at in range(len(piece) - _PART + 1)]
        return [place for place in min(parts, key=len) if piece in spellings[place]]

    def _rank(self, place: int, whole: str, words: Sequence[str]) -> int:
        said = self._said[place]
        if said.startswith(whole):
            return 0 if said == whole else 1
        starts = self._starts[place]
        if all(f" {word}" in starts for word in words):
            return 2 if starts.startswith(f" {words[0]}") else 3
        return 4 if whole in self._spellings[place] else 5

    def _alike(self, whole: str) -> tuple[str, ...]:
        """The names most like something that is in none of them."""
        from rapidfuzz import fuzz, process

        close = process.extract(whole, self._said, scorer=fuzz.ratio, limit=5, score_cutoff=_ALIKE)
        return tuple(self._names[place] for _, _, place in close)
