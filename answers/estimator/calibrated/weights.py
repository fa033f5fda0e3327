"""How large a model's weights are at a quant, matrix by matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from answers.estimator.calibrated.layout import Layout
from answers.estimator.calibrated.mixes import BLOCK, Mix, bits, fitting, mean_bits, mix
from answers.estimator.quants import quant as quant_named

GROUPED: Final = 4
"""Query heads to one of the keys from which on llama.cpp stores the values at a higher precision."""
OUT_OF_STATE: Final = 1 / 3
"""Share of a recurrent layer's matrices that leads out of its state: one of three as large (Mamba, Gated DeltaNet)."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of one model at one quant, in GB."""

    all_gb: float
    """The file, but for what it holds besides the weights (a few MB)."""
    card_gb: float
    """What lies on the card when every layer does: the tables of which single rows are read stay in system memory."""
    active_gb: float
    """Read for every token."""
    experts_gb: float
    """The experts alone, all of them; 0 for a dense model."""


class _Matrices(NamedTuple):
    """Matrices of one kind, one a layer."""

    kind: str
    row: float
    size: float
    """Parameters of one of them."""
    number: int
    """How many of them there are."""
    layers: range
    """Which layers have one; all of them where the blocks of a kind are spread evenly."""
    out_of: int
    """Of how many layers ``layers`` are some."""
    experts: bool = False


@lru_cache(maxsize=4096)
def weights(layout: Layout, quant: str) -> Weights:
    """The weights at a quant of any name that :func:`answers.estimator.quants.quant` knows.

    What is no quant of llama.cpp (GPTQ, FP8, ...) goes by its bits per weight, the same for every matrix.

    Raises:
        UsageError: where the name is not in the table.
    """
    mixed = mix(quant)
    if mixed is None:
        return _plain(layout, quant_named(quant).memory_bpw)
    part = layout.experts_per_token / layout.experts if layout.experts else 0.0
    body = active = experts = 0.0
    for matrices in _matrices(layout):
        stored = matrices.size * matrices.number * _bits(layout, mixed, matrices)
        body += stored
        active += stored * part if matrices.experts else stored
        experts += stored if matrices.experts else 0.0
    embedding, output, rows = _tables(layout, mixed)
    small = bits("F32") * (2 * layout.layers * layout.hidden_size + layout.expert_layers * layout.hidden_size * layout.experts)
    body, active = body + small, active + small
    scale = layout.scale / 8 / 1e9
    on_card = body + output
    return Weights(
        all_gb=(on_card + rows + (0.0 if layout.tied else embedding)) * scale,
        card_gb=on_card * scale,
        active_gb=(active + output) * scale,
        experts_gb=experts * scale,
    )


def _plain(layout: Layout, stored_bits: float) -> Weights:
    """Every matrix at the same bits per weight."""
    block = layout.matrices * layout.hidden_size
    experts = block * layout.expert_width * layout.experts * layout.expert_layers * layout.scale
    idle = experts * (1 - layout.experts_per_token / layout.experts) if layout.experts else 0.0
    tables = (layout.embedding_rows + (0.0 if layout.tied else layout.embedding)) * layout.scale
    per = stored_bits / 8 / 1e9
    all_gb = layout.text_parameters * per
    return Weights(all_gb, all_gb - tables * per, all_gb - (tables + idle) * per, experts * per)


def _tables(layout: Layout, mixed: Mix) -> tuple[float, float, float]:
    """Bits of the table of the tokens, of the output matrix (the same one where they are tied), and of per-layer tables."""
    output = bits(fitting(mixed.output, layout.hidden_size))
    embedding = output if layout.tied else bits(fitting(mixed.embedding, layout.hidden_size))
    return layout.embedding * embedding, layout.embedding * output, layout.embedding_rows * embedding


def _bits(layout: Layout, mixed: Mix, matrices: _Matrices) -> float:
    if matrices.experts and layout.expert_format:
        return bits(layout.expert_format)
    return mean_bits(
        mixed.name,
        matrices.kind,
        int(matrices.row) % BLOCK,
        matrices.layers,
        matrices.out_of,
        layout.query_heads >= GROUPED * layout.kv_heads,
        layout.experts,
        matrices.experts,
        layout.expert_format is not None,
    )


def _matrices(layout: Layout) -> Iterator[_Matrices]:
    number, hidden = layout.attention_layers, layout.hidden_size
    attention = range(number)
    if layout.fused:
        together = layout.query_size + layout.key_size + layout.value_size
        yield _Matrices("fused", hidden, together, number, attention, number)
    else:
        yield _Matrices("query", hidden, layout.query_size, number, attention, number)
        yield _Matrices("key", hidden, layout.key_size, number, attention, number)
        yield _Matrices("value", layout.latent_rank or hidden, layout.value_size, number, attention, number)
    yield _Matrices("out", layout.out_row, layout.out_size, number, attention, number)
    yield from _left_over(layout)
    dense, sparse = _spread(layout)
    yield from _block(layout, layout.dense_width, 1, layout.dense_layers, dense)
    yield from _block(layout, layout.shared_width, 1, layout.expert_layers, sparse)
    yield from _block(layout, layout.expert_width, layout.experts, layout.expert_layers, sparse, experts=True)


def _left_over(layout: Layout) -> Iterator[_Matrices]:
    """What the layout does not tell of: in recurrent layers mostly what leads into the state and what leads out of it again."""
    every = range(layout.layers)
    number = layout.recurrent_layers
    if not number:
        yield _Matrices("other", layout.hidden_size, layout.other, 1, every, layout.layers)
        return
    fused = layout.other * layout.fused_share / number
    out = layout.other * OUT_OF_STATE / number
    # Its rows are as wide as the state, which is a multiple of 256 in every family on file.
    yield _Matrices("other", BLOCK, out, number, every, layout.layers)
    yield _Matrices("value", layout.hidden_size, fused, number, every, layout.layers)
    yield _Matrices("other", layout.hidden_size, layout.other / number - out - fused, number, every, layout.layers)


def _spread(layout: Layout) -> tuple[range, range]:
    """Which layers have a dense feed-forward block, and which have experts."""
    if layout.every_second:
        return range(0, layout.layers, 2), range(1, layout.layers, 2)
    if layout.dense_layers + layout.expert_layers < layout.layers:
        return range(layout.layers), range(layout.layers)
    return range(layout.dense_layers), range(layout.dense_layers, layout.layers)


def _block(layout: Layout, width: float, copies: int, number: int, where: range, *, experts: bool = False) -> Iterator[_Matrices]:
    if not width or not copies or not number:
        return
    size = layout.hidden_size * width * copies
    for kind in ("gate", "up")[3 - layout.matrices :]:
        yield _Matrices(kind, layout.hidden_size, size, number, where, layout.layers, experts)
    yield _Matrices("down", width, size, number, where, layout.layers, experts)
