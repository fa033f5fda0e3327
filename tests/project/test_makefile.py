"""The Makefile's `make ask` and the script that checks a fresh clone, with stand-ins for what they call."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What a make that runs these tests hands down to what it calls.
HANDED_DOWN = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "Q", "LOCALE", "PYTHON", "ARGS"}

Make = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="there is no make")


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in HANDED_DOWN} | more


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the Makefile, and an environment that is ready and whose rigcheck prints how it was called."""
    folder = tmp_path.resolve() / "project"
    binaries = folder / ".venv" / "bin"
    binaries.mkdir(parents=True)
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, folder)
    script(binaries / "python", "exit 1")
    script(binaries / "rigcheck", "printf '<%s>' \"$@\"")
    (folder / ".venv" / ".made-in").write_text(f"{folder}\n", encoding="utf-8")
    (folder / ".venv" / ".made-with").write_text("python3\n", encoding="utf-8")
    (folder / ".venv" / ".can-run").touch()
    (folder / ".venv" / ".can-work").touch()
    return folder


@pytest.fixture
def make(project: Path) -> Make:
    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", *arguments],
            cwd=project,
            env=environment(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    "question",
    [
        "can I run StarCoder 2 15B on 12 GB?",
        "¿me corre un 7B en una 3060?",
        "what's faster, a 3090 or two 3060s?",
        'is "Q4_K_M" enough?',
        "is a 4090 worth $1,600? I have $HOME and $$",
        "$(shell touch made) ${PATH} $(touch made) `touch made` ; touch made & touch made",
        "100 % sure? # really",
        "back\\slash \\n * ? [a] {b,c} ~ ! <x> | y",
        "--json",
        "Q=1 LOCALE=it",
        "two\nlines",
        "two  spaces",
    ],
)
def test_ask_hands_the_question_on_as_it_was_typed(make: Make, project: Path, question: str) -> None:
    asked = make("ask", f"Q={question}")
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, f"<ask><--><{question}>", "")
    assert make("ask", Q=question).stdout == asked.stdout
    assert not (project / "made").exists()


def test_ask_takes_a_locale(make: Make) -> None:
    assert make("ask", "Q=hi", "LOCALE=es-419").stdout == "<ask><--locale><es-419><--><hi>"
    assert make("chat", "LOCALE=it").stdout == "<chat><--locale><it>"
    assert make("chat").stdout == "<chat>"


def test_ask_without_a_question_says_how_to_ask(make: Make) -> None:
    asked = make("ask")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert 'make ask Q="can I run StarCoder 2 15B on 12 GB?"' in asked.stderr


def test_ask_fails_where_the_answer_fails(make: Make, project: Path) -> None:
    script(project / ".venv" / "bin" / "rigcheck", "exit 1")
    assert make("ask", "Q=hi").returncode != 0


def planned(make: Make, *arguments: str) -> str:
    """What make would do, without doing it."""
    return make("--dry-run", "ask", "Q=hi", *arguments).stdout


def test_an_environment_that_is_ready_is_used_at_once(make: Make) -> None:
    assert "pip" not in planned(make)
    assert "venv --clear" not in planned(make)


def test_new_pins_are_installed_into_the_environment_there_is(make: Make, project: Path) -> None:
    stamp = (project / ".venv" / ".can-run").stat().st_mtime
    os.utime(project / "requirements.txt", (stamp + 10, stamp + 10))
    plan = planned(make)
    assert "-r requirements.txt" in plan
    assert "venv --clear" not in plan


def test_answering_installs_nothing_that_only_developing_needs(make: Make, project: Path) -> None:
    (project / ".venv" / ".can-run").unlink()
    plan = planned(make)
    assert "-r requirements.txt" in plan
    assert "requirements-dev.txt" not in plan


@pytest.mark.parametrize(
    ("mark", "content", "arguments"),
    [(".made-in", "/somewhere/else\n", ()), (".made-with", "python3.99\n", ("PYTHON=python3",)), (".made-in", None, ())],
)
def test_an_environment_made_elsewhere_or_otherwise_is_made_anew(
    make: Make, project: Path, mark: str, content: str | None, arguments: tuple[str, ...]
) -> None:
    file = project / ".venv" / mark
    file.unlink()
    if content is not None:
        file.write_text(content, encoding="utf-8")
    plan = planned(make, *arguments)
    assert "python3 -m venv --clear .venv" in plan
    assert "-r requirements.txt" in plan


def test_the_python_that_it_was_made_with_stays_unless_another_is_asked_for(make: Make, project: Path) -> None:
    (project / ".venv" / ".made-with").write_text("python3.99\n", encoding="utf-8")
    assert "venv --clear" not in planned(make)
    assert "venv --clear" not in planned(make, "PYTHON=python3.99")
    assert "python3.98 -m venv --clear" in planned(make, "PYTHON=python3.98")


def test_a_python_that_is_too_old_is_refused_in_one_sentence(make: Make, project: Path) -> None:
    script(project / "old-python", "exit 1")
    asked = make("ask", "Q=hi", f"PYTHON={project / 'old-python'}")
    assert asked.returncode != 0
    assert "Python 3.11 or newer is needed" in asked.stderr


@pytest.mark.parametrize(("check", "test"), [(0, 0), (2, 0), (0, 2), (2, 2)])
def test_a_clone_passes_only_if_both_its_checks_and_its_tests_do(tmp_path: Path, check: int, test: int) -> None:
    text = f'case "$*" in *check*) exit {check};; test) echo "3 passed in 0.1s"; exit {test};; *) exit 99;; esac'
    script(tmp_path / "make", text)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [ROOT / ".ci" / "run"], cwd=tmp_path, env=environment(PATH=path), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert (done.returncode == 0) == (check == test == 0)
    assert done.stdout.splitlines()[-1] == "3 passed in 0.1s"
