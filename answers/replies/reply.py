"""Replies: one class per kind of answer, holding facts and figures and no words.

``parts`` has what they are made of, ``facts`` the answers from a record.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from answers.questions.question import Kv
from answers.replies.asking import AskBack, NotAsked, OutOfRange, Unknown
from answers.replies.facts import CardSpec, Creator, Download, ModelSpec, OpenSource, Parameters, Purpose, Released, TrainingCompute
from answers.replies.parts import (
    Basis,
    CardRef,
    CardRung,
    FasterRung,
    Fit,
    HardwareRef,
    MeasuredFigure,
    ModelRef,
    ModelRung,
    Part,
    ReportedSpeed,
    Rung,
    SizeRung,
    SpeedFigure,
    SplitFigure,
    Successor,
)


class CanRun(Part):
    """Does the model run on that hardware."""

    kind: Literal["can_run"] = "can_run"
    model: ModelRef
    hardware: HardwareRef
    verdict: Fit
    quant_asked: str | None = None
    rung: Rung | None
    """At the quant asked for, whether it fits or not; without one the best that fits, ``None`` where none does."""
    best: Rung | None
    """The best that fits, where the quant asked for is another one or does not fit."""
    split: SplitFigure | None = None
    """When no: with a part in system memory, ahead of the other ways on for what it says of how sure the answer is."""
    reported: ReportedSpeed | None = None
    """A speed that somebody tells of, beside that of the split."""
    measured: MeasuredFigure | None = None
    """What was measured of this card, model and quant."""
    examples: tuple[CardRung, ...] = ()
    """Cards of that memory, where no card was named: the one people own, then the fastest."""
    faster: FasterRung | None = None
    """With plenty of room: the quant that most people use, for speed."""
    lighter: Rung | None = None
    """When tight: the next smaller quant."""
    lighter_saves_gb: float | None = None
    next_size: SizeRung | None = None
    """When tight or no: the next memory size that does better."""
    lowest: Rung | None = None
    """When no: the lowest rung of the ladder, with its need."""
    at_q4: Rung | None = None
    short_gb: float | None = None
    """When no: what is missing for Q4_K_M."""
    short_lowest_gb: float | None = None
    short_asked_gb: float | None = None
    smaller: ModelRung | None = None
    """When no: a smaller model of the same line that fits."""
    below_floor: Rung | None = None
    """When no: Q2_K, where that fits."""
    basis: Basis


class SeveralRow(Part):
    """One model of several on the same hardware."""

    model: ModelRef
    rung: Rung | None
    short_gb: float | None = None
    short_quant: str | None = None
    """The quant that ``short_gb`` is missing for."""


class AtOnce(Part):
    """Several models in memory at the same time."""

    fit: Fit
    need_gb: float
    """Of all of them: at the quants shown where they fit, else at the smallest."""
    short_gb: float | None = None


class CanRunSeveral(Part):
    """Several models, or several sizes, on the same hardware."""

    kind: Literal["can_run_several"] = "can_run_several"
    hardware: HardwareRef
    rows: tuple[SeveralRow, ...]
    at_once: AtOnce | None = None
    """Where they are to be in memory at the same time; if they fit so, the rows show the quants that they have then."""
    basis: Basis


class CardsForCount(Part):
    """How many of a card hold a model that no single card holds."""

    card: CardRef
    count: int
    rung: Rung


class GpuNeeded(Part):
    """The smallest card, and better ones that people own."""

    kind: Literal["gpu_needed"] = "gpu_needed"
    model: ModelRef
    good: SizeRung | None = None
    """The smallest memory size that holds it at Q4_K_M or better."""
    smallest_current: CardRung | None = None
    """Least memory among consumer cards of the last six years, the most recent one."""
    smallest: CardRung | None
    """Least memory, then the earliest release: the documents' record holder."""
    comfortable: SizeRung | None = None
    """The smallest memory size at which the best quant leaves room."""
    several: tuple[CardsForCount, ...] = ()
    """Where no single card that people own holds it well: how many do together."""
    unified: CardRung | None = None
    """Where no single card holds it: the smallest computer with unified memory that does."""
    count: int
    surveyed: int
    quant: str
    """Q4_K_M or what stands for it, or the quant asked for."""
    need_gb: float
    """At that quant."""
    basis: Basis


class QuantRow(Part):
    """Need at one quant and the least card memory that holds it."""

    quant: str
    need_gb: float
    card_from_gb: float | None
    """``None`` where no card on file holds it."""


class VramNeeded(Part):
    """Need per quant, from the smallest card's upward."""

    kind: Literal["vram_needed"] = "vram_needed"
    model: ModelRef
    rows: tuple[QuantRow, ...]
    asked: QuantRow | None = None
    hardware: HardwareRef | None = None
    on_hardware: Rung | None = None
    """Where hardware was named: the asked (else the best) quant there; ``fit`` says whether it does."""
    basis: Basis


