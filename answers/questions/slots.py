"""What a message was found to name, before it is known what is asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from answers.catalogue.atoms import Span
from answers.questions.quants import QuantFound
from answers.questions.question import Kv
from answers.questions.text import Text
from answers.questions.units import Amount


@dataclass(frozen=True, slots=True)
class CardNamed:
    """A card, how many of it, and how it stands to the card before it."""

    names: tuple[str, ...]
    typed: str
    count: int
    first: int
    last: int
    alternative: bool = False
    """Whether it is said instead of the card before ("a 3060 or a 4060") and not beside it."""
    instead: bool = False
    """Whether a word says so, and not only its distance."""


@dataclass(frozen=True, slots=True)
class Memory:
    """An amount of memory and the part it plays."""

    value: float
    first: int
    last: int
    role: str
    """``card`` (what a card has), ``ram``, ``used`` (what something takes up) or ``stated`` (anything else)."""
    count: int = 1
    said_ram: bool = False
    """Whether the word for system memory stands beside it, which many say for a card's."""
    usable: bool = False
    total: bool = False
    at_most: bool = False
    alternative: bool = False
    """Whether it is said instead of the amount before: "16 or 24 GB"."""


@dataclass(slots=True)
class Entities:
    """Everything recognised in one message."""

    text: Text
    models: list[Span] = field(default_factory=list[Span])
    cards: list[CardNamed] = field(default_factory=list[CardNamed])
    memories: list[Memory] = field(default_factory=list[Memory])
    quants: list[QuantFound] = field(default_factory=list[QuantFound])
    asks_why: bool = False
    """Whether it is asked why a quant is what it is, rather than which of two to take ("why Q8 rather than Q6")."""
    contexts: list[Amount] = field(default_factory=list[Amount])
    outputs: list[Amount] = field(default_factory=list[Amount])
    """How many tokens are to be written."""
    rates: list[Amount] = field(default_factory=list[Amount])
    powers: list[Amount] = field(default_factory=list[Amount])
    """Electrical power in watts that is said to be the most."""
    sizes: list[Amount] = field(default_factory=list[Amount])
    """Parameters stated without a name."""
    unknown_models: list[tuple[str, float | None]] = field(default_factory=list[tuple[str, float | None]])
    unknown_cards: list[str] = field(default_factory=list[str])
    kv: Kv | None = None
    """Precision of the cache of keys and values, where that is said of it rather than of the model."""
    asks_cache: bool = False
    """Whether the word for that cache stands by itself."""
    marks: frozenset[str] = frozenset()
    """Kinds of vocabulary that occur."""
    copies: int = 1
    """How often a model is to be in memory at the same time."""
    cards_stated: int | None = None
    """A number of cards that is none, or more than anybody links."""
    cpu_only: bool = False
    """Whether it is said that there is no card."""
    ram_gb_s: float | None = None
    """How fast system memory is read, where the text tells it."""
    asks_vram: bool = False
    """Whether the word for card memory stands by itself and not behind an amount."""
    doubtful: bool = False
    """Whether a name was passed over that is also an ordinary word."""
    count: int | None = None
    """Cards, where no card is named: "two gpus", "2 of them"."""
    named: frozenset[int] = frozenset()
    """Tokens of names, amounts and quants, which tell nothing about the language."""
    symbols: list[str] = field(default_factory=list[str])
    clauses: list[int] = field(default_factory=list[int])
    """For every symbol the clause that it stands in: a comma, "and" or the end of a sentence begins a new one."""
    attached: set[int] = field(default_factory=set[int])
    """First tokens of what to the cues is part of a name: the amount that says which twin a card is, the vendor."""
    plain_words: int = 0
    """Words besides names, amounts and the small words between them."""
