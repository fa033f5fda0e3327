"""The documents' eighteen questions, in their own wording and in ours, get their answers with the documents' figures."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from answers.rendering.formats import NBSP

DOCUMENTS = tomllib.loads((Path(__file__).parents[1] / "data" / "document_questions.toml").read_text(encoding="utf-8"))["document"]
ASKED = [
    pytest.param(document["lang"], document["model"], question[wording], question, id=question[wording])
    for document in DOCUMENTS
    for question in document["question"]
    for wording in ("theirs", "ours")
]


@pytest.mark.parametrize(("lang", "model", "text", "question"), ASKED)
def test_a_question_of_the_documents(lang: str, model: str, text: str, question: dict, answering) -> None:
    answers = answering.ask(text)
    assert len(answers) == 1, [answer.question.intent for answer in answers]
    (answer,) = answers
    assert answer.question.intent == question["intent"]
    assert answer.question.models == (model,)
    assert answer.locale == lang
    shown = answer.message.text().replace(NBSP, " ")
    missing = [figure for figure in question["figures"] if figure.lower() not in shown.lower()]
    assert not missing, f"{missing} not in:\n{shown}"


def test_the_english_document_has_all_eighteen() -> None:
    assert [len(document["question"]) for document in DOCUMENTS if document["lang"] == "en"] == [18]
