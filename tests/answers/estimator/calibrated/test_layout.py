"""What is read out of a model's layout, and what the facts on file leave open."""

from __future__ import annotations

import pytest

from answers.catalogue.snapshot import Catalogue
from answers.estimator.calibrated.layout import Layout, matrix_parameters


def layout(catalogue: Catalogue, name: str) -> Layout:
    found = Layout.of(catalogue.model(name))
    assert found is not None, name
    return found


def test_most_models_recount_within_one_percent(catalogue: Catalogue) -> None:
    found = [one for one in map(Layout.of, catalogue.models) if one is not None]
    plain = [one for one in found if not one.recurrent_layers]
    assert len(found) >= 660
    assert sum(abs(one.recount - 1) <= 0.01 for one in plain) / len(plain) > 0.93


def test_no_parameter_is_lost_or_counted_twice(catalogue: Catalogue) -> None:
    for model in catalogue.models:
        found = Layout.of(model)
        if found is not None:
            total = matrix_parameters(found) * found.scale + found.other
            assert total == pytest.approx(model.text_parameters or model.parameters), model.name


@pytest.mark.parametrize(
    "name",
    [
        "LongCat-2.0 1.8T",  # nothing on file
        "DeepSeek-V4-Flash",  # a compressed cache whose ratios are not
        "Llama 3.3 Nemotron Super 49B",  # attention that differs from layer to layer
        "K2 Horizon 7B",  # a layout that nobody has verified
    ],
)
def test_a_model_whose_cache_is_not_on_file_has_no_layout(catalogue: Catalogue, name: str) -> None:
    assert Layout.of(catalogue.model(name)) is None


def test_the_documents_models_have_a_layout_too(catalogue: Catalogue) -> None:
    for model in catalogue.models:
        if model.estimate_by is not None:
            assert Layout.of(model) is not None, model.name


@pytest.mark.parametrize(
    ("name", "matrices"), [("Llama 3.1 8B", 3), ("StarCoder 2 15B", 2), ("Nemotron Nano 9B v2", 2), ("Nemotron 3 Nano 30B-A3B", 2)]
)
def test_the_count_tells_whether_a_block_has_a_gate(catalogue: Catalogue, name: str, matrices: int) -> None:
    assert layout(catalogue, name).matrices == matrices


def test_the_count_tells_where_the_experts_stand(catalogue: Catalogue) -> None:
    maverick = layout(catalogue, "Llama 4 Maverick")
    assert maverick.every_second
    assert (maverick.dense_layers, maverick.expert_layers) == (24, 24)
    deepseek = layout(catalogue, "DeepSeek-R1 671B")
    assert not deepseek.every_second
    assert (deepseek.dense_layers, deepseek.expert_layers) == (3, 58)


def test_layers_that_share_a_cache_keep_none_of_their_own(catalogue: Catalogue) -> None:
    gemma = layout(catalogue, "Gemma 4 E2B")  # 15 of 35 layers keep one: 3 with full attention, 12 with a window
    assert gemma.full_layers * gemma.full_cache == pytest.approx(3 * 2 * 512)
    assert gemma.windowed_layers * gemma.windowed_cache == pytest.approx(12 * 2 * 256)


def test_full_and_windowed_layers_may_have_heads_of_their_own(catalogue: Catalogue) -> None:
    gemma = layout(catalogue, "Gemma 4 31B")
    assert (gemma.full_cache, gemma.windowed_cache) == (4 * 2 * 512, 16 * 2 * 256)
    mimo = layout(catalogue, "MiMo-V2-Flash")
    assert (mimo.full_cache, mimo.windowed_cache) == (4 * (192 + 128), 8 * (192 + 128))


@pytest.mark.parametrize("billions", [0.1, 0.5, 1, 3, 7, 13, 32, 70, 405, 1000])
def test_a_typical_model_has_the_size_asked_for(billions: float) -> None:
    found = Layout.of_size(billions * 1e9)
    assert matrix_parameters(found) * found.scale + found.other == pytest.approx(billions * 1e9)
    assert found.recount == pytest.approx(1, abs=0.02)


def test_a_typical_model_is_like_the_real_ones_of_its_size(catalogue: Catalogue) -> None:
    for name in ("Llama 3.1 8B", "Llama 3.1 70B"):
        model = catalogue.model(name)
        real, typical = layout(catalogue, name), Layout.of_size(model.parameters)
        assert typical.layers == pytest.approx(real.layers, rel=0.2)
        assert typical.full_layers * typical.full_cache == pytest.approx(real.full_layers * real.full_cache, rel=0.2)
