"""Finds graphics cards by name: bare numbers, wrong or missing prefixes, laptop versions, twins that differ in memory."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

from answers.catalogue.atoms import BRANDS, Atom, Span, Token, adjacent, glued_word, holding, name_atoms
from answers.catalogue.records import Card, Segment

_TWINS = frozenset(("pcie", "sxm", "sxm2", "sxm3", "sxm4", "sxm5", "dgxs", "fhhl", "generation", "instinct", "graphics", "apple"))
"""Atoms that do not make another card of one: people leave them out."""
_CORES = BRANDS | {"generation", "instinct", "graphics", "apple", "arc", "gpu"}
_RANK = {
    Segment.CONSUMER: 0,
    Segment.UNIFIED: 0,
    Segment.WORKSTATION: 1,
    Segment.DATACENTRE: 1,
    Segment.MINING: 2,
    Segment.EMBEDDED: 3,
    Segment.CONSOLE: 3,
    Segment.MOBILE: 4,
}
_WEAK_WORDS = frozenset(("titan", "vega", "arc", "pro", "max", "fury", "radeon", "switch", "xbox", "playstation", "steam"))
_SERIES = frozenset(("titan",))
"""Words that several cards are called by and nothing but cards: they ask which one is meant."""
_VARIANTS = frozenset(("pro", "max", "ultra", "super", "ti", "xt", "ai", "ddr", "gddr", "ddr4", "ddr5", "gddr5", "gddr6"))
_INTEGRATED = re.compile(r"[678][0-9]0m")
_SHARING = frozenset(("igpu", "apu", "apus", "igpus", "integrated", "integrada", "integrata"))
_PROCESSORS = frozenset(("ryzen", "threadripper", "epyc", "xeon", "core", "i3", "i5", "i7", "i9", "r3", "r5", "r7", "r9", "athlon"))
_MODULES = frozenset(("ddr", "lpddr"))
_MODULE_SPEEDS = frozenset((
    "1600", "1866", "2133", "2400", "2666", "2800", "2933", "3000", "3200", "3400", "3600", "3733", "4000", "4266", "4400", "4800",
    "5000", "5200", "5400", "5600", "6000", "6200", "6400", "6600", "6800", "7000", "7200", "7600", "8000", "8200", "8400", "8533",
))  # fmt: skip
"""Transfers a second in millions that memory modules are sold by."""
_MEMORY_TYPES = frozenset(("ddr", "gddr"))
MONEY = frozenset((
    "$", "€", "£", "₽", "euro", "euros", "eur", "dollars", "dollar", "bucks", "usd", "pounds", "quid", "dolares", "pavos",
    "dollari", "balles", "reais", "conto", "zl", "zlotych", "руб", "рублей", "рубля",
))  # fmt: skip
_MONEY_BEHIND = frozenset("元块円원")
"""Where no spaces part the words, only what follows a number makes it a sum: "70만원 3090", and "2000以内" (within 2000)."""
_MULTIPLES = "百千万백천만"
"""What may stand between the number and the currency: "100만원"."""
_FORMS = ("pcie", "sxm", "dgxs", "fhhl")
"""Form factors, the one that people own first."""

_MEMORY_TOLERANCE_GB = 0.6
_MOST = 25


class CardNames:
    """The names of all cards, indexed by their atoms."""

    def __init__(self, cards: Sequence[Card]) -> None:
        self._cards = cards
        # The same few cards are asked about again and again.
        self._resolved = lru_cache(2048)(self._resolve)
        self.by_name = {card.name: index for index, card in enumerate(cards)}
        self._posting: dict[str, set[int]] = {}
        self._aliases: list[tuple[tuple[str, ...], ...]] = []
        """For each card the distinct atoms of its spellings; as tuples, which take a third of the memory of sets."""
        self._starts: set[str] = set()
        self._bare: set[str] = set()
        for index, card in enumerate(cards):
            spellings: list[tuple[str, ...]] = []
            for spelling in (card.name, *card.aliases):
                said = [text for text in name_atoms(spelling) if not _is_memory(text)]
                if not said:
                    continue
                for text in said:
                    self._posting.setdefault(text, set()).add(index)
                spellings.append(tuple(dict.fromkeys(said)))
                start = next((text for text in said if text not in _CORES), said[0])
                self._starts.add(start)
                if len(start) == 4 and start.isdigit() and said[-2 if len(said) > 1 else 0] != "quadro":
                    self._bare.update([start] if {"rtx", "gtx", "rx"} & set(said) and "quadro" not in said else [])
            self._aliases.append(tuple(spellings))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_resolved": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._resolved = lru_cache(2048)(self._resolve)

    @property
    def beginnings(self) -> frozenset[str]:
        """The words that names on file begin with, one by one or as several."""
        return frozenset(self._starts | _CORES | _SHARING | {text + "s" for text in self._starts if text.isalpha()})

    def record(self, name: str) -> Card:
        """The card of exactly this name."""
        return self._cards[self.by_name[name]]

    @property
    def spellings(self) -> dict[str, str]:
        """Every spelling on file -> the name of its card."""
        return {spelling: card.name for card in self._cards for spelling in (card.name, *card.aliases)}

    def spans(self, tokens: Sequence[Token], pieces: Sequence[Atom], joins: Collection[str] = ()) -> list[Span]:
        """The cards named in a running text; ``said`` is what ``resolve`` takes, once memory and machine are known."""
        found: list[Span] = []
        index = 0
        while index < len(pieces):
            text = pieces[index].text
            possible = text in self._starts or text in _CORES or (text[-1] == "s" and text[:-1] in self._starts)
            possible = possible or bool(text[-1] == "m" and _INTEGRATED.fullmatch(text))
            mention = self._mention(tokens, pieces, index) if possible else None
            if mention is None:
                index += 1
                continue
            span, after = mention
            found.append(span)
            index = after
            # "m2 pro vs max", "7900 xt or xtx": the second card shares the number of the first.
            if span.names and after + 1 < len(pieces) and pieces[after].text in joins:
                word = pieces[after + 1]
                core = next((text for text in span.said if text not in BRANDS), "")
                shared = (core, word.text)
                if word.text.isalpha() and word.text not in BRANDS and self._having(shared) and len(word.text) > 1:
                    found.append(Span("card", word.first, word.last, shared, self.resolve(shared)))
                    index = after + 2
        return found

    def resolve(self, said: Sequence[str], memory_gb: float | None = None, mobile: bool = False) -> tuple[str, ...]:
        """The cards that a name means, likeliest first; more than one where they differ in what matters.

        ``memory_gb`` chooses between twins and is otherwise ignored; ``mobile`` means the version of a laptop, where there is one.
        """
        return self._resolved(tuple(said), memory_gb, mobile)

    def _resolve(self, said: tuple[str, ...], memory_gb: float | None, mobile: bool) -> tuple[str, ...]:
        core = [text for text in said if text not in BRANDS]
        having = self._having(said) or self._having(core)
        if mobile and "mobile" not in core:
            having = (
                self._having([*said, "mobile"])
                or self._having([*core, "mobile"])
                or self._having([*core[:-1], core[-1] + "m"] if core else [])
                or having
            )
        if not having:
            return ()
        wanted = frozenset(said) | ({"mobile"} if mobile else set[str]())
        easily = wanted | _CORES | _TWINS
        unsaid = {index: min(sum(text not in easily for text in alias) for alias in self._aliases[index]) for index in having}
        least = min(unsaid.values())
        group = [index for index in having if unsaid[index] == least]
        if memory_gb is not None:
            same = [index for index in group if abs(self._cards[index].memory_gb - memory_gb) <= _MEMORY_TOLERANCE_GB]
            group = same or group
            if same:
                return self._distinct(group, wanted)
        if not mobile and "mobile" not in wanted:
            group = [index for index in group if self._cards[index].segment is not Segment.MOBILE] or group
        known = [index for index in group if self._cards[index].surveyed or self._cards[index].unified]
        group = known or group
        plain = [index for index in group if not self._names_memory(index) and not self._is_twin(index, wanted)]
        return self._distinct(plain or group, wanted)

    def _distinct(self, group: Sequence[int], wanted: frozenset[str]) -> tuple[str, ...]:
        """The names of a group, boards that differ in nothing that matters counted once."""

        def key(index: int) -> tuple[bool, int, str, float, int, str]:
            card = self._cards[index]
            released = card.released.isoformat() if card.released else "9999"
            return (
                not (card.surveyed or card.unified),
                _RANK[card.segment],
                released,
                -card.memory_gb,
                len(card.name),
                card.name,
            )

        seen: set[tuple[float, float, Segment]] = set()
        names: list[str] = []
        for index in sorted(
            group, key=lambda index: (*key(index)[:2], self._form(index), len(self._cards[index].name), *key(index))
        ):
            card = self._cards[index]
            kind = (card.memory_gb, card.bandwidth_gb_s, card.segment)
            if kind not in seen:
                seen.add(kind)
                names.append(card.name)
        names.sort(key=lambda name: key(self.by_name[name]))
        return tuple(names[:_MOST])

    def _form(self, index: int) -> int:
        name = self._cards[index].name.lower()
        return next((place for place, form in enumerate(_FORMS) if form in name), 0)

    def _names_memory(self, index: int) -> bool:
        return self._cards[index].name.endswith(" GB") or " GB " in self._cards[index].name

    def _is_twin(self, index: int, wanted: frozenset[str]) -> bool:
        twins = _TWINS - wanted - {"generation", "instinct", "graphics", "apple"}
        return not any(twins.isdisjoint(alias) for alias in self._aliases[index])

    def _having(self, said: Sequence[str]) -> set[int]:
        """The cards that hold all these atoms."""
        return holding(self._posting, said)

    def _mention(self, tokens: Sequence[Token], pieces: Sequence[Atom], index: int) -> tuple[Span, int] | None:
        """The card whose name starts at ``index``, and the piece behind it."""
        brands: list[str] = []
        at = index
        while at < len(pieces) and pieces[at].text in _CORES and pieces[at].text not in {"gpu"}:
            if brands and not adjacent(tokens, pieces[at - 1].last, pieces[at].first):
                return None
            brands.append(pieces[at].text)
            at += 1
        if at == len(pieces) or (brands and not adjacent(tokens, pieces[at - 1].last, pieces[at].first)):
            return None
        core = pieces[at].text
        if core.endswith("s") and core[:-1] in self._starts and (core not in self._posting or _counted(tokens, pieces, index)):
            # "8 V100s" are eight V100, though there is a V100S.
            core = core[:-1]
        if core in _VARIANTS and not brands:
            return None
        behind_brand = brands and core in self._posting and (not core.isalpha() or self._whole((*brands, core)))
        if core == "mobile" or (core not in self._starts and not behind_brand and not _INTEGRATED.fullmatch(core)):
            return self._unknown(tokens, pieces, index, at, brands)
        numeric = core.isdigit()
        if not brands and numeric and core not in self._bare and len(core) != 3:
            return None
        if numeric and len(core) < 3 and not {"vega", "arc"} & set(brands):
            return None
        if numeric and not brands and (_of_other_part(tokens, pieces, index) or _is_money(tokens, pieces[index])):
            return None
        if _INTEGRATED.fullmatch(core) and _is_integrated(tokens, pieces, index, at, brands):
            # The GTX 780M is another card than the Radeon 780M, and 890M is a size elsewhere.
            return Span("card", pieces[index].first, pieces[at].last, (*brands, core), ()), at + 1
        said, after = [core], at + 1
        having = self._having([*brands, core]) or self._having([core])
        while after < len(pieces) and adjacent(tokens, pieces[after - 1].last, pieces[after].first):
            text = pieces[after].text
            smaller = having & self._posting.get(text, set())
            glued = tokens[pieces[after].first].glued
            if len(text) == 1 and not glued and not (core.isalpha() and self._whole((*said, text))):
                # "4090 d" is a 4090, but "Titan X" and "Titan V" are whole names.
                break
            if not smaller or text in {"s"} or (text.isdigit() and core.isdigit()):
                break
            if text in _MEMORY_TYPES and not self._says_every_variant(smaller, said):
                # Of "3060 GDDR6" no other card is meant than of "3060", whatever the memory of a 3060 Ti is.
                break
            if text in BRANDS or not _comma_between(tokens, pieces[after - 1].last, pieces[after].first):
                having = smaller
                said.append(text)
                after += 1
                continue
            break
        after, plural = self._plural(tokens, pieces, after, core)
        if plural is None:
            return self._unknown(tokens, pieces, index, at, brands)
        short = plural and len(said) == 1
        short = short or (said[1:] == ["ti"] and tokens[pieces[after - 1].first].text == "tis")
        if short and having & self._posting.get("super", set()) and not _counted(tokens, pieces, index):
            # "a 2070s" is a 2070 SUPER and "a 4070tis" a 4070 Ti SUPER, "two 2070s" are two 2070.
            said.append("super")
        weak = not brands and len(said) == 1 and ((numeric and core not in self._bare) or core in _WEAK_WORDS or core.isalpha())
        names = self.resolve((*brands, *said))
        if numeric and not brands and names and names[0].startswith("Quadro"):
            # "a 600", "2000 tok/s": nobody calls a Quadro by its number alone.
            return None
        alone = core.isalpha() and not brands and all(text in BRANDS for text in said[1:])
        whole = said[0] in _SERIES and len(said) == 1
        if not names or (
            alone and not whole and not any(set(alias) == set(said) for index in having for alias in self._aliases[index])
        ):
            # One word of a longer name is no name: "all Radeon cards" means no All-In-Wonder.
            return None
        return Span("card", pieces[index].first, pieces[after - 1].last, (*brands, *said), names, weak), after

    def _says_every_variant(self, indices: Iterable[int], said: Sequence[str]) -> bool:
        """Whether of one of these cards every variant that it is called by ("Ti", "SUPER") was said."""
        unsaid = _VARIANTS - {"ddr", "gddr", *said}
        return any(unsaid.isdisjoint(alias) for index in indices for alias in self._aliases[index])

    def _whole(self, said: Sequence[str]) -> bool:
        """Whether these words are the whole name of a card: "NVIDIA card" is none, though a card has "card" in its name."""
        wanted = frozenset(said)
        easily = wanted | _CORES
        return any(
            wanted.issubset(alias) and easily.issuperset(alias) for index in self._having(said) for alias in self._aliases[index]
        )

    def _plural(self, tokens: Sequence[Token], pieces: Sequence[Atom], after: int, core: str) -> tuple[int, bool | None]:
        """Whether a plural s follows; ``None`` for a unit, which makes the number no card ("1080p")."""
        if not core.isdigit() or after >= len(pieces):
            return after, False
        piece = pieces[after]
        if piece.first != pieces[after - 1].last or not glued_word(tokens, piece.first):
            return after, False
        if piece.text == "s":
            return after + 1, True
        return after, False if len(piece.text) > 3 else None

    def _unknown(
        self, tokens: Sequence[Token], pieces: Sequence[Atom], index: int, at: int, brands: Sequence[str]
    ) -> tuple[Span, int] | None:
        """A number behind a card's prefix that no card has: "RTX 9999"."""
        core = pieces[at].text
        if not {"rtx", "gtx", "rx", "arc"} & set(brands) or not core.isdigit() or len(core) not in (3, 4):
            return None
        after, plural = self._plural(tokens, pieces, at + 1, core)
        if plural is None and "arc" in brands and len(pieces[at + 1].text) == 1:
            # "Arc 140V"
            after, plural = at + 2, False
        if plural is None:
            return None
        return Span("card", pieces[index].first, pieces[after - 1].last, (*brands, core), ()), after


