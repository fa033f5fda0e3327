"""How large the cache of keys and values is, against the arithmetic of the models' own configurations."""

from __future__ import annotations

import pytest

from answers.questions.question import Intent, Question
from answers.replies.build import build


def ask(desk, model: str, **slots):
    return build(desk, Question(intent=Intent.VRAM_NEEDED, models=(model,), about_cache=True, **slots))


@pytest.mark.parametrize(
    ("model", "values"),
    [
        # Layers x KV heads x (key + value width) of a token.
        ("Qwen3 32B", 64 * 8 * 256),
        ("Qwen3 14B", 40 * 8 * 256),
        ("Llama 3.1 8B", 32 * 8 * 256),
        # Latent attention: layers x (rank + rotary part).
        ("DeepSeek-V3 671B", 61 * (512 + 64)),
    ],
)
def test_a_token_takes_what_its_layers_keep_of_it(desk, model: str, values: int) -> None:
    reply = ask(desk, model, context=32_768)
    assert reply.kind == "cache_size"
    assert reply.token_kb == pytest.approx(2 * values / 1000, rel=1e-6)
    assert reply.cache_gb == pytest.approx(2 * values * 32_768 / 1e9, rel=1e-6)


def test_layers_with_a_window_stop_growing(desk) -> None:
    """Of the 62 layers of Gemma 3 27B every sixth sees everything, with 16 KV heads of 128 wide keys and values."""
    reply = ask(desk, "Gemma 3 27B", context=32_768)
    assert reply.token_kb == pytest.approx(2 * 10 * 16 * 256 / 1000, rel=1e-6)


def test_the_precision_that_is_named_leads(desk) -> None:
    plain, named = ask(desk, "Qwen3 14B", context=32_768), ask(desk, "Qwen3 14B", context=32_768, kv="q8_0")
    row = next(row for row in plain.rows if row.context == 32_768)
    assert (named.kv, named.cache_gb) == ("q8_0", row.q8_0_gb)
    assert row.q4_0_gb < row.q8_0_gb < row.f16_gb == plain.cache_gb
    assert plain.need_gb - named.need_gb == pytest.approx(row.f16_gb - row.q8_0_gb, abs=0.05)


def test_only_contexts_that_the_model_takes_are_shown(desk) -> None:
    assert [row.context for row in ask(desk, "Qwen3 14B", context=8192).rows] == [4096, 8192, 32_768]
    assert [row.context for row in ask(desk, "Llama 3.1 8B").rows] == [4096, 32_768, 131_072]


def test_without_a_layout_the_whole_need_is_told(desk) -> None:
    unknown = next(model.name for model in desk.catalogue.models if model.attention_kind is None)
    assert ask(desk, unknown).kind == "vram_needed"
