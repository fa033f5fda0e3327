"""A minute of fuzzing the whole way from a text to a message; ``python -m benchmarks.fuzz`` does an hour."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.fuzz import WORDS, checker, seed

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="there is no atheris for this machine or Python")
def test_a_minute_of_fuzzing_breaks_nothing(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.fuzz", "--minutes", "1"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert "stat::number_of_executed_units" in run.stderr


def test_what_breaks_a_promise_is_noticed(answering: Any) -> None:
    checker(answering)(b"can a 3060 run codestral?\nand a 4090?")

    def answer_nothing(*_: Any) -> tuple[Any, ...]:
        return ()

    silent = SimpleNamespace(locales=answering.locales, read=answering.read, ask=answer_nothing)
    with pytest.raises(AssertionError):
        checker(silent)(b"can a 3060 run codestral?")


def test_the_fuzzer_begins_with_questions_and_their_words(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    words = seed(corpus)
    assert len(list(corpus.iterdir())) > 50
    assert len(words.read_text(encoding="ascii").splitlines()) == len(WORDS)


def test_several_names_of_many_meanings_are_not_tried_in_every_combination(answering: Any) -> None:
    (answer,) = answering.ask("can qwen3, llama and granite run on a 4090?")
    assert answer.reply.kind == "ask_back"
