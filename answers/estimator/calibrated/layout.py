"""What a model is built of, as far as memory is concerned: its layers, their widths, and what each keeps for every token."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Final

from answers.catalogue.records import Model

_MIXER: Final = 5.0
"""A recurrent layer's own matrices, in squares of the hidden size: Mamba 6, Gated DeltaNet 4.4, short convolutions 4."""
_FUSED: Final = 0.45
"""What the queries, keys and values that lead into a linear attention come to of such a layer's matrices (Gated DeltaNet)."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a language model, without the encoders of images or sound. Sizes in values, parameters in units."""

    text_parameters: float
    """The language model's own."""
    layers: int
    hidden_size: int
    vocab_size: int
    tied: bool
    """Whether the table of the tokens is also the output matrix."""

    query_heads: int
    kv_heads: int
    query_size: float
    """Parameters of one layer's query matrix, of its keys, its values, and of what turns heads into the hidden size again."""
    key_size: float
    value_size: float
    out_size: float
    out_row: int
    """Width of the rows of that last matrix: all heads' values beside each other."""
    fused: bool
    """Whether queries, keys and values are one matrix."""
    latent_rank: int
    """Width of the compressed keys and values of multi-head latent attention (MLA); 0 elsewhere."""

    full_layers: int
    """Layers whose attention sees every token."""
    windowed_layers: int
    window: int
    """Tokens that a windowed layer sees."""
    recurrent_layers: int
    full_cache: float
    """Values kept for every token by a layer with full attention."""
    windowed_cache: float
    """The same of a windowed layer."""
    recurrent_state: float
    """Values that a recurrent layer keeps, however long the context."""

    matrices: int
    """Of a feed-forward block: three where one of them is a gate, else two."""
    dense_layers: int
    """Layers with one feed-forward block."""
    dense_width: float
    expert_layers: int
    """Layers with experts."""
    every_second: bool
    """Whether dense layers and layers with experts alternate; else the dense ones come first."""
    experts: int
    experts_per_token: int
    expert_width: int
    shared_width: int
    """Of all experts together that every token passes through."""
    expert_format: str | None
    """The type that the experts are published in and keep at every quant."""

    embedding_rows: float
    """Parameters of further tables of which a token reads single rows (per-layer embeddings)."""
    other: float
    """What the count leaves over: biases, the matrices of recurrent layers, gates and adapters. Stored like plain matrices."""
    fused_share: float
    """Share of that which is fused queries, keys and values; llama.cpp stores them as it does values."""
    scale: float
    """Where the matrices come to more than the parameters: what each of them is multiplied by; else 1."""
    active_parameters: float | None
    """Read per token, as on file; ``None`` for a dense model or where unknown."""
    _hash: int | None = field(default=None, init=False, compare=False, repr=False)

    def __hash__(self) -> int:
        # Kept, since a layout is looked up with for every figure and has three dozen fields.
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(tuple(getattr(self, part.name) for part in fields(self) if part.compare)))
        return self._hash or 0

    @property
    def moe(self) -> bool:
        """Whether the model is a mixture of experts."""
        return self.experts > 1

    @property
    def attention_layers(self) -> int:
        """Layers that keep keys and values."""
        return self.full_layers + self.windowed_layers

    @property
    def embedding(self) -> float:
        """Parameters of the table of the tokens."""
        return float(self.vocab_size * self.hidden_size)

    @property
    def recount(self) -> float:
        """What the matrices alone come to, as a share of the parameters on file; 1 is an exact recount."""
        return (1 - self.other / self.text_parameters) / self.scale

    @classmethod
    def of(cls, model: Model) -> Layout | None:
        """The layout of a record; ``None`` where the facts on file do not say what it keeps for every token.

        The facts leave open whether a feed-forward block has two matrices or three, whether experts stand in every layer, and at
        times whether the embeddings are tied: the reading is taken whose count comes nearest to the parameters on file.
        """
        kind = model.attention_kind
        if kind is None or model.layers is None or model.hidden_size is None or model.vocab_size is None:
            return None
        layers = _layers(model)
        if layers is None:
            return None
        full, windowed, recurrent = layers
        attention = full + windowed > 0
        if attention and (model.attention_heads is None or (model.kv_heads is None and model.kv_lora_rank is None)):
            return None
        if attention and model.head_dim is None and model.attention_heads and model.hidden_size % model.attention_heads:
            return None
        if windowed and not model.sliding_window:
            return None
        return _reading(model, full, windowed, recurrent)

    @classmethod
    def of_size(cls, parameters: float, active_parameters: float | None = None) -> Layout:
        """The layout of a typical model of which only the size is known: as Llama's are, with 8 KV heads of 128.

        The hidden size is some 128 times the layers, and a layer has some 12.5 squares of the hidden size. A mixture of experts
        keeps the layout of its active part, and the rest is experts.
        """
        body = active_parameters or parameters
        vocab = 128_000
        tied = body < 4e9
        hidden = 64.0
        for _ in range(60):  # body = 12.5 hidden^3 / 128 + embeddings; half a step at a time, so that it settles
            tables = (1 if tied else 2) * vocab * hidden
            hidden = (0.5 * hidden**3 + 0.5 * max(body - tables, 0.2 * body) * 128 / 12.5) ** (1 / 3)
        size = max(256, 256 * round(hidden / 256))
        layers = max(4, round(size / 128))
        heads = max(1, size // 128)
        kv_heads = min(8, heads)
        rest = parameters - (1 if tied else 2) * vocab * size - layers * (2 * size * size + 2 * size * kv_heads * 128)
        width = max(rest, 0.1 * parameters) / (layers * 3 * size)
        sparse = active_parameters is not None and active_parameters < parameters
        expert_width = 256 * max(1, round(width / (4 * parameters / body) / 256)) if sparse else 0
        experts = max(2, round(width / expert_width)) if sparse else 0
        plain = cls(
            text_parameters=parameters,
            layers=layers,
            hidden_size=size,
            vocab_size=vocab,
            tied=tied,
            query_heads=heads,
            kv_heads=kv_heads,
            query_size=float(size * size),
            key_size=float(size * kv_heads * 128),
            value_size=float(size * kv_heads * 128),
            out_size=float(size * size),
            out_row=size,
            fused=False,
            latent_rank=0,
            full_layers=layers,
            windowed_layers=0,
            window=0,
            recurrent_layers=0,
            full_cache=2.0 * kv_heads * 128,
            windowed_cache=0.0,
            recurrent_state=0.0,
            matrices=3,
            dense_layers=0 if experts else layers,
            dense_width=0.0 if experts else 256.0 * max(1, round(width / 256)),
            expert_layers=layers if experts else 0,
            every_second=False,
            experts=experts,
            experts_per_token=4 if experts else 0,
            expert_width=expert_width,
            shared_width=0,
            expert_format=None,
            embedding_rows=0.0,
            other=0.0,
            fused_share=0.0,
            scale=1.0,
            active_parameters=active_parameters,
        )
        return _balanced(plain)


def _layers(model: Model) -> tuple[int, int, int] | None:
    """Layers with full, with windowed attention, and recurrent ones; ``None`` where a mixed layout does not say how many."""
    full, windowed, recurrent = model.full_attention_layers, model.windowed_layers, model.recurrent_layers
    if full is None and windowed is None and recurrent is None:
        plain = model.attention_kind in {"mha", "gqa", "mqa", "mla"}
        return (model.layers or 0, 0, 0) if plain else None
    if full is None:
        return None
    return full, windowed or 0, recurrent or 0


def _reading(model: Model, full: int, windowed: int, recurrent: int) -> Layout:
    layers, hidden, vocab = model.layers or 0, model.hidden_size or 0, model.vocab_size or 0
    heads = model.attention_heads or 1
    head = model.head_dim or hidden // heads
    value_head = model.v_head_dim or head
    kv_heads = model.kv_heads or heads
    full_heads, full_head = model.full_kv_heads or kv_heads, model.full_head_dim or head
    full_value = model.full_head_dim or value_head
    windowed_heads = model.windowed_kv_heads or kv_heads
    attention = full + windowed
    latent = model.kv_lora_rank or 0
    if latent:
        rope = model.qk_rope_head_dim or 0
        full_cache = windowed_cache = float(latent + rope)
        # The queries are compressed too, to a rank that is not on file: what is left over is theirs.
        query, key = 0.0, float(hidden * (latent + rope))
        value = float(latent * heads * (head - rope + value_head if head > rope else head + value_head))
        out, out_row = float(hidden * heads * value_head), heads * value_head
    else:
        full_cache, windowed_cache = float(full_heads * (full_head + full_value)), float(windowed_heads * (head + value_head))
        share = full / attention if attention else 0.0  # the matrices of both kinds of layers, averaged
        mixed_head = share * full_head + (1 - share) * head
        query = hidden * heads * mixed_head
        key = hidden * (share * full_heads * full_head + (1 - share) * windowed_heads * head)
        value = hidden * (share * full_heads * full_value + (1 - share) * windowed_heads * value_head)
        out = hidden * heads * (share * full_value + (1 - share) * value_head)
        out_row = heads * value_head
    kept = 1 - (model.kv_shared_layers or 0) / layers if layers else 1.0
    # Where attention, recurrence and feed-forward blocks are layers of their own, the last are what is left over.
    blocks = layers - attention - recurrent if 0 < attention + recurrent < layers else layers
    parameters = float(model.text_parameters or model.parameters)
    experts = model.experts or 0 if model.moe_intermediate_size else 0
    width, expert_width = float(model.intermediate_size or 0), (model.moe_intermediate_size or 0 if experts > 1 else 0)
    shared = model.shared_expert_intermediate_size or 0 if experts > 1 else 0
    embedding_rows = float(vocab * layers * (model.per_layer_embedding_size or 0))
    fixed = embedding_rows + attention * (query + key + value + out) + 2 * layers * hidden
    expected = parameters - _MIXER * recurrent * hidden**2
    first_dense = (model.dense_layers_before_moe or 0) if experts > 1 else blocks
    nearest = math.inf
    chosen = (3, False, True, blocks, 0)
    for matrices in (model.feed_forward_matrices,) if model.feed_forward_matrices else (3, 2):
        for every_second in (False, True) if experts > 1 else (False,):
            dense = blocks // 2 if every_second else min(first_dense, blocks)
            sparse = blocks - dense
            block = matrices * (dense * width + sparse * (experts * expert_width + shared)) + sparse * experts
            for tied in (model.tie_word_embeddings,) if model.tie_word_embeddings is not None else (True, False):
                away = abs(fixed + hidden * (block + vocab * (1 if tied else 2)) - expected)
                if away < nearest:
                    nearest, chosen = away, (matrices, every_second, tied, dense, sparse)
    matrices, every_second, tied, dense, sparse = chosen
    experts = experts if sparse else 0
    # A feed-forward width that is not on file is what fills the model up.
    if not sparse and not width and dense and not recurrent:
        room = (parameters - fixed) / hidden - vocab * (1 if tied else 2)
        width = max(0.0, 32.0 * math.floor(room / (dense * matrices) / 32))
    block = matrices * (dense * width + sparse * (experts * expert_width + shared)) + sparse * experts
    counted = fixed + hidden * (block + vocab * (1 if tied else 2))
    return Layout(
        text_parameters=parameters,
        layers=layers,
        hidden_size=hidden,
        vocab_size=vocab,
        tied=tied,
        query_heads=heads,
        kv_heads=kv_heads,
        query_size=float(query),
        key_size=float(key),
        value_size=float(value),
        out_size=float(out),
        out_row=out_row,
        fused=model.fused_attention or False,
        latent_rank=latent,
        full_layers=full,
        windowed_layers=windowed,
        window=model.sliding_window or 0,
        recurrent_layers=recurrent,
        full_cache=full_cache * kept,
        windowed_cache=windowed_cache * kept,
        recurrent_state=float(model.recurrent_state_size or 0),
        matrices=matrices,
        dense_layers=dense,
        dense_width=width,
        expert_layers=sparse,
        every_second=every_second,
        experts=experts,
        experts_per_token=model.experts_per_token or 0,
        expert_width=expert_width if experts else 0,
        shared_width=shared if experts else 0,
        expert_format=model.expert_format,
        embedding_rows=embedding_rows,
        other=max(0.0, parameters - counted),
        fused_share=_FUSED if recurrent and "linear" in (model.attention_kind or "") else 0.0,
        scale=min(1.0, parameters / counted),
        active_parameters=float(model.active_parameters) if model.active_parameters else None,
    )


def _balanced(layout: Layout) -> Layout:
    """The layout with what its matrices leave over, or scaled down to the parameters on file."""
    counted = matrix_parameters(layout)
    if counted <= layout.text_parameters:
        return replace(layout, other=layout.text_parameters - counted)
    return replace(layout, scale=layout.text_parameters / counted)


def matrix_parameters(layout: Layout) -> float:
    """Parameters of all matrices that the layout tells of, the routers of the experts and the norms included."""
    hidden = layout.hidden_size
    attention = layout.query_size + layout.key_size + layout.value_size + layout.out_size
    block = layout.matrices * hidden
    experts = layout.experts * layout.expert_width + layout.shared_width
    return (
        layout.embedding * (1 if layout.tied else 2)
        + layout.embedding_rows
        + layout.attention_layers * attention
        + layout.dense_layers * block * layout.dense_width
        + layout.expert_layers * (block * experts + hidden * layout.experts)
        + 2 * layout.layers * hidden
    )
