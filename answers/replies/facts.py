"""Replies from the record of a model or a card: what is on file, by the names that the record has for it."""

from __future__ import annotations

from typing import Literal

from answers.questions.question import Use
from answers.replies.parts import CardRef, ModelRef, Part, Successor


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
    use_asked: Use | None = None
    """What the question is about, where it is whether the model is for that."""
    suits: bool | None = None
    """Whether it is, by the record."""
    successor: Successor | None = None


class FileSize(Part):
    """A quantised file."""

    quant: str
    gb: float


class Download(RecordReply):
    """Where to get it."""

    kind: Literal["download"] = "download"
    hf_repo: str | None
    access: str | None
    licence: str | None
    gguf_search: str
    """A link that searches Hugging Face for quantised files of it."""
    files: tuple[FileSize, ...]
    """How large its files are: at the quant asked for, else at those that most people take."""


class OpenSource(RecordReply):
    """Open weights, licence, and what that leaves open."""

    kind: Literal["open_source"] = "open_source"
    commercial: bool = False
    """Whether commercial use is what is asked about."""
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
