"""The pages that show answers show those that are given today."""

from __future__ import annotations

import tomllib
from pathlib import Path

from answers.rendering.check import kinds
from docs.answers import page

UNASKED = {"out_of_range", "computed", "computed_calibrated", "launch", "which_quant"}
"""What is answered to a button, a form or an impossible figure."""
DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_of_answers_is_what_the_command_prints(answering) -> None:
    assert (DOCS / "answers.md").read_text(encoding="utf-8") == page(answering), "run `make docs`"


def test_the_page_shows_every_kind_of_answer_in_every_language(answering) -> None:
    examples = tomllib.loads((DOCS / "answers.toml").read_text(encoding="utf-8"))["example"]
    for code in ("en", "es", "it"):
        shown = {answer.reply.kind for example in examples for answer in answering.ask(example[code], code)}
        assert set(kinds()) - shown - UNASKED == set(), code
