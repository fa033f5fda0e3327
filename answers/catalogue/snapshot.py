"""The catalogue as an answer sees it: one immutable snapshot, replaced as a whole when the file is loaded anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from types import MappingProxyType
from typing import Any, cast

from answers.catalogue.measurements import Measured, Measurements
from answers.catalogue.names import Names
from answers.catalogue.records import Card, FirstCard, Model, Pick, Provenance, QuantQuality


@dataclass(frozen=True, slots=True, repr=False)
class Catalogue:
    """Everything that an answer needs to know, in catalogue order."""

    models: tuple[Model, ...]
    cards: tuple[Card, ...]
    surveyed: tuple[Card, ...]
    """The cards that enter counts, ranks, smallest and fastest."""
    families: Mapping[str, tuple[Model, ...]]
    first_cards: Mapping[float, str]
    """Card memory in GB -> the card that an answer about that size names first."""
    first_card_reasons: Mapping[float, str]
    suggested_sizes: tuple[float, ...]
    """Card memories in GB, ascending, that an answer may suggest to get next."""
    date: date
    """The day the facts are of; "recent" counts back from it."""
    schema_version: int
    provenance: tuple[Provenance, ...]
    picks: tuple[Pick, ...]
    """The models that are recommended, in the order of their file."""
    quality: Mapping[str, tuple[QuantQuality, ...]]
    """Model -> what is published of its quants."""
    measured: Measurements
    """Measured speeds, to show beside an estimate."""
    names: Names
    """Finds models and cards by the names that people type."""
    _models_by_name: Mapping[str, Model]
    _cards_by_name: Mapping[str, Card]

    @classmethod
    def of(
        cls,
        *,
        models: Iterable[Model],
        cards: Iterable[Card],
        first_cards: Iterable[FirstCard],
        provenance: Iterable[Provenance],
        picks: Iterable[Pick] = (),
        quality: Iterable[QuantQuality] = (),
        measurements: Iterable[tuple[Any, ...]] = (),
        day: date,
        schema_version: int,
    ) -> Catalogue:
        """The snapshot of these records; measurements as the rows of their table."""
        models, cards, first_cards = tuple(models), tuple(cards), tuple(first_cards)
        families: dict[str, list[Model]] = {}
        for model in models:
            families.setdefault(model.family, []).append(model)
        of_model: dict[str, list[QuantQuality]] = {}
        for entry in quality:
            of_model.setdefault(entry.model, []).append(entry)
        return cls(
            models=models,
            cards=cards,
            surveyed=tuple(card for card in cards if card.surveyed),
            families=MappingProxyType({family: tuple(members) for family, members in families.items()}),
            first_cards=MappingProxyType({first.memory_gb: first.card for first in first_cards}),
            first_card_reasons=MappingProxyType({first.memory_gb: first.why for first in first_cards}),
            suggested_sizes=tuple(sorted(first.memory_gb for first in first_cards if first.suggested)),
            date=day,
            schema_version=schema_version,
            provenance=tuple(provenance),
            picks=tuple(picks),
            quality=MappingProxyType({model: tuple(found) for model, found in of_model.items()}),
            measured=Measurements(tuple(measurements), frozenset(card.name for card in cards if card.unified)),
            names=Names(models, cards),
            _models_by_name=MappingProxyType({model.name: model for model in models}),
            _cards_by_name=MappingProxyType({card.name: card for card in cards}),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # What shows a dictionary without letting anybody change it cannot be pickled.
        held = [getattr(self, part.name) for part in fields(self)]
        return _restored, tuple(dict(part) if isinstance(part, MappingProxyType) else part for part in held)

    def __repr__(self) -> str:
        # asyncio.run() prints its task's result while it restores the signal handlers, so this must stay short.
        return f"<Catalogue of {self.date}: {len(self.models)} models, {len(self.cards)} cards>"

    def model(self, name: str) -> Model:
        """The model of exactly this name.

        Raises:
            KeyError: where there is none; other spellings are for a look-up by name.
        """
        return self._models_by_name[name]

    def card(self, name: str) -> Card:
        """The card of exactly this name.

        Raises:
            KeyError: where there is none; other spellings are for a look-up by name.
        """
        return self._cards_by_name[name]

    def measurements(self, card: str, model: str, quant: str, cards: int = 1) -> Measured | None:
        """What was measured of this very model at this very quant on this very card, or on so many of them."""
        return self.measured.of(card, model, quant, cards)

    def measured_sizes(self, card: str) -> tuple[int, ...]:
        """The parameter counts of the models that were measured on this card, in ascending order."""
        return self.measured.sizes(card)


def _restored(*held: Any) -> Catalogue:
    whole: list[Any] = [MappingProxyType(cast("dict[Any, Any]", part)) if isinstance(part, dict) else part for part in held]
    return Catalogue(*whole)
