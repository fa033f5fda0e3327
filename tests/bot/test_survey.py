"""``rigcheck survey``: every card, ranked for one model."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.bot.conftest import ROOT, Run

KEYS = [
    *("model", "card", "vendor", "card_memory_gb", "card_bandwidth_gb_s", "card_released", "tok_s", "low_tok_s", "high_tok_s"),
    *("need_gb", "quant", "fit", "confidence", "method"),
]
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DOCUMENTED = {"StarCoder 2 3B": 801, "StarCoder 2 7B": 585, "StarCoder 2 15B": 303, "StarCoder": 303}
"""The documented models, and how many of the surveyed cards run each."""

Row = dict[str, Any]


def documented(model: str, path: Path = ROOT / "tests" / "data" / "documented_rows.csv") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["model"] == model and row["source"] == "table"]


def as_printed(row: Row) -> Row:
    """A row rounded as the documents print it."""
    speeds = {key: f"{row[key]:.{0 if key != 'tok_s' or row[key] >= 100 else 1}f}" for key in ("tok_s", "low_tok_s", "high_tok_s")}
    year, month, _ = row["card_released"].split("-")
    return {
        "card": row["card"],
        "vendor": row["vendor"],
        "card_memory_gb": f"{row['card_memory_gb']:g}",
        "card_bandwidth_gb_s": f"{row['card_bandwidth_gb_s']:.0f}",
        "card_released": f"{MONTHS[int(month) - 1]} {year}",
        **speeds,
        "need_gb": f"{row['need_gb']:.1f}",
        "quant": row["quant"],
        "fit": row["fit"],
    }


@pytest.mark.parametrize(("model", "running"), DOCUMENTED.items())
def test_begins_with_the_documented_rows_in_their_order(rigcheck: Run, model: str, running: int) -> None:
    rows = rigcheck("survey", model, "--json").json
    expected = documented(model)
    assert len(expected) == 25
    assert len(rows) == running
    assert [as_printed(row) for row in rows[:25]] == [{key: row[key] for key in as_printed(rows[0])} for row in expected]


def test_a_row_has_its_keys_in_order(rigcheck: Run) -> None:
    assert {tuple(row) for row in rigcheck("survey", "StarCoder 2 7B", "--all", "--json").json} == {tuple(KEYS)}


def test_figures_are_not_rounded_and_dates_are_whole(rigcheck: Run) -> None:
    (row,) = rigcheck("survey", "StarCoder 2 15B", "--search", "rtx 3080 ti", "--memory", "12", "--json").json
    assert row["tok_s"] == pytest.approx(912.4 * 0.55 / (15 * 4.5 / 8))
    assert (row["low_tok_s"], row["high_tok_s"]) == pytest.approx((0.6 * row["tok_s"], 1.6 * row["tok_s"]))
    assert row["need_gb"] == pytest.approx(15 * 4.785 / 8 + 0.59 + 0.062 * 15**0.5)
    assert row["card_released"] == "2021-05-31"


def test_with_all_the_cards_that_cannot_come_last_and_have_no_speed(rigcheck: Run) -> None:
    some = rigcheck("survey", "StarCoder 2 15B", "--json").json
    every = rigcheck("survey", "StarCoder 2 15B", "--all", "--json").json
    assert every[: len(some)] == some
    others = every[len(some) :]
    assert len(every) == DOCUMENTED["StarCoder 2 3B"]
    needs = {row["need_gb"] for row in some if row["quant"] == "Q4_K_M"}
    assert {row["need_gb"] for row in others} == needs
    assert {(row["fit"], row["tok_s"], row["low_tok_s"], row["high_tok_s"], row["quant"]) for row in others} == {
        ("no", None, None, None, None)
    }
    assert all(0.9 * row["card_memory_gb"] < row["need_gb"] for row in others)


@pytest.mark.parametrize("memory", ["8", "12", "22.5"])
def test_memory_means_exactly(rigcheck: Run, memory: str) -> None:
    every = rigcheck("survey", "StarCoder 2 3B", "--json").json
    chosen = rigcheck("survey", "StarCoder 2 3B", "--memory", memory, "--json").json
    assert chosen == [row for row in every if row["card_memory_gb"] == float(memory)]
    assert bool(chosen) == (memory != "22.5")


def test_memory_holds_for_cards_that_cannot_run_it_too(rigcheck: Run) -> None:
    rows = rigcheck("survey", "StarCoder 2 15B", "--memory", "8", "--all", "--json").json
    assert {(row["card_memory_gb"], row["fit"]) for row in rows} == {(8.0, "no")}


@pytest.mark.parametrize("searched", ["RTX 30", "rtx 30", "rTx 30"])
def test_search_finds_part_of_a_name_in_any_capitals(rigcheck: Run, searched: str) -> None:
    every = rigcheck("survey", "StarCoder 2 3B", "--json").json
    found = rigcheck("survey", "StarCoder 2 3B", "--search", searched, "--json").json
    assert found == [row for row in every if "rtx 30" in row["card"].lower()]
    assert len(found) > 5


@pytest.mark.parametrize(("floor", "levels"), [("Q8_0", {"Q8_0"}), ("q6-k", {"Q8_0", "Q6_K"})])
def test_a_minimum_quality_leaves_out_what_would_need_less(rigcheck: Run, floor: str, levels: set[str]) -> None:
    every = rigcheck("survey", "StarCoder 2 15B", "--json").json
    kept = rigcheck("survey", "StarCoder 2 15B", "--min-quality", floor, "--json").json
    assert kept == [row for row in every if row["quant"] in levels]
    assert {row["quant"] for row in kept} == levels


def test_a_lower_minimum_quality_lets_more_cards_in(rigcheck: Run) -> None:
    rows = rigcheck("survey", "StarCoder 2 15B", "--min-quality", "Q2_K", "--json").json
    assert len(rows) > DOCUMENTED["StarCoder 2 15B"]
    assert sum(row["quant"] == "Q2_K" for row in rows) == len(rows) - DOCUMENTED["StarCoder 2 15B"]


def need(rows: Sequence[Row], card: str) -> float:
    return next(row["need_gb"] for row in rows if row["card"] == card)


def test_a_longer_context_needs_more_up_to_the_models_own(rigcheck: Run) -> None:
    needs = [
        need(rigcheck("survey", "StarCoder 2 15B", "--context", context, "--json").json, "H200 NVL")
        for context in ("1024", "4096", "8k", "16k", "128k")
    ]
    assert needs == sorted(needs)
    assert needs[1] == need(rigcheck("survey", "StarCoder 2 15B", "--json").json, "H200 NVL")
    assert needs[2] < needs[3] == needs[4]


def test_a_size_stands_for_a_dense_model_of_that_size(rigcheck: Run) -> None:
    sized = rigcheck("survey", "15B", "--memory", "12", "--json").json
    named = rigcheck("survey", "StarCoder 2 15B", "--memory", "12", "--json").json
    compared = [key for key in KEYS if key != "model"]
    assert [[row[key] for key in compared] for row in sized] == [[row[key] for key in compared] for row in named]


def test_an_alias_finds_its_model(rigcheck: Run) -> None:
    assert {row["model"] for row in rigcheck("survey", "starcoder2:15b", "--json").json} == {"StarCoder 2 15B"}


def test_prints_a_table_with_the_numbers_of_the_locale(rigcheck: Run) -> None:
    arguments = ("survey", "StarCoder 2 15B", "--memory", "12", "--search", "GA104")
    header, row = rigcheck(*arguments).out.splitlines()
    assert header.split() == ["tok/s", "range", "card", "GB", "GB/s", "released", "need", "quant", "fit"]
    assert " ".join(row.split()) == "23.5 14–38 GeForce RTX 3060 12 GB GA104 12 360 2021-09 9.8 GB Q4_K_M tight"
    assert rigcheck(*arguments, "--locale", "it").out.splitlines()[1].split()[0] == "23,5"


def test_no_card_that_matches_is_an_empty_list(rigcheck: Run) -> None:
    arguments = ("survey", "StarCoder 2 15B", "--search", "Voodoo")
    assert rigcheck(*arguments, "--json").json == []
    assert rigcheck(*arguments).out == "no card that matches can run it; --all lists those that cannot, too\n"
    assert rigcheck(*arguments, "--all").out == "no card matches\n"


def test_a_card_that_cannot_run_the_model_is_not_said_to_be_none(rigcheck: Run) -> None:
    arguments = ("survey", "70B", "--search", "RTX 3090 Ti")
    assert rigcheck(*arguments).out.startswith("no card that matches can run it; --all")
    header, row = rigcheck(*arguments, "--all").out.splitlines()
    assert "GeForce RTX 3090 Ti" in row and row.endswith("no") and header


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("Blorptron 13B",), "'Blorptron 13B' is not on file"),
        (("RTX 3090",), "'RTX 3090' is a card, and a survey is for a model"),
        (("starcoder2",), "'starcoder2' means several models: StarCoder 2 3B, StarCoder 2 7B, StarCoder 2 15B"),
        (("",), "'' is not on file"),
        (("StarCoder 2 15B", "--memory", "0"), "--memory takes a number of GB above 0"),
        (("StarCoder 2 15B", "--memory", "-8"), "--memory takes a number of GB above 0"),
        (("StarCoder 2 15B", "--memory", "nan"), "--memory takes a number of GB above 0"),
        (("StarCoder 2 15B", "--memory", "inf"), "--memory takes a number of GB above 0"),
        (("StarCoder 2 15B", "--context", "1e99"), "'1e99' is no context; say 8192 or 32k"),
        (("StarCoder 2 15B", "--context", "0"), "'0' is no context; say 8192 or 32k"),
        (("StarCoder 2 15B", "--context", "-4096"), "'-4096' is no context; say 8192 or 32k"),
        (("StarCoder 2 15B", "--min-quality", "Q9_Z"), "Q9_Z is not a quant on file"),
    ],
)
def test_refuses_in_one_sentence(rigcheck: Run, arguments: Sequence[str], sentence: str) -> None:
    model, *options = arguments
    # An option's value that begins with a dash has to be joined to it.
    joined = [f"{name}={value}" for name, value in zip(options[::2], options[1::2], strict=True)]
    result = rigcheck("survey", *joined, "--", model)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"rigcheck: {sentence}")
    assert result.err.count("\n") == 1
