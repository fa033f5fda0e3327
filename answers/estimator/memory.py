"""Memory by the documented method: what a model needs and what a card can give."""

from __future__ import annotations

import math
from functools import lru_cache

from answers.catalogue.records import Card
from answers.estimator.hardware import Hardware
from answers.estimator.quants import Quant, constants


def weights_gb(parameters: float, at: Quant) -> float:
    """Weights as stored, in GB."""
    return parameters * at.memory_bpw / 8 / 1e9


def reserve_gb(parameters: float, context: int) -> float:
    """Runtime, buffers and cache, in GB (``constants.toml``, documented.reserve).

    Contexts under the default shrink only the term that grows with the model; past it every token adds a typical cache.
    """
    documented = constants()["documented"]
    reserve, default = documented["reserve"], documented["default_context"]
    root = math.sqrt(parameters / 1e9)
    short = min(context, default) / default
    return reserve["base_gb"] + reserve["root_gb"] * root * short + reserve["token_gb"] * root * max(0, context - default)


def sized_need_gb(parameters: float, at: Quant, context: int) -> float:
    """Memory that a model of that size takes at that quant and context, in GB."""
    return weights_gb(parameters, at) + reserve_gb(parameters, context)


@lru_cache(maxsize=1024)
def card_usable_gb(memory_gb: float, unified: bool = False) -> float:
    """The part of a card's memory that a model may take, in GB."""
    shares = constants()["documented"]["memory"]
    if not unified:
        return shares["usable"] * memory_gb
    large = memory_gb >= shares["unified_large_gb"]
    return memory_gb * shares["unified_usable_large" if large else "unified_usable_small"]


@lru_cache(maxsize=1024)
def card_comfortable_gb(memory_gb: float, unified: bool = False) -> float:
    """The need up to which a fit counts as comfortable, in GB."""
    shares = constants()["documented"]["memory"]
    if unified:
        return card_usable_gb(memory_gb, unified=True) * shares["unified_comfortable"]
    return shares["comfortable"] * memory_gb


def usable_gb(hardware: Hardware) -> float:
    """What a model may take of all cards together, in GB."""
    return hardware.memory_gb if hardware.all_usable else sum(card_usable_gb(*part) for part in hardware.parts)


def comfortable_gb(hardware: Hardware) -> float:
    """The need up to which a fit on all cards together counts as comfortable, in GB."""
    if hardware.all_usable:
        return hardware.memory_gb * 5 / 6
    return sum(card_comfortable_gb(*part) for part in hardware.parts)


def documented_gb_s(card: Card) -> float:
    """The card's bandwidth as the source documents have it, in GB/s."""
    return card.documented_gb_s or card.bandwidth_gb_s


def card_reached_gb_s(card: Card) -> float:
    """The card's bandwidth, as the source documents have it, times its vendor's and its generation's factor, in GB/s."""
    documented = constants()["documented"]
    vendors, generations = documented["vendors"], documented["generations"]
    factor = vendors.get(card.vendor, vendors["other"])
    if card.vendor == generations["vendor"] and card.architecture and card.architecture.split()[0] in generations["architectures"]:
        factor *= generations["factor"]
    return documented_gb_s(card) * factor


def reached_gb_s(hardware: Hardware) -> float | None:
    """Bandwidth reached by splitting the layers in proportion to memory; ``None`` where only an amount of memory is known.

    The time per token is the sum over the cards of each one's share of the bytes over what its bandwidth reaches, so two equal
    cards are as fast as one.
    """
    if not hardware.cards:
        return None
    one = hardware.cards[0]
    if all(card is one for card in hardware.cards):
        return card_reached_gb_s(one)
    # Of what the cards have: of that, no more than a part may be free.
    total = sum(card.memory_gb for card in hardware.cards)
    return 1 / sum(card.memory_gb / total / card_reached_gb_s(card) for card in hardware.cards)
