"""The options that take what people type: read by the reader that chat uses, so that a form and a sentence are one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from discord import app_commands

from answers.answering import Answering
from answers.errors import UsageError
from answers.estimator.quants import constants, quants
from answers.questions import forms
from answers.questions.options import LONGEST, fields, read_context
from answers.questions.question import Intent, Kv, Question, Reading
from answers.replies.build import each
from commands.errors import Refusal

MOST_TYPED = LONGEST
"""Characters that an option takes; the reader looks at no more."""
LARGEST_GB = 1024
LARGEST_RAM_GB = 8192
LARGEST_TOK_S = 10_000
VENDORS = ("NVIDIA", "AMD", "Intel", "Apple")
_MOST_CHOICES = 25


def quants_on_file() -> list[app_commands.Choice[str]]:
    """The quants that a file on Hugging Face may have, best first, as many as Discord lists."""
    return _choices([name for name, quant in quants().items() if quant.scheme == "gguf"])


def least_quants() -> list[app_commands.Choice[str]]:
    """The quants that an answer tries, best first: any of them may be the lowest that is accepted."""
    documented = constants()["documented"]
    return _choices([*documented["ladder"], *documented["below_floor"]])


def cache_precisions() -> list[app_commands.Choice[str]]:
    """The precisions that a cache of keys and values can have, best first."""
    return _choices(get_args(Kv))


def method_of(chosen: str | None) -> str | None:
    """The method that was chosen; ``None`` where the model decides."""
    return None if chosen == "auto" else chosen


def by_method(question: Question, chosen: str | None) -> Question:
    """The question for the method that was chosen."""
    method = method_of(chosen)
    return question.model_copy(update={"method": method}) if method else question


def vendors() -> list[app_commands.Choice[str]]:
    """The vendors that people ask for."""
    return _choices(VENDORS)


def _choices(names: Sequence[str]) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=name, value=name) for name in names[:_MOST_CHOICES]]


def questions_in(reading: Reading) -> list[Question]:
    """The questions of a message, each of which gets an answer."""
    return [single for question in (reading.question, *reading.more) for single in each(question)]


def context_of(typed: str | None) -> int | None:
    """The context that was typed, in tokens.

    Raises:
        Refusal: where it is none.
    """
    if not typed or not typed.strip():
        return None
    try:
        return read_context(typed)
    except UsageError as error:
        raise Refusal("refused.context", typed=typed) from error


def on_hardware(
    answering: Answering,
    model: str,
    hardware: str | None,
    *,
    quant: str | None = None,
    context: str | None = None,
    kv: str | None = None,
    ram_gb: float | None = None,
    method: str | None = None,
) -> Question:
    """Whether a model runs on hardware; without hardware the answer asks for it.

    Raises:
        Refusal: where the context is none.
    """
    reader = answering.reader
    return fields(
        Intent.CAN_RUN,
        reader.model(model),
        reader.hardware(hardware or ""),
        quant=quant,
        context=context_of(context),
        kv=kv,
        ram_gb=ram_gb,
        method=method_of(method),
    )


def models_for(
    answering: Answering,
    hardware: str | None,
    *,
    use: str | None = None,
    context: str | None = None,
    min_speed: float | None = None,
    ram_gb: float | None = None,
) -> Question:
    """What to run on hardware; without hardware the answer asks for it.

    Raises:
        Refusal: where the context is none.
    """
    context_of(context)
    return forms.which_model(answering.reader, hardware, use=use, context=context, min_speed=min_speed, ram_gb=ram_gb)


def quants_for(answering: Answering, model: str, hardware: str | None, context: str | None) -> Question:
    """Which quant of a model to download.

    Raises:
        Refusal: where the context is none.
    """
    context_of(context)
    return forms.which_quant(answering.reader, model, hardware, context)


def compared(answering: Answering, names: Sequence[str], model: str | None = None) -> Question:
    """Cards or models side by side.

    Raises:
        Refusal: where several of both are named.
    """
    try:
        return forms.compare(answering.reader, names, model)
    except UsageError as error:
        raise Refusal("refused.compare") from error


def ranking(
    answering: Answering,
    model: str,
    *,
    order: str | None = None,
    vram: float | None = None,
    vendor: str | None = None,
    min_quality: str | None = None,
    context: str | None = None,
    include_unfit: bool = False,
    method: str | None = None,
) -> Question:
    """Which cards run a model.

    Raises:
        Refusal: where the context is none.
    """
    read = answering.reader.model(model)
    # The quant of a file's name says which file there is, not that every other quant is unwanted.
    return fields(
        Intent.RANK_CARDS,
        read.model_copy(update={"quant": None}) if min_quality else read,
        order=None if order == "fastest" else order,
        memory_gb=vram,
        vendor=vendor,
        min_quality=min_quality,
        context=context_of(context),
        include_unfit=include_unfit or None,
        method=method_of(method),
    )


def record(answering: Answering, name: str) -> Question:
    """What is on file about a model or a card."""
    read = answering.reader.name(name)
    about_card = Question(cards=read.cards, candidates=read.candidates) if read.cards else None
    return fields(Intent.SPEC, None if about_card else read.model_copy(update={"quant": None}), about_card)
