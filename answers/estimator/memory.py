"""Memory: what a model needs and what a card can give, by the documented method."""

from __future__ import annotations

import math
from dataclasses import dataclass

from answers.catalogue.records import Card, Model
from answers.estimator.quants import Quant, constants


@dataclass(frozen=True, slots=True)
class Figures:
    """What the estimator needs to know of a model."""

    parameters: float
    """All of them, in units: what memory is counted from."""
    parameters_read: float | None
    """Those read for every token; ``None`` where a mixture of experts does not say, which leaves no speed."""
    layers: int | None = None
    max_context: int | None = None
    moe: bool = False

    @classmethod
    def of(cls, model: Model) -> Figures:
        """The figures of a record: the stated size where the record has one, else the exact count."""
        read = model.active_parameters if model.moe else model.size
        return cls(float(model.size), float(read) if read else None, model.layers, model.max_context, model.moe)

    @classmethod
    def dense(cls, parameters: float) -> Figures:
        """A dense model of which only the size is known."""
        return cls(parameters, parameters)

    def context(self, asked: int | None) -> int:
        """The context that is answered for: the one asked (default 4,096), at most the model's own maximum; in tokens."""
        wanted = asked or int(constants()["documented"]["default_context"])
        return min(wanted, self.max_context) if self.max_context else wanted


def weights_gb(parameters: float, quant: Quant) -> float:
    """Weights as stored, in GB."""
    return parameters * quant.memory_bpw / 8 / 1e9


def reserve_gb(parameters: float, context: int) -> float:
    """Runtime, buffers and cache, in GB (``constants.toml``, documented.reserve).

    Contexts under the default shrink only the term that grows with the model; past it every token adds a typical cache.
    """
    documented = constants()["documented"]
    reserve, default = documented["reserve"], documented["default_context"]
    root = math.sqrt(parameters / 1e9)
    short = min(context, default) / default
    return reserve["base_gb"] + reserve["root_gb"] * root * short + reserve["token_gb"] * root * max(0, context - default)


def need_gb(parameters: float, quant: Quant, context: int) -> float:
    """Memory that the model takes at that quant and context, in GB."""
    return weights_gb(parameters, quant) + reserve_gb(parameters, context)


def usable_gb(memory_gb: float, unified: bool = False) -> float:
    """The part of a card's memory that a model may take, in GB."""
    shares = constants()["documented"]["memory"]
    if not unified:
        return shares["usable"] * memory_gb
    large = memory_gb >= shares["unified_large_gb"]
    return memory_gb * shares["unified_usable_large" if large else "unified_usable_small"]


def comfortable_gb(memory_gb: float, unified: bool = False) -> float:
    """The need up to which a fit counts as comfortable, in GB."""
    shares = constants()["documented"]["memory"]
    if unified:
        return usable_gb(memory_gb, unified=True) * shares["unified_comfortable"]
    return shares["comfortable"] * memory_gb


def reached_gb_s(card: Card) -> float:
    """The card's bandwidth times its vendor's and its generation's factor, in GB/s."""
    documented = constants()["documented"]
    vendors, generations = documented["vendors"], documented["generations"]
    factor = vendors.get(card.vendor, vendors["other"])
    if card.vendor == generations["vendor"] and card.architecture and card.architecture.split()[0] in generations["architectures"]:
        factor *= generations["factor"]
    return card.bandwidth_gb_s * factor
