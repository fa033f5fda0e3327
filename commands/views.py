"""The buttons and selects below an answer. Everything that they know stands in their custom ids; see ``state``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import discord

from answers.answering import Answer
from answers.estimator.quants import constants
from answers.questions.question import Question
from answers.rendering.message import plain
from answers.replies.computed import EXPLAINED
from answers.replies.reply import (
    CanRun,
    CanRunSeveral,
    FitsNot,
    GpuNeeded,
    RankCards,
    Speed,
    TwoGpus,
    VramNeeded,
    WhatCanCardRun,
    WhichQuant,
)
from commands.below import BLUE, Below, Part, button, option, select
from commands.message import embeds_of
from commands.state import Code, State
from commands.texts import Texts

CONTEXTS = (4096, 8192, 16384, 32768, 65536, 131072)
WITH_CONTEXT = (CanRun, CanRunSeveral, FitsNot, GpuNeeded, RankCards, Speed, TwoGpus, VramNeeded, WhatCanCardRun, WhichQuant)
"""Answers whose figures depend on the context."""
USES = ("general", "code", "reasoning", "vision")
EVERY_USE = "every"
WITH_QUALITY = (CanRun, CanRunSeveral, GpuNeeded, RankCards, Speed, WhatCanCardRun)
"""Answers that choose the quant."""
_CHOICES = 0
"""The row of the choices of an answer that asks back; it has no other components in it."""
_NOBODY = 0
"""Who asked, where what is made is the same for everybody."""


@dataclass(frozen=True, slots=True)
class Composed:
    """An answer as Discord shows it, whoever asked."""

    embeds: tuple[discord.Embed, ...]
    parts: tuple[Part, ...]

    def below(self, asker: int) -> Below:
        """The view below it for whoever asked."""
        return Below(self.parts, asker)


def compose(texts: Texts, answers: Sequence[Answer], *, alone: bool = False, short: bool = False, rig: bool = False) -> Composed:
    """The answers to one message as embeds, and what stands below them.

    Several answers have no selects, since nobody could tell which of them they change. An answer that only the asker sees has no
    button to remove it: Discord has one of its own.

    Args:
        texts: what the components say.
        answers: at least one.
        alone: only the asker sees them.
        short: the verdicts and the sentences below them only.
        rig: the hardware of the question is that of the asker's saved machine.
    """
    parts = [part for part in _parts(texts, answers[0], rig) if part.code.fits(part.action)] if len(answers) == 1 else []
    choices = sum(len(answer.pending) for answer in answers)
    # What has no button can still be picked by its number.
    numbered = choices > sum(part.row == _CHOICES and part.action.startswith("q") for part in parts)
    if not alone:
        locale = answers[-1].locale
        # To remove an answer it is enough to know who asked.
        parts.append(button(State(_NOBODY, locale, Question()).anybodys(), "x", texts.say("button.remove", locale), row=4))
    return Composed(tuple(embeds_of((answer.message for answer in answers), short=short, numbered=numbered)), tuple(parts))


def _parts(texts: Texts, answer: Answer, rig: bool) -> Iterable[Part]:
    reply = answer.reply
    page = reply.page if isinstance(reply, RankCards) else 0
    state = State(_NOBODY, answer.locale, answer.question, page, rig)
    for place, (question, label) in enumerate(zip(answer.pending, answer.message.choices, strict=True)):
        yield button(replace(state, question=question).anybodys(), f"q{place}", plain(label), row=_CHOICES, style=BLUE)
    code = state.anybodys()
    if not code.fits("xx"):
        # The choices say less than the question that they answer, and fit where it does not.
        return
    if isinstance(reply, RankCards):
        yield from _pager(texts, state, reply)
    # Whatever changes the figures begins at the first page again.
    first = replace(state, page=0).anybodys() if page else code
    if isinstance(reply, WhatCanCardRun):
        yield from _models(texts, first, reply, state.locale)
        yield _uses(texts, first, reply.use, state.locale)
    if isinstance(reply, WITH_CONTEXT):
        yield from _contexts(texts, first, reply.basis.context, _longest(reply), state.locale)
    if isinstance(reply, WITH_QUALITY):
        yield _qualities(texts, first, answer.question, state.locale)
    if answer.question.intent in EXPLAINED and isinstance(reply, WITH_CONTEXT) and not isinstance(reply, CanRunSeveral):
        yield button(code, "c", texts.say("button.computed", state.locale), row=4)
    if isinstance(reply, (CanRun, WhichQuant)) and _starts(reply):
        yield button(code, "l", texts.say("button.commands", state.locale), row=4)


def _starts(reply: CanRun | WhichQuant) -> bool:
    """Whether there are commands to start what was answered: a model on file that the hardware runs."""
    runs = reply.verdict != "no" if isinstance(reply, CanRun) else any(row.marks for row in reply.rows)
    return reply.hardware is not None and reply.model.on_file and (runs or reply.split is not None)


def _pager(texts: Texts, state: State, reply: RankCards) -> Iterable[Part]:
    question, locale = state.question, state.locale
    if reply.pages > 1:
        last = reply.pages - 1
        yield button(replace(state, page=max(0, reply.page - 1)).anybodys(), "p", "◀", row=0, disabled=reply.page == 0)
        label = texts.say("view.page", locale, page=reply.page + 1, pages=reply.pages)
        yield button(state.anybodys(), "j", label, row=0)
        yield button(replace(state, page=min(last, reply.page + 1)).anybodys(), "n", "▶", row=0, disabled=reply.page == last)
    if not reply.rows:
        return
    smallest = question.order == "smallest"
    other = question.model_copy(update={"order": None if smallest else "smallest"})
    label = texts.say("view.fastest", locale) if smallest else texts.say("view.smallest", locale)
    yield button(replace(state, question=other, page=0).anybodys(), "s", label, row=1)
    toggled = question.model_copy(update={"include_unfit": not question.include_unfit})
    label = texts.say("view.without_unfit", locale) if question.include_unfit else texts.say("view.with_unfit", locale)
    yield button(replace(state, question=toggled, page=0).anybodys(), "u", label, row=1)


def _contexts(texts: Texts, code: Code, current: int, longest: int | None, locale: str) -> Iterable[Part]:
    offered = {tokens for tokens in CONTEXTS if longest is None or tokens <= longest} | {current}
    if longest is not None and longest > CONTEXTS[0]:
        offered.add(longest)
    if len(offered) < 2:
        return
    shown = [option(texts.say("view.context", locale, tokens=tokens), str(tokens), tokens == current) for tokens in sorted(offered)]
    yield select(code, "t", shown, row=2)


def _qualities(texts: Texts, code: Code, question: Question, locale: str) -> Part:
    documented = constants()["documented"]
    current = None if question.quant else question.min_quality or documented["default_floor"]
    names = [*documented["ladder"], *documented["below_floor"]]
    names += [current] if current and current not in names else []
    shown = [option(texts.say("view.quality", locale, quant=name), name, name == current) for name in names]
    return select(code, "m", shown, row=3, placeholder=texts.say("view.lowest", locale))


def _models(texts: Texts, code: Code, reply: WhatCanCardRun, locale: str) -> Iterable[Part]:
    names = dict.fromkeys(row.model.name for row in (*reply.current, *reply.with_ram, *reply.older))
    if names:
        yield select(code, "o", [option(name, name) for name in names], row=1, placeholder=texts.say("view.models", locale))


def _uses(texts: Texts, code: Code, current: str | None, locale: str) -> Part:
    options = [option(texts.say("view.use", locale, use=use), use, use == current) for use in USES]
    return select(code, "f", [option(texts.say("view.every_use", locale), EVERY_USE, current is None), *options], row=0)


def _longest(reply: Any) -> int | None:
    """The longest context of the one model that an answer is about."""
    model = getattr(reply, "model", None)
    return model.max_context if model else None
