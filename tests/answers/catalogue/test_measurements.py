from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from answers.catalogue.check import check
from answers.catalogue.collect import SOURCES, collect
from answers.catalogue.load import load
from answers.catalogue.measurements import read_measurements
from answers.catalogue.snapshot import Catalogue
from answers.errors import DataError

Edit = Callable[[str, str, str], None]


def test_what_was_measured_of_this_very_card_model_and_quant(catalogue: Catalogue) -> None:
    found = catalogue.measurements("GeForce RTX 3090", "Llama 3.1 8B", "Q4_K_M")
    rows = [
        row
        for row in catalogue.measured.all()
        if (row.card, row.model, row.quant, row.cards, row.depth) == ("GeForce RTX 3090", "Llama 3.1 8B", "Q4_K_M", 1, 0)
    ]
    assert found is not None
    assert found.count == len(rows) >= 1
    assert min(row.low_tok_s for row in rows) == found.low_tok_s <= found.tok_s <= found.high_tok_s
    assert found.runs >= found.count
    assert found.sources
    assert found.backends == ("CUDA",)


def test_nothing_is_passed_off_as_another_quant_or_count_of_cards(catalogue: Catalogue) -> None:
    assert catalogue.measurements("GeForce RTX 3090", "Llama 3.1 8B", "Q2_K") is None
    assert catalogue.measurements("GeForce RTX 3090", "Llama 3.1 8B", "Q4_K_M", cards=5) is None
    assert catalogue.measurements("GeForce RTX 3090", "No such model", "Q4_K_M") is None


def test_a_chip_with_unified_memory_is_one_chip_in_every_size(catalogue: Catalogue) -> None:
    sizes = {card.name: catalogue.measured_sizes(card.name) for card in catalogue.cards if card.name.startswith("Apple M2 Ultra")}
    assert len(sizes) > 1
    assert len(set(sizes.values())) == 1
    assert next(iter(sizes.values()))
    assert catalogue.measured_sizes("GeForce RTX 3060 12 GB")
    assert catalogue.measured_sizes("GeForce RTX 3060 8 GB") == ()


def test_every_row_names_its_source_and_a_span_around_its_median(catalogue: Catalogue) -> None:
    rows = read_measurements(SOURCES / "measurements.csv", catalogue.cards, catalogue.models)
    assert len(rows) > 1000
    assert all(row.source for row in rows)
    assert [row.id for row in rows if not row.low_tok_s <= row.tok_s <= row.high_tok_s] == []


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (",tok_s,", ",tok_second,", "measurements.csv: line 1: tok_s is missing"),
        (",A,", ",D,", "measurements.csv: line "),
        ("Qwen3 8B,", "Qwen3 9B,", "model: Qwen3 9B is not on file"),
        ("", "1,too short\n", "is missing"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_field(sources: Path, edit: Edit, old: str, new: str, sentence: str) -> None:
    edit("measurements.csv", old, new)
    with pytest.raises(DataError) as refusal:
        collect(sources)
    assert str(refusal.value).startswith("measurements.csv: line ")
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_two_rows_of_one_id(sources: Path, catalogue: Catalogue) -> None:
    file = sources / "measurements.csv"
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([*lines, lines[1]]) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=rf"measurements.csv: line {len(lines) + 1}: \d+: id: line 2 has it too"):
        read_measurements(file, catalogue.cards, catalogue.models)


async def test_a_damaged_row_is_named(copy: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(copy)) as database:
        database.execute("UPDATE measurement SET tok_s = -1 WHERE card = 'GeForce RTX 3090' AND model = 'Llama 3.1 8B'")
        database.commit()
    assert check(copy, sources=tmp_path / "none")[0].endswith("tok_s: input should be greater than 0, not -1.0")
    damaged = await load(copy)
    with pytest.raises(DataError, match=r"measurement \d+: tok_s: input should be greater than 0"):
        damaged.measurements("GeForce RTX 3090", "Llama 3.1 8B", "Q4_K_M")


async def test_a_card_that_is_not_on_file_is_refused(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as database:
        database.execute("UPDATE measurement SET card = 'No such card' WHERE id = 1")
        database.commit()
    with pytest.raises(DataError, match="measurement 1: card: No such card is not on file"):
        await load(copy)
