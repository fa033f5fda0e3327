"""The hardware that a model is tried on: one card, several, mixed ones, or just an amount of memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from answers.catalogue.records import Card
from answers.estimator.memory import comfortable_gb, reached_gb_s, usable_gb


@dataclass(frozen=True, slots=True)
class Hardware:
    """Memory adds up over cards; speed does not."""

    memory_gb: float
    """All cards together."""
    usable_gb: float
    comfortable_gb: float
    reached_gb_s: float | None
    """Bandwidth reached by splitting the layers in proportion to memory; ``None`` where only an amount of memory is known."""

    @classmethod
    def of_cards(cls, cards: Iterable[Card]) -> Hardware:
        """Cards used together, each as often as it is there.

        The time per token is the sum over the cards of each one's share of the bytes over what its bandwidth reaches, so two equal
        cards are as fast as one.
        """
        listed = list(cards)
        memory = sum(card.memory_gb for card in listed)
        seconds = sum(card.memory_gb / memory / reached_gb_s(card) for card in listed)
        one = listed[0]
        same = all(card is one for card in listed)
        return cls(
            memory,
            sum(usable_gb(card.memory_gb, card.unified) for card in listed),
            sum(comfortable_gb(card.memory_gb, card.unified) for card in listed),
            reached_gb_s(one) if same else 1 / seconds,
        )

    @classmethod
    def of_memory(cls, memory_gb: float, count: int = 1, *, unified: bool = False, all_usable: bool = False) -> Hardware:
        """``count`` cards of ``memory_gb`` each of which nothing else is known; ``all_usable`` where that much is left free."""
        usable = memory_gb if all_usable else usable_gb(memory_gb, unified)
        comfortable = memory_gb * 5 / 6 if all_usable else comfortable_gb(memory_gb, unified)
        return cls(memory_gb * count, usable * count, comfortable * count, None)