def _of_other_part(tokens: Sequence[Token], pieces: Sequence[Atom], index: int) -> bool:
    """Whether a number is that of a processor or of memory modules: "Ryzen 5600", "Ryzen 5 5600", "i5 9600", "DDR5 6000"."""
    before = [atom.text for atom in pieces[max(index - 3, 0) : index]]
    if not before:
        return False
    if pieces[index].text in _MODULE_SPEEDS and not _comma_between(tokens, pieces[index - 1].last, pieces[index].first):
        # "ddr5-6000", "lpddr5x 8533": the generation is an atom of its own.
        generation = before[:-1] if before[-1] == "x" else before
        if len(generation) > 1 and generation[-2] in _MODULES and generation[-1].isdigit():
            return True
    return before[-1] in _PROCESSORS or (
        len(before) > 1 and before[-2] in _PROCESSORS and before[-1].isdigit() and len(before[-1]) == 1
    )


def _is_money(tokens: Sequence[Token], piece: Atom) -> bool:
    """Whether a number is a sum: "600 euros", "$780"."""
    around = (piece.first - 1, piece.last)
    behind = "".join(token.text for token in tokens[piece.last : piece.last + 2])
    if behind.lstrip(_MULTIPLES)[:1] in _MONEY_BEHIND or behind == "以内":
        return True
    return any(0 <= index < len(tokens) and tokens[index].text in MONEY for index in around)


def _is_integrated(tokens: Sequence[Token], pieces: Sequence[Atom], index: int, at: int, brands: Sequence[str]) -> bool:
    """Whether "780M" means the graphics of a processor: it is called so, or a Radeon."""
    if brands:
        return bool({"radeon", "amd"} & set(brands))
    around = [atom.text for atom in pieces[max(index - 4, 0) : at + 4]]
    return any(text in _SHARING or text in _PROCESSORS for text in around)


def _is_memory(text: str) -> bool:
    return text.endswith("gb") and text[:1].isdigit()


def _comma_between(tokens: Sequence[Token], before: int, after: int) -> bool:
    return any(tokens[index].text in {",", "."} for index in range(before, after))


def _counted(tokens: Sequence[Token], pieces: Sequence[Atom], index: int) -> bool:
    """Whether the word before is a number: "two 2070s", "2x 2070s"."""
    if index == 0:
        return False
    before = pieces[index - 1].text
    return before.isdigit() or before in {"x", "two", "three", "four", "dual", "multiple", "some", "several"}
