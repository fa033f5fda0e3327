"""Answers from the record of a model or a card. What the record lacks stays ``None``: the answer says that it is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import quote

from answers.catalogue.records import Card, Model
from answers.estimator.estimate import file_gb, need_gb, rungs, usable_gb
from answers.estimator.figures import Figures
from answers.estimator.quants import quant
from answers.questions.question import DEFAULT_CONTEXT, Question, Use
from answers.replies.desk import COMMON, Desk, model_ref, months_between
from answers.replies.facts import (
    CardSpec,
    Creator,
    Download,
    FileSize,
    ModelSpec,
    OpenSource,
    Parameters,
    Purpose,
    RecordReply,
    Released,
    TrainingCompute,
)

R = TypeVar("R", bound=RecordReply)
_SAID_BY: Mapping[Use, frozenset[str]] = {
    "vision": frozenset(
        ("Vision", "Visual question answering", "(Visual) Question answering", "Image Understanding", "Image captioning")
    ),
    "code": frozenset(("Code generation", "Code autocompletion", "Coding")),
    "reasoning": frozenset(("Mathematical reasoning", "Quantitative reasoning", "Reasoning")),
}
"""Domains and tasks on file that say as much as a use."""


def _record(desk: Desk, question: Question) -> Model:
    return desk.catalogue.model(question.models[0])


def _reply(kind: type[R], record: Model, **more: object) -> R:
    """A reply of that kind: the fields that it shares with the record as they are on file, and what is worked out besides."""
    on_file = {name: getattr(record, name) for name in kind.model_fields if name in Model.model_fields}
    return kind.model_validate({"model": model_ref(record), **on_file, **more})


def parameters(desk: Desk, question: Question) -> Parameters:
    """How many parameters, in all and per token."""
    record = _record(desk, question)
    return _reply(Parameters, record, exact=record.parameters, gb_per_billion=quant(COMMON).memory_bpw / 8)


def creator(desk: Desk, question: Question) -> Creator:
    """Who made it."""
    return _reply(Creator, _record(desk, question))


def released(desk: Desk, question: Question) -> Released:
    """When it came out, and what has come since."""
    record = _record(desk, question)
    months = months_between(record.released, desk.catalogue.date)
    return _reply(Released, record, months_ago=months, successor=desk.successor(record))


def purpose(desk: Desk, question: Question) -> Purpose:
    """What it is for, and whether it is for the use that is asked about."""
    record = _record(desk, question)
    use = question.use
    # It may be on file as a use, as a domain or as a task.
    suits = use in record.uses or not _SAID_BY.get(use, frozenset()).isdisjoint((*record.domains, *record.tasks)) if use else None
    return _reply(Purpose, record, use_asked=use, suits=suits, successor=desk.successor(record))


def gguf_search(record: Model) -> str:
    """A search for quantised files of the model on Hugging Face, made from its repository's name."""
    term = record.hf_repo.rsplit("/", 1)[-1] if record.hf_repo else record.name
    return f"https://huggingface.co/models?search={quote(f'{term} GGUF')}"


def download(desk: Desk, question: Question) -> Download:
    """Where the weights are, and how large a download is."""
    record = _record(desk, question)
    figures = desk.figures(record)
    usual = rungs(figures) if len(rungs(figures)) == 1 else (quant(COMMON), quant("Q8_0"))
    steps = (quant(question.quant),) if question.quant else usual
    files = [FileSize(quant=step.name, gb=file_gb(figures, step)) for step in steps]
    return _reply(Download, record, gguf_search=gguf_search(record), files=files)


def open_source(desk: Desk, question: Question) -> OpenSource:
    """Open weights, licence and training code."""
    return _reply(OpenSource, _record(desk, question), commercial=question.commercial)


def training_compute(desk: Desk, question: Question) -> TrainingCompute:
    """What training it took."""
    return _reply(TrainingCompute, _record(desk, question))


def spec(desk: Desk, question: Question) -> ModelSpec | CardSpec:
    """The whole record of the card that is named, else of the model."""
    if question.cards and not question.models:
        return card_spec(desk, question.cards[0].name)
    record = _record(desk, question)
    flop = record.training_compute_flop
    return _reply(
        ModelSpec,
        record,
        exact_parameters=record.parameters,
        above_1e23_flop=flop > 1e23 if flop else None,
        successor=desk.successor(record),
    )


def card_spec(desk: Desk, name: str) -> CardSpec:
    """The record of a card, and how large a dense model it holds at Q4_K_M."""
    card = desk.catalogue.card(name)
    hardware = desk.together([card])
    usable = usable_gb(Figures.dense(1e9), hardware)
    low, high = 0.0, 1e13
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if need_gb(Figures.dense(middle), quant(COMMON), DEFAULT_CONTEXT) <= usable else (low, middle)
    on_file = {name: getattr(card, name) for name in CardSpec.model_fields if name in Card.model_fields}
    return CardSpec.model_validate({"card": desk.card(card), "usable_gb": usable, "largest_at_q4_parameters": low, **on_file})
