"""Every row that the source documents print, to the printed digit."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from answers.estimator.estimate import best
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.survey import Survey

FILE = Path(__file__).parents[2] / "data" / "documented_rows.csv"
ROWS = list(csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()))
TABLE = [row for row in ROWS if row["source"] == "table"]
MODELS = sorted({row["model"] for row in ROWS})
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def printed(tok_s: float) -> str:
    return f"{tok_s:.0f}" if round(tok_s, 1) >= 100 else f"{tok_s:.1f}"


def test_all_118_rows_are_here() -> None:
    assert len(ROWS) == 118
    assert len(TABLE) == 100


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['model']} on {row['card']} ({row['source']})")
def test_row(row: dict[str, str], catalogue, desk) -> None:
    card = catalogue.card(row["card"])
    model = Figures.of(catalogue.model(row["model"]))
    estimate = best(model, Hardware.of_cards([card]))
    assert estimate is not None
    assert estimate.speed is not None
    assert card.vendor == row["vendor"]
    assert card.memory_gb == float(row["card_memory_gb"])
    assert printed(estimate.speed.tok_s) == row["tok_s"].replace(",", "")
    assert f"{estimate.need_gb:.1f}" == row["need_gb"]
    assert estimate.quant.name == row["quant"]
    if row["low_tok_s"]:
        assert f"{estimate.speed.low_tok_s:.0f}" == row["low_tok_s"]
        assert f"{estimate.speed.high_tok_s:.0f}" == row["high_tok_s"]
    if row["fit"]:
        assert estimate.fit == row["fit"]
    if row["card_bandwidth_gb_s"]:
        # The documents round some bandwidths to three figures.
        assert card.bandwidth_gb_s == pytest.approx(float(row["card_bandwidth_gb_s"]), rel=0.005)
    if row["card_released"]:
        assert card.released is not None
        assert f"{MONTHS[card.released.month - 1]} {card.released.year}" == row["card_released"]


def surveyed(desk, catalogue, name: str) -> Survey:
    return desk.survey(desk.figures(catalogue.model(name)), None, None, None)


@pytest.mark.parametrize("name", MODELS)
def test_the_ranking_begins_with_the_25_rows_in_their_order(name: str, catalogue, desk) -> None:
    found = surveyed(desk, catalogue, name)
    ranking = [found.table.cards[int(index)].name for index in found.ranking[:25]]
    assert ranking == [row["card"] for row in TABLE if row["model"] == name]


@pytest.mark.parametrize("name", MODELS)
def test_smallest_card_and_fastest_per_memory_size(name: str, catalogue, desk) -> None:
    found = surveyed(desk, catalogue, name)
    answers = [row for row in ROWS if row["model"] == name and row["source"] == "faq"]
    smallest = min(answers, key=lambda row: float(row["card_memory_gb"]))
    assert found.table.cards[int(found.by_size[0])].name == smallest["card"]
    for row in answers:
        if row is smallest:
            continue
        index = found.fastest_with(float(row["card_memory_gb"]))
        assert index is not None
        assert found.table.cards[index].name == row["card"]


@pytest.mark.parametrize(
    ("name", "runs", "reading", "median", "levels", "miss"),
    [
        ("StarCoder 2 3B", 801, 764, "35.8", 2, None),
        ("StarCoder 2 7B", 585, 555, "26.1", 4, "1.3"),
        ("StarCoder 2 15B", 303, 264, "21.0", 4, "2.6"),
        ("StarCoder", 303, 259, "20.3", 5, "2.9"),
    ],
)
def test_counts_medians_levels_and_nearest_miss(
    name: str, runs: int, reading: int, median: str, levels: int, miss: str | None, catalogue, desk
) -> None:
    found = surveyed(desk, catalogue, name)
    assert len(found.table) == 801
    assert found.count == runs
    assert found.above_reading_speed == reading
    assert found.median_tok_s is not None
    assert f"{found.median_tok_s:.1f}" == median
    assert len(found.levels) == levels
    assert (None if found.nearest_miss_gb is None else f"{found.nearest_miss_gb:.1f}") == miss


def test_the_list_of_the_fastest_puts_the_newest_first_where_speeds_tie(catalogue, desk) -> None:
    found = surveyed(desk, catalogue, "StarCoder 2 15B")
    names = [found.table.cards[int(index)].name for index in found.fastest[:10]]
    assert names[:2] == ["B300", "B200"]
    assert sorted(names) == sorted(found.table.cards[int(index)].name for index in found.ranking[:10])


def test_a_split_leaves_28_of_40_layers_on_8_gb(catalogue) -> None:
    from answers.estimator.estimate import split
    from answers.estimator.quants import quant

    model = Figures.of(catalogue.model("StarCoder 2 15B"))
    found = split(model, Hardware.of_memory(8), quant("Q4_K_M"))
    assert found is not None
    assert (found.layers_on_card, found.layers) == (28, 40)
    assert found.speed is None
    timed = split(model, Hardware.of_cards([catalogue.card("GeForce RTX 4060")]), quant("Q4_K_M"))
    assert timed is not None
    assert timed.speed is not None
    assert f"{timed.speed.tok_s:.0f}" == "11"
