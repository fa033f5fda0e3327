"""The hardware that a model is tried on: one card, several, mixed ones, or just an amount of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from answers.catalogue.records import Card


@dataclass(frozen=True, eq=False)
class Hardware:
    """Cards used together, or memory of which nothing else is known. What can be used of it depends on the method.

    Compared by identity, so that what is worked out of it can be kept under it.
    """

    memory_gb: float
    """All cards together."""
    parts: tuple[tuple[float, bool], ...]
    """Memory in GB of each card, and whether a processor shares it."""
    cards: tuple[Card, ...] = ()
    """The same as named cards, each as often as it is there; empty where only an amount of memory is known."""
    measured: tuple[Sequence[float], ...] = ()
    """For each of the cards, the sizes in parameters of the models whose speed was measured on it."""
    all_usable: bool = False
    """The memory is what is left free, not what the cards have."""
    ram_gb_s: float | None = None
    """Of a machine without a card: how fast its system memory is read."""

    @cached_property
    def unified(self) -> bool:
        """Whether a processor shares the memory of all of them."""
        return bool(self.parts) and all(shared for _, shared in self.parts)

    @classmethod
    def of_cards(cls, cards: Iterable[Card], measured: Callable[[str], Sequence[float]] | None = None) -> Hardware:
        """Cards used together, each as often as it is there; ``measured``: by card, the sizes of the models measured on it."""
        listed = tuple(cards)
        return cls(
            sum(card.memory_gb for card in listed),
            tuple((card.memory_gb, card.unified) for card in listed),
            listed,
            tuple(measured(card.name) for card in listed) if measured else ((),) * len(listed),
        )

    @classmethod
    def of_memory(cls, memory_gb: float, count: int = 1, *, unified: bool = False, all_usable: bool = False) -> Hardware:
        """``count`` cards of ``memory_gb`` each of which nothing else is known; ``all_usable`` where that much is left free."""
        return cls(memory_gb * count, ((memory_gb, unified),) * count, all_usable=all_usable)

    @classmethod
    def of_system_memory(cls, memory_gb: float, gb_s: float) -> Hardware:
        """A machine without a card, of whose system memory so much is left for a model, read at that rate in GB/s."""
        return cls(memory_gb, ((memory_gb, False),), all_usable=True, ram_gb_s=gb_s)


NOTHING = Hardware(0.0, ())
"""No memory at all: what a need is worked out on where no hardware was named."""
