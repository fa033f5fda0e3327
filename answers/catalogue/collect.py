"""Reads the sources as a whole, and refuses what cannot stand together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from answers.catalogue.active import DERIVED, derive_active
from answers.catalogue.cards import read_cards
from answers.catalogue.faults import record, tables
from answers.catalogue.measurements import read_measurements
from answers.catalogue.models import read_models
from answers.catalogue.picks import read_picks
from answers.catalogue.quality import read_quality
from answers.catalogue.records import Card, FirstCard, Measurement, Meta, Model, Pick, QuantQuality
from answers.errors import DataError
from answers.locales import read_toml

SOURCES = Path(__file__).resolve().parent / "sources"


@dataclass(frozen=True, slots=True)
class Collection:
    """Every record that the sources hold."""

    models: tuple[Model, ...]
    cards: tuple[Card, ...]
    first_cards: tuple[FirstCard, ...]
    measurements: tuple[Measurement, ...]
    picks: tuple[Pick, ...]
    quality: tuple[QuantQuality, ...]
    meta: Meta


def collect(sources: Path = SOURCES) -> Collection:
    """Every record of ``sources``, which is the folder beside this module.

    Raises:
        DataError: one sentence naming the file, the record and the field.
    """
    if not sources.is_dir():
        raise DataError(
            f"{sources}: the sources of the catalogue are not here; they are part of the repository, not of the package"
        )
    first = "cards/first.toml"
    models, cards = read_models(sources / "models"), read_cards(sources / "cards")
    collection = Collection(
        models=models,
        cards=cards,
        first_cards=tuple(record(FirstCard, fields, first) for fields in tables(read_toml(sources / first), "first", first)),
        measurements=read_measurements(sources / "measurements.csv", cards, models),
        picks=read_picks(sources / "picks.toml", models),
        quality=read_quality(sources / "quality.csv", models),
        meta=record(Meta, read_toml(sources / "meta.toml"), "meta.toml"),
    )
    _refuse_shared_names("model", collection.models)
    _refuse_shared_names("card", collection.cards)
    _refuse_wrong_derivations(collection.models)
    _refuse_dead_references(collection)
    return collection


def _refuse_shared_names(kind: str, records: Sequence[Card | Model]) -> None:
    owners: dict[str, str] = {}
    for entry in records:
        if entry.name.casefold() in owners:
            raise DataError(f"two {kind}s have the name {entry.name}")
        owners[entry.name.casefold()] = entry.name
    for entry in records:
        for alias in entry.aliases:
            other = owners.setdefault(alias.casefold(), entry.name)
            if other != entry.name:
                raise DataError(f"{kind} {entry.name}: the alias {alias!r} also stands for {other}")


def _refuse_dead_references(collection: Collection) -> None:
    cards = {card.name: card for card in collection.cards}
    sizes = [first.memory_gb for first in collection.first_cards]
    for first in collection.first_cards:
        place = f"cards/first.toml: {first.memory_gb:g} GB"
        if sizes.count(first.memory_gb) > 1:
            raise DataError(f"{place} is there twice")
        if first.card not in cards:
            raise DataError(f"{place}: card: {first.card} is not on file")
        if cards[first.card].memory_gb != first.memory_gb:
            raise DataError(f"{place}: card: {first.card} has {cards[first.card].memory_gb:g} GB")
    models = {model.name for model in collection.models}
    for model in collection.models:
        if model.superseded_by is not None and model.superseded_by not in models:
            raise DataError(f"model {model.name}: superseded_by: {model.superseded_by} is not on file")


def _refuse_wrong_derivations(models: Sequence[Model]) -> None:
    for model in models:
        if model.active_parameters_basis == DERIVED and model.active_parameters != derive_active(model):
            raise DataError(f"model {model.name}: active_parameters: the layout gives {derive_active(model)}")
