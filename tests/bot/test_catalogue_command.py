"""``rigcheck catalogue`` and ``rigcheck locales``: what is on file, and whether it is in order."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from answers.catalogue.snapshot import Catalogue
from tests.bot.conftest import ROOT, Run


def test_shows_a_model_as_it_is_on_file(rigcheck: Run) -> None:
    record = rigcheck("catalogue", "show", "starcoder2:15b").json["model"]
    assert (record["name"], record["stated_parameters"], record["layers"]) == ("StarCoder 2 15B", 15_000_000_000, 40)


def test_shows_a_card_as_it_is_on_file(rigcheck: Run) -> None:
    record = rigcheck("catalogue", "show", "rtx 3060 12gb").json["card"]
    assert (record["name"], record["memory_gb"], record["released"]) == ("GeForce RTX 3060 12 GB", 12, "2021-01-12")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("3060", "'3060' means several records: GeForce RTX 3060 12 GB, GeForce RTX 3060 8 GB"),
        ("Blorptron", "'Blorptron' is not on file"),
        ("", "'' is not on file"),
        ("\u202e<@123>`**", "'\\u202e<@123>`**' is not on file"),
    ],
)
def test_a_name_that_is_not_one_record_is_refused_in_one_sentence(rigcheck: Run, name: str, sentence: str) -> None:
    result = rigcheck("catalogue", "show", name)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"rigcheck: {sentence}")
    assert result.err.count("\n") == 1


def test_builds_the_file_that_is_committed(rigcheck: Run, catalogue: Catalogue, tmp_path: Path) -> None:
    built = tmp_path / "catalog.db"
    result = rigcheck("catalogue", "build", "--to", str(built))
    assert result.code == 0
    counts = [f"{count:,}" for count in (len(catalogue.models), len(catalogue.cards), len(catalogue.surveyed))]
    assert result.out.startswith("{}: {} models, {} cards ({} of them surveyed), ".format(built, *counts))
    assert built.read_bytes() == (ROOT / "catalog.db").read_bytes()


def test_the_committed_catalogue_is_in_order(rigcheck: Run) -> None:
    result = rigcheck("catalogue", "check")
    assert (result.code, result.err) == (0, "")


def test_a_damaged_catalogue_fails_the_check_and_is_not_answered_from(process: Run, tmp_path: Path) -> None:
    damaged = tmp_path / "catalog.db"
    damaged.write_bytes((ROOT / "catalog.db").read_bytes()[:5000])
    for arguments in (("catalogue", "check"), ("ask", "can I run StarCoder 2 15B on 12 GB?")):
        result = process(*arguments, RIGCHECK_CATALOG=str(damaged))
        assert (result.code, result.out) == (1, "")
        assert str(damaged) in result.err
        assert "Traceback" not in result.err


def test_a_catalogue_that_is_not_there_is_named(process: Run, tmp_path: Path) -> None:
    missing = tmp_path / "none.db"
    result = process("ask", "can I run StarCoder 2 15B on 12 GB?", RIGCHECK_CATALOG=str(missing))
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"rigcheck: {missing}: there is no such file")


@pytest.fixture
def locales(tmp_path: Path) -> Path:
    """A copy of the locales that a test may damage."""
    return Path(shutil.copytree(ROOT / "locales", tmp_path / "locales"))


def test_the_locales_are_in_order(rigcheck: Run) -> None:
    result = rigcheck("locales", "check")
    assert (result.code, result.err) == (0, "")


def test_what_a_locale_lacks_is_named_by_its_file(process: Run, locales: Path) -> None:
    (locales / "it" / "answers" / "creator.j2").unlink()
    result = process("locales", "check", RIGCHECK_LOCALES=str(locales))
    assert (result.code, result.out) == (1, "")
    assert "creator.j2" in result.err


def test_a_locale_that_is_no_toml_is_named_by_file_and_line(process: Run, locales: Path) -> None:
    (locales / "it" / "terms.toml").write_text("[locale]\nname = \n", encoding="utf-8")
    result = process("ask", "can I run StarCoder 2 15B on 12 GB?", RIGCHECK_LOCALES=str(locales))
    assert (result.code, result.out) == (1, "")
    assert "it/terms.toml" in result.err
    assert "line 2" in result.err


def test_a_locale_is_added_by_adding_its_folder(process: Run, locales: Path) -> None:
    added = locales / "es-AR"
    added.mkdir()
    (added / "terms.toml").write_text(
        '[locale]\nname = "Español (Argentina)"\nbabel = "es_AR"\ninherits = "es"\n', encoding="utf-8"
    )
    (added / "answers").mkdir()
    (added / "answers" / "not_asked.j2").write_text("# ¿Qué querés saber?\n", encoding="utf-8")
    said = process("ask", "hola", "--locale", "es-AR", RIGCHECK_LOCALES=str(locales))
    assert (said.code, said.out) == (0, "¿Qué querés saber?\n")
    inherited = process("ask", "can I run StarCoder 2 15B on 12 GB?", "--locale", "es-AR", RIGCHECK_LOCALES=str(locales))
    assert inherited.out.startswith("Sí, pero justo")
