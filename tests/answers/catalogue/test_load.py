from __future__ import annotations

import contextlib
import dataclasses
import gc
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import aiosqlite
import pydantic
import pytest

from answers.catalogue.collect import SOURCES
from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue
from answers.catalogue.store import SCHEMA_VERSION
from answers.errors import DataError
from answers.kept import own_folder

MODELS = sum(file.read_text(encoding="utf-8").count("\n[[model]]\n") for file in (SOURCES / "models").glob("*.toml"))
"""How many models the sources describe, counted without reading them as TOML."""


def change(path: Path, *statements: str) -> None:
    """Change a catalogue as someone would who means harm: no constraint holds."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            database.execute(statement)
        database.commit()


def content(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}


def renamed(path: Path, name: str) -> Path:
    return path.rename(path.with_name(name))


def overwrite(path: Path, first: float, last: float, sign: bytes | None) -> None:
    """Replace a part of the file, in shares of its length; without a sign, cut the part out."""
    before = path.read_bytes()
    start, stop = int(first * len(before)), int(last * len(before))
    path.write_bytes(before[:start] + (sign * (stop - start) if sign else b"") + before[stop:])


def scatter(path: Path, seed: int) -> None:
    """Change some bytes of the file, as a failing disk would."""
    sequence = random.Random(seed)
    damaged = bytearray(path.read_bytes())
    for _ in range(sequence.choice((1, 10, 100))):
        damaged[sequence.randrange(len(damaged))] = sequence.randrange(256)
    path.write_bytes(damaged)


@pytest.fixture
def locked(copy: Path) -> Iterator[Path]:
    """A copy on a disk that cannot be written to."""
    copy.chmod(0o444)
    copy.parent.chmod(0o555)
    yield copy
    copy.parent.chmod(0o755)


async def refusal(path: Path) -> str:
    with pytest.raises(DataError) as raised:
        await load(path)
    sentence = str(raised.value)
    assert str(path) in sentence
    assert "\n" not in sentence
    return sentence.removeprefix(f"{path}: ")


async def test_without_a_path_the_catalogue_of_the_project_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RIGCHECK_CATALOG", raising=False)
    assert len((await load()).models) == MODELS


async def test_the_setting_names_another_file(monkeypatch: pytest.MonkeyPatch, copy: Path) -> None:
    change(copy, "UPDATE meta SET value = '2027-01-31'")
    monkeypatch.setenv("RIGCHECK_CATALOG", str(copy))
    assert (await load()).date == date(2027, 1, 31)


async def test_the_snapshot_holds_what_an_answer_needs(catalogue: Catalogue) -> None:
    assert len(catalogue.models) == MODELS
    assert len(catalogue.surveyed) == 801
    assert all(card.surveyed for card in catalogue.surveyed)
    assert catalogue.date == date(2026, 11, 30)
    assert catalogue.schema_version == SCHEMA_VERSION
    assert {card.memory_gb for card in map(catalogue.card, catalogue.first_cards.values())} == set(catalogue.first_cards)
    assert catalogue.first_card_reasons.keys() == catalogue.first_cards.keys()
    assert sum(map(len, catalogue.families.values())) == MODELS
    assert [model.name for model in catalogue.families["Vicuna"]] == ["Vicuna 7B v1.5", "Vicuna 13B v1.5", "Vicuna 33B v1.3"]
    assert "Epoch AI, 'Data on AI Models', epoch.ai" in {source.credit for source in catalogue.provenance}
    assert catalogue.names.find_models("StarCoder 2 15B").names == ("StarCoder 2 15B",)


async def test_records_are_found_by_their_exact_names(catalogue: Catalogue) -> None:
    assert catalogue.model("StarCoder 2 15B").layers == 40
    assert catalogue.card("GeForce RTX 3090").memory_gb == 24
    for look_up in (catalogue.model, catalogue.card):
        with pytest.raises(KeyError):
            look_up("starcoder 2 15b")


async def test_nothing_in_the_snapshot_can_be_changed(catalogue: Catalogue) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        catalogue.models = ()  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(pydantic.ValidationError):
        catalogue.card("B200").memory_gb = 1
    with pytest.raises(pydantic.ValidationError):
        catalogue.model("StarCoder").layers = 1
    for mapping in (catalogue.families, catalogue.first_cards, catalogue.first_card_reasons):
        with pytest.raises(TypeError):
            mapping["x"] = "y"  # pyright: ignore[reportIndexIssue]


async def test_the_snapshot_prints_as_one_line(catalogue: Catalogue) -> None:
    # asyncio.run() prints the result of its task; a full print of all records takes longer than the load.
    assert repr(catalogue) == f"<Catalogue of {catalogue.date}: {MODELS} models, {len(catalogue.cards)} cards>"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what is kept."""
    (tmp_path / "kept").mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "kept"))
    found = own_folder()
    assert found is not None
    return found


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were opened as databases."""
    files: list[str] = []
    connect = aiosqlite.connect

    def connecting(place: str, **options: Any) -> aiosqlite.Connection:
        files.append(place)
        return connect(place, **options)

    monkeypatch.setattr(aiosqlite, "connect", connecting)
    return files


async def test_a_file_that_was_read_before_is_not_read_again(folder: Path, opened: list[str], copy: Path) -> None:
    fresh, recalled = await load(copy), await load(copy)
    assert len(opened) == 1
    apart = {"names", "measured"}
    for part in dataclasses.fields(Catalogue):
        if part.name not in apart:
            assert getattr(recalled, part.name) == getattr(fresh, part.name), part.name
    assert recalled.measured.rows == fresh.measured.rows
    for name in ("3060", "4070ti super", "780m", "m3 max 64gb", "gtx 4090", "nothing of the kind"):
        assert recalled.names.find_cards(name) == fresh.names.find_cards(name)
    for name in ("qwen 14b", "llama 3.1 8b", "starcodr", "yi"):
        assert recalled.names.find_models(name) == fresh.names.find_models(name)
    with pytest.raises(TypeError):
        recalled.families["x"] = ()  # pyright: ignore[reportIndexIssue]
    with pytest.raises(pydantic.ValidationError):
        recalled.cards[0].memory_gb = 1


async def test_a_changed_file_is_read_again(folder: Path, opened: list[str], copy: Path) -> None:
    await load(copy)
    change(copy, "UPDATE card SET power_w = 351 WHERE name = 'GeForce RTX 3090'")
    assert (await load(copy)).card("GeForce RTX 3090").power_w == 351
    assert len(opened) == 2


async def test_what_is_refused_is_not_kept(folder: Path, copy: Path) -> None:
    change(copy, "UPDATE card SET memory_gb = -1 WHERE name = 'GeForce RTX 3090'")
    for _ in range(2):
        assert await refusal(copy)
    assert list(folder.iterdir()) == []


async def test_a_file_that_changes_while_it_is_read_is_not_kept(folder: Path, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = aiosqlite.connect

    def connecting(place: str, **options: Any) -> aiosqlite.Connection:
        opened = connect(place, **options)
        change(copy, "UPDATE card SET power_w = 351 WHERE name = 'GeForce RTX 3090'")
        return opened

    monkeypatch.setattr(aiosqlite, "connect", connecting)
    await load(copy)
    assert list(folder.iterdir()) == []


async def test_the_garbage_collector_is_left_as_it_was(copy: Path) -> None:
    assert gc.isenabled()
    await load(copy)
    assert gc.isenabled()
    gc.disable()
    try:
        await load(copy)
        assert not gc.isenabled()
    finally:
        gc.enable()


async def test_a_read_leaves_nothing_behind(locked: Path) -> None:
    before = content(locked)
    await load(locked)
    assert content(locked) == before


async def test_a_path_with_signs_of_a_uri_is_read(copy: Path) -> None:
    assert len((await load(renamed(copy, "a %20?mode=rw#&.db"))).models) == MODELS


async def test_a_missing_file(tmp_path: Path) -> None:
    assert (await refusal(tmp_path / "none.db")).startswith("there is no such file")
    assert (await refusal(tmp_path)).startswith("there is no such file")


async def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    path.touch()
    assert await refusal(path) == "the file is empty"


async def test_a_file_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    path.write_bytes(b"PK\x03\x04" * 1000)
    assert (await refusal(path)).startswith("not a catalogue, or damaged: ")


async def test_a_database_of_somebody_else(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    change(path, "CREATE TABLE bookmarks (url)")
    assert await refusal(path) == "a SQLite file, but not a catalogue of Rigcheck"


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
async def test_a_part_of_a_file(copy: Path, kept: float) -> None:
    overwrite(copy, kept, 1, None)
    assert (await refusal(copy)).startswith("not a catalogue, or damaged: ")


async def test_a_file_with_its_middle_overwritten(copy: Path) -> None:
    overwrite(copy, 0.25, 0.5, b"\xff")
    assert await refusal(copy)


@pytest.mark.parametrize("seed", range(12))
async def test_scattered_damage_is_never_anything_but_a_refusal(copy: Path, seed: int) -> None:
    scatter(copy, seed)
    with contextlib.suppress(DataError):
        assert len((await load(copy)).models) == MODELS


async def test_a_file_of_another_version(copy: Path) -> None:
    change(copy, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    assert (
        await refusal(copy)
        == f"schema version {SCHEMA_VERSION + 1} is newer than this Rigcheck, which reads version {SCHEMA_VERSION}"
    )
    change(copy, "PRAGMA user_version = 0")
    assert await refusal(copy) == f"schema version 0 is too old for this Rigcheck, which reads version {SCHEMA_VERSION}"


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("DROP TABLE first_card", "table first_card is missing"),
        ("ALTER TABLE card ADD COLUMN price REAL", f"card is not what a catalogue of schema version {SCHEMA_VERSION} holds"),
        ("CREATE TRIGGER trap AFTER INSERT ON card BEGIN DELETE FROM model; END", "trap is not what a catalogue"),
        ("CREATE VIEW bait AS SELECT 1", "bait is not what a catalogue"),
        ("CREATE INDEX slow ON card (vendor)", "slow is not what a catalogue"),
    ],
)
async def test_a_file_that_defines_something_else(copy: Path, statement: str, sentence: str) -> None:
    change(copy, statement)
    assert (await refusal(copy)).startswith(sentence)


async def test_a_view_in_place_of_a_table(copy: Path) -> None:
    change(copy, "ALTER TABLE provenance RENAME TO hidden", "CREATE VIEW provenance AS SELECT * FROM hidden")
    assert (await refusal(copy)).startswith("provenance is not what a catalogue")


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "UPDATE model SET layers = -3 WHERE name = 'StarCoder'",
            "model StarCoder: layers: input should be greater than 0, not -3",
        ),
        (
            "UPDATE model SET parameters = 0 WHERE name = 'StarCoder'",
            "model StarCoder: parameters: input should be greater than 0, not 0",
        ),
        ("UPDATE model SET released = 'May' WHERE name = 'StarCoder'", "model StarCoder: released: string should match pattern"),
        ("UPDATE model SET tasks = 'x' WHERE name = 'StarCoder'", "model StarCoder: tasks: should be a JSON list"),
        ("UPDATE model SET tasks = '[],[]' WHERE name = 'StarCoder'", "model StarCoder: tasks: should be a JSON list"),
        ("UPDATE model SET tasks = '{}' WHERE name = 'StarCoder'", "model StarCoder: tasks: input should be a valid tuple"),
        (
            "UPDATE model SET tasks = '[1]' WHERE name = 'StarCoder'",
            "model StarCoder: tasks.0: input should be a valid string, not 1",
        ),
        ("UPDATE model SET kv_heads = 99 WHERE name = 'StarCoder'", "model StarCoder: kv_heads: 99 for 48 attention heads"),
        (
            "UPDATE model SET estimate_by = 'guess' WHERE name = 'StarCoder'",
            "model StarCoder: estimate_by: input should be 'documented'",
        ),
        ("UPDATE model SET superseded_by = 'X' WHERE name = 'StarCoder'", "model StarCoder: superseded_by: X is not on file"),
        ("UPDATE model SET superseded_by = name WHERE name = 'StarCoder'", "model StarCoder: superseded_by: the model itself"),
        (
            "UPDATE first_card SET card = 'a' || char(10) || 'b' WHERE memory_gb = 8",
            "first_card 8.0: card: string should match pattern",
        ),
        ("UPDATE model_alias SET model = 'X' WHERE model = 'StarCoder'", "model_alias: X is no model on file"),
        ("UPDATE card SET memory_gb = 9e999 WHERE name = 'B200'", "card B200: memory_gb: input should be"),
        ("UPDATE card SET memory_gb = 0 WHERE name = 'B200'", "card B200: memory_gb: input should be greater than 0"),
        ("UPDATE card SET segment = 'fast' WHERE name = 'B200'", "card B200: segment: input should be 'consumer'"),
        ("UPDATE card SET released = '2024-02-30' WHERE name = 'B200'", "card B200: released: input should be a valid date"),
        ("UPDATE card SET surveyed = 7 WHERE name = 'B200'", "card B200: surveyed: input should be a valid boolean"),
        ("UPDATE first_card SET card = 'X' WHERE memory_gb = 8", "first_card 8: card: X is not on file"),
        ("UPDATE meta SET value = 'today'", "meta date: should be an ISO date"),
        ("DELETE FROM meta", "meta date: should be an ISO date"),
    ],
)
async def test_a_row_that_cannot_be_right(copy: Path, statement: str, sentence: str) -> None:
    change(copy, statement)
    assert (await refusal(copy)).startswith(sentence)