class CacheRow(Part):
    """The cache at one context."""

    context: int
    f16_gb: float
    q8_0_gb: float
    q4_0_gb: float


class CacheSize(Part):
    """How large the cache of keys and values is."""

    kind: Literal["cache_size"] = "cache_size"
    model: ModelRef
    kv: Kv
    """The precision that was asked for, else the usual one."""
    cache_gb: float
    """At that precision and the context of the basis."""
    token_kb: float | None = None
    """What every further token adds there, in kB; ``None`` where the cache does not grow."""
    rows: tuple[CacheRow, ...]
    """Of contexts ascending, the one of the basis among them."""
    quant: str
    need_gb: float
    """Of the whole at that quant and context."""
    basis: Basis


class WritingTime(Part):
    """How long an answer takes, in seconds."""

    tokens: float
    seconds: float
    low_s: float
    high_s: float


class Speed(Part):
    """How fast: on hardware, or over all cards."""

    kind: Literal["speed"] = "speed"
    model: ModelRef
    hardware: HardwareRef | None = None
    rung: Rung | None = None
    """On the hardware named."""
    faster: FasterRung | None = None
    """The same card at Q4_K_M, where the rung is a larger quant."""
    words_a_minute: float | None = None
    reported: ReportedSpeed | None = None
    """A speed that somebody tells of, beside the one on the hardware named."""
    measured: MeasuredFigure | None = None
    """What was measured of this card, model and quant."""
    prompt_tok_s: float | None = None
    """How fast a prompt is read, roughly, where the card's FP16 rate is on file."""
    prompt_s: float | None = None
    """How long a prompt as long as the context that was asked for takes, in seconds."""
    writing: WritingTime | None = None
    """How long it takes to write as many tokens as were named."""
    count: int
    surveyed: int
    median_tok_s: float | None
    above_reading: int
    examples: tuple[CardRung, ...] = ()
    fastest: CardRung | None = None
    slowest: CardRung | None = None
    basis: Basis


class RankRow(Part):
    """One row of the ranking table."""

    card: CardRef
    rung: Rung
    """Of a card that cannot run it: the need at Q4_K_M."""


class RankCards(Part):
    """The ranking table, or a part of it."""

    kind: Literal["rank_cards"] = "rank_cards"
    model: ModelRef
    order: Literal["fastest", "smallest", "slowest"]
    rows: tuple[RankRow, ...]
    page: int = 0
    pages: int = 1
    first: int = 1
    """The number of the first of these rows in the whole table."""
    listed: int
    """Rows of the whole table."""
    matching: int
    """Cards that run it and meet the conditions."""
    count: int
    surveyed: int
    min_quality: str | None = None
    vendor: str | None = None
    memory_gb: float | None = None
    min_speed: float | None = None
    max_power_w: float | None = None
    basis: Basis


class Reason(Part):
    """Why a model is picked: a key that the locales put into words, and the figures that belong to it."""

    why: Literal["score", "best_on", "took_over", "completion", "local"]
    """``local``: the moderators of the server picked it."""
    test: str | None = None
    score: float | None = None
    out_of: float | None = None
    """The best score that the test gives; without one the score is in percent."""
    by: str | None = None
    """Who measured or chose it; ``vendor``: its maker's own figure."""
    over: str | None = None
    memory_gb: float | None = None
    source: str | None = None


class Runnable(Part):
    """A model that the hardware runs."""

    model: ModelRef
    rung: Rung | None
    """All on the card; ``None`` where its experts are in system memory."""
    split: SplitFigure | None = None
    released: str
    uses: tuple[str, ...] = ()
    reason: Reason | None = None
    pinned: bool = False
    """The moderators of the server want it first."""


class WhatCanCardRun(Part):
    """Models for a card or an amount of memory, best first."""

    kind: Literal["what_can_card_run"] = "what_can_card_run"
    hardware: HardwareRef
    use: str | None = None
    min_speed: float
    """The lowest speed that is recommended, in tok/s."""
    min_speed_stated: bool = False
    current: tuple[Runnable, ...]
    """All on the card."""
    with_ram: tuple[Runnable, ...] = ()
    """With their experts in system memory."""
    ram_gb: float | None = None
    """The system memory that those are for: the one stated, else the least usual one that holds one of them."""
    older: tuple[Runnable, ...]
    month: str | None = None
    """The month that the picks are of; ``None`` where none of them runs there and other models on file stand in."""
    fitting: int
    """How many models on file run there at Q4_K_M or better."""
    on_file: int
    with_speed: bool
    """Whether a speed could be asked for (a card was named)."""
    basis: Basis


