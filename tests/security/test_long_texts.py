"""Reading costs in proportion to the length at the most; what is longer than any message is not read to its end."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from answers.answering import Answering
from answers.questions.text import LONGEST

PIECES = (
    *(
        "rtx ",
        "(",
        "9",
        "2x",
        "and on a 3090 ",
        "qwen 7b or ",
        "GB ",
        "can i run ",
        "qwen3 8b 12 gb? ",
        "-",
        "a.",
        "@everyone ",
        "4090 + ",
    ),
    *("q4_k_m ", "ñ", "模型", "  ", "\n", "1,000 ", "1.", "llama-", "no ", "¿", "x1e9", "12gb12gb", "k", "not a 3090 but "),
)


def calls(answering: Answering, text: str) -> int:
    """How many functions are called while a text is read: a cost that does not depend on what else the machine does."""
    counted = 0

    def count(_: Any, event: str, __: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        answering.read(text)
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize("piece", PIECES)
def test_reading_costs_no_more_than_in_proportion_to_the_length(answering: Answering, piece: str) -> None:
    def cost(length: int) -> int:
        return calls(answering, (piece * length)[:length])

    cost(500)
    short = cost(1_000)
    assert cost(4_000) <= 4 * short + 2_000
    assert cost(4 * LONGEST) <= LONGEST / 1_000 * short + 2_000
