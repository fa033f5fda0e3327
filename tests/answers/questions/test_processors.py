"""Processors: their numbers are no amounts, and what stands beside them is memory of the system."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from answers.answering import Answering
from answers.catalogue.snapshot import Catalogue
from answers.locales import Locales
from answers.questions import processors
from answers.questions.processors import find_processors
from answers.questions.question import Intent
from answers.questions.read import Reader
from answers.questions.text import prepare


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue, locales: Locales) -> Reader:
    return Reader(catalogue, locales)


def named(text: str) -> list[str]:
    read = prepare(text)
    return [
        read.cleaned[read.tokens[found.first].start : read.tokens[found.last - 1].end]
        for found in find_processors(read.folded, read.tokens, {token.text for token in read.tokens})
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ryzen 5600g 32gb ddr4", ["ryzen 5600g"]),
        ("Ryzen 7 PRO 7840U with 64 GB", ["Ryzen 7 PRO 7840U"]),
        ("ryzen ai 9 hx 370 32gb", ["ryzen ai 9 hx 370"]),
        ("i7-8700k, 3060 12gb", ["i7-8700k"]),
        ("core ultra 7 155h 32gb", ["core ultra 7 155h"]),
        ("xeon e5-2680 v4 128gb", ["xeon e5-2680 v4"]),
        ("snapdragon x elite 32gb", ["snapdragon x elite"]),
        ("intel n100 16gb", ["n100"]),
        ("7950x3d and 14900k", ["7950x3d", "14900k"]),
        ("780m igpu 32gb", ["780m"]),
        # On file as cards, amounts, and words that look like one.
        ("ryzen ai max+ 395 128gb", []),
        ("gtx 780m 4gb", []),
        ("rx 7900 xtx and 7900 xt", []),
        ("i have 128g of ram and i use 32768 context", []),
        ("phi 3 5 or core i guess", []),
    ],
)
def test_a_processor_is_found_whole(text: str, names: list[str]) -> None:
    assert named(text) == names


def test_no_card_on_file_is_taken_for_a_processor(catalogue: Catalogue) -> None:
    assert [card.name for card in catalogue.cards if named(card.name)] == []


@pytest.mark.parametrize(
    ("text", "ram"),
    [
        ("ryzen 5600g 32gb ddr4 gemma 3 12b", 32),
        ("qwen3 8b on ryzen 7 5700g 32gb", 32),
        ("intel n100 16gb llama 3.2 3b", 16),
        ("gemma 3 12b on i7 8700k 32gb", 32),
        ("ryzen 7 7840u 32gb llama 3.1 8b", 32),
        ("llama 3.2 1b on android phone 6gb", 6),
        # Nobody has a card of so much, and DDR5 is on none.
        ("deepseek v3 on 128gb ram", 128),
        ("can i run qwen3 8b on 16gb ddr5", 16),
    ],
)
def test_memory_beside_a_processor_is_the_systems(reader: Reader, text: str, ram: float) -> None:
    reading = reader.read(text)
    asked = reading.question
    assert (asked.intent, asked.cpu_only, asked.ram_gb, asked.memory_gb, asked.n_cards) == (Intent.CAN_RUN, True, ram, None, 1)
    assert reading.lang == "en"


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("i5-13600k, 3060 12gb, 32gb ram: qwen3 14b?", "GeForce RTX 3060 12 GB"),
        ("i5-13600k 32gb with a 3060 12gb: qwen3 14b?", "GeForce RTX 3060 12 GB"),
        ("ryzen 5 5600x with rx 6700 xt, can i run gemma 3 12b", "Radeon RX 6700 XT"),
    ],
)
def test_a_processor_beside_a_card_changes_nothing(reader: Reader, text: str, card: str) -> None:
    asked = reader.read(text).question
    assert ([entry.name for entry in asked.cards], asked.cpu_only, asked.memory_gb) == ([card], False, asked.memory_gb)
    assert asked.ram_gb in {None, 32}


def test_a_processor_alone_is_asked_for_its_ram(reader: Reader, answering: Answering) -> None:
    before = reader.read("will qwen3 8b run on a 9950x?").question
    assert [answering.ask("will qwen3 8b run on a 9950x?", "en")[0].message.title] == ["With how much RAM?"]
    after = reader.read("64gb", previous=before).question
    assert (after.models, after.cpu_only, after.ram_gb, after.memory_gb) == (("Qwen3 8B",), True, 64, None)


def test_a_little_ram_may_be_a_cards(reader: Reader) -> None:
    asked = reader.read("can my card with 8gb ram run qwen3 8b").question
    assert (asked.memory_gb, asked.cpu_only) == (8, False)


def test_every_name_in_the_file_is_found_by_itself() -> None:
    listed = tomllib.loads((Path(processors.__file__).parent / "processors.toml").read_text(encoding="utf-8"))
    for listed_name in (*listed["families"], *listed["alone"]):
        name = listed_name.replace("#", "7")
        assert named(f"on {name} now") == [name]
