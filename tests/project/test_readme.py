"""The README shows what really happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from answers.answering import Answering
from bot.cli import main
from bot.schemas import SurveyRow, Understood
from docs.refresh import SHOWN as ANSWER_SHOWN
from docs.refresh import refreshed

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SHOWN = [(found[2], found[3]) for found in ANSWER_SHOWN.finditer(README)]
SUGGESTED: list[str] = re.findall(r"^- (.*\?)$", README, re.MULTILINE)


def plain_spaces(text: str) -> str:
    """No-break spaces are hard to type, and to see."""
    return text.replace("\u00a0", " ")


def test_the_three_languages_are_shown(answering: Answering) -> None:
    assert [answering.ask(question)[0].locale for question, _ in SHOWN] == ["en", "es", "it"]


@pytest.mark.parametrize(("question", "shown"), SHOWN)
def test_the_answers_shown_are_the_answers_given(capsys: pytest.CaptureFixture[str], question: str, shown: str) -> None:
    assert main(["ask", question]) == 0
    assert plain_spaces(capsys.readouterr().out) == shown, "`make docs` brings the README up to date"


def test_an_answer_that_is_out_of_date_is_brought_up_to_date(answering: Answering) -> None:
    question, shown = SHOWN[0]
    old = f'Before.\n\n```console\n$ make ask Q="{question}"\nNo.\n\nNever.\n```\n\nAfter.\n'
    assert refreshed(old, answering) == old.replace("No.\n\nNever.\n", shown)
    assert refreshed(README, answering) == README


@pytest.mark.parametrize("question", SUGGESTED)
def test_what_it_suggests_asking_is_answered(answering: Answering, question: str) -> None:
    kinds = {answer.reply.__dict__["kind"] for answer in answering.ask(question)}
    assert not kinds & {"not_asked", "ask_back", "unknown", "out_of_range"}


def test_it_suggests_something() -> None:
    assert len(SUGGESTED) >= 5


def test_the_library_answers_as_shown() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert plain_spaces(done.stdout) == SHOWN[0][1]


@pytest.mark.parametrize(
    "command",
    [("ask",), ("chat",), ("survey",), ("understand",), ("catalogue", "build"), ("catalogue", "check"), ("catalogue", "show")],
)
def test_every_command_and_option_is_listed(capsys: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    assert main([*command, "--help"]) == 0
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    assert f"| `rigcheck {' '.join(command)}" in README
    assert options <= set(re.findall(r"--[a-z-]+", README))


@pytest.mark.parametrize(("beginning", "row"), [("- `survey --json` prints", SurveyRow), ("- `understand` reads", Understood)])
def test_the_keys_listed_are_those_that_are_printed(beginning: str, row: type[SurveyRow | Understood]) -> None:
    bullet = re.split(r"\n(?=- |\n)", README[README.index(beginning) :])[0]
    keys = list(row.model_fields)
    named = [word for word in re.findall(r"`([a-z_]+)`", bullet) if word in keys]
    assert list(dict.fromkeys(named)) == keys


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=["README", "CONTRIBUTING"])
def test_files_and_targets_that_are_named_exist(text: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)(?=[ `\n])", " ".join(re.findall(r"`[^`]*`|^make .*$", text, re.MULTILINE)))) <= targets
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    paths = re.findall(r"`((?:answers|bot|locales|docs|benchmarks|\.ci)/[^`<> ]*)`", text)
    missing = [path for path in (*links, *paths) if not (ROOT / path).exists()]
    assert not missing


def test_the_folders_of_the_layout_exist() -> None:
    (layout,) = re.findall(r"^```\n(answers/.*?)^```$", README, re.MULTILINE | re.DOTALL)
    room = ""
    for line in layout.splitlines():
        name = line.split()[0]
        room = name if not line.startswith(" ") else room
        assert (ROOT / (name if name == room else room + name)).exists(), name
