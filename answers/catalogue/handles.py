"""Short handles of names: four bytes that stand for a model or a card where a name would be too long.

A handle depends on nothing but the name, so one that was given out before a reload or a restart still means the same record.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from answers.catalogue.snapshot import Catalogue

LENGTH = 4


def handle(name: str) -> bytes:
    """The handle of any name."""
    return blake2b(name.encode(), digest_size=LENGTH).digest()


class Handles:
    """The records of one catalogue by their handles."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._models = _by_handle(model.name for model in catalogue.models)
        self._cards = _by_handle(card.name for card in catalogue.cards)

    def model(self, given: bytes) -> str:
        """The name of the model of that handle.

        Raises:
            KeyError: where there is none, or more than one.
        """
        return self._models[given]

    def card(self, given: bytes) -> str:
        """The name of the card of that handle.

        Raises:
            KeyError: where there is none, or more than one.
        """
        return self._cards[given]


def _by_handle(names: Iterable[str]) -> dict[bytes, str]:
    found: dict[bytes, str] = {}
    twice: set[bytes] = set()
    for name in names:
        short = handle(name)
        if short in found:
            twice.add(short)
        found[short] = name
    # Of two names with one handle neither is known by it: no answer is better than one about another card.
    return {short: name for short, name in found.items() if short not in twice}
