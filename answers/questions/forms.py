"""The questions of forms that the command line and Discord share, from what is typed into each of their fields."""

from __future__ import annotations

from collections.abc import Iterable

from answers.errors import UsageError
from answers.questions.options import fields, read_context
from answers.questions.question import Intent, Question, Use
from answers.questions.read import Reader

MOST_COMPARED = 4


def which_model(
    reader: Reader,
    hardware: str | None,
    *,
    use: Use | str | None = None,
    context: str | None = None,
    min_speed: float | None = None,
    ram_gb: float | None = None,
) -> Question:
    """What to run on hardware; without hardware the answer asks for it.

    Raises:
        UsageError: where the context is none.
    """
    return fields(
        Intent.WHAT_CAN_CARD_RUN,
        None,
        reader.hardware(hardware or ""),
        use=use,
        context=read_context(context) if context and context.strip() else None,
        min_speed=min_speed,
        ram_gb=ram_gb,
    )


def which_quant(reader: Reader, model: str, hardware: str | None = None, context: str | None = None) -> Question:
    """Which quant of a model to download, for hardware where it is named.

    Raises:
        UsageError: where the context is none.
    """
    tokens = read_context(context) if context and context.strip() else None
    # The quant of a file's name says which file there is, not which one is wanted.
    read = reader.model(model).model_copy(update={"quant": None})
    return fields(Intent.WHICH_QUANT, read, reader.hardware(hardware or ""), context=tokens)


def compare(reader: Reader, names: Iterable[str], model: str | None = None) -> Question:
    """Two to four cards, in general or for a model, or as many models, in general or on a card that is named among them.

    Raises:
        UsageError: where several cards and several models are named.
    """
    read = [reader.name(name) for name in names if name.strip()]
    if model and model.strip():
        read.append(reader.model(model))
    cards = list(dict.fromkeys(card for one in read for card in one.cards))
    models = list(dict.fromkeys(name for one in read for name in one.models))
    parameters = [one.parameters for one in read if one.parameters is not None]
    if len(cards) > 1 and len(models) + len(parameters) > 1:
        raise UsageError("several cards and several models cannot be compared at once; name one of either")
    unknown = next((one for one in read if one.unknown), Question())
    of_models = len(models) > 1 or (not cards and bool(models))
    return Question(
        intent=Intent.COMPARE_MODELS if of_models else Intent.COMPARE_CARDS,
        models=tuple(models[:MOST_COMPARED]),
        cards=tuple(cards[:MOST_COMPARED]),
        parameters=None if models else next(iter(parameters), None),
        candidates={typed: found for one in read for typed, found in one.candidates.items()},
        unknown=unknown.unknown,
        unknown_kind=unknown.unknown_kind,
    )
