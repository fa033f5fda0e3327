"""Replies: one class per kind of answer, holding facts and figures and no words.

Units stand in the field names: GB (10^9 bytes), GB/s, tokens a second, tokens of context. Figures are not rounded; rounding is the
renderer's. Labels are names, not words: the catalogue's name of a card without the brand that people leave out.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

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
    unified: bool = False
    usable_stated: bool = False

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


class SizeRung(Part):
    """A rung on any card of that memory, with the card that is named first for it."""

    memory_gb: float
    card: CardRef
    rung: Rung


class ModelRung(Part):
    """Another model on the asker's hardware."""

    model: ModelRef
    rung: Rung


class SplitFigure(Part):
    """Layers on the card and in system memory."""

    quant: str
    layers_on_card: int
    layers: int
    ram_gb: float
    ram_gb_s: float
    ram_gb_s_stated: bool = False
    tok_s: float | None = None


class Basis(Part):
    """What a figure was worked out for and by."""

    context: int
    context_cut_from: int | None = None
    """The context asked for, where the model's own maximum is shorter."""
    method: Literal["documented"] = "documented"
    confidence: Confidence = "low"
    other_scheme: str | None = None
    """A quantisation outside the ladder (GPTQ, AWQ, FP8, ...) that the figures were worked out for."""


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
    examples: tuple[CardRung, ...] = ()
    """Cards of that memory, where no card was named: the one people own, then the fastest."""
    faster: CardRung | None = None
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
    split: SplitFigure | None = None
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


class CanRunSeveral(Part):
    """Several models, or several sizes, on the same hardware."""

    kind: Literal["can_run_several"] = "can_run_several"
    hardware: HardwareRef
    rows: tuple[SeveralRow, ...]
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
    smallest: CardRung | None
    """Least memory, then the earliest release: the documents' record holder."""
    smallest_current: CardRung | None = None
    """Least memory among consumer cards of the last six years, the most recent one."""
    good: SizeRung | None = None
    """The smallest memory size that holds it at Q4_K_M or better."""
    comfortable: SizeRung | None = None
    """The smallest memory size at which the best quant leaves room."""
    several: tuple[CardsForCount, ...] = ()
    """Where no single card that people own holds it well: how many do together."""
    unified: CardRung | None = None
    """Where no single card holds it: the smallest computer with unified memory that does."""
    count: int
    surveyed: int
    need_at_q4_gb: float
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


class Speed(Part):
    """How fast: on hardware, or over all cards."""

    kind: Literal["speed"] = "speed"
    model: ModelRef
    hardware: HardwareRef | None = None
    rung: Rung | None = None
    """On the hardware named."""
    faster: CardRung | None = None
    """The same card at Q4_K_M, where the rung is a larger quant."""
    words_a_minute: float | None = None
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


class RankCards(Part):
    """The ranking table, or a part of it."""

    kind: Literal["rank_cards"] = "rank_cards"
    model: ModelRef
    order: Literal["fastest", "smallest", "slowest"]
    rows: tuple[RankRow, ...]
    matching: int
    count: int
    surveyed: int
    min_quality: str | None = None
    vendor: str | None = None
    memory_gb: float | None = None
    basis: Basis


class Runnable(Part):
    """A model that the hardware runs."""

    model: ModelRef
    rung: Rung
    released: str
    uses: tuple[str, ...] = ()


class WhatCanCardRun(Part):
    """Models for a card or an amount of memory, best first."""

    kind: Literal["what_can_card_run"] = "what_can_card_run"
    hardware: HardwareRef
    use: str | None = None
    current: tuple[Runnable, ...]
    older: tuple[Runnable, ...]
    fitting: int
    """How many models on file run there at Q4_K_M or better."""
    on_file: int
    with_speed: bool
    """Whether a speed could be asked for (a card was named)."""
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
    smallest: CardRung | None
    need_at_q4_gb: float
    long_context: int | None
    long_need_gb: float | None
    """Need at Q4_K_M at the longer context."""
    good: SizeRung | None
    comfortable: SizeRung | None
    fastest: CardRung | None
    quickest_consumer: CardRung | None
    options: tuple[CardRung, ...] = ()
    """The cards that the asker is weighing up."""
    options_unfit: tuple[CardRef, ...] = ()
    levels: tuple[str, ...] = ()
    count: int
    surveyed: int
    basis: Basis


class Successor(Part):
    """A newer model of like size."""

    name: str
    released: str


class RecordReply(Part):
    """Base of the answers from a model's record."""

    model: ModelRef


class Parameters(RecordReply):
    """How many parameters."""

    kind: Literal["parameters"] = "parameters"
    exact: int
    stated_parameters: int | None
    parameters_basis: str | None
    experts: int | None = None
    experts_per_token: int | None = None
    gb_per_billion: float
    """GB per billion parameters at Q4_K_M."""


class Creator(RecordReply):
    """Who made it."""

    kind: Literal["creator"] = "creator"
    organizations: tuple[str, ...]
    organization_categories: tuple[str, ...]
    countries: tuple[str, ...]
    released: str
    authors: tuple[str, ...] = ()
    authors_complete: bool = True
    base_model: str | None = None


class Released(RecordReply):
    """When it came out."""

    kind: Literal["released"] = "released"
    released: str
    released_basis: str | None
    months_ago: int
    """Between the release and the catalogue's date."""
    successor: Successor | None = None
    organizations: tuple[str, ...] = ()


