"""Every kind of reply in every locale, for several models and cards: whole, translated, short enough for a phone and Discord."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from answers.rendering.check import kinds
from answers.rendering.message import TITLE_LENGTH, Message, plain
from answers.replies.build import build
from answers.replies.computed import computed
from tests.answers.rendering.asked import every_question

LOCALES = ("en", "en-GB", "es", "es-419", "it")
# English words that a template of another language could only hold by mistake.
ENGLISH = re.compile(
    r"\b(the|and|with|needs|fits|fit|card|cards|context|estimate|confidence|about|room|fast|faster|than|which|from the record|"
    r"not on file|short|tight|comfortable|license|licence|layers|weights|speed|memory|training|released|United States|industry|"
    r"code generation)\b"
)


@pytest.fixture(scope="module")
def replies(desk):
    questions = list(every_question())
    shown = [(question, build(desk, question)) for question in questions]
    return shown + [(question, terms) for question in questions if (terms := computed(desk, question))]


def test_the_questions_reach_every_kind_of_reply(replies) -> None:
    reached = Counter(reply.kind for _, reply in replies)
    # Lines for a terminal are no answer in words: they have tests of their own.
    assert set(kinds()) - set(reached) == {"launch"}


@pytest.mark.parametrize("locale", LOCALES)
def test_every_answer_is_whole_and_short(locale: str, replies, answering) -> None:
    for question, reply in replies:
        message = answering.renderer.render(reply, locale)
        where = f"{locale} {reply.kind}: {question!r}\n{message.text()}"
        whole(message, where)
        for line in message.lines():
            assert not re.search(r"\bNone\b(?! of)", line) and "{{" not in line.replace("{{ 7", ""), where
            assert not re.search(r"  +\S", line) or line in message.table, where
            assert not re.search(r"\s[.,;:)]", plain(line).replace(" :", ":")), where
        if locale.startswith(("es", "it")):
            names = names_in(reply)
            text = message.text()
            for name in names:
                text = text.replace(name, "")
            text = re.sub(r"https?://\S+", "", text)
            found = ENGLISH.search(text)
            assert found is None, f"{found and found.group()!r} in {where}"


def whole(message: Message, where: str) -> None:
    """Complete, and inside what a phone shows and what Discord takes."""
    assert message.title, where
    assert len(plain(message.title)) <= TITLE_LENGTH, where
    assert len(message.fields) <= 5, where
    assert all(1 <= len(field.lines) <= 3 for field in message.fields), where
    assert all(len(line) <= 30 for line in message.table), where
    assert len(message.table) <= 11, where
    assert len(message.lines()) <= 15, where
    assert len(message.footer) <= 2048, where
    description = "\n".join([*message.body, *message.table])
    assert len(description) <= 4096, where
    assert all(len(field.name) <= 256 and len("\n".join(field.lines)) <= 1024 for field in message.fields), where
    total = len(message.title) + len(description) + len(message.footer)
    assert total + sum(len(field.name) + len("\n".join(field.lines)) for field in message.fields) <= 6000, where


def names_in(reply) -> list[str]:
    """Names of models, cards, organisations, licences and the like, which no language translates."""
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)
        elif isinstance(value, str) and len(value) > 2:
            found.append(value)

    worded = {"kind", "missing", "what", "verdict", "tasks", "domains", "organization_categories", "countries"}
    untranslated = reply.model_dump(mode="json", exclude=worded)
    walk(untranslated)
    translated = {
        "comfortable",
        "tight",
        "no",
        "fastest",
        "smallest",
        "slowest",
        "low",
        "general",
        "code",
        "reasoning",
        "vision",
        "base",
    }
    return sorted(set(found) - translated, key=len, reverse=True)
