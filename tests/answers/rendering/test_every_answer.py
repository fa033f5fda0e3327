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
# Words that the other languages have in common with English, or take from it. All others of the English answers are English.
_EVERYWHERE = {
    "min",
    *("chat", "chip", "cpp", "cpu", "face", "flop", "gemma", "gguf", "gib", "hardware", "hugging", "llama", "max", "mfu", "mobile"),
    *(
        "moe",
        "open",
        "polycoder",
        "prompt",
        "quant",
        "qwen",
        "ram",
        "rtx",
        "server",
        "source",
        "starcoder",
        "tesla",
        "tflops",
        "tok",
    ),
    *("tok", "token", "vram", "xbox", "xtx"),
}
SHARED = {
    "es": _EVERYWHERE | {"bits", "general", "multimodal", "original", "quants", "tokens"},
    "it": _EVERYWHERE
    | {*("all", "attention", "batch", "bit", "browser", "buffer", "cache", "center", "come", "computer", "data", "desktop", "far")}
    | {"file", "fine", "formula", "per", "tuning"},
}
SHARED["es-419"] = SHARED["es"] | {"laptop"}
WORD = re.compile(r"[^\W\d_]{3,}")


@pytest.fixture(scope="module")
def replies(desk):
    questions = list(every_question())
    shown = [(question, build(desk, question)) for question in questions]
    return shown + [(question, terms) for question in questions if (terms := computed(desk, question))]


def test_the_questions_reach_every_kind_of_reply(replies) -> None:
    reached = Counter(reply.kind for _, reply in replies)
    # Lines for a terminal are no answer in words: they have tests of their own.
    assert set(kinds()) - set(reached) == {"launch"}


@pytest.fixture(scope="module")
def english(replies, answering, locales) -> set[str]:
    """Every word of the English answers that stands in the locale: all of them but names."""
    files = [*(locales.path / "en/answers").glob("*.j2"), locales.path / "en/terms.toml"]
    written = {word for file in files for word in WORD.findall(file.read_text(encoding="utf-8").lower())}
    return {word for _, reply in replies for word in words_of(reply, answering.renderer.render(reply, "en"))} & written


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


@pytest.mark.parametrize("locale", [locale for locale in LOCALES if not locale.startswith("en")])
def test_no_answer_has_a_word_of_english(locale: str, replies, english: set[str], answering) -> None:
    foreign = english - SHARED[locale]
    for question, reply in replies:
        message = answering.renderer.render(reply, locale)
        found = words_of(reply, message) & foreign
        assert not found, f"{found} in {locale} {reply.kind}: {question!r}\n{message.text()}"


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("task", "tasks"),
        ("domain", "domains"),
        ("country", "countries"),
        ("category", "organization_categories"),
        ("access", "access"),
        ("training_code", "training_code"),
        ("compute_basis", "compute_basis"),
        ("record_confidence", "record_confidence"),
        ("notability", "notability"),
        ("use", "uses"),
    ],
)
@pytest.mark.parametrize("locale", ["es", "it"])
def test_every_value_of_the_records_has_a_word(locale: str, kind: str, values: str, catalogue, locales) -> None:
    held = [getattr(model, values) for model in catalogue.models]
    on_file = {value for entry in held if entry for value in ([entry] if isinstance(entry, str) else entry)}
    assert on_file
    assert on_file <= set(locales.get(locale).terms[kind])


def words_of(reply, message: Message) -> set[str]:
    """The words of a message that are no names and no addresses, in lower case."""
    text = re.sub(r"https?://\S+", "", message.text())
    for name in names_in(reply):
        text = text.replace(name, "")
    return set(WORD.findall(text.lower()))


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
