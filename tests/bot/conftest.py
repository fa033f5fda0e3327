from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Result:
    """What a command printed, and the code that it ended with."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


Run = Callable[..., Result]


@pytest.fixture
def rigcheck(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""

    def run(*arguments: str) -> Result:
        code = main(arguments)
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return run


@pytest.fixture
def process() -> Run:
    """Runs a command as a process of its own; one that hangs fails the test."""

    def run(*arguments: str | bytes, stdin: str | bytes = b"", **environment: str) -> Result:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        command = [sys.executable, "-m", "bot.cli", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, input=given, capture_output=True, timeout=120, check=False, env=os.environ | environment
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
