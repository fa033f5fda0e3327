"""Fuzzes the whole way from a text to a message: ``python -m benchmarks.fuzz [--minutes 60] [--corpus FOLDER]``.

libFuzzer, through atheris, changes questions, watches which branches of ``answers`` a change reaches, and keeps what reaches new
ones. A text of two lines is two messages, the second of which may go on from the first. What is looked for is any exception, and a
reading that is not what every reading promises. The text that breaks something is written to the folder it is run in, and the exit
code is not 0. ``--corpus`` keeps what was found from one run to the next.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

LONGEST = 600
"""Bytes of a text."""
SLOWEST_S = 10
"""Seconds after which one text counts as endless."""
SEEDS = Path(__file__).with_name("questions.jsonl")
WORDS = (
    *(
        "3090",
        "4060 ti 16gb",
        "2x",
        "m3 max 64gb",
        "12gb",
        "64gb ram",
        "q4_k_m",
        "32k ctx",
        "llama3.1:8b",
        "qwen3",
        "r1 14b",
        "foo 27b",
        "rtx 9999",
    ),
    *(
        "can i run",
        "how fast",
        "and on a",
        "what about",
        "who made",
        "vs",
        "or",
        "no gpu",
        "0x",
        "99",
        "-5 gb",
        "1e99",
        "?",
        "。",
        "显存",
        "내장",
        "视频",
        "```",
        "> ",
    ),
)
"""What the fuzzer may put in, besides what it makes up."""


def checker(answering: Any) -> Callable[[bytes], None]:
    """What is done with one text."""
    languages = (*answering.locales.languages, None)

    def check(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        previous = None
        for line in text.split("\n", 1):
            reading = answering.read(line, None, previous)
            assert 0 <= reading.confidence <= 1, reading
            locale = languages[len(data) % len(languages)]
            answers = answering.ask(line, locale, previous)
            assert answers, line
            for answer in answers:
                assert answer.message.text().strip(), answer
                json.dumps(answer.question.model_dump(), allow_nan=False)
            previous = reading.question

    return check


def seed(folder: Path) -> Path:
    """Write questions for the fuzzer to begin with, and the words it may put in; where those stand."""
    for number, line in enumerate(SEEDS.read_text(encoding="utf-8").splitlines()):
        question = json.loads(line)
        before = (question.get("other") or {}).get("previous_question")
        text = "\n".join(filter(None, (before, question["text"])))
        (folder / f"question-{number:04}").write_text(text, encoding="utf-8")
    words = folder.with_suffix(".dict")
    escaped = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in WORDS)
    words.write_text("".join(f'"{word}"\n' for word in escaped), encoding="ascii")
    return words


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz for as long as is asked; the process ends with the fuzzer."""
    parser = argparse.ArgumentParser(description="fuzz the whole way from a text to a message")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--corpus", type=Path, help="keep what reaches new branches here")
    options = parser.parse_args(arguments)
    if options.corpus is None:
        # The fuzzer ends its process itself, and would leave behind what was meant to go with it.
        with tempfile.TemporaryDirectory() as made:
            command = [sys.executable, "-m", "benchmarks.fuzz", "--minutes", str(options.minutes), "--corpus", f"{made}/corpus"]
            return subprocess.run(command, check=False).returncode
    try:
        atheris = import_module("atheris")
    except ImportError:
        parser.error("atheris is not installed; there is none for this machine or Python")
    with atheris.instrument_imports(include=["answers"]):
        opened = import_module("answers.answering").Answering.open
    check = checker(asyncio.run(opened()))
    options.corpus.mkdir(parents=True, exist_ok=True)
    words = seed(options.corpus)
    seconds = max(round(60 * options.minutes), 1)
    limits = (f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={SLOWEST_S}", "-print_final_stats=1")
    atheris.Setup([sys.argv[0], str(options.corpus), f"-dict={words}", *limits], check)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
