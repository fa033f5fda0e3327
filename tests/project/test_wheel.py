"""The project as a wheel: installed elsewhere, it answers from what travels inside it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "can I run StarCoder 2 15B on 12 GB?"


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, and an empty folder to call it from."""

    bin: Path
    site: Path
    elsewhere: Path

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        hidden = {"PYTHONPATH", "RIGCHECK_CATALOG", "RIGCHECK_LOCALES"}
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        return subprocess.run(
            command, cwd=self.elsewhere, env=environment, capture_output=True, text=True, timeout=120, check=False
        )

    def rigcheck(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(self.bin / "rigcheck", *arguments)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    environment, elsewhere = folder / "environment", folder / "elsewhere"
    elsewhere.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True, timeout=120)
    bin_folder = environment / ("Scripts" if os.name == "nt" else "bin")
    python = str(bin_folder / "python")
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(where, check=True, capture_output=True, text=True, timeout=60).stdout.strip())
    # The dependencies are those of this environment; the link to the project itself, which stands beside them, is not followed.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*install, "--disable-pip-version-check"], check=True, capture_output=True, timeout=120)
    return Installed(bin_folder, site, elsewhere)


def test_carries_what_it_answers_from_and_nothing_else(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    carried = {
        "answers/answering.py",
        "answers/estimator/constants.toml",
        "answers/_data/catalog.db",
        "answers/_data/locales/en/words.toml",
        "answers/_data/locales/es-419/terms.toml",
        "answers/_data/locales/it/answers/can_run.j2",
        "bot/cli.py",
    }
    assert carried <= set(names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"answers", "bot", "commands", "rigcheck"}
    assert not [name for name in names if "sources" in name or "test" in name or "__pycache__" in name]
    notices = {Path(name).name for name in names if "/licenses/" in name}
    assert notices == {"LICENSE", "NOTICE"}


def test_every_locale_and_the_very_catalogue_travel(wheel: Path) -> None:
    with ZipFile(wheel) as packed:
        inside = "answers/_data/"
        locales = {name.removeprefix(inside) for name in packed.namelist() if name.startswith(f"{inside}locales/")}
        assert locales == {file.relative_to(ROOT).as_posix() for file in (ROOT / "locales").rglob("*") if file.is_file()}
        assert packed.read(f"{inside}catalog.db") == (ROOT / "catalog.db").read_bytes()


def test_runs_from_the_wheel_and_not_from_the_project(installed: Installed) -> None:
    where = installed.run(installed.bin / "python", "-c", "import answers, bot; print(answers.__file__); print(bot.__file__)")
    assert [Path(line).parents[1] for line in where.stdout.splitlines()] == [installed.site, installed.site]


@pytest.mark.parametrize("locale", ["en", "es", "it"])
def test_answers_as_the_project_does(installed: Installed, locale: str) -> None:
    inside = installed.rigcheck("ask", QUESTION, "--locale", locale)
    command = [sys.executable, "-m", "bot.cli", "ask", QUESTION, "--locale", locale]
    project = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert (inside.returncode, inside.stderr) == (0, "")
    assert inside.stdout == project.stdout
    assert "StarCoder 2 15B" in inside.stdout


def test_checks_what_it_carries(installed: Installed) -> None:
    for command in (("catalogue", "check"), ("locales", "check")):
        checked = installed.rigcheck(*command)
        assert (checked.returncode, checked.stderr) == (0, "")


def test_cannot_build_a_catalogue_without_the_sources_and_says_so(installed: Installed) -> None:
    built = installed.rigcheck("catalogue", "build", "--to", str(installed.elsewhere / "catalog.db"))
    assert (built.returncode, built.stdout) == (1, "")
    assert built.stderr.startswith("rigcheck: ")
    assert built.stderr.count("\n") == 1
    assert not list(installed.elsewhere.iterdir())
