"""From a question to its reply: the one door, which asks back for what is missing and refuses what cannot be answered for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Literal

from answers.catalogue.closed import closed_by
from answers.questions.question import Intent, Question
from answers.replies import cache_size, can_run, compare, explain, quant_loss, ranking, record, which_model, which_quant
from answers.replies.asking import AskBack, NotAsked, OutOfRange, Unknown
from answers.replies.desk import Desk, label_of
from answers.replies.parts import Choice, HardwareRef, Part, Rung
from answers.replies.reply import CanRun, Speed
from answers.replies.sureness import as_sure_as_its_figures

CHOICES = 5
"""Names offered at a time."""
TRIED = 12
"""Readings of an ambiguous name that are compared before asking back."""

# What a question has to name before it can be answered.
_MODEL = {
    Intent.CAN_RUN,
    Intent.GPU_NEEDED,
    Intent.VRAM_NEEDED,
    Intent.SPEED,
    Intent.RANK_CARDS,
    Intent.FITS_NOT,
    Intent.CHOOSE_GPU,
    Intent.MAX_CONTEXT,
    Intent.WHICH_QUANT,
}
_RECORD = {
    Intent.PARAMETERS,
    Intent.CREATOR,
    Intent.RELEASED,
    Intent.PURPOSE,
    Intent.DOWNLOAD,
    Intent.OPEN_SOURCE,
    Intent.TRAINING_COMPUTE,
}
_HARDWARE = {Intent.CAN_RUN, Intent.WHAT_CAN_CARD_RUN}


def _quants(desk: Desk, question: Question) -> Part:
    """What quants cost where they are named, else why they differ from card to card."""
    if not question.quants:
        return explain.quant_differs(desk, question)
    return quant_loss.compare_quants(desk, question) or which_quant.which_quant(desk, question)


def _memory(desk: Desk, question: Question) -> Part:
    """How much memory the model takes, or its cache alone."""
    return (cache_size.cache_size(desk, question) if question.about_cache else None) or can_run.vram_needed(desk, question)


def _several_cards(desk: Desk, question: Question) -> Part:
    """Whether more cards help, or which of those set against each other."""
    return compare.compare_cards(desk, question) if question.apart else explain.two_gpus(desk, question)


_BUILDERS: Mapping[Intent, Callable[[Desk, Question], Part]] = {
    Intent.CAN_RUN: can_run.can_run,
    Intent.GPU_NEEDED: can_run.gpu_needed,
    Intent.VRAM_NEEDED: _memory,
    Intent.SPEED: can_run.speed,
    Intent.RANK_CARDS: ranking.rank_cards,
    Intent.WHAT_CAN_CARD_RUN: which_model.what_can_card_run,
    Intent.WHICH_QUANT: which_quant.which_quant,
    Intent.FITS_NOT: explain.fits_not,
    Intent.TWO_GPUS: _several_cards,
    Intent.QUANT_DIFFERS: _quants,
    Intent.ACCURACY: explain.accuracy,
    Intent.CHOOSE_GPU: explain.choose_gpu,
    Intent.MAX_CONTEXT: explain.max_context,
    Intent.PARAMETERS: record.parameters,
    Intent.CREATOR: record.creator,
    Intent.RELEASED: record.released,
    Intent.PURPOSE: record.purpose,
    Intent.DOWNLOAD: record.download,
    Intent.OPEN_SOURCE: record.open_source,
    Intent.TRAINING_COMPUTE: record.training_compute,
    Intent.SPEC: record.spec,
    Intent.COMPARE_CARDS: compare.compare_cards,
    Intent.COMPARE_MODELS: compare.compare_models,
}

_LIMITS: Mapping[Literal["memory", "context", "parameters", "ram", "cards"], tuple[float, float]] = {
    "memory": (0.1, 100_000.0),
    "context": (1.0, 1e8),
    "parameters": (1e6, 1e14),
    "ram": (0.1, 1_000_000.0),
    "cards": (1, 64),
}


def build(desk: Desk, question: Question) -> Part:
    """The reply to a question.

    Raises:
        UsageError: where the question names a quant that is not on file.
        KeyError: where it names a model or card that is not in the catalogue; the reader never does.
    """
    if question.intent is Intent.NONE and not question.unknown:
        return NotAsked()
    refused = out_of_range(question)
    if refused:
        return refused
    if question.unknown and not (question.models if question.unknown_kind == "model" else question.cards):
        return _unknown(desk, question)
    settled = settle(question)
    missing = _missing(settled)
    if missing:
        return missing
    if settled.candidates:
        return _ambiguous(desk, settled)
    return as_sure_as_its_figures(_BUILDERS[settled.intent](desk, settled))


def each(question: Question) -> tuple[Question, ...]:
    """A question about several models, one for each where an answer can only hold one; at most four."""
    together = question.intent in {Intent.CAN_RUN, Intent.COMPARE_MODELS, Intent.WHAT_CAN_CARD_RUN}
    on_hardware = question.intent is Intent.SPEED and _has_hardware(question)
    if together or on_hardware or len(question.models) < 2:
        return (question,)
    return tuple(question.model_copy(update={"models": (name,)}) for name in question.models[:4])


def settle(question: Question) -> Question:
    """The intent that can be answered with what the question names.

    "Can I run" or "is it worth it" with hardware and no model asks what can run there; comparing one thing asks about that thing.
    """
    intent = question.intent
    named = bool(question.models) or question.parameters is not None
    hardware = _has_hardware(question)
    if intent is Intent.CAN_RUN and not named and hardware:
        intent = Intent.WHAT_CAN_CARD_RUN
    elif intent is Intent.WHAT_CAN_CARD_RUN and question.parameters is not None and not question.models and hardware:
        # "Can I run a 7B model on 6 GB": a size that is stated asks for a yes or a no.
        intent = Intent.CAN_RUN
    elif (
        intent in {Intent.GPU_NEEDED, Intent.CHOOSE_GPU} and (question.min_speed or question.max_power_w) and named and not hardware
    ):
        return question.model_copy(update={"intent": Intent.RANK_CARDS, "order": question.order or _by_condition(question)})
    elif intent is Intent.RANK_CARDS and not question.order and question.min_speed:
        return question.model_copy(update={"order": _by_condition(question)})
    elif intent is Intent.GPU_NEEDED and (question.vendor or (question.unified and not hardware)) and named:
        vendor = question.vendor or "Apple"
        return question.model_copy(update={"intent": Intent.RANK_CARDS, "order": question.order or "smallest", "vendor": vendor})
    elif intent is Intent.COMPARE_CARDS and len(question.cards) == 1:
        intent = Intent.SPEED if named else Intent.SPEC
    elif intent is Intent.COMPARE_MODELS and len(question.models) == 1:
        intent = Intent.SPEC
    elif intent is Intent.CHOOSE_GPU and not named and len(question.cards) > 1:
        intent = Intent.COMPARE_CARDS
    elif intent is Intent.CHOOSE_GPU and not named and hardware:
        # "Is a P40 still worth it": what it runs tells.
        intent = Intent.WHAT_CAN_CARD_RUN
    elif intent is Intent.SPEC and question.models and question.cards:
        return question.model_copy(update={"cards": ()})
    return question if intent is question.intent else question.model_copy(update={"intent": intent})


def _by_condition(question: Question) -> Literal["fastest", "smallest"]:
    """Of the cards that reach a speed the smallest is wanted; of those that draw little the fastest."""
    return "smallest" if question.min_speed else "fastest"


def _has_hardware(question: Question) -> bool:
    without_card = question.cpu_only and question.ram_gb is not None
    return bool(question.cards) or question.memory_gb is not None or without_card


def _missing(question: Question) -> AskBack | None:
    named = bool(question.models) or question.parameters is not None
    hardware = _has_hardware(question)
    intent = question.intent
    record = intent in _RECORD or (intent is Intent.SPEC and not question.cards)
    missing = None
    if (intent in _MODEL and not named) or (record and not question.models):
        missing = "model"
    elif (intent in _HARDWARE or (intent is Intent.SPEED and question.cpu_only)) and not hardware:
        missing = "hardware"
    elif intent is Intent.COMPARE_CARDS and not question.cards:
        missing = "cards"
    elif intent is Intent.COMPARE_MODELS and not question.models:
        missing = "models"
    return AskBack(missing=missing, question=question) if missing else None


def out_of_range(question: Question) -> OutOfRange | None:
    """The refusal of a question that states a number that no answer can be given for."""
    stated: dict[Literal["memory", "context", "parameters", "ram", "cards"], float | None] = {
        "memory": question.memory_gb,
        "context": question.context,
        "parameters": question.parameters,
        "ram": question.ram_gb,
        "cards": question.cards_stated,
    }
    for what, value in stated.items():
        low, high = _LIMITS[what]
        if value is not None and not low <= value <= high:
            return OutOfRange(what=what, value=value, lowest=low, highest=high)
    return None


def _ambiguous(desk: Desk, question: Question) -> Part:
    """Answer where every reading of the name gives the same answer; else ask which is meant."""
    typed, names = next(iter(question.candidates.items()))
    if len(names) == 1:
        return build(desk, _chosen(question, typed, names[0]))
    is_card = any(entry.name in names for entry in question.cards)
    # Several names of many meanings would have to be tried in every combination.
    cards = {entry.name for entry in question.cards}
    of_models = [len(choices) for choices in question.candidates.values() if cards.isdisjoint(choices)]
    replies: list[Part] = []
    if not is_card and (prod(of_models) <= TRIED or (question.intent in _RECORD and len(of_models) == 1)):
        replies = [build(desk, _chosen(question, typed, name)) for name in names]
        if len({_comparable(reply) for reply in replies}) == 1:
            return replies[0]
    if not is_card:
        fits = _fits(replies)
        rungs = [rung for _, rung in fits] or [None] * len(names)
        choices = [
            Choice(label=name, question=_chosen(question, typed, name), rung=rung)
            for name, rung in list(zip(names, rungs, strict=True))[:CHOICES]
        ]
        return AskBack(
            missing="which_model",
            typed=typed,
            choices=tuple(choices),
            more=max(0, len(names) - CHOICES),
            hardware=fits[0][0] if fits else None,
            fit=None if not fits else "all" if all(rungs) else "some" if any(rungs) else "none",
            question=question,
        )
    cards = [desk.card(desk.catalogue.card(name)) for name in names[:CHOICES]]
    return AskBack(
        missing="which_card",
        typed=typed,
        choices=tuple(
            Choice(label=card.label, question=_chosen(question, typed, card.name), memory_gb=card.memory_gb) for card in cards
        ),
        twins=len({card.short for card in cards}) == 1 and len({card.memory_gb for card in cards}) == len(cards),
        more=max(0, len(names) - CHOICES),
        question=question,
    )


def _fits(replies: Sequence[Part]) -> list[tuple[HardwareRef, Rung | None]]:
    """What of each reading runs on the hardware that was named; nothing where one of the replies does not say so."""
    found: list[tuple[HardwareRef, Rung | None]] = []
    for reply in replies:
        if not isinstance(reply, CanRun | Speed) or reply.hardware is None:
            return []
        rung = reply.best if isinstance(reply, CanRun) and reply.best else reply.rung
        found.append((reply.hardware, rung if rung and rung.fit != "no" else None))
    return found


_ASKED_FACTS = {
    "creator": {"organizations", "organization_categories", "countries"},
    "released": {"released"},
    "open_source": {"access", "licence"},
    "purpose": {"domains", "tasks"},
}
"""What is asked for, of the facts that an answer from the record gives: sizes of one family differ in others."""


def _comparable(reply: Part) -> str:
    """The facts of a reply apart from which model it names."""
    asked = _ASKED_FACTS.get(reply.__dict__["kind"])
    return reply.model_dump_json(include=asked) if asked else reply.model_dump_json(exclude={"model": {"name", "parameters"}})


def _chosen(question: Question, typed: str, name: str) -> Question:
    """The question with one reading of an ambiguous name taken."""
    names = question.candidates[typed]
    return question.model_copy(
        update={
            "models": tuple(name if model in names else model for model in question.models),
            "cards": tuple(entry.model_copy(update={"name": name}) if entry.name in names else entry for entry in question.cards),
            "candidates": {key: value for key, value in question.candidates.items() if key != typed},
        }
    )


def _unknown(desk: Desk, question: Question) -> Unknown:
    typed = question.unknown[0]
    what = question.unknown_kind or "model"
    cleared = question.model_copy(update={"unknown": (), "unknown_kind": None})
    if cleared.intent is Intent.NONE:
        cleared = cleared.model_copy(update={"intent": Intent.SPEC})
    maker = closed_by(typed) if what == "model" else None
    if maker:
        instead = [cleared.model_copy(update={"models": (name,)}) for name in maker.instead]
        own = tuple(Choice(label=label_of(one.models[0]), question=one) for one in instead)
        return Unknown(what="model", typed=typed, choices=own, closed_by=maker.name, question=question)
    choices: list[Choice] = []
    offered = what == "model" and question.parameters is not None and question.intent not in _RECORD
    if offered:
        choices.append(Choice(label=typed, question=cleared))
    for name in desk.nearest(typed, what):
        if what == "model":
            chosen = cleared.model_copy(update={"models": (name,), "parameters": None})
        else:
            chosen = cleared.model_copy(update={"cards": (*question.cards, desk.counted(name))})
        choices.append(Choice(label=label_of(name), question=chosen))
    return Unknown(
        what=what, typed=typed, parameters=question.parameters, choices=tuple(choices), offered=offered, question=question
    )