Mark = Literal["closest", "recommended", "fastest"]


class Loss(Part):
    """What a quant costs this model, as somebody published it."""

    metric: Literal["perplexity", "kl_divergence"]
    value: float
    """Of perplexity, how much higher than unquantised in percent; of the divergence, its mean."""
    corpus: str
    source: str


class QuantOffer(Part):
    """One quant to download."""

    quant: str
    file_gb: float
    need_gb: float
    fit: Fit | None = None
    """``None`` where no hardware was named."""
    speed: SpeedFigure | None = None
    loss: Loss | None = None
    """``None`` where nothing is published of this model at this quant."""
    marks: tuple[Mark, ...] = ()


class WhichQuant(Part):
    """Every quant of a model, with three of them marked."""

    kind: Literal["which_quant"] = "which_quant"
    model: ModelRef
    hardware: HardwareRef | None = None
    rows: tuple[QuantOffer, ...]
    """Best first."""
    native: bool = False
    """The model was published quantised, and larger files of it hold the same."""
    split: SplitFigure | None = None
    """Where none fits: with a part in system memory."""
    gguf_search: str | None = None
    """Where files of it are found; ``None`` for a size alone."""
    basis: Basis


class FitsNot(Part):
    """What to do where a model does not fit."""

    kind: Literal["fits_not"] = "fits_not"
    model: ModelRef
    hardware: HardwareRef | None = None
    fits: Rung | None = None
    """It does fit after all, on the hardware named."""
    short_gb: float | None = None
    """Missing for Q4_K_M: on the hardware named, else on the largest card that cannot run it (the nearest miss)."""
    split: SplitFigure | None = None
    split_card: CardRef | None = None
    smaller: ModelRung | None = None
    lower: Rung | None = None
    """A smaller quant that does fit."""
    shorter_context: int | None = None
    """A context at which Q4_K_M would fit."""
    next_size: SizeRung | None = None
    two: CardRung | None = None
    """Two of the card named."""
    count: int
    surveyed: int
    basis: Basis


class TwoGpus(Part):
    """Memory adds up over cards, speed does not."""

    kind: Literal["two_gpus"] = "two_gpus"
    model: ModelRef | None = None
    hardware: HardwareRef | None = None
    """The cards that the asker named, together."""
    single: Rung | None = None
    """On one of them."""
    together: Rung | None = None
    one_card: CardRef | None = None
    smallest: CardRung | None = None
    helps_card: CardRef | None = None
    helps: Rung | None = None
    """A card that cannot hold it alone, twice."""
    same_card: CardRung | None = None
    """A card that holds it alone: as fast with two at this quant."""
    count: int | None = None
    surveyed: int | None = None
    basis: Basis


class QuantDiffers(Part):
    """Why the quant differs between cards."""

    kind: Literal["quant_differs"] = "quant_differs"
    model: ModelRef | None = None
    levels: tuple[str, ...] = ()
    smallest: CardRung | None = None
    examples: tuple[SizeRung, ...] = ()
    basis: Basis


Lost = Literal["hardly", "little", "noticeable", "large"]


class ComparedQuant(Part):
    """One of the quants that are compared."""

    quant: str
    bits: float
    """Per weight, as stored."""
    file_gb: float
    need_gb: float | None = None
    """With context and reserve, where hardware was named; so are ``fit`` and ``speed``."""
    fit: Fit | None = None
    speed: SpeedFigure | None = None
    loss: tuple[float, float] | None = None
    """Lowest and highest of the published losses, by ``CompareQuants.metric``; ``None`` where none is on file."""


class CompareQuants(Part):
    """What is lost from one quant to another."""

    kind: Literal["compare_quants"] = "compare_quants"
    model: ModelRef
    """A dense one of a common size where none was named."""
    model_named: bool
    hardware: HardwareRef | None = None
    asked: tuple[str, ...]
    """The quants that were named, best first."""
    rows: tuple[ComparedQuant, ...]
    """Best first; beside a quant that was named alone stand those that people use instead."""
    lost: Lost | None = None
    """From the best to the worst that was asked about, or from the unquantised model to the only one."""
    lost_in_all: Lost | None = None
    """From the unquantised model to the worst."""
    metric: Literal["perplexity", "kl_divergence"] | None = None
    """Of perplexity, how much higher than unquantised in percent; of the divergence, its mean."""
    measured_on: tuple[str, ...] = ()
    """The models that the losses were measured on: the very one that was asked about, else all that every quant was measured on."""
    sources: tuple[str, ...] = ()
    basis: Basis


class Accuracy(Part):
    """How far the figures can be trusted."""

    kind: Literal["accuracy"] = "accuracy"
    model: ModelRef | None = None
    fastest: CardRung | None = None
    layout_on_file: bool = False
    basis: Basis