class Purpose(RecordReply):
    """What it is for."""

    kind: Literal["purpose"] = "purpose"
    domains: tuple[str, ...]
    tasks: tuple[str, ...]
    uses: tuple[str, ...]
    successor: Successor | None = None


class Download(RecordReply):
    """Where to get it."""

    kind: Literal["download"] = "download"
    hf_repo: str | None
    access: str | None
    licence: str | None
    gguf_search: str
    """A link that searches Hugging Face for quantised files of it."""


class OpenSource(RecordReply):
    """Open weights, licence, and what that leaves open."""

    kind: Literal["open_source"] = "open_source"
    access: str | None
    licence: str | None
    training_code: str | None
    hf_repo: str | None


class TrainingCompute(RecordReply):
    """What training took."""

    kind: Literal["training_compute"] = "training_compute"
    training_compute_flop: float | None
    finetune_compute_flop: float | None = None
    compute_basis: tuple[str, ...]
    training_hardware: tuple[str, ...]
    chip_count: int | None = None
    chip_hours: float | None = None
    wall_time_hours: float | None = None
    training_tokens: int | None = None
    epochs: float | None = None
    compute_cost_usd: float | None = None
    power_draw_w: float | None = None
    mfu: float | None = None
    base_model: str | None = None


class ModelSpec(RecordReply):
    """The whole record of a model."""

    kind: Literal["model_spec"] = "model_spec"
    organizations: tuple[str, ...]
    organization_categories: tuple[str, ...]
    countries: tuple[str, ...]
    authors: tuple[str, ...]
    authors_complete: bool
    released: str
    domains: tuple[str, ...]
    tasks: tuple[str, ...]
    exact_parameters: int
    experts: int | None
    experts_per_token: int | None
    layers: int | None
    attention_kind: str | None
    max_context: int | None
    training_tokens: int | None
    epochs: float | None
    batch_size_tokens: int | None
    training_compute_flop: float | None
    compute_basis: tuple[str, ...]
    training_hardware: tuple[str, ...]
    chip_count: int | None
    chip_hours: float | None
    wall_time_hours: float | None
    mfu: float | None
    power_draw_w: float | None
    compute_cost_usd: float | None
    numerical_format: str | None
    access: str | None
    licence: str | None
    training_code: str | None
    hf_repo: str | None
    above_1e23_flop: bool | None
    foundation_model: bool | None
    notability: tuple[str, ...]
    record_confidence: str | None
    citations: int | None
    reference_title: str | None
    reference_link: str | None
    last_updated: str | None
    successor: Successor | None = None


class CardSpec(Part):
    """The record of a card."""

    kind: Literal["card_spec"] = "card_spec"
    card: CardRef
    architecture: str | None
    generation: str | None
    memory_type: str | None
    memory_bus_bits: int | None
    bus_interface: str | None
    fp16_tflops: float | None
    power_w: int | None
    usable_gb: float
    largest_at_q4_parameters: float
    """The largest dense model, in parameters, that fits at Q4_K_M and the default context."""
    note: str | None = None


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
    """Label of the one that reaches the most bandwidth, among those that hold the model where one is named."""
    times: float | None = None
    """How many times as fast as the next."""
    most_memory: str | None = None
    basis: Basis


class ComparedModel(Part):
    """One model of a comparison."""

    model: ModelRef
    released: str
    access: str | None
    uses: tuple[str, ...]
    need_at_q4_gb: float
    smallest: CardRung | None
    rung: Rung | None = None
    successor: Successor | None = None


class CompareModels(Part):
    """Two to four models side by side, on one piece of hardware or in general."""

    kind: Literal["compare_models"] = "compare_models"
    hardware: HardwareRef | None = None
    models: tuple[ComparedModel, ...]
    basis: Basis


class ContextRow(Part):
    """Longest context at one quant."""

    quant: str
    context: int | None
    fits_at_default: bool


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


class Choice(Part):
    """One way on: its label, and the whole question that it stands for."""

    label: str
    question: Question
    memory_gb: float | None = None
    """Where the choices are cards."""


class AskBack(Part):
    """Something is missing or means several things: asks for just that."""

    kind: Literal["ask_back"] = "ask_back"
    missing: Literal["model", "hardware", "which_model", "which_card", "cards", "models", "size"]
    typed: str | None = None
    choices: tuple[Choice, ...] = ()
    twins: bool = False
    """The choices are cards that differ in nothing but their memory."""
    more: int = 0
    """Further choices that are not listed."""
    question: Question


class Unknown(Part):
    """A name that is not on file, with the nearest names and, where a size was in it, an offer."""

    kind: Literal["unknown"] = "unknown"
    what: Literal["model", "card"]
    typed: str
    parameters: float | None = None
    choices: tuple[Choice, ...] = ()
    """First the offer to treat it as a dense model of its size, where there is one; then the nearest names."""
    offered: bool = False
    question: Question


class OutOfRange(Part):
    """A number that cannot be answered for."""

    kind: Literal["out_of_range"] = "out_of_range"
    what: Literal["memory", "context", "parameters", "cards", "ram"]
    value: float
    lowest: float
    highest: float


class NotAsked(Part):
    """Nothing that can be answered was asked: what can be."""

    kind: Literal["not_asked"] = "not_asked"
    empty: bool = False


Reply = Annotated[
    CanRun
    | CanRunSeveral
    | GpuNeeded
    | VramNeeded
    | Speed
    | RankCards
    | WhatCanCardRun
    | FitsNot
    | TwoGpus
    | QuantDiffers
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
