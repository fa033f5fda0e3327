"""What the bot says besides its answers: what a locale lacks or has too much of is named by file, key and line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from answers.errors import DataError
from answers.locales import Locales
from commands.texts import FILE, SECTIONS, Texts, check
from tests.commands.conftest import ROOT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the locales that a test may damage."""
    return Path(shutil.copytree(ROOT / "locales", tmp_path / "locales"))


@pytest.fixture
def edit(folder: Path) -> Callable[[str, str, str], int]:
    """Replace a text in the file of a locale; the line that it stood in."""

    def replace(code: str, old: str, new: str) -> int:
        file = folder / code / FILE
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        return text[: text.index(old)].count("\n") + 1

    return replace


def problems(folder: Path) -> list[str]:
    return check(Locales.load(folder))


def test_the_projects_texts_are_whole() -> None:
    assert check(Locales.load()) == []


def test_a_text_that_is_missing_is_named(folder: Path, edit: Callable[[str, str, str], int]) -> None:
    edit("it", 'log_off = "', 'log_of = "')
    (unused, missing) = problems(folder)
    assert missing == f"it/{FILE}: settings.log_off is missing"
    assert unused.startswith(f"it/{FILE}, line ")
    assert unused.endswith("settings.log_of is not used")


def test_a_text_that_nobody_says_is_named_by_its_line(folder: Path, edit: Callable[[str, str, str], int]) -> None:
    line = edit("es", "[chat]\n", '[chat]\ngreeting = "hola"\n')
    assert problems(folder) == [f"es/{FILE}, line {line + 1}: chat.greeting is not used"]


def test_a_text_that_the_code_says_and_english_lacks_is_named_by_the_codes_line(
    folder: Path, edit: Callable[[str, str, str], int], tmp_path: Path
) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "ask.py").write_text('x = 1\nsay("chat.nothing")\n', encoding="utf-8")
    found = check(Locales.load(folder), code)
    assert f"code/ask.py, line 2: en/{FILE} has no chat.nothing" in found


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("{{ seconds|count }}", "{{ seconds|counted }}", "No filter named 'counted'."),
        ("{{ seconds|count }}", "{{ minutes|count }}", "minutes is not a figure of this text"),
        ("{{ seconds|count }}", "{{ seconds|count }", "unexpected '}'"),
    ],
)
def test_a_text_that_cannot_be_filled_in_is_named(
    folder: Path, edit: Callable[[str, str, str], int], old: str, new: str, fault: str
) -> None:
    line = edit("it", old, new)
    (problem,) = problems(folder)
    assert problem == f"it/{FILE}, line {line}: catalogue.too_soon: {fault}"


def test_a_section_that_is_none_is_named(folder: Path) -> None:
    file = folder / "en-GB" / FILE
    file.write_text('loose = "a"\n' + file.read_text(encoding="utf-8"), encoding="utf-8")
    assert problems(folder) == [f"en-GB/{FILE}, line 1: loose is not a table of texts"]


def test_a_locale_takes_what_it_lacks_from_the_one_that_it_inherits() -> None:
    texts = Texts(Locales.load())
    assert texts.say("settings.log_off", "es-419") == texts.say("settings.log_off", "es")
    assert texts.say("settings.log_off", "en-GB") == texts.say("settings.log_off", "en")
    assert texts.say("settings.log_off", "de") == texts.say("settings.log_off", "en")
    assert texts.say("catalogue.elsewhere", "en-GB") == texts.say("catalogue.elsewhere", "en").replace("catalog", "catalogue")
    assert texts.say("catalogue.damaged", "es-419", fault="x") != texts.say("catalogue.damaged", "es", fault="x")


def test_figures_are_in_the_locales_format() -> None:
    texts = Texts(Locales.load())
    said = {code: texts.say("catalogue.too_soon", code, seconds=12_345) for code in ("en", "es", "es-419", "it")}
    assert [figure in said[code] for code, figure in zip(said, ("12,345", "12.345", "12,345", "12.345"), strict=True)] == [True] * 4


def test_a_text_that_is_not_there_or_lacks_a_figure_is_an_error_of_ours() -> None:
    texts = Texts(Locales.load())
    with pytest.raises(DataError, match=r"chat\.nothing"):
        texts.say("chat.nothing", "es")
    with pytest.raises(DataError, match=r"en/bot\.toml: refused\.too_fast: 'seconds' is undefined"):
        texts.say("refused.too_fast", "en")


def test_every_section_of_the_files_is_one_that_the_code_is_searched_for() -> None:
    texts = Texts(Locales.load())
    keys = {key for own in texts.own.values() for key in own}
    assert {key.partition(".")[0] for key in keys} <= set(SECTIONS)


@pytest.mark.parametrize(
    ("day", "until", "of"),
    [
        ("2026-12-08", "l'8 dicembre", "dell'8 dicembre"),
        ("2026-12-11", "l'11 dicembre", "dell'11 dicembre"),
        ("2026-12-10", "il 10 dicembre", "del 10 dicembre"),
    ],
)
def test_an_italian_date_has_the_article_of_its_day(day: str, until: str, of: str) -> None:
    texts = Texts(Locales.load())
    assert f"eliminato {until} 2026." in texts.say("privacy.deleted", "it", aside_until=day)
    told = texts.say("catalogue.status", "it", day=day, models=1, cards=1, surveyed=1, loaded=0, generation=1, sources=(), more=0)
    assert f"Catalogo {of} 2026" in told


@pytest.mark.parametrize(
    ("code", "asked"),
    [("en", "Which 3060: A, B, or 8 GB?"), ("es", "¿Qué «3060» tienes: A, B u 8 GB?"), ("it", "Quale «3060» hai: A, B o 8 GB?")],
)
def test_which_one_it_is_is_asked_in_a_sentence(code: str, asked: str) -> None:
    assert Texts(Locales.load()).say("rig.several", code, typed="3060", names=("A", "B", "8 GB")).startswith(asked)
