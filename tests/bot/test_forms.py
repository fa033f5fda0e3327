"""``rigcheck which-model``, ``which-quant`` and ``compare``: the forms of Discord on the console."""

from __future__ import annotations

import pytest

from tests.bot.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "question"),
    [
        (("which-model", "3060 12GB"), "what can my 3060 12gb run?"),
        (("which-model", "3060 12GB", "--use", "code"), "what can a 3060 12 gb run for coding?"),
        (("which-model", "24 GB", "--context", "32k"), "what can 24 gb run at 32k context?"),
        (("compare", "3090", "4090"), "3090 vs 4090"),
        (("compare", "3090", "4090", "--model", "StarCoder 2 15B"), "3090 or 4090 for StarCoder 2 15B?"),
        (("compare", "StarCoder 2 15B", "Qwen3 14B", "RTX 3090"), "StarCoder 2 15B vs Qwen3 14B on a 3090"),
    ],
)
def test_a_form_says_what_a_question_says(rigcheck: Run, arguments: tuple[str, ...], question: str) -> None:
    form, asked = rigcheck(*arguments), rigcheck("ask", question)
    assert (form.code, form.err) == (0, "")
    assert form.out == asked.out


@pytest.mark.parametrize(("locale", "said"), [("es", "Qué usar en una RTX 3090"), ("it", "Cosa far girare su una RTX 3090")])
def test_the_picks_are_of_the_last_year_and_say_why_in_each_language(rigcheck: Run, locale: str, said: str) -> None:
    printed = rigcheck("which-model", "3090", "--locale", locale)
    assert printed.out.startswith(said)
    reply = rigcheck("which-model", "3090", "--locale", locale, "--json").json
    assert (reply["locale"], reply["text"] + "\n") == (locale, printed.out)
    for row in (*reply["reply"]["current"], *reply["reply"]["with_ram"]):
        assert row["released"] >= "2025-11"
        assert row["reason"]["source"].startswith("https://")


@pytest.mark.parametrize(
    "question",
    ["what for my 3090?", "¿qué modelo para una 3060 de 12?", "che modello su un mac m3 max 64gb per programmare?"],
)
def test_people_who_ask_what_to_run_get_picks(rigcheck: Run, question: str) -> None:
    reply = rigcheck("ask", question, "--json").json["reply"]
    assert reply["kind"] == "what_can_card_run"
    assert reply["month"] == "2026-11"
    assert len(reply["current"]) >= 2


def test_figures_are_not_rounded_and_a_lowest_speed_holds(rigcheck: Run) -> None:
    reply = rigcheck("which-model", "3090", "--min-speed", "60", "--ram", "64", "--json").json["reply"]
    speeds = [(row["rung"] or row["split"])["speed"]["tok_s"] for row in (*reply["current"], *reply["with_ram"], *reply["older"])]
    assert speeds
    assert min(speeds) >= 60
    assert any(speed != round(speed, 1) for speed in speeds)


def test_which_quant_lists_every_quant(rigcheck: Run) -> None:
    found = rigcheck("which-quant", "qwen3 14b", "3060 12gb", "--context", "8k", "--json").json
    assert (found["reply"]["kind"], found["reply"]["basis"]["context"]) == ("which_quant", 8192)
    printed = rigcheck("which-quant", "qwen3 14b", "3060 12gb", "--context", "8k").out
    for row in found["reply"]["rows"]:
        assert row["quant"] in printed
    assert "https://huggingface.co/models?search=Qwen3-14B%20GGUF" in printed
    assert rigcheck("which-quant", "70B", "24 GB").code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("which-model", "3090", "--min-speed", "0"), "is no figure above 0"),
        (("which-model", "3090", "--context", "lots"), "is no context"),
        (("which-model", "3090", "--locale", "!"), "is no locale"),
        (("which-quant", "qwen3 14b", "--context", "0"), "is no context"),
        (("compare", "3090"), "2 to 4 names"),
        (("compare", *["3090"] * 6), "2 to 4 names"),
        (("compare", "3090", "4090", "qwen3 14b", "gemma 4 12b"), "several cards and several models"),
    ],
)
def test_bad_usage_is_one_sentence(rigcheck: Run, arguments: tuple[str, ...], sentence: str) -> None:
    result = rigcheck(*arguments)
    assert (result.code, result.out) == (2, "")
    assert sentence in result.err
    assert "Traceback" not in result.err
