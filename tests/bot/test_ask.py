"""``rigcheck ask``: a question in, an answer out."""

from __future__ import annotations

import pytest

from tests.bot.conftest import Run

QUESTION = "can I run StarCoder 2 15B on 12 GB?"
NBSP = "\u00a0"


@pytest.mark.parametrize(
    ("question", "locale", "says"),
    [
        (QUESTION, "en", "Q4_K_M takes 9.8 GB."),
        ("¿puedo correr StarCoder 2 15B con 12 GB?", "es", "En Q4_K_M ocupa 9,8 GB."),
        ("posso far girare StarCoder 2 15B su 12 GB?", "it", "In Q4_K_M occupa 9,8 GB."),
    ],
)
def test_answers_in_the_language_of_the_question(rigcheck: Run, question: str, locale: str, says: str) -> None:
    answer = rigcheck("ask", question, "--json").json
    assert answer["locale"] == locale
    assert says in answer["text"].replace(NBSP, " ")


@pytest.mark.parametrize(
    ("locale", "says"),
    [
        ("en", "Yes, but it's tight"),
        ("en-GB", "Yes, but it's tight"),
        ("es", "fiabilidad baja"),
        ("es-MX", "confiabilidad baja"),
        ("it", "Sì, ma di misura"),
        ("xx", "Yes, but it's tight"),
    ],
)
def test_a_stated_locale_wins_and_one_that_is_missing_is_english(rigcheck: Run, locale: str, says: str) -> None:
    assert says in rigcheck("ask", QUESTION, "--locale", locale).out


def test_prints_the_text_that_the_json_holds_and_nothing_else(process: Run) -> None:
    plain = process("ask", QUESTION)
    assert (plain.code, plain.err) == (0, "")
    assert plain.out == process("ask", QUESTION, "--json").json["text"] + "\n"


def test_the_json_has_the_question_and_unrounded_figures(rigcheck: Run) -> None:
    answer = rigcheck("ask", QUESTION, "--json").json
    assert list(answer) == ["question", "reply", "locale", "text"]
    assert answer["question"]["intent"] == "can_run"
    assert answer["question"]["models"] == ["StarCoder 2 15B"]
    assert answer["question"]["memory_gb"] == 12
    reply = answer["reply"]
    assert (reply["kind"], reply["verdict"], reply["rung"]["quant"]) == ("can_run", "tight", "Q4_K_M")
    assert reply["rung"]["need_gb"] == pytest.approx(15 * 4.785 / 8 + 0.59 + 0.062 * 15**0.5, abs=1e-9)


def test_the_same_question_gets_the_same_answer(process: Run) -> None:
    runs = {process("ask", "which cards are fastest for StarCoder 2 7B?", "--json", PYTHONHASHSEED=seed).out for seed in "12"}
    assert len(runs) == 1


def test_several_questions_get_several_answers(rigcheck: Run) -> None:
    question = "who made StarCoder 2 15B and when was it released?"
    answer = rigcheck("ask", question, "--json").json
    kinds = [part["reply"]["kind"] for part in (answer, *answer["more"])]
    assert sorted(kinds) == ["creator", "released"]
    assert rigcheck("ask", question).out.count("———") == 1


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("can I run StarCoder 2 15B on a 3060?", "ask_back"),
        ("can I run StarCoder 2 15B?", "ask_back"),
        ("can I run Blorptron 13B on 12 GB?", "unknown"),
        ("good morning everyone", "not_asked"),
    ],
)
def test_asking_back_and_not_knowing_are_answers_too(rigcheck: Run, question: str, kind: str) -> None:
    result = rigcheck("ask", question, "--json")
    assert (result.code, result.json["reply"]["kind"]) == (0, kind)


def test_a_choice_that_is_offered_is_a_whole_question(rigcheck: Run) -> None:
    reply = rigcheck("ask", "can I run StarCoder 2 15B on a 3060?", "--json").json["reply"]
    cards = [choice["question"]["cards"] for choice in reply["choices"]]
    assert cards == [[{"name": f"GeForce RTX 3060 {size} GB", "count": 1}] for size in (12, 8)]


def test_a_question_may_begin_with_a_dash(rigcheck: Run) -> None:
    assert rigcheck("ask", "--locale", "en", "--", f"- {QUESTION}").out.startswith("Yes, but it's tight")
