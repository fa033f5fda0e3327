"""Weights matrix by matrix, against counts by hand and against what must hold of every model."""

from __future__ import annotations

from itertools import pairwise

import pytest

from answers.catalogue.snapshot import Catalogue
from answers.errors import UsageError
from answers.estimator.calibrated.layout import Layout
from answers.estimator.calibrated.mixes import fitting, mix, share
from answers.estimator.calibrated.weights import weights
from answers.estimator.quants import ladder, quants

LADDER = [step.name for step in reversed(ladder("Q2_K"))]


def layout(catalogue: Catalogue, name: str) -> Layout:
    found = Layout.of(catalogue.model(name))
    assert found is not None, name
    return found


def test_a_quant_counted_by_hand(catalogue: Catalogue) -> None:
    """Llama 3.1 8B at Q4_K_M: half of the value and down matrices are Q6_K, the output too, the rest Q4_K, the norms at 32 bits."""
    hidden, width, vocab, layers, keys = 4096, 14336, 128256, 32, 1024
    q4, q6 = 144 / 256, 210 / 256
    layer = q4 * (2 * hidden * hidden + hidden * keys + 2 * hidden * width) + (q4 + q6) / 2 * (hidden * keys + hidden * width)
    norms = 4 * (2 * layers + 1) * hidden
    counted = layers * layer + q4 * vocab * hidden + q6 * vocab * hidden + norms
    found = weights(layout(catalogue, "Llama 3.1 8B"), "Q4_K_M")
    assert found.all_gb * 1e9 == pytest.approx(counted, rel=1e-5)
    assert (found.all_gb - found.card_gb) * 1e9 == pytest.approx(q4 * vocab * hidden)  # the table of the tokens
    assert found.active_gb == pytest.approx(found.card_gb)
    assert found.experts_gb == 0


def test_the_better_type_goes_to_the_outer_layers_and_every_third() -> None:
    assert share("more", range(32), 32) == 16 / 32
    assert share("eighth", range(32), 32) == 4 / 32
    assert share("more", range(3, 61), 61) == pytest.approx(
        sum(layer < 7 or layer >= 53 or (layer - 7) % 3 == 2 for layer in range(3, 61)) / 58
    )


def test_rows_that_are_no_multiple_of_256_are_stored_in_another_type() -> None:
    assert fitting("Q4_K", 4096) == "Q4_K"
    assert fitting("Q4_K", 2880) == "Q5_0"
    assert fitting("Q6_K", 2880) == "Q8_0"
    assert fitting("Q8_0", 2880) == "Q8_0"
    assert fitting("Q4_K", 2881) == "F16"


def test_narrow_rows_make_a_file_larger(catalogue: Catalogue) -> None:
    nano, llama = layout(catalogue, "Nemotron 3 Nano 30B-A3B"), layout(catalogue, "Llama 3.1 8B")
    assert weights(nano, "Q4_K_M").all_gb * 8e9 / nano.text_parameters > 5.7
    assert weights(llama, "Q4_K_M").all_gb * 8e9 / llama.text_parameters < 4.95


def test_a_mixture_of_experts_keeps_all_of_them_in_memory(catalogue: Catalogue) -> None:
    found = weights(layout(catalogue, "Qwen3 30B-A3B"), "Q4_K_M")
    assert found.all_gb > 17
    assert found.experts_gb > 0.9 * found.all_gb
    assert 1.5 < found.active_gb < 2.5


def test_experts_that_were_published_in_four_bits_stay_so(catalogue: Catalogue) -> None:
    oss = layout(catalogue, "gpt-oss 20B")
    sizes = [weights(oss, quant).experts_gb for quant in ("Q4_K_M", "Q8_0", "F16", "MXFP4")]
    assert sizes == pytest.approx([sizes[0]] * 4)
    assert weights(oss, "MXFP4").all_gb == pytest.approx(11.27 * 1.073741824, rel=0.01)


def test_per_layer_embeddings_stay_in_system_memory(catalogue: Catalogue) -> None:
    gemma = layout(catalogue, "Gemma 4 E4B")
    found = weights(gemma, "Q8_0")
    assert found.all_gb - found.card_gb == pytest.approx(gemma.embedding_rows * 8.5 / 8e9)
    assert found.card_gb < 0.65 * found.all_gb


def test_small_models_have_more_bits_per_weight_than_large_ones(catalogue: Catalogue) -> None:
    rates = []
    for name in ("Llama 3.2 1B", "Llama 3.2 3B", "Llama 3.1 8B", "Llama 3.1 70B"):
        one = layout(catalogue, name)
        rates.append(weights(one, "Q4_K_M").all_gb * 8e9 / one.text_parameters)
    assert rates == sorted(rates, reverse=True)


def test_a_better_rung_is_never_smaller(catalogue: Catalogue) -> None:
    tried = 0
    for model in catalogue.models:
        found = Layout.of(model)
        if found is not None and not any(row % 256 for row in (found.hidden_size, found.dense_width, found.expert_width)):
            sizes = [weights(found, quant).all_gb for quant in LADDER]
            assert all(less <= more * (1 + 1e-9) for less, more in pairwise(sizes)), model.name
            tried += 1
    assert tried > 400


def test_with_narrow_rows_a_lower_rung_may_be_the_larger_one(catalogue: Catalogue) -> None:
    """Q3_K falls back to Q4_0 and Q4_K to Q5_0, which are larger than the IQ4_NL that IQ4_XS falls back to."""
    falcon = layout(catalogue, "Falcon 7B")
    assert falcon.hidden_size % 256
    assert weights(falcon, "Q3_K_M").all_gb > weights(falcon, "IQ4_XS").all_gb


def test_what_is_read_lies_on_the_card_and_what_lies_there_is_in_the_file(catalogue: Catalogue) -> None:
    for model in catalogue.models:
        found = Layout.of(model)
        if found is not None:
            for quant in ("Q3_K_M", "Q4_K_M", "F16", "GPTQ"):
                sized = weights(found, quant)
                assert 0 < sized.active_gb <= sized.card_gb * (1 + 1e-9) <= sized.all_gb * (1 + 2e-9), (model.name, quant)
                assert 0 <= sized.experts_gb <= sized.card_gb, (model.name, quant)


def test_every_quant_that_can_be_asked_for_has_a_size(catalogue: Catalogue) -> None:
    llama = layout(catalogue, "Llama 3.1 8B")
    for name, quant in quants().items():
        assert weights(llama, name).all_gb == pytest.approx(8.03 * quant.memory_bpw / 8, rel=0.3), name
        assert (mix(name) is None) == (quant.scheme == "other"), name


def test_schemes_that_state_their_bits_go_by_them(catalogue: Catalogue) -> None:
    llama = layout(catalogue, "Llama 3.1 8B")
    assert weights(llama, "EXL2 4.65bpw").all_gb == pytest.approx(llama.text_parameters * 4.65 / 8e9)


def test_a_quant_that_nobody_knows_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(UsageError, match="Q9_K is not a quant on file"):
        weights(layout(catalogue, "Llama 3.1 8B"), "Q9_K")


def test_a_dynamic_mix_that_is_not_on_file_is_taken_as_the_quant_of_its_name(catalogue: Catalogue) -> None:
    llama = layout(catalogue, "Llama 3.1 8B")
    assert weights(llama, "UD-IQ2_XXS") == weights(llama, "IQ2_XXS")
    assert weights(llama, "Q8_K_XL") == weights(llama, "UD-Q8_K_XL") != weights(llama, "Q8_0")
