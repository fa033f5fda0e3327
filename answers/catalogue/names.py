"""Finds models and cards by the names that people type.

A name on file is a set of atoms (see ``atoms``); a typed name matches every record that has all of its atoms. Matches are ranked
by how little of the record's name was left unsaid, then by what people usually mean.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from answers.catalogue.atoms import Atom, Span, Token, atoms, clean, tokenise
from answers.catalogue.cardnames import CardNames
from answers.catalogue.modelnames import ModelNames
from answers.catalogue.records import Card, Model, Segment

NEAREST = 5
"""How many names are offered for one that is not on file."""


@dataclass(frozen=True, slots=True)
class Match:
    """What a typed name may mean."""

    typed: str
    names: tuple[str, ...]
    """Names on file, likeliest first; more than one where the typed name is ambiguous, none where it is unknown."""
    nearest: tuple[str, ...] = ()
    """For an unknown name, the most similar ones on file."""

    @property
    def exact(self) -> bool:
        """Whether exactly one record is meant."""
        return len(self.names) == 1


class Names:
    """Look-ups by name over all models and cards of a catalogue."""

    def __init__(self, models: Sequence[Model], cards: Sequence[Card]) -> None:
        self.models = ModelNames(models)
        self.cards = CardNames(cards)

    def find_models(self, text: str, near: bool = True) -> Match:
        """The models that one typed name may mean: an exact hit, several candidates, or (where ``near``) the nearest names."""
        wanted = text.strip()[:200]
        if wanted in self.models.by_name:
            return Match(wanted, (wanted,))
        tokens = tokenise(clean(wanted))
        found = [span for span in self.models.spans(tokens, atoms(tokens)) if span.names]
        if found:
            return Match(wanted, max(found, key=lambda span: len(span.said)).names)
        return Match(wanted, (), _nearest(wanted, self.models.spellings) if near else ())

    def find_cards(self, text: str, near: bool = True) -> Match:
        """The cards that one typed name may mean: an exact hit, several candidates, or (where ``near``) the nearest names.

        A memory size in the name ("3060 12gb") chooses between cards that differ in it.
        """
        wanted = text.strip()[:200]
        if wanted in self.cards.by_name:
            return Match(wanted, (wanted,))
        tokens = tokenise(clean(wanted))
        found = atoms(tokens)
        memory = next((float(atom.text[:-2]) for atom in found if atom.text.endswith("gb") and _is_number(atom.text[:-2])), None)
        mobile = any(atom.text == "mobile" for atom in found)
        spans = [span for span in self.cards.spans(tokens, found) if span.said]
        if spans:
            longest = max(spans, key=lambda span: len(span.said))
            names = self.cards.resolve(longest.said, memory_gb=memory, mobile=mobile)
            if names:
                return Match(wanted, names)
        return Match(wanted, (), _nearest(wanted, self.cards.spellings) if near else ())

    @property
    def beginnings(self) -> frozenset[str]:
        """The words that names of models and cards begin with."""
        return self.models.beginnings | self.cards.beginnings

    def card_memory(self, name: str) -> float:
        """The memory of a card on file, in GB."""
        return self.cards.record(name).memory_gb

    def card_segment(self, name: str) -> Segment:
        """What kind of machine a card on file is sold in."""
        return self.cards.record(name).segment

    def spans(
        self,
        tokens: Sequence[Token],
        pieces: Sequence[Atom] | None = None,
        taken: Collection[int] = (),
        ordinary: Collection[str] = (),
        known: Collection[str] = (),
        links: Collection[str] = (),
        joins: Collection[str] = (),
    ) -> list[Span]:
        """Every model and card named in a running text, in order.

        ``pieces`` are the atoms of the tokens, where the caller has them. Tokens in ``taken`` already mean something else.
        ``ordinary`` are names that are also words of a language, ``known`` words that are no misspelt name, ``links`` words that
        may stand between a size and a name ("the 34b of llama 2"), ``joins`` words between the members of a list ("7b and 13b").
        """
        pieces = atoms(tokens) if pieces is None else pieces
        if taken:
            pieces = [atom for atom in pieces if not any(index in taken for index in range(atom.first, atom.last))]
        models = self.models.spans(tokens, pieces, ordinary=ordinary, known=known, links=links, joins=joins)
        cards = self.cards.spans(tokens, pieces, joins=joins)
        return _without_overlap([*models, *cards])


def _nearest(wanted: str, spellings: Mapping[str, str]) -> tuple[str, ...]:
    """The names whose spellings are most like ``wanted``, most alike first."""
    from rapidfuzz import fuzz, process, utils

    found = process.extract(
        wanted, list(spellings), scorer=fuzz.WRatio, processor=utils.default_process, limit=4 * NEAREST, score_cutoff=60
    )
    return tuple(dict.fromkeys(spellings[spelling] for spelling, _, _ in found))[:NEAREST]


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _without_overlap(spans: Iterable[Span]) -> list[Span]:
    """Where two names claim the same token, the one with more atoms is meant; a name on file before an unknown one."""
    kept: list[Span] = []
    used: set[int] = set()
    for span in sorted(spans, key=lambda span: (not span.names, -len(span.said), span.kind != "model", span.first)):
        covered = range(span.first, span.last)
        if not any(index in used for index in covered):
            used.update(covered)
            kept.append(span)
    return sorted(kept, key=lambda span: span.first)
