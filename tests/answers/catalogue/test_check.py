from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from answers.catalogue.check import check


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            database.execute(statement)
        database.commit()


def test_the_committed_file_is_what_the_sources_build(committed: Path) -> None:
    assert check(committed) == []


def test_a_build_is_in_order(built: Path) -> None:
    assert check(built) == []


@pytest.mark.parametrize(
    ("statement", "problems"),
    [
        (
            "UPDATE card SET bandwidth_gb_s = 1 WHERE name = 'B200'",
            ["card B200: bandwidth_gb_s: the file has 1.0, the sources give 8000.0"],
        ),
        (
            "UPDATE model SET licence = NULL WHERE name = 'StarCoder'",
            ["model StarCoder: licence: the file has None, the sources give 'bigcode-openrail-m'"],
        ),
        ("DELETE FROM first_card WHERE memory_gb = 8", ["first_card 8.0: in the sources, but not in the file"]),
        (
            "INSERT INTO first_card VALUES (99, 9, 'B200', 'none', 0)",
            ["first_card 9.0: in the file, but not in the sources"],
        ),
        (
            "UPDATE card_alias SET alias = 'K41' WHERE alias = 'K40'",
            ["card_alias K41: in the file, but not in the sources", "card_alias K40: in the sources, but not in the file"],
        ),
        ("UPDATE meta SET value = '2026-12-01'", ["meta date: value: the file has '2026-12-01', the sources give '2026-11-30'"]),
        (
            "UPDATE first_card SET position = 1000 WHERE position = 0",
            ["the file holds the rows that the sources give, but in another order"],
        ),
    ],
)
def test_a_file_that_the_sources_do_not_build(copy: Path, statement: str, problems: list[str]) -> None:
    change(copy, statement)
    assert check(copy) == problems


def test_every_faulty_row_is_named(copy: Path, tmp_path: Path) -> None:
    change(
        copy,
        "UPDATE card SET memory_gb = -1, power_w = 0 WHERE name = 'B200'",
        "UPDATE model SET layers = 0 WHERE name = 'StarCoder'",
        "UPDATE model SET tasks = 'x' WHERE name = 'PolyCoder'",
        "UPDATE model SET superseded_by = 'X' WHERE name = 'StarCoder 2 3B'",
    )
    assert check(copy, sources=tmp_path / "none") == [
        "card B200: memory_gb: input should be greater than 0, not -1.0",
        "card B200: power_w: input should be greater than 0, not 0",
        "model PolyCoder: tasks: should be a JSON list",
        "model StarCoder: layers: input should be greater than 0, not 0",
        "model StarCoder 2 3B: superseded_by: X is not on file",
    ]


def test_without_sources_the_rows_are_checked_for_themselves(copy: Path, tmp_path: Path) -> None:
    change(copy, "UPDATE card SET bandwidth_gb_s = 1 WHERE name = 'B200'")
    assert check(copy, sources=tmp_path / "none") == []


def test_what_is_wrong_with_the_sources_is_a_problem_of_the_catalogue(
    committed: Path, sources: Path, edit: Callable[[str, str, str], None]
) -> None:
    edit("cards/first.toml", 'card = "GeForce RTX 4060"', 'card = "GeForce RTX 4061"')
    assert check(committed, sources) == ["cards/first.toml: 8 GB: card: GeForce RTX 4061 is not on file"]


def test_a_file_that_is_no_catalogue(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    assert check(path) == [f"{path}: there is no such file; `rigcheck catalogue build` makes the catalogue"]
    path.touch()
    assert check(path) == [f"{path}: the file is empty"]
    path.write_bytes(b"no database" * 100)
    assert check(path) == [f"{path}: not a catalogue, or damaged: file is not a database"]
