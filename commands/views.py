"""The buttons and selects below an answer. Everything that they know stands in their custom ids; see ``state``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import discord
from discord.ui import Button, Select, View

from answers.answering import Answer, Answering
from answers.estimator.quants import constants
from answers.questions.question import Question
from answers.rendering.message import plain
from answers.replies.computed import EXPLAINED
from answers.replies.reply import CanRun, CanRunSeveral, FitsNot, GpuNeeded, RankCards, Speed, TwoGpus, VramNeeded, WhatCanCardRun
from commands.items import PressButton, PressSelect
from commands.message import embeds_of
from commands.services import Services
from commands.state import State, custom_id

CONTEXTS = (4096, 8192, 16384, 32768, 65536, 131072)
WITH_CONTEXT = (CanRun, CanRunSeveral, FitsNot, GpuNeeded, RankCards, Speed, TwoGpus, VramNeeded, WhatCanCardRun)
"""Answers whose figures depend on the context."""
WITH_QUALITY = (CanRun, CanRunSeveral, GpuNeeded, RankCards, Speed, WhatCanCardRun)
"""Answers that choose the quant."""
MOST_LABEL = 80
_CHOICES = 0
"""The row of the choices of an answer that asks back; it has no other components in it."""
_GREY = discord.ButtonStyle.secondary


@dataclass(frozen=True, slots=True)
class Shown:
    """What an answer is shown with."""

    services: Services
    answering: Answering
    asker: int

    def say(self, key: str, locale: str, **figures: Any) -> str:
        """A text of the view."""
        return self.services.texts.say(key, locale, **figures)


def compose(
    shown: Shown, answers: Sequence[Answer], *, alone: bool = False, short: bool = False
) -> tuple[list[discord.Embed], View]:
    """The answers to one message as embeds, and the view below them.

    Several answers have no selects, since nobody could tell which of them they change. An answer that only the asker sees has no
    button to remove it: Discord has one of its own.

    Args:
        shown: what they are shown with.
        answers: at least one.
        alone: only the asker sees them.
        short: the verdicts and the sentences below them only.
    """
    view = View(timeout=None)
    items = [item for item in _items(shown, answers[0]) if item is not None] if len(answers) == 1 else []
    choices = sum(len(answer.pending) for answer in answers)
    # What has no button can still be picked by its number.
    numbered = choices > sum(item.item.row == _CHOICES for item in items)
    if not alone:
        items += _removal(shown, answers[-1])
    for item in items:
        view.add_item(item)
    return embeds_of((answer.message for answer in answers), short=short, numbered=numbered), view


def _removal(shown: Shown, answer: Answer) -> list[PressButton]:
    # To remove an answer it is enough to know who asked.
    code = State(shown.asker, answer.locale, Question()).code()
    button = _button(code, "x", shown.say("button.remove", answer.locale), row=4)
    return [button] if button else []


def _items(shown: Shown, answer: Answer) -> Iterable[PressButton | PressSelect | None]:
    reply = answer.reply
    page = reply.page if isinstance(reply, RankCards) else 0
    state = State(shown.asker, answer.locale, answer.question, page)
    for place, (question, label) in enumerate(zip(answer.pending, answer.message.choices, strict=True)):
        asked = replace(state, question=question)
        yield _button(asked.code(), f"q{place}", plain(label), row=_CHOICES, style=discord.ButtonStyle.primary)
    code = state.code()
    if custom_id("b", "xx", code) is None:
        # The choices say less than the question that they answer, and fit where it does not.
        return
    if isinstance(reply, RankCards):
        yield from _pager(shown, state, reply)
    # Whatever changes the figures begins at the first page again.
    first = replace(state, page=0).code() if page else code
    if isinstance(reply, WhatCanCardRun):
        yield _models(shown, first, reply, state.locale)
    if isinstance(reply, WITH_CONTEXT):
        yield _contexts(shown, first, reply.basis.context, _longest(reply), state.locale)
    if isinstance(reply, WITH_QUALITY):
        yield _qualities(shown, first, answer.question, state.locale)
    if answer.question.intent in EXPLAINED and isinstance(reply, WITH_CONTEXT) and not isinstance(reply, CanRunSeveral):
        yield _button(code, "c", shown.say("button.computed", state.locale), row=4)


def _pager(shown: Shown, state: State, reply: RankCards) -> Iterable[PressButton | None]:
    question, locale = state.question, state.locale
    if reply.pages > 1:
        last = reply.pages - 1
        yield _button(replace(state, page=max(0, reply.page - 1)).code(), "p", "◀", row=0, disabled=reply.page == 0)
        label = shown.say("view.page", locale, page=reply.page + 1, pages=reply.pages)
        yield _button(state.code(), "j", label, row=0)
        yield _button(replace(state, page=min(last, reply.page + 1)).code(), "n", "▶", row=0, disabled=reply.page == last)
    if not reply.rows:
        return
    smallest = question.order == "smallest"
    other = question.model_copy(update={"order": None if smallest else "smallest"})
    label = shown.say("view.fastest", locale) if smallest else shown.say("view.smallest", locale)
    yield _button(replace(state, question=other, page=0).code(), "s", label, row=1)
    toggled = question.model_copy(update={"include_unfit": not question.include_unfit})
    label = shown.say("view.without_unfit", locale) if question.include_unfit else shown.say("view.with_unfit", locale)
    yield _button(replace(state, question=toggled, page=0).code(), "u", label, row=1)


def _contexts(shown: Shown, code: str, current: int, longest: int | None, locale: str) -> PressSelect | None:
    offered = {tokens for tokens in CONTEXTS if longest is None or tokens <= longest} | {current}
    if longest is not None and longest > CONTEXTS[0]:
        offered.add(longest)
    if len(offered) < 2:
        return None
    options = [
        discord.SelectOption(label=shown.say("view.context", locale, tokens=tokens), value=str(tokens), default=tokens == current)
        for tokens in sorted(offered)
    ]
    return _select(code, "t", options, row=2)


def _qualities(shown: Shown, code: str, question: Question, locale: str) -> PressSelect | None:
    documented = constants()["documented"]
    current = None if question.quant else question.min_quality or documented["default_floor"]
    names = [*documented["ladder"], *documented["below_floor"]]
    names += [current] if current and current not in names else []
    options = [
        discord.SelectOption(label=shown.say("view.quality", locale, quant=name), value=name, default=name == current)
        for name in names
    ]
    return _select(code, "m", options, row=3, placeholder=shown.say("view.lowest", locale))


def _models(shown: Shown, code: str, reply: WhatCanCardRun, locale: str) -> PressSelect | None:
    names = dict.fromkeys(row.model.name for row in (*reply.current, *reply.older))
    options = [discord.SelectOption(label=name, value=name) for name in names]
    return _select(code, "o", options, row=1, placeholder=shown.say("view.models", locale)) if options else None


def _longest(reply: Any) -> int | None:
    """The longest context of the one model that an answer is about."""
    model = getattr(reply, "model", None)
    return model.max_context if model else None


def _button(
    code: str, action: str, label: str, *, row: int, disabled: bool = False, style: discord.ButtonStyle = _GREY
) -> PressButton | None:
    made = custom_id("b", action, code)
    if made is None:
        return None
    shown = label if len(label) <= MOST_LABEL else label[: MOST_LABEL - 1] + "…"
    return PressButton(Button(label=shown, custom_id=made, row=row, disabled=disabled, style=style))


def _select(
    code: str, action: str, options: list[discord.SelectOption], *, row: int, placeholder: str | None = None
) -> PressSelect | None:
    made = custom_id("s", action, code)
    return PressSelect(Select(options=options[:25], custom_id=made, row=row, placeholder=placeholder)) if made else None
