from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue
from answers.estimator.calibrated.calibration import FILE
from answers.estimator.calibrated.classes import Traits
from answers.estimator.calibrated.speed import (
    Device,
    Work,
    confidence,
    prompt_tok_s,
    speed,
    speed_offload,
    speed_split,
    terms,
)
from benchmarks import _fit, accuracy
from benchmarks._measured import Row
from benchmarks.calibrate import calibrated, rows_on_file, with_speed, written

LLAMA = Work(4.6, 0.5, 32, 8e9, 8e9, "Q4_K_M")
EXPERTS = Work(2.2, 0.5, 48, 30e9, 3.3e9, "Q4_K_M")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return asyncio.run(load())


@pytest.fixture(scope="module")
def rows(catalogue: Catalogue) -> list[Row]:
    return rows_on_file(catalogue)


Fits = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


@pytest.fixture(scope="module")
def fits(rows: Sequence[Row]) -> Fits:
    return accuracy.refitted(rows)


def traits(bandwidth: float, architecture: str = "Ampere") -> Traits:
    return Traits("NVIDIA", architecture, "GDDR", bandwidth, "CUDA")


@given(st.floats(10, 9000), st.floats(1.0, 3.0), st.sampled_from(["Ampere", "Pascal", "unheard of"]))
def test_more_bandwidth_never_slows(bandwidth: float, more: float, architecture: str) -> None:
    slow, fast = (Device.of_traits(traits(gb_s, architecture)) for gb_s in (bandwidth, bandwidth * more))
    assert terms(LLAMA, fast).seconds <= terms(LLAMA, slow).seconds


@given(st.floats(0.1, 400), st.floats(0, 100), st.floats(0, 50))
def test_more_bytes_never_speed_up(read: float, cache: float, more: float) -> None:
    device = Device.of_traits(traits(500))
    less = replace(LLAMA, read_gb=read, cache_gb=cache)
    for greater in (replace(less, read_gb=read + more), replace(less, cache_gb=cache + more)):
        assert terms(greater, device).seconds >= terms(less, device).seconds


def test_all_cards_at_once_are_what_each_is_alone(catalogue: Catalogue) -> None:
    table = Device.table(catalogue.surveyed)
    for work in (LLAMA, EXPERTS, replace(LLAMA, quant="UD-Q8_K_XL"), replace(LLAMA, quant="EXL2 4.65bpw")):
        alone = [terms(work, Device.of(card)).seconds for card in catalogue.surveyed]
        np.testing.assert_allclose(terms(work, table).seconds, alone, rtol=1e-12)


def test_two_equal_cards_are_no_faster_than_one() -> None:
    device = Device.of_traits(traits(500))
    one, two = speed(LLAMA, device), speed_split(LLAMA, [(device, 0.5), (device, 0.5)])
    assert 0.8 * one.tok_s < two.tok_s < one.tok_s


def test_mixed_cards_lie_between_the_two() -> None:
    slow, fast = Device.of_traits(traits(300)), Device.of_traits(traits(900))
    mixed = speed_split(LLAMA, [(slow, 0.5), (fast, 0.5)]).tok_s
    assert speed_split(LLAMA, [(slow, 0.5)] * 2).tok_s < mixed < speed_split(LLAMA, [(fast, 0.5)] * 2).tok_s


def test_what_lies_in_system_memory_slows_and_widens() -> None:
    device = Device.of_traits(traits(900))
    whole = speed(LLAMA, device)
    offloaded = [speed_offload(LLAMA, [(device, 1.0)], ram_read_gb=gb).tok_s for gb in (0.0, 1.0, 4.6)]
    assert offloaded[0] == pytest.approx(whole.tok_s)
    assert offloaded == sorted(offloaded, reverse=True)
    assert offloaded[2] < 50 / 4.6
    faster = speed_offload(LLAMA, [(device, 1.0)], ram_read_gb=1.0, ram_gb_s=100)
    assert faster.tok_s > offloaded[1]
    assert faster.high_tok_s / faster.low_tok_s > whole.high_tok_s / whole.low_tok_s


def test_confidence_says_what_was_measured() -> None:
    known, unknown = Device.of_traits(traits(500)), Device.of_traits(traits(500, "unheard of"))
    assert confidence([4e9], 8e9, known) == "high"
    assert confidence([3.9e9, 17e9], 8e9, known) == "medium"
    assert confidence((), 8e9, known) == "medium"
    assert confidence(None, 8e9, unknown) == "low"
    assert unknown.levels == ("vendor",)
    wide, narrow = speed(LLAMA, unknown), speed(LLAMA, known)
    assert wide.high_tok_s / wide.low_tok_s > narrow.high_tok_s / narrow.low_tok_s


