"""What happens around a template: colours, fallbacks, faults in a locale, and a temporary folder that cannot be used."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import answers
from answers.errors import DataError
from answers.locales import Locales
from answers.questions.question import Intent, Question
from answers.rendering.check import check
from answers.rendering.message import parse
from answers.rendering.render import Renderer, colour_of
from answers.replies.build import build

CODE = Path(answers.__file__).parent
QUESTION = Question(intent=Intent.CAN_RUN, models=("StarCoder 2 15B",), memory_gb=12)


@pytest.fixture
def folder(locales, tmp_path: Path) -> Path:
    copy = tmp_path / "locales"
    shutil.copytree(locales.path, copy)
    return copy


@pytest.mark.parametrize(("memory", "colour"), [(24, "green"), (12, "amber"), (8, "red")])
def test_the_colour_repeats_the_verdict(memory: float, colour: str, desk, answering) -> None:
    reply = build(desk, QUESTION.model_copy(update={"memory_gb": memory}))
    assert colour_of(reply) == answering.renderer.render(reply, "en").colour == colour


def test_an_answer_without_a_verdict_is_grey(desk) -> None:
    assert colour_of(build(desk, Question(intent=Intent.CREATOR, models=("PolyCoder",)))) == "grey"


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("de", "en"),
        (None, "en"),
        ("es-MX", "es-419"),
        ("es_AR", "es-419"),
        ("es-ES", "es"),
        ("en-US", "en"),
        ("en-gb", "en-GB"),
        ("it-CH", "it"),
    ],
)
def test_the_nearest_locale_is_taken(asked: str | None, given: str, locales) -> None:
    assert locales.get(asked).code == given


def test_latin_american_spanish_shares_the_text_and_has_its_own_numbers_and_words(desk, answering) -> None:
    reply = build(desk, QUESTION)
    spain, america = (answering.renderer.render(reply, code).text() for code in ("es", "es-419"))
    assert "9,8" in spain and "fiabilidad baja" in spain
    assert "9.8" in america and "confiabilidad baja" in america


def test_an_unusable_temporary_folder_costs_no_answer(desk, locales, monkeypatch, tmp_path: Path) -> None:
    reply = build(desk, QUESTION)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "missing"))
    assert "9.8" in Renderer(locales).render(reply, "en").text()
    monkeypatch.setattr("answers.rendering.render.own_folder", lambda: Path("/proc/nowhere"))
    assert "9.8" in Renderer(locales).render(reply, "en").text()


@pytest.mark.parametrize(
    "damage", [lambda held: held[:40], lambda held: b"", lambda held: held[:-9] + bytes((held[-9] ^ 1,)) + held[-8:]]
)
def test_damaged_compiled_templates_are_compiled_afresh(desk, locales, monkeypatch, tmp_path: Path, damage) -> None:
    monkeypatch.setattr("answers.rendering.render.own_folder", lambda: tmp_path)
    reply = build(desk, QUESTION)
    first = Renderer(locales).render(reply, "en").text()
    whole = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert whole
    for file, held in whole.items():
        file.write_bytes(damage(held))
    assert Renderer(locales).render(reply, "en").text() == first
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == whole, "mended"


def test_the_locales_of_the_project_have_nothing_missing_and_nothing_unused(locales) -> None:
    assert check(locales) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("es/terms.toml", 'tight = "justo"', "", ": fit.tight is missing"),
        ("it/terms.toml", "[fit]", '[fit]\nsnug = "x"', ", line {after}: fit.snug is not used"),
        ("es/terms.toml", "[fit]", '[colours]\nred = "rojo"\n[fit]', ", line {at}: [colours] is not a section that answers use"),
        ("it/terms.toml", 'babel = "it_IT"', 'babel = "xx_XX"', ": locale.babel = 'xx_XX' is not a locale that Babel knows"),
        ("it/terms.toml", 'tight = "di misura"', "tight = 3", ", line {at}: fit.tight is not a text"),
        ("en/answers/speed.j2", "r.median_tok_s|toks_only", "r.mean_tok_s|toks_only", ", line {at}: r.mean_tok_s is not a figure"),
        ("en/answers/speed.j2", "{% endif %}", "", ", line"),
        ("es/answers/speed.j2", "|toks_only", "|toks_alone", ", line {at}: there is no filter toks_alone"),
        ("it/answers/speed.j2", "import model,", "import modello, model,", ", line {at}: _macros.j2 has no macro modello"),
        ("it/answers/download.j2", "import upper", "import upper, su", ", line {at}: su is imported and not used"),
    ],
)  # fmt: skip
def test_the_check_names_file_key_and_line(file: str, old: str, new: str, problem: str, folder: Path) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    at = text[: text.index(old)].count("\n") + 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    problems = check(Locales.load(folder))
    expected = file + problem.format(at=at, after=at + 1)
    assert any(found.startswith(expected) for found in problems), problems


def test_every_section_and_phrase_of_the_terms_is_said(locales) -> None:
    files = [*(locales.path / "en/answers").glob("*.j2"), locales.path / "en/bot.toml", *CODE.rglob("*.py")]
    said = "\n".join(file.read_text(encoding="utf-8") for file in files)
    terms = locales.get("en").terms
    assert [section for section in terms if not re.search(rf'["\']{section}\\?["\']', said)] == []
    assert [phrase for phrase in terms["phrases"] if f'phrase("{phrase}")' not in said] == []


def test_a_template_that_is_missing_or_of_no_kind_is_named(folder: Path) -> None:
    (folder / "it/answers/speed.j2").rename(folder / "it/answers/sped.j2")
    problems = check(Locales.load(folder))
    assert "it/answers/speed.j2 is missing" in problems
    assert "it/answers/sped.j2: there is no reply of this kind" in problems


def test_a_locale_that_cannot_be_read_is_refused_by_name(folder: Path) -> None:
    (folder / "es/terms.toml").write_text("[locale\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"es/terms\.toml: .*line 1"):
        Locales.load(folder)
    (folder / "es/terms.toml").write_text('[locale]\ninherits = "nn"\n', encoding="utf-8")
    with pytest.raises(DataError, match="inherits names 'nn'"):
        Locales.load(folder)
    with pytest.raises(DataError, match="has no en/terms"):
        Locales.load(folder / "nowhere")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("# {{ r.nothing }}", "nothing"),
        ("no title", "no title"),
        ("# one\n# two", "two titles"),
        ("# {{ 1 +", "line 1"),
        ("# {{ 1/0 }}", "division by zero"),
        ("# {{ r + 1 }}", "unsupported operand"),
        ("# {{ r.model|gb }}", "format"),
    ],
)
def test_a_faulty_template_is_named_and_nothing_is_half_said(text: str, fault: str, folder: Path, desk) -> None:
    (folder / "en/answers/can_run.j2").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=rf"(?s)en/answers/can_run\.j2.*{fault}"):
        Renderer(Locales.load(folder)).render(build(desk, QUESTION), "en")


def test_a_missing_template_is_named(folder: Path, desk) -> None:
    (folder / "en/answers/can_run.j2").unlink()
    with pytest.raises(DataError, match=r"no template answers/can_run\.j2"):
        Renderer(Locales.load(folder)).render(build(desk, QUESTION), "en")


def test_a_message_is_cut_into_its_parts() -> None:
    message = parse(
        "# A || B\nbody **one**\n\n```\nx  1\n```\n## Field\nline\n## Empty\n-# foot\n1. first\n1. second", "grey", "here"
    )
    assert (message.title, message.body, message.table, message.footer) == ("A", ("body **one**",), ("x  1",), "foot")
    assert [(field.name, field.lines) for field in message.fields] == [("Field", ("line",))]
    assert message.choices == ("first", "second")
    assert message.text() == "A\n\nbody one\n\nx  1\n\nField\nline\n\n1. first\n2. second\n\nfoot"


@pytest.mark.parametrize(
    ("footer", "line"),
    [
        ("Contexto 4k · estimación", "Con tu equipo: RTX 3060 · contexto 4k · estimación"),
        ("RAM a 50 GB/s", "Con tu equipo: RTX 3060 · RAM a 50 GB/s"),
        ("Q4_K_M o mejor", "Con tu equipo: RTX 3060 · Q4_K_M o mejor"),
        ("", "Con tu equipo: RTX 3060"),
    ],
)
def test_the_footer_goes_on_from_what_was_taken_for_said(footer: str, line: str) -> None:
    message = replace(parse(f"# A\n-# {footer}", "grey", "here"), assumed="Con tu equipo: RTX 3060")
    assert message.small_print == line


def test_a_title_takes_its_longest_version_that_fits_two_lines() -> None:
    assert parse(f"# {'long ' * 20}|| short", "grey", "here").title == "short"
    assert len(parse(f"# {'long ' * 20}|| {'still ' * 20}", "grey", "here").title) == 70


def test_a_fixed_value_in_a_shared_template_is_written_in_each_locales_way(
    desk, locales, folder: Path, monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("answers.rendering.render.own_folder", lambda: tmp_path)
    (folder / "es/answers/can_run.j2").write_text("# {{ 0.6|number(1) }}", encoding="utf-8")
    renderer = Renderer(Locales.load(folder))
    reply = build(desk, QUESTION)
    assert [renderer.render(reply, code).title for code in ("es", "es-419", "es")] == ["0,6", "0.6", "0,6"]


def test_a_fixed_value_is_written_anew_when_its_locale_writes_numbers_in_another_way(
    desk, folder: Path, monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("answers.rendering.render.own_folder", lambda: tmp_path)
    (folder / "it/answers/can_run.j2").write_text("# {{ 0.6|number(1) }}", encoding="utf-8")
    reply = build(desk, QUESTION)
    assert Renderer(Locales.load(folder)).render(reply, "it").title == "0,6"
    terms = folder / "it" / "terms.toml"
    terms.write_text(terms.read_text(encoding="utf-8").replace('babel = "it_IT"', 'babel = "it_CH"'), encoding="utf-8")
    assert Renderer(Locales.load(folder)).render(reply, "it").title == "0.6"
