"""Cache, buffers and need of the calibrated method: the known traps, llama.cpp's own logs, and what must always hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.catalogue.snapshot import Catalogue
from answers.estimator.calibrated import memory
from answers.estimator.calibrated.layout import Layout
from answers.estimator.figures import Figures

GIB = memory.GIB
MIB = GIB / 1024


def layout(catalogue: Catalogue, name: str) -> Layout:
    found = Layout.of(catalogue.model(name))
    assert found is not None, name
    return found


@pytest.mark.parametrize(
    ("name", "context", "gib"),
    [
        ("Gemma 3 27B", 131072, 10.4),  # 62 where its windows are overlooked
        ("DeepSeek-R1 671B", 32768, 2.14),  # the latent cache of MLA
        ("gpt-oss 20B", 131072, 3.0),
        ("Llama 3.1 8B", 131072, 16.0),
        ("Llama 3.1 8B", 8192, 1.0),
        ("LLaMA 7B", 512, 0.25),  # as many KV heads as query heads
        ("StarCoder", 8192, 0.16),  # a single one
    ],
)
def test_the_cache_of_models_whose_size_is_known(catalogue: Catalogue, name: str, context: int, gib: float) -> None:
    assert memory.cache_gb(layout(catalogue, name), context) / GIB == pytest.approx(gib, rel=0.03)


def test_a_recurrent_model_keeps_the_same_however_long_the_context(catalogue: Catalogue) -> None:
    mamba = layout(catalogue, "Falcon Mamba 7B")
    assert memory.cache_gb(mamba, 256) == memory.cache_gb(mamba, 1_000_000) > 0


def test_a_hybrid_grows_with_its_attention_layers_alone(catalogue: Catalogue) -> None:
    qwen = layout(catalogue, "Qwen3.6 27B")  # 16 of 64 layers have attention, with 4 KV heads of 256
    grown = memory.cache_gb(qwen, 65536) - memory.cache_gb(qwen, 32768)
    assert grown == pytest.approx(32768 * 16 * 4 * 2 * 256 * 2 / 1e9)


def test_a_cache_of_fewer_bits_is_smaller_by_as_much(catalogue: Catalogue) -> None:
    llama = layout(catalogue, "Llama 3.1 8B")
    full = memory.cache_gb(llama, 32768)
    assert memory.cache_gb(llama, 32768, "q8_0") == pytest.approx(full * 8.5 / 16)
    assert memory.cache_gb(llama, 32768, "q4_0") == pytest.approx(full * 4.5 / 16)


@pytest.mark.parametrize(
    ("name", "context", "cards", "mib"),
    [
        ("LLaMA 7B", 512, 1, 70.5),
        ("Llama 2 13B", 512, 1, 75),
        ("Llama 2 70B", 512, 1, 145),
        ("Llama 3 8B", 512, 1, 258.5),
        ("Llama 3 8B", 8192, 1, 560),
        ("Llama 3 8B", 8192, 4, 4 * 640),
    ],
)
def test_compute_buffers_are_as_llama_cpp_logs_them_without_flash_attention(
    catalogue: Catalogue, name: str, context: int, cards: int, mib: float
) -> None:
    found = memory.buffers_gb(layout(catalogue, name), context, cards=cards, flash_attention=False)
    assert found / MIB == pytest.approx(mib, rel=0.09)


def test_flash_attention_needs_no_room_for_every_heads_scores(catalogue: Catalogue) -> None:
    llama = layout(catalogue, "Llama 3.1 8B")
    assert memory.buffers_gb(llama, 131072) < 0.1 * memory.buffers_gb(llama, 131072, flash_attention=False)


def test_the_asker_gets_his_own_context_not_the_models_longest(catalogue: Catalogue) -> None:
    model = catalogue.model("Llama 3.1 8B")
    assert model.max_context == 131072
    figures = Figures.of(model, "calibrated")
    assert figures.layout is not None
    assert figures.context(None) == 4096
    assert memory.cache_gb(figures.layout, figures.context(None)) == pytest.approx(0.5 * GIB)
    assert memory.cache_gb(figures.layout, figures.context(8192)) == pytest.approx(GIB)


def test_the_terms_add_up(catalogue: Catalogue) -> None:
    qwen = layout(catalogue, "Qwen3 32B")
    parts = memory.parts(qwen, "Q4_K_M", 16384, "q8_0", 2)
    assert parts.need_gb == pytest.approx(parts.weights_gb + parts.cache_gb + parts.buffers_gb + parts.runtime_gb)
    assert parts.need_gb == memory.need_gb(qwen, "Q4_K_M", 16384, "q8_0", 2)
    assert parts.runtime_gb == pytest.approx(2 * memory.runtime_gb(qwen))


def test_a_card_holds_gib_less_a_reserve() -> None:
    reserve = 12 * GIB - memory.usable_gb(12)
    assert 0.2 < reserve < 1
    assert 24 * GIB - memory.usable_gb(24) == pytest.approx(reserve)
    assert memory.comfortable_gb(24) == pytest.approx(0.75 * 24 * GIB)
    assert memory.usable_gb(0.3) >= 0


def test_unified_memory_lets_a_model_have_a_share() -> None:
    assert memory.usable_gb(16, unified=True) == pytest.approx(16 * GIB * 2 / 3)
    assert memory.usable_gb(64, unified=True) == pytest.approx(64 * GIB * 3 / 4)
    assert memory.comfortable_gb(64, unified=True) == pytest.approx(64 * GIB * 3 / 4 * 5 / 6)


@settings(max_examples=40, deadline=None)
@given(
    index=st.integers(0, 10_000),
    first=st.integers(256, 1_000_000),
    second=st.integers(256, 1_000_000),
    kv=st.sampled_from(["f16", "q8_0", "q4_0"]),
    cards=st.integers(1, 8),
)
def test_a_longer_context_never_needs_less(catalogue: Catalogue, index: int, first: int, second: int, kv: str, cards: int) -> None:
    found = Layout.of(catalogue.models[index % len(catalogue.models)])
    if found is not None:
        low, high = sorted((first, second))
        assert memory.need_gb(found, "Q4_K_M", low, kv, cards) <= memory.need_gb(found, "Q4_K_M", high, kv, cards)


@settings(max_examples=40, deadline=None)
@given(index=st.integers(0, 10_000), room_gb=st.floats(0.1, 200), kv=st.sampled_from(["f16", "q8_0", "q4_0"]))
def test_the_longest_context_fits_and_one_token_more_does_not(catalogue: Catalogue, index: int, room_gb: float, kv: str) -> None:
    found = Layout.of(catalogue.models[index % len(catalogue.models)])
    if found is None:
        return
    longest = memory.longest_context(found, room_gb, "Q4_K_M", kv)
    if longest is None:
        assert memory.need_gb(found, "Q4_K_M", memory.LEAST_CONTEXT, kv) > room_gb
    else:
        assert memory.need_gb(found, "Q4_K_M", longest, kv) <= room_gb
        assert longest == memory.MOST_CONTEXT or memory.need_gb(found, "Q4_K_M", longest + 1, kv) > room_gb


def test_a_cache_of_fewer_bits_makes_room_for_more_tokens(catalogue: Catalogue) -> None:
    llama = layout(catalogue, "Llama 3.1 8B")
    tokens = [memory.longest_context(llama, memory.usable_gb(12), "Q4_K_M", kv) or 0 for kv in ("f16", "q8_0", "q4_0")]
    assert tokens == sorted(tokens)
    assert 30_000 < tokens[0] < 70_000