def test_old_cards_read_their_memory_as_well_as_they_compute(catalogue: Catalogue) -> None:
    p40, m40, small = (Device.of(catalogue.card(name)) for name in ("Tesla P40", "Tesla M40 24 GB", "GeForce GTX 1050 Ti"))
    assert p40.efficiency > 1.3 * small.efficiency
    assert speed(LLAMA, p40).tok_s > 1.2 * speed(LLAMA, m40).tok_s
    known = [replace(traits(rate, "Pascal"), fp32_tflops=10.0) for rate in (200.0, 400.0, 800.0)]
    rates = [speed(LLAMA, Device.of_traits(one)).tok_s for one in known]
    assert rates == sorted(rates), "more bandwidth is never slower"
    modern = [replace(traits(400.0, "Ampere"), fp32_tflops=rate) for rate in (10.0, 40.0)]
    assert Device.of_traits(modern[0]).efficiency == Device.of_traits(modern[1]).efficiency


def test_a_rough_figure_for_prompts() -> None:
    assert prompt_tok_s(None, 8e9, "NVIDIA") is None
    assert prompt_tok_s(0.18, 8e9, "NVIDIA", 484.0) is None
    assert prompt_tok_s(40.0, 8e9, "NVIDIA", 500.0) == pytest.approx(2 * (prompt_tok_s(20.0, 8e9, "NVIDIA", 500.0) or 0))


def test_no_constant_names_a_card_or_a_model(catalogue: Catalogue) -> None:
    keys = set(re.findall(r'^"?([^"={]+?)"? = \{', FILE.read_text(encoding="utf-8"), re.MULTILINE))
    assert "Ada Lovelace" in keys
    assert not keys & {entry.name for entry in (*catalogue.cards, *catalogue.models)}


def test_the_constants_are_what_the_measurements_give(rows: Sequence[Row]) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert with_speed(text, written(calibrated(rows))) == text, "make calibrate"


def test_an_answer_is_what_the_fit_gives(rows: Sequence[Row]) -> None:
    given_ = _fit.design(rows)
    by_fit = _fit.predict(given_, _fit.solve(given_))
    answered = np.array([accuracy.estimate(row).tok_s for row in rows])
    np.testing.assert_allclose(answered, by_fit, rtol=5e-3)  # the file's factors are rounded


def test_the_bars_hold_on_cards_left_out(rows: Sequence[Row], fits: Fits) -> None:
    missed = [bar for bar in accuracy.bars(accuracy.unseen(rows, *fits[:2]), rows) if bar[2] is not None and bar[1] > bar[2]]
    assert missed == []


def test_ranges_hold_alike_whatever_the_confidence(rows: Sequence[Row], fits: Fits) -> None:
    measured = np.array([row.tok_s for row in rows])
    inside = {
        name: float(np.mean(((measured >= made.low) & (measured <= made.high))[chosen]))
        for name, (made, chosen) in accuracy.by_confidence(rows, fits).items()
    }
    assert min(inside.values()) >= 0.90
    assert max(inside.values()) - min(inside.values()) < 0.05


def test_the_tables_in_the_documentation_are_current(rows: Sequence[Row], fits: Fits) -> None:
    text = accuracy.report(rows, accuracy.unseen(rows, *fits[:2]), fits)
    assert text in accuracy.DOCS.read_text(encoding="utf-8"), "python -m benchmarks.accuracy --write"


def test_every_line_gets_an_answer_and_never_its_own_measurement(catalogue: Catalogue) -> None:
    line = {
        "gpu": "GeForce RTX 4090", "vendor": "NVIDIA", "gpu_arch": "Ada Lovelace", "n_gpus": "1", "backend": "CUDA",
        "model": "Llama 3.1 8B", "params_b": "8.03", "active_params_b": "", "quant": "Q4_K_M", "depth": "0", "tier": "A",
        "tok_s": "1", "size_gib": "4.58", "bandwidth_gb_s": "1008", "source": "x",
    }  # fmt: skip
    odd = [
        {},
        line | {"tok_s": "999"},
        line | {"gpu": "Foo", "vendor": "Foo", "gpu_arch": "Bar", "model": "Nothing", "quant": "ZZZ"},
        line | {"n_gpus": "1e9", "params_b": "nan", "active_params_b": "inf", "depth": "1e12", "size_gib": "1e-300"},
        line | {"n_gpus": "-3", "depth": "x", "size_gib": "", "bandwidth_gb_s": "0"},
    ]
    answers = accuracy.answer_lines([line, *odd], catalogue)
    assert [answer["index"] for answer in answers] == list(range(6))
    assert answers[0]["tok_s"] == answers[2]["tok_s"]
    for answer in answers:
        assert 0 < answer["low_tok_s"] < answer["tok_s"] < answer["high_tok_s"] < 1e9
        assert answer["need_gb"] > 0
        assert "NaN" not in json.dumps(answer)
