"""The question: what somebody wants to know, free of the words that it was asked in.

A slash command and a chat sentence that mean the same build equal questions; nothing after this point knows which it was.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from answers.catalogue.records import PickUse

DEFAULT_CONTEXT = 4096
"""Tokens; the context of every answer whose question states none."""


class Intent(StrEnum):
    """What is asked. ``NONE`` where nothing is to be answered."""

    CAN_RUN = "can_run"
    GPU_NEEDED = "gpu_needed"
    VRAM_NEEDED = "vram_needed"
    SPEED = "speed"
    RANK_CARDS = "rank_cards"
    WHAT_CAN_CARD_RUN = "what_can_card_run"
    FITS_NOT = "fits_not"
    TWO_GPUS = "two_gpus"
    QUANT_DIFFERS = "quant_differs"
    ACCURACY = "accuracy"
    CHOOSE_GPU = "choose_gpu"
    PARAMETERS = "parameters"
    CREATOR = "creator"
    RELEASED = "released"
    PURPOSE = "purpose"
    DOWNLOAD = "download"
    OPEN_SOURCE = "open_source"
    TRAINING_COMPUTE = "training_compute"
    SPEC = "spec"
    COMPARE_CARDS = "compare_cards"
    COMPARE_MODELS = "compare_models"
    MAX_CONTEXT = "max_context"
    WHICH_QUANT = "which_quant"
    """Asked by a form alone: in words it is ``can_run``."""
    NONE = "none"


Order = Literal["fastest", "smallest", "slowest"]
Use = Literal["general", "code", "reasoning", "vision", "base"]
Kv = Literal["f16", "q8_0", "q4_0"]
"""Precision of the cache of keys and values."""
Method = Literal["documented", "calibrated"]


class Cards(BaseModel):
    """A card of the catalogue and how many of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    count: int = Field(default=1, ge=1, le=64)


class PickChange(BaseModel):
    """What the moderators of a server changed about the models that are recommended there."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    action: Literal["add", "drop", "pin"]
    model: str
    use: PickUse


class Question(BaseModel):
    """Intent and slots. Names are the catalogue's; an empty slot was not stated.

    ``cards`` are used together, except where the intent compares or chooses (``compare_cards``, ``choose_gpu``, ``accuracy``,
    ``spec``): there each stands for itself.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    intent: Intent = Intent.NONE
    also_intents: tuple[Intent, ...] = ()
    models: tuple[str, ...] = ()
    cards: tuple[Cards, ...] = ()
    cards_stated: int | None = None
    """A number of cards that no answer can be given for: none, or more than 64."""
    apart: bool = False
    """Where it is asked whether several cards help: they are set against each other ("two 3090s or one 5090")."""
    n_cards: int = Field(default=1, ge=1, le=64)
    """Cards used together; with no card named, the number of cards of ``memory_gb`` each."""
    memory_gb: float | None = None
    """Memory of each card, stated by the asker. Beside a named card it has already served to choose between its twins."""
    memory_at_most: bool = False
    """``memory_gb`` is a bound on the cards that are asked for: "the fastest card under 16 GB"."""
    memory_usable: bool = False
    """``memory_gb`` is what is left free, not what the card has."""
    unified: bool = False
    """``memory_gb`` is memory that a processor shares (a Mac)."""
    cpu_only: bool = False
    """It is said that there is no card: the processor works with ``ram_gb``, where that is stated."""
    ram_gb: float | None = None
    """System memory beside the cards, for a model that is split with it."""
    ram_gb_s: float | None = None
    """How fast it is read, where that is stated or the kind of memory or the processor tells it."""
    quant: str | None = None
    """A name of the estimator's quant table."""
    quants: tuple[str, ...] = ()
    """Quants that are set against each other, as named: "is Q6 noticeably better than Q4". ``quant`` is the first of them."""
    min_quality: str | None = None
    context: int | None = None
    kv: Kv | None = None
    about_cache: bool = False
    """What is asked is how large the cache of keys and values is, and not the model with it."""
    method: Method | None = None
    """The method asked for; where none was, the one that suits the model."""
    parameters: float | None = None
    """A size given without a name, in parameters: "a 70b" is 70e9."""
    vendor: str | None = None
    order: Order | None = None
    use: Use | None = None
    search: str | None = None
    commercial: bool = False
    """Whether it is asked what may be done for money or at work, and not just how open a model is."""
    at_once: bool = False
    """Whether several models are to be in memory at the same time."""
    include_unfit: bool = False
    min_speed: float | None = None
    """The lowest speed in tok/s that is of use to the asker."""
    max_power_w: float | None = None
    """The most power in watts that a card may draw."""
    output_tokens: float | None = None
    """How many tokens are to be written, where it is asked how long that takes."""
    reported_tok_s: float | None = None
    """A speed that is told of or heard of, beside the question how fast it should be: "is 8 t/s normal"."""
    picks: tuple[PickChange, ...] = ()
    """What holds of recommendations where it was asked."""
    candidates: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """What an ambiguous name, as typed, may mean; likeliest first. The likeliest also stands in ``models`` or ``cards``."""
    unknown: tuple[str, ...] = ()
    """Names, as typed, that look like a model or a card and are not on file."""
    unknown_kind: Literal["model", "card"] | None = None


class Reading(BaseModel):
    """A question together with how it was read."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    question: Question
    lang: str
    """The language that the text was written in, as far as known ("en", "es", "it", ...)."""
    confidence: float = Field(ge=0, le=1)
    """How sure that this was asked, 0 to 1."""
    more: tuple[Question, ...] = ()
    """Further questions of the same message, in order, each whole."""
    matched: tuple[str, ...] = ()
    """What was recognised, for explaining a reading."""
