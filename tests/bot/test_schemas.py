"""What the command line prints as JSON is a contract, kept in docs/schemas/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import best_match

from bot.schemas import main, schemas, written
from tests.bot.conftest import ROOT, Run

FOLDER = ROOT / "docs" / "schemas"

QUESTIONS = [
    "can I run StarCoder 2 15B on 12 GB?",
    "can I run StarCoder 2 15B and StarCoder 2 7B on a 3090?",
    "can I run StarCoder 2 15B?",
    "can I run StarCoder 2 15B on a 3060?",
    "can I run Blorptron 13B on 12 GB?",
    "can I run StarCoder 2 15B on 0 GB?",
    "good morning",
    "which GPU do I need for StarCoder 2 15B?",
    "how much VRAM does StarCoder 2 15B need?",
    "how fast is StarCoder 2 15B on a 3090?",
    "how fast is StarCoder 2 15B?",
    "which cards are fastest for StarCoder 2 15B?",
    "what can a 3090 run?",
    "what if StarCoder 2 15B does not fit on 8 GB?",
    "would two 3060 12 GB help with StarCoder 2 15B?",
    "why does the quant differ between cards for StarCoder 2 15B?",
    "how accurate are these numbers?",
    "how do I choose a GPU for StarCoder 2 15B?",
    "how many parameters does StarCoder 2 15B have?",
    "who made StarCoder 2 15B and when was it released?",
    "what is StarCoder 2 15B for?",
    "where can I download StarCoder 2 15B?",
    "is StarCoder 2 15B open source?",
    "how much compute did it take to train StarCoder 2 15B?",
    "specs of StarCoder 2 15B",
    "specs of the RTX 3090",
    "3090 or 4090 for StarCoder 2 15B?",
    "StarCoder 2 15B or StarCoder 2 7B?",
    "what is the longest context for StarCoder 2 15B on 24 GB?",
    "what do I lose from Q6_K to Q4_K_M?",
    "how big is the KV cache of Qwen3 14B at 32k?",
]
"""A question of each kind that is answered, asked back about or refused."""


def faults(name: str, value: Any) -> list[str]:
    """Where a value does not hold to a schema, in short."""
    schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    found = Draft202012Validator(schema, format_checker=FormatChecker()).iter_errors(value)
    return [f"{best_match([error]).json_path}: {best_match([error]).message[:200]}" for error in found]


def test_the_schemas_kept_are_those_of_the_code(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    fresh = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    kept = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.iterdir()}
    changed = sorted(name for name in kept | fresh if kept.get(name) != fresh.get(name))
    assert not changed, "the JSON has changed; `make docs` brings docs/schemas/ up to date"


def test_bad_usage_of_the_writer_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err == "usage: python -m bot.schemas FOLDER\n"


def test_every_answer_holds_to_its_schema(rigcheck: Run) -> None:
    kinds = set[str]()
    for question in QUESTIONS:
        answer = rigcheck("ask", question, "--json").json
        assert not faults("ask", answer), question
        kinds |= {part["reply"]["kind"] for part in (answer, *answer.get("more", ()))}
    # Which quant to download is asked by a command of its own; in a sentence it is whether and at which quant a model runs.
    form = rigcheck("which-quant", "Qwen3 14B", "3060 12gb", "--json").json
    assert not faults("ask", form)
    kinds.add(form["reply"]["kind"])
    assert kinds == set(schemas()["ask"]["$defs"]["Answered"]["properties"]["reply"]["discriminator"]["mapping"])


def test_a_survey_holds_to_its_schema(rigcheck: Run) -> None:
    for arguments in (("StarCoder 2 15B", "--all"), ("Qwen3 30B-A3B", "--memory", "24"), ("StarCoder", "--search", "none such")):
        assert not faults("survey", rigcheck("survey", *arguments, "--json").json)


def test_what_was_understood_holds_to_its_schema(rigcheck: Run, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(f"{json.dumps({'text': question})}\n" for question in QUESTIONS), encoding="utf-8")
    lines = rigcheck("understand", str(file)).out.splitlines()
    assert len(lines) == len(QUESTIONS)
    for line in lines:
        assert not faults("understand", json.loads(line))


def test_the_schemas_allow_no_property_more_or_less(rigcheck: Run) -> None:
    answer = rigcheck("ask", QUESTIONS[0], "--json").json
    rows = rigcheck("survey", "StarCoder 2 15B", "--memory", "12", "--json").json
    cases: list[tuple[str, Any]] = [
        ("ask", answer | {"extra": 1}),
        ("ask", {key: value for key, value in answer.items() if key != "locale"}),
        ("ask", answer | {"reply": answer["reply"] | {"extra": 1}}),
        ("ask", answer | {"question": {key: value for key, value in answer["question"].items() if key != "quant"}}),
        ("survey", [rows[0] | {"fit": "maybe"}]),
        ("survey", [rows[0] | {"need_gb": "9.8"}]),
        ("survey", [{key: value for key, value in rows[0].items() if key != "method"}]),
    ]
    for name, broken in cases:
        assert faults(name, broken)


def test_a_written_schema_ends_in_a_line_and_keeps_the_order_of_what_is_printed(rigcheck: Run) -> None:
    (row,) = rigcheck("survey", "StarCoder 2 15B", "--search", "GA104", "--json").json
    schema = schemas()["survey"]
    assert written(schema).endswith("}\n")
    assert list(schema["$defs"]["SurveyRow"]["properties"]) == list(row)
