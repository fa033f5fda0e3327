"""Whatever is typed gets an answer or one clear sentence: never a traceback, never a hang."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from answers.answering import Answering, text_of
from answers.replies.asking import OutOfRange
from tests.bot.conftest import ROOT, Run

QUESTION = "can I run StarCoder 2 15B on 12 GB?"


@pytest.mark.parametrize("typed", ["", " ", "\n\t", "\u00a0"])
def test_an_empty_question_is_refused(rigcheck: Run, typed: str) -> None:
    result = rigcheck("ask", typed)
    assert (result.code, result.out, result.err) == (2, "", "rigcheck: the question is empty\n")


def test_a_text_that_is_too_long_to_be_a_question_is_refused(rigcheck: Run) -> None:
    result = rigcheck("ask", "why " * 10_000)
    assert (result.code, result.out) == (2, "")
    assert result.err == "rigcheck: the question has 40,000 characters; 20,000 are the most that can be read\n"


@pytest.mark.parametrize(
    "typed",
    [
        "x" * 10_000,
        "?" * 10_000,
        "12 GB " * 1_600,
        "3090 " * 2_000,
        "llama 3 8b or " * 700,
        f"{'really, ' * 1_200}{QUESTION}",
        "(" * 5_000 + ")" * 5_000,
        "🦙" * 10_000,
    ],
)
def test_ten_thousand_characters_are_read(answering: Answering, typed: str) -> None:
    assert text_of(answering.ask(typed)).strip()


def test_ten_thousand_characters_are_answered_by_the_process(process: Run) -> None:
    result = process("ask", f"{'really, ' * 1_200}{QUESTION}")
    assert (result.code, result.err) == (0, "")
    assert result.out.strip()


@pytest.mark.parametrize("typed", [b"\xff\xfe\x80", b"can I run \xc3\x28 on 12 GB?", bytes(range(1, 256))])
def test_bytes_that_are_no_text_are_read(process: Run, typed: bytes) -> None:
    result = process("ask", "--", typed)
    assert (result.code, result.err) == (0, "")
    assert result.out.strip()


@pytest.mark.parametrize("typed", [b"\xff\xfe\x80\n", bytes(range(256)) * 20, b"\x00" * 1_000, random.Random(7).randbytes(2_000)])
def test_bytes_that_are_no_text_are_read_in_a_conversation(process: Run, typed: bytes) -> None:
    result = process("chat", stdin=typed + f"\n{QUESTION}\n".encode())
    assert (result.code, result.err) == (0, "")
    assert "Yes, but it's tight: StarCoder 2 15B on 12" in result.out


NAMES = ("{{ 1234567*3 }}", "{% raw %}", "`rm -rf`", "**x**", "_y_", "||z||", "[a](b)", "<@123>", "<@&9>", "@everyone")


@pytest.mark.parametrize("typed", NAMES)
@pytest.mark.parametrize(
    "question", ["can I run {} 13B on 12 GB?", "who made {}?", "can I run StarCoder 2 15B on a {} 4090?", "compare {} and a 4090"]
)
def test_a_name_is_never_run_nor_takes_effect(answering: Answering, question: str, typed: str) -> None:
    text = text_of(answering.ask(question.format(typed)))
    assert "3703701" not in text.replace(",", "")
    # Marks that the answer repeats stand as they were typed, not with the backslashes that keep them from taking effect.
    assert "\\" not in text


@pytest.mark.parametrize("typed", ["RTX_9999", "RTX 9999"])
def test_an_unknown_name_is_repeated_as_it_was_typed(rigcheck: Run, typed: str) -> None:
    answer = rigcheck("ask", f"can I run StarCoder 2 15B on an {typed}?", "--json").json
    assert (answer["reply"]["kind"], answer["reply"]["typed"]) == ("unknown", typed)
    assert typed in answer["text"]


@pytest.mark.parametrize("around", ["\u202e{}\u202c", "\u2067{}\u2069", "\ufeff{}", "\u200b{}", "<@123> {}", "**{}**", "  {}\r\n"])
def test_what_stands_around_a_question_does_not_change_its_answer(answering: Answering, around: str) -> None:
    assert text_of(answering.ask(around.format(QUESTION))) == text_of(answering.ask(QUESTION))


@pytest.mark.parametrize("marks", ["\u202e{}", "\u200f{}\u200f", "\u2067{}\u2069", "\ufeff{}", "\u200b{}"])
def test_marks_that_nobody_sees_do_not_come_back(answering: Answering, marks: str) -> None:
    text = text_of(answering.ask(marks.format("can I run Blorptron 13B on 12 GB?")))
    assert not set(text) & set("\u200b\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("can I run StarCoder 2 15B on 0 GB?", "memory"),
        ("can I run StarCoder 2 15B on -5 GB?", "memory"),
        ("can I run StarCoder 2 15B on 1e99 GB?", "memory"),
        ("can I run StarCoder 2 15B on 999999999999 GB?", "memory"),
    ],
)
def test_a_number_that_no_card_has_is_said_to_be_out_of_range(answering: Answering, question: str, what: str) -> None:
    (answer,) = answering.ask(question)
    assert isinstance(answer.reply, OutOfRange)
    assert answer.reply.what == what


@pytest.mark.parametrize(
    "question",
    [
        f"{QUESTION[:-1]} with 1e99 context?",
        f"{QUESTION[:-1]} with {'9' * 400} tokens of context?",
        f"can I run a {'9' * 400}B model on 12 GB?",
        f"can I run StarCoder 2 15B on {'9' * 400} GB?",
        f"can I run StarCoder 2 15B on {'9' * 400} 3090s?",
        "can I run StarCoder 2 15B on 12 GB with 0 context?",
        "can I run a 0B model on 12 GB?",
        "can I run StarCoder 2 15B on 0 3090s?",
        "can I run StarCoder 2 15B on NaN GB?",
    ],
)
def test_a_number_beyond_reason_is_answered_without_fuss(answering: Answering, question: str) -> None:
    assert text_of(answering.ask(question)).strip()


def test_a_context_above_the_models_own_is_answered_for_the_models_own(rigcheck: Run) -> None:
    basis = rigcheck("ask", "can I run StarCoder 2 15B on 24 GB with 128k context?", "--json").json["reply"]["basis"]
    assert (basis["context"], basis["context_cut_from"]) == (16_384, 131_072)


@pytest.mark.parametrize(
    "arguments",
    [(), ("answer",), ("ask",), ("ask", "a", "b"), ("ask", "a", "--loud"), ("survey",), ("catalogue",), ("catalogue", "burn")],
)
def test_bad_usage_shows_the_usage_and_ends_with_2(rigcheck: Run, arguments: tuple[str, ...]) -> None:
    result = rigcheck(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("usage: rigcheck")


def test_an_option_that_is_no_number_is_named(rigcheck: Run) -> None:
    result = rigcheck("survey", "StarCoder 2 15B", "--memory", "twelve")
    assert result.code == 2
    assert "argument --memory: invalid float value: 'twelve'" in result.err


def test_help_is_no_failure(rigcheck: Run) -> None:
    result = rigcheck("--help")
    assert (result.code, result.err) == (0, "")
    assert all(command in result.out for command in ("ask", "chat", "survey", "understand", "catalogue", "locales"))


def test_a_reader_that_stops_early_is_not_complained_about() -> None:
    command = [sys.executable, "-m", "bot.cli", "survey", "StarCoder 2 3B", "--all", "--json"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == b"[\n"
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_output_that_cannot_be_written_is_said_in_one_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "bot.cli", "ask", QUESTION]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, b"rigcheck: input or output: No space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="closes a stream as a Unix shell does")
@pytest.mark.parametrize(
    "command", [f"ask '{QUESTION}' >&-", f"ask '{QUESTION}' 2>&-", f"ask '{QUESTION}' <&- >&- 2>&-", "chat <&-", "understand - <&-"]
)
def test_a_closed_stream_is_an_empty_one(command: str) -> None:
    shell = f"exec '{sys.executable}' -m bot.cli {command}"
    done = subprocess.run(
        ["/bin/sh", "-c", shell], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
