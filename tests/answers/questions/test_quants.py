"""The spellings of quants."""

from __future__ import annotations

import re

import pytest

from answers.catalogue.atoms import tokenise
from answers.estimator.quants import quant
from answers.questions.quants import BY_BITS, CANONICAL, find_quants

BITS = re.compile(r"(?<![0-9.,])([1-9][0-9]?)[\- ]?(?:bits|bit)(?![a-z])")


def found(text: str) -> list[str]:
    return [match.name for match in find_quants(text, tokenise(text), BITS)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("q4", "Q4_K_M"),
        ("q4km", "Q4_K_M"),
        ("q4_k_m", "Q4_K_M"),
        ("q4-k-m", "Q4_K_M"),
        ("q4 k m", "Q4_K_M"),
        ("4bit", "Q4_K_M"),
        ("4-bit", "Q4_K_M"),
        ("a 8 bits", "Q8_0"),
        ("int4", "Q4_K_M"),
        ("int8", "Q8_0"),
        ("q8", "Q8_0"),
        ("q8_0", "Q8_0"),
        ("q6", "Q6_K"),
        ("q6k", "Q6_K"),
        ("q5", "Q5_K_M"),
        ("q5_k_s", "Q5_K_S"),
        ("q3", "Q3_K_M"),
        ("q2_k", "Q2_K"),
        ("q4_0", "Q4_0"),
        ("iq4_xs", "IQ4_XS"),
        ("iq4nl", "IQ4_NL"),
        ("ud-q4_k_xl", "Q4_K_M"),
        ("fp16", "F16"),
        ("f16", "F16"),
        ("16-bit", "F16"),
        ("bf16", "BF16"),
        ("fp8", "FP8"),
        ("fp32", "F32"),
        ("mxfp4", "MXFP4"),
        ("nf4", "NF4"),
        ("gptq", "GPTQ"),
        ("awq", "AWQ"),
        ("4.65bpw", "EXL2 4.65bpw"),
    ],
)
def test_a_spelling_means_one_quant(text: str, name: str) -> None:
    assert found(text) == [name]


def test_a_scheme_and_its_bits_are_one_quant() -> None:
    assert set(found("gptq 4bit")) == {"GPTQ 4-bit"}
    assert set(found("exl2 at 4.65bpw")) == {"EXL2 4.65bpw"}


@pytest.mark.parametrize("text", ["64-bit windows", "q9", "faq4u", "unit4", "q4you", "24 bits"])
def test_what_only_looks_like_a_quant_is_none(text: str) -> None:
    assert found(text) == []


def test_what_a_number_of_bits_means_can_be_answered() -> None:
    for name in BY_BITS.values():
        assert name in CANONICAL
    for bits in (2, 3, 4, 5, 6, 8, 16, 32):
        assert quant(BY_BITS[bits]).memory_bpw > 0
