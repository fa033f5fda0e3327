"""``rigcheck understand``: questions in, what was understood out, one JSON a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bot.conftest import Result, Run

KEYS = [
    *("text", "lang", "intent", "also_intents", "models", "cards", "n_cards", "memory_gb", "quant", "context", "parameters"),
    *("candidates", "confidence"),
]


def lines(result: Result) -> list[dict[str, Any]]:
    assert (result.code, result.err) == (0, "")
    return [json.loads(line) for line in result.out.splitlines()]


@pytest.fixture
def understand(rigcheck: Run, tmp_path: Path) -> Run:
    """Writes the given objects into a file, one a line, and has it read."""

    def run(*given: Any) -> Result:
        file = tmp_path / "questions.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in given), encoding="utf-8")
        return rigcheck("understand", str(file))

    return run


def test_one_line_out_for_each_line_in_and_in_order(understand: Run) -> None:
    texts = ["can I run StarCoder 2 15B on 12 GB?", "good morning", "¿me corre un 7B en una 3060 de 12 GB?", "who made PolyCoder?"]
    read = lines(understand(*({"text": text} for text in texts)))
    assert [line["text"] for line in read] == texts
    assert [line["intent"] for line in read] == ["can_run", "none", "can_run", "creator"]
    assert {tuple(line) for line in read} == {tuple(KEYS)}


def test_names_are_those_of_the_catalogue(understand: Run) -> None:
    (read,) = lines(understand({"text": "can I run starcoder2:15b at q4km on two 3090s with 8k context?"}))
    assert (read["models"], read["cards"], read["n_cards"]) == (["StarCoder 2 15B"], ["GeForce RTX 3090"], 2)
    assert (read["quant"], read["context"]) == ("Q4_K_M", 8192)


def test_a_size_without_a_name_is_a_number_of_parameters(understand: Run) -> None:
    (read,) = lines(understand({"text": "can I run a 70b on 24 GB?"}))
    assert (read["models"], read["parameters"], read["memory_gb"]) == ([], 70e9, 24)


def test_what_an_ambiguous_name_may_mean_is_listed_and_the_likeliest_taken(understand: Run) -> None:
    (read,) = lines(understand({"text": "can I run StarCoder 2 15B on a 3060?"}))
    ((_, candidates),) = read["candidates"].items()
    assert set(candidates) == {"GeForce RTX 3060 12 GB", "GeForce RTX 3060 8 GB"}
    assert read["cards"] == candidates[:1]


def test_a_follow_up_keeps_what_the_question_before_had(understand: Run) -> None:
    before, after = "can I run StarCoder 2 15B on a 4080?", "and on a 4090?"
    alone, followed, inside = lines(
        understand(
            {"text": after},
            {"text": after, "previous_question": before},
            {"text": after, "other": {"followup": True, "previous_question": before}},
        )
    )
    assert alone["models"] == []
    assert (followed["models"], followed["cards"]) == (["StarCoder 2 15B"], ["GeForce RTX 4090"])
    assert inside == followed


def test_other_keys_are_ignored(understand: Run) -> None:
    text = "can I run StarCoder 2 15B on 12 GB?"
    labelled = {"text": text, "intent": "speed", "model": "PolyCoder", "memory_gb": 99, "other": None, "lang": 7, "origin": ["x"]}
    with_labels, without = lines(understand(labelled, {"text": text}))
    assert with_labels == without


def test_the_language_is_a_hint(understand: Run) -> None:
    hinted, plain = lines(
        understand({"text": "StarCoder 2 15B 12 GB?", "lang": "it"}, {"text": "can I run StarCoder 2 15B?", "lang": "it"})
    )
    assert (hinted["lang"], plain["lang"]) == ("it", "en")


def test_reads_standard_input(process: Run) -> None:
    (read,) = lines(process("understand", "-", stdin='{"text": "who made StarCoder 2 15B?"}\n\n'))
    assert (read["intent"], read["models"]) == ("creator", ["StarCoder 2 15B"])


def test_odd_text_is_read_like_any_other(understand: Run) -> None:
    odd = ["", " ", "\x00", "\ud800", "\u202e\u200f", "x" * 10_000, "?" * 10_000, "{{ 7*7 }}", "<@123>", "`" * 100, "\n\t\r"]
    assert [line["intent"] for line in lines(understand(*({"text": text} for text in odd)))] == ["none"] * len(odd)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x00\xff\xfe\x80", "line 1: not JSON"),
        (b'{"text": "who made PolyCoder?"}\n{"text":\n', "line 2: not JSON"),
        (b"[1]\n", 'line 1: an object with "text" is wanted'),
        (b'{"text": 7}\n', 'line 1: an object with "text" is wanted'),
        (b"[" * 100_000, "line 1: not JSON"),
    ],
)
def test_a_line_that_is_no_question_is_named(rigcheck: Run, tmp_path: Path, content: bytes, sentence: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_bytes(content)
    result = rigcheck("understand", str(file))
    assert result.code == 2
    assert result.err.startswith(f"rigcheck: {file}, {sentence}")
    assert result.err.count("\n") == 1


def test_a_file_that_is_not_there_or_is_a_folder(rigcheck: Run, tmp_path: Path) -> None:
    missing, folder = rigcheck("understand", str(tmp_path / "none.jsonl")), rigcheck("understand", str(tmp_path))
    assert (missing.code, missing.err) == (2, f"rigcheck: {tmp_path / 'none.jsonl'}: No such file or directory\n")
    assert (folder.code, folder.err) == (2, f"rigcheck: {tmp_path}: Is a directory\n")