class ChooseGpu(Part):
    """Six steps to a card, with this model's own figures."""

    kind: Literal["choose_gpu"] = "choose_gpu"
    model: ModelRef
    options: tuple[CardRung, ...] = ()
    """The cards that the asker is weighing up."""
    options_unfit: tuple[CardRef, ...] = ()
    good: SizeRung | None
    comfortable: SizeRung | None
    smallest: CardRung | None
    need_at_q4_gb: float
    long_context: int | None
    long_need_gb: float | None
    """Need at Q4_K_M at the longer context."""
    fastest: CardRung | None
    quickest_consumer: CardRung | None
    levels: tuple[str, ...] = ()
    count: int
    surveyed: int
    basis: Basis


class ComparedCard(Part):
    """One card of a comparison."""

    card: CardRef
    fp16_tflops: float | None
    power_w: int | None
    rung: Rung | None = None
    short_gb: float | None = None
    short_quant: str | None = None
    """The quant that ``short_gb`` is missing for."""


class CompareCards(Part):
    """Two to four cards side by side, for a model or in general."""

    kind: Literal["compare_cards"] = "compare_cards"
    model: ModelRef | None = None
    cards: tuple[ComparedCard, ...]
    fastest: str | None = None
    """Label of the fastest at one quant, among those that hold the model where one is named."""
    second: str | None = None
    """Label of the next."""
    times: float | None = None
    """How many times as fast as the next, at ``times_quant``."""
    times_parameters: float | None = None
    """Parameters of the dense model that this holds for, where none is named."""
    times_quant: str | None = None
    """The smallest of the quants that they run the model at; the one that most people use where none is named."""
    most_memory: str | None = None
    differing: tuple[Literal["tok_s", "memory_gb", "bandwidth_gb_s", "power_w", "released"], ...] = ()
    """In what they differ, what matters most first; the rest is the same for all."""
    basis: Basis


class ComparedModel(Part):
    """One model of a comparison."""

    model: ModelRef
    released: str
    access: str | None
    uses: tuple[str, ...]
    need_at_q4_gb: float
    common: str
    """The quant of that need: Q4_K_M, or the format that the model was published in."""
    smallest: CardRung | None
    rung: Rung | None = None
    pace: SpeedFigure | None = None
    """On ``CompareModels.pace_card`` at the quant of ``common``."""
    successor: Successor | None = None


class CompareModels(Part):
    """Two to four models side by side, on one piece of hardware or in general."""

    kind: Literal["compare_models"] = "compare_models"
    hardware: HardwareRef | None = None
    models: tuple[ComparedModel, ...]
    pace_card: CardRef | None = None
    """Where no hardware was named: the card that is named first of the smallest size that holds them all."""
    differing: tuple[Literal["tok_s", "need_gb", "max_context", "parameters", "uses", "access"], ...] = ()
    """In what they differ, what matters most first; ``need_gb`` is on the hardware at the quant shown, else at Q4_K_M."""
    basis: Basis


class KvContext(Part):
    """Longest context with the cache at one precision."""

    kv: str
    context: int | None


class ContextRow(Part):
    """Longest context at one quant."""

    quant: str
    context: int | None
    fits_at_default: bool
    with_kv: tuple[KvContext, ...] = ()
    """The same with the cache at smaller precisions, where the method counts it."""
    speed: SpeedFigure | None = None
    """With all of that context filled, where the method counts it."""


class MaxContext(Part):
    """The longest context that fits, or the model's own."""

    kind: Literal["max_context"] = "max_context"
    model: ModelRef
    hardware: HardwareRef | None = None
    rows: tuple[ContextRow, ...] = ()
    context_asked: int | None = None
    quant_asked: str | None = None
    asked_fits: bool | None = None
    """Whether the context asked about fits (on hardware), or is within the model's own."""
    need_at_asked_gb: float | None = None
    short_gb: float | None = None
    basis: Basis


Reply = Annotated[
    CanRun
    | CanRunSeveral
    | GpuNeeded
    | VramNeeded
    | CacheSize
    | Speed
    | RankCards
    | WhatCanCardRun
    | WhichQuant
    | FitsNot
    | TwoGpus
    | QuantDiffers
    | CompareQuants
    | Accuracy
    | ChooseGpu
    | Parameters
    | Creator
    | Released
    | Purpose
    | Download
    | OpenSource
    | TrainingCompute
    | ModelSpec
    | CardSpec
    | CompareCards
    | CompareModels
    | MaxContext
    | AskBack
    | Unknown
    | OutOfRange
    | NotAsked,
    Field(discriminator="kind"),
]
"""Any reply; ``kind`` tells which."""
