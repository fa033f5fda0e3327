"""The parts that replies are made of: names of models and cards, figures with their ranges, and what they were worked out for.

Units stand in the field names: GB (10^9 bytes), GB/s, tokens a second, tokens of context. Figures are not rounded; rounding is the
renderer's. Labels are names, not words: the catalogue's name of a card without the brand that people leave out.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from answers.catalogue.records import Segment
from answers.questions.question import Question

Fit = Literal["comfortable", "tight", "no"]
Confidence = Literal["high", "medium", "low"]


class Part(BaseModel):
    """Base of everything in a reply."""

    # Validators are built when a class is first used: a process that answers one question needs few of them.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class SpeedFigure(Part):
    """Tokens a second for one request, with its range."""

    tok_s: float
    low_tok_s: float
    high_tok_s: float
    confidence: Confidence = "low"


class MeasuredFigure(Part):
    """What others measured of this very card, model and quant: the median, how many runs, and their span."""

    tok_s: float
    low_tok_s: float
    high_tok_s: float
    runs: int
    context: int
    """Tokens that stood in the context already."""
    sources: tuple[str, ...]


class ModelRef(Part):
    """The model that is talked about; a size alone has no record and no name of its own."""

    name: str
    parameters: float
    active_parameters: float | None = None
    moe: bool = False
    on_file: bool = True
    max_context: int | None = None


class CardRef(Part):
    """A card as it is named in an answer."""

    name: str
    label: str
    memory_gb: float
    segment: Segment
    vendor: str
    released: str | None = None
    bandwidth_gb_s: float

    @property
    def short(self) -> str:
        """The label without a memory size at its end, for places that have just said it."""
        size = f" {self.memory_gb:g} GB"
        return self.label.removesuffix(size)


class CardCount(Part):
    """A card and how many of it."""

    card: CardRef
    count: int = 1


class HardwareRef(Part):
    """The asker's hardware: named cards, or an amount of memory."""

    cards: tuple[CardCount, ...] = ()
    memory_gb: float
    """Of each card, where none is named; else of all together."""
    count: int = 1
    total_gb: float
    usable_gb: float
    binary_gb: float | None = None
    """All together in GB, where sizes are taken as powers of two: a card of "12 GB" has 12.9."""
    unified: bool = False
    usable_stated: bool = False
    ram_gb: float | None = None
    """System memory beside it, where stated."""
    cpu: bool = False
    """A machine without a card: the memory is the system's."""
    ram_gb_s: float | None = None
    """How fast that is read, stated or assumed."""

    @property
    def named(self) -> bool:
        """Whether a card was named, and so a speed is known."""
        return bool(self.cards)


class Rung(Part):
    """A model at one quant: what it takes and how fast it is."""

    quant: str
    need_gb: float
    fit: Fit
    speed: SpeedFigure | None = None


class CardRung(Part):
    """A rung on a card."""

    card: CardRef
    rung: Rung


class FasterRung(Part):
    """A smaller quant that is faster on the same hardware."""

    card: CardRef | None
    """Where it is a card; a processor has none."""
    rung: Rung


class SizeRung(Part):
    """A rung on any card of that memory, with the card that is named first for it."""

    memory_gb: float
    card: CardRef
    rung: Rung


class ModelRung(Part):
    """Another model on the asker's hardware."""

    model: ModelRef
    rung: Rung


class ReportedSpeed(Part):
    """A speed that somebody tells of, beside the range that is to be expected."""

    tok_s: float
    against: Literal["below", "within", "above"]


class SplitFigure(Part):
    """Layers on the card and in system memory."""

    quant: str
    layers_on_card: int
    layers: int
    experts: bool = False
    """Only experts are left in system memory: ``layers_on_card`` counts the layers whose experts are on the card too."""
    ram_gb: float
    """Weights left in system memory."""
    ram_fits: bool | None = None
    """Whether the system memory that was stated holds them; ``None`` where none was."""
    ram_gb_s: float
    ram_gb_s_stated: bool = False
    speed: SpeedFigure | None = None


class Basis(Part):
    """What a figure was worked out for and by."""

    context: int
    context_cut_from: int | None = None
    """The context asked for, where the model's own maximum is shorter."""
    method: Literal["documented", "calibrated", "both"] = "documented"
    """``both``: several models, of which some are worked out by the one and some by the other."""
    confidence: Confidence = "low"
    """The least of the figures shown."""
    kv: str | None = None
    """Precision of the cache, where it was stated and the method counts it."""
    common: str = "Q4_K_M"
    """The quant that stands for all where one is meant: what most people run the model at."""
    other_scheme: str | None = None
    """A quantisation outside the ladder (GPTQ, AWQ, FP8, ...) that the figures were worked out for."""


class Successor(Part):
    """A newer model of like size."""

    name: str
    released: str


class Choice(Part):
    """One way on: its label, and the whole question that it stands for."""

    label: str
    question: Question
    memory_gb: float | None = None
    """Where the choices are cards."""
    rung: Rung | None = None
    """Where the choices are models that were tried on the hardware named: what runs there, if anything does."""
