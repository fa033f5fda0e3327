"""How fast system memory is, as it is told by modules, channels, processors or in so many words."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from answers.catalogue.snapshot import Catalogue
from answers.locales import Locales
from answers.questions import memory_speed
from answers.questions.processors import find_processors
from answers.questions.question import Intent
from answers.questions.read import Reader
from answers.questions.text import prepare


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue, locales: Locales) -> Reader:
    return Reader(catalogue, locales)


@pytest.mark.parametrize(
    ("text", "gb_s"),
    [
        # MT/s x 8 bytes x channels / 1000
        ("llama 3 8b on cpu, 64gb ddr5-6000", 96.0),
        ("llama 3 8b on cpu, 64gb ddr5 6400mhz ram", 102.4),
        ("llama 3 8b on cpu, 32 GB DDR4 @ 3600 MT/s", 57.6),
        ("llama 3 8b on cpu with 16gb ddr3", 25.6),
        ("llama 3 8b on cpu with 32gb lpddr5x-8533", 136.528),
        ("llama 3 8b on cpu with single channel 16gb ddr4", 25.6),
        ("llama 3 70b no gpu, 12-channel ddr5-4800, 384gb ram", 460.8),
        ("llama 3 8b sur cpu, 64 Go de ram ddr5 6000 double canal", 96.0),
        ("llama 3 8b 纯CPU 64G内存 ddr5 6000 双通道能跑吗", 96.0),
        ("llama 3 8b auf cpu, 128gb ram ddr4 3200 mit 8 kanälen", 204.8),
        # What a processor is made for, unless the modules say otherwise.
        ("llama 3.1 70b on an epyc 7742 with 256gb", 204.8),
        ("llama 3.1 70b on an epyc 9654 with 384gb", 460.8),
        ("llama 3 8b ryzen 7 5700g 32gb", 51.2),
        ("llama 3 8b ryzen 5 7600 32gb", 89.6),
        ("llama 3 8b ryzen 5 7600 32gb ddr5 6000", 96.0),
        ("llama 3 8b ryzen 7 7730u 32gb", 51.2),
        ("llama 3 8b ryzen ai 9 hx 370 32gb", 120.0),
        ("llama 3 8b xeon e5-2680 v4 64gb", 76.8),
        ("llama 3 8b threadripper pro 5975wx 256gb", 204.8),
        ("llama 3 8b core ultra 7 258v 32gb", 136.528),
        ("llama 3.2 3b raspberry pi 5 8gb", 17.068),
        ("llama 3 8b i5-13600k 32gb ddr5 5600", 89.6),
        # In so many words.
        ("llama 3 8b on cpu with 64gb ram at 80 GB/s", 80.0),
        ("llama 3 8b su cpu con 64 gb di ram a 80 GB/s", 80.0),
        # Nothing tells it: Intel's of these years take two kinds of memory.
        ("llama 3 8b i5-13600k 32gb", None),
        ("llama 3 8b on cpu with 64gb ram", None),
        # Not system memory.
        ("llama 3 8b on a 3060 12gb gddr6", None),
        ("does a card with 936 GB/s run llama 3 8b", None),
    ],
)
def test_what_is_told_of_it(reader: Reader, text: str, gb_s: float | None) -> None:
    question = reader.read(text).question
    assert question is not None
    assert question.ram_gb_s == (None if gb_s is None else pytest.approx(gb_s)), text


def test_its_numbers_are_neither_amounts_nor_cards(reader: Reader) -> None:
    question = reader.read("gpt oss 120b on an 8gb card with 64gb ddr5 6000 in 2 channels").question
    assert question is not None
    assert (question.intent, question.memory_gb, question.ram_gb, question.cards) == (Intent.CAN_RUN, 8.0, 64.0, ())


def test_every_name_in_the_file_is_found_as_a_processor_with_the_speed_it_stands_by() -> None:
    path = Path(memory_speed.__file__).parent / "memory_speed.toml"
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["processors"]:
        for name in entry["names"]:
            # A number by itself is a processor only where it is listed.
            maker = "" if name[0].isalpha() else "i7 " if name.endswith("k") else "ryzen 7 "
            text = prepare(f"llama 3 8b {maker}{name.replace('#', '7')} 32gb")
            said = {token.text for token in text.tokens}
            found = find_processors(text.folded, text.tokens, said)
            assert found, name
            told = memory_speed.find_memory_speed(text.folded, text.tokens, said, found, ())
            assert told is not None, name


@pytest.mark.parametrize(
    ("text", "gb_s"),
    [
        # Of modules of its own kind a processor runs what it is made for, of others what those run.
        ("llama 3.3 70b on a xeon e5-2690 v4 with 64gb ddr4", 76.8),
        ("llama 3.1 8b on a ryzen 5 7600 with 32gb ddr5", 89.6),
        ("llama 3.1 8b on a core ultra 7 155h with 32gb lpddr5x", 89.6),
        ("llama 3.1 8b on an i7 4790 with 16gb ddr3", 25.6),
    ],
)
def test_modules_without_a_speed_run_what_their_processor_is_made_for(reader: Reader, text: str, gb_s: float) -> None:
    assert reader.read(text).question.ram_gb_s == pytest.approx(gb_s)


@pytest.mark.parametrize(
    "text", ["pixel 9 pro 16gb gemma 3n e4b", "can my iphone 16 pro with 8gb run qwen3 4b", "galaxy s24 ultra 12gb llama 3.2 3b"]
)
def test_a_phone_is_a_processor_with_its_memory(reader: Reader, text: str) -> None:
    asked = reader.read(text).question
    assert (asked.cpu_only, asked.n_cards, asked.memory_gb) == (True, 1, None)
    assert asked.ram_gb in {8.0, 12.0, 16.0}
