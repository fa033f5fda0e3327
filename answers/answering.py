"""The front door of the library: text in, answers out. Built once; nothing in it changes while it answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from answers.catalogue.handles import Handles
from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue
from answers.catalogue.suggest import Suggestions
from answers.locales import Locales
from answers.questions.question import Question, Reading
from answers.questions.read import Reader
from answers.questions.wording import Wording
from answers.rendering.formats import Formats
from answers.rendering.message import Message
from answers.rendering.render import Renderer
from answers.replies.asking import NotAsked
from answers.replies.build import build, each
from answers.replies.computed import computed
from answers.replies.desk import Desk
from answers.replies.launch import launch
from answers.replies.parts import Part
from answers.replies.ranking import rank_cards
from answers.replies.reply import CanRun, RankCards, Speed

if TYPE_CHECKING:
    from answers.rendering.charts.svg import Picture

SEPARATOR = "\n\n———\n\n"
"""Stands between the answers to two questions of one message."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One question of a message and its answer."""

    question: Question
    reply: Part
    message: Message
    locale: str

    @property
    def pending(self) -> tuple[Question, ...]:
        """The whole questions that the numbered choices of the answer stand for; empty where it asks nothing."""
        choices = self.reply.__dict__.get("choices", ())
        return tuple(choice.question for choice in choices)


class Answering:
    """One way from a question to an answer, for every surface."""

    def __init__(self, catalogue: Catalogue, locales: Locales, wording: Wording | None = None) -> None:
        """``wording``: what is read out of the locales' words, where it has been read already."""
        self.catalogue = catalogue
        self.locales = locales
        self.reader = Reader(catalogue, locales, wording=wording)
        self.desk = Desk(catalogue)
        self.renderer = Renderer(locales)

    @cached_property
    def handles(self) -> Handles:
        """Short handles of the names on file."""
        return Handles(self.catalogue)

    @cached_property
    def suggestions(self) -> Suggestions:
        """Names on file for what somebody has begun to type."""
        return Suggestions(self.catalogue)

    @classmethod
    async def open(cls, catalogue: Path | None = None, locales: Path | None = None, *, one_question: bool = False) -> Answering:
        """Load the catalogue and the locales, by default those of the project or of the installed package.

        With ``one_question`` only what that takes is made ready, which suits a process that answers one.

        Raises:
            DataError: where either is missing or damaged.
        """
        answering = cls(await load(catalogue), Locales.load(locales))
        if not one_question:
            answering.reader.prepare()
        return answering

    def read(self, text: str, lang: str | None = None, previous: Question | None = None) -> Reading:
        """What is asked. Never raises."""
        return self.reader.read(text, lang, previous)

    def ask(
        self,
        text: str,
        locale: str | None = None,
        previous: Question | None = None,
        spoken: str | None = None,
        stated: Mapping[str, object] | None = None,
    ) -> tuple[Answer, ...]:
        """Answer every question of a message, in ``locale`` or else in the language of the question.

        ``previous`` is the question before, which a follow-up takes its missing parts from, and ``spoken`` the language of the
        talk so far, for words that tell none; ``stated`` are slots that were said apart from the text. A text that asks nothing
        gets one answer that says what can be asked.
        """
        reading = self.read(text, (locale or spoken or "").partition("-")[0] or None, previous)
        chosen = self.locales.get(locale or reading.lang).code
        if not text.strip():
            reply = NotAsked(empty=True)
            return (Answer(reading.question, reply, self.renderer.render(reply, chosen), chosen),)
        questions = (single for question in (reading.question, *reading.more) for single in each(question))
        if stated:
            questions = (Question.model_validate({**dict(question), **stated}) for question in questions)
        return once(self.answer(question, chosen) for question in questions)

    def answer(self, question: Question, locale: str | None = None, page: int = 0) -> Answer:
        """Answer one question; of a table longer than an answer the given page, counted from 0.

        Raises:
            UsageError: where it names a quant that is not on file.
        """
        chosen = self.locales.get(locale).code
        reply = build(self.desk, question)
        if page and isinstance(reply, RankCards):
            reply = rank_cards(self.desk, question, page)
        return Answer(question, reply, self.renderer.render(reply, chosen), chosen)

    def picture(self, answer: Answer) -> Picture | None:
        """The chart of an answer; ``None`` where there is nothing in it to draw."""
        # Loaded with the first chart, since most answers have none.
        from answers.rendering.charts.chart import chart_of
        from answers.rendering.charts.svg import picture_of

        terms = computed(self.desk, answer.question) if isinstance(answer.reply, CanRun) else None
        chart = chart_of(answer.reply, Formats(self.locales.get(answer.locale)), terms)
        return picture_of(chart) if chart else None

    def launch(self, question: Question, locale: str | None = None) -> Message | None:
        """How to start the model that a question is answered with; ``None`` where that is no one model that runs there.

        Raises:
            UsageError: where it names a quant that is not on file.
        """
        reply = launch(self.desk, question)
        return self.renderer.render(reply, locale) if reply else None

    def computed(self, question: Question, locale: str | None = None) -> Message | None:
        """How the figures that answer a question are computed; ``None`` where it is answered without any.

        Raises:
            UsageError: where it names a quant that is not on file.
        """
        reply = computed(self.desk, question)
        return self.renderer.render(reply, locale) if reply else None


def once(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """Without answers that say what one before them says: how fast a model is that does not fit, and with which speed it does."""
    said: list[Answer] = []
    for answer in answers:
        if not any(answer.reply == before.reply or _told_with(answer.reply, before.reply) for before in said):
            said.append(answer)
    return tuple(said)


def _told_with(reply: Part, before: Part) -> bool:
    """Whether a speed is what the answer before tells with its yes: "has anyone tried it on a 3090? what speed do you get"."""
    return (
        isinstance(reply, Speed)
        and isinstance(before, CanRun)
        and (reply.model, reply.hardware, reply.rung) == (before.model, before.hardware, before.rung)
        and not (reply.reported or reply.writing or reply.prompt_s)
    )


def text_of(answers: tuple[Answer, ...]) -> str:
    """The plain text of all answers to one message."""
    return SEPARATOR.join(answer.message.text() for answer in answers)
