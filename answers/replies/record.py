"""Answers from the record of a model or a card. What the record lacks stays ``None``: the answer says that it is missing."""

from __future__ import annotations

from urllib.parse import quote

from answers.catalogue.records import Model
from answers.estimator.hardware import Hardware
from answers.estimator.memory import need_gb
from answers.estimator.quants import quant
from answers.questions.question import DEFAULT_CONTEXT, Question
from answers.replies.desk import COMMON, Desk, model_ref, months_between
from answers.replies.reply import (
    CardSpec,
    Creator,
    Download,
    ModelSpec,
    OpenSource,
    Parameters,
    Purpose,
    Released,
    TrainingCompute,
)


def _record(desk: Desk, question: Question) -> Model:
    return desk.catalogue.model(question.models[0])


def parameters(desk: Desk, question: Question) -> Parameters:
    """How many parameters, in all and per token."""
    record = _record(desk, question)
    return Parameters(
        model=model_ref(record),
        exact=record.parameters,
        stated=record.stated_parameters,
        basis=record.parameters_basis,
        experts=record.experts if record.moe else None,
        experts_per_token=record.experts_per_token if record.moe else None,
        gb_per_billion=quant(COMMON).memory_bpw / 8,
    )


def creator(desk: Desk, question: Question) -> Creator:
    """Who made it."""
    record = _record(desk, question)
    return Creator(
        model=model_ref(record),
        organizations=record.organizations,
        categories=record.organization_categories,
        countries=record.countries,
        released=record.released,
        authors=record.authors,
        authors_complete=record.authors_complete,
        base_model=record.base_model,
    )


def released(desk: Desk, question: Question) -> Released:
    """When it came out, and what has come since."""
    record = _record(desk, question)
    return Released(
        model=model_ref(record),
        released=record.released,
        basis=record.released_basis,
        months_ago=months_between(record.released, desk.catalogue.date),
        successor=desk.successor(record),
        organizations=record.organizations,
    )


def purpose(desk: Desk, question: Question) -> Purpose:
    """What it is for."""
    record = _record(desk, question)
    return Purpose(
        model=model_ref(record),
        domains=record.domains,
        tasks=record.tasks,
        uses=record.uses,
        successor=desk.successor(record),
    )


def gguf_search(record: Model) -> str:
    """A search for quantised files of the model on Hugging Face, made from its repository's name."""
    term = record.hf_repo.rsplit("/", 1)[-1] if record.hf_repo else record.name
    return f"https://huggingface.co/models?search={quote(f'{term} GGUF')}"


def download(desk: Desk, question: Question) -> Download:
    """Where the weights are."""
    record = _record(desk, question)
    return Download(
        model=model_ref(record),
        hf_repo=record.hf_repo,
        access=record.access,
        licence=record.licence,
        gguf_search=gguf_search(record),
    )


def open_source(desk: Desk, question: Question) -> OpenSource:
    """Open weights, licence and training code."""
    record = _record(desk, question)
    return OpenSource(
        model=model_ref(record),
        access=record.access,
        licence=record.licence,
        training_code=record.training_code,
        hf_repo=record.hf_repo,
    )


def training_compute(desk: Desk, question: Question) -> TrainingCompute:
    """What training it took."""
    record = _record(desk, question)
    return TrainingCompute(
        model=model_ref(record),
        flop=record.training_compute_flop,
        finetune_flop=record.finetune_compute_flop,
        basis=record.compute_basis,
        hardware=record.training_hardware,
        chip_count=record.chip_count,
        chip_hours=record.chip_hours,
        wall_time_hours=record.wall_time_hours,
        tokens=record.training_tokens,
        epochs=record.epochs,
        cost_usd=record.compute_cost_usd,
        power_w=record.power_draw_w,
        mfu=record.mfu,
        base_model=record.base_model,
    )


def spec(desk: Desk, question: Question) -> ModelSpec | CardSpec:
    """The whole record of the card that is named, else of the model."""
    if question.cards and not question.models:
        return card_spec(desk, question.cards[0].name)
    return model_spec(desk, _record(desk, question))


def model_spec(desk: Desk, record: Model) -> ModelSpec:
    """The whole record of a model."""
    flop = record.training_compute_flop
    return ModelSpec(
        model=model_ref(record),
        organizations=record.organizations,
        categories=record.organization_categories,
        countries=record.countries,
        authors=record.authors,
        authors_complete=record.authors_complete,
        released=record.released,
        domains=record.domains,
        tasks=record.tasks,
        exact_parameters=record.parameters,
        experts=record.experts if record.moe else None,
        experts_per_token=record.experts_per_token if record.moe else None,
        layers=record.layers,
        attention_kind=record.attention_kind,
        max_context=record.max_context,
        training_tokens=record.training_tokens,
        epochs=record.epochs,
        batch_size_tokens=record.batch_size_tokens,
        flop=flop,
        compute_basis=record.compute_basis,
        training_hardware=record.training_hardware,
        chip_count=record.chip_count,
        chip_hours=record.chip_hours,
        wall_time_hours=record.wall_time_hours,
        mfu=record.mfu,
        power_w=record.power_draw_w,
        cost_usd=record.compute_cost_usd,
        numerical_format=record.numerical_format,
        access=record.access,
        licence=record.licence,
        training_code=record.training_code,
        hf_repo=record.hf_repo,
        above_1e23_flop=flop > 1e23 if flop else None,
        foundation_model=record.foundation_model,
        notability=record.notability,
        record_confidence=record.record_confidence,
        citations=record.citations,
        reference_title=record.reference_title,
        reference_link=record.reference_link,
        last_updated=record.last_updated,
        successor=desk.successor(record),
    )


def card_spec(desk: Desk, name: str) -> CardSpec:
    """The record of a card, and how large a dense model it holds at Q4_K_M."""
    card = desk.catalogue.card(name)
    usable = Hardware.of_cards([card]).usable_gb
    low, high = 0.0, 1e13
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if need_gb(middle, quant(COMMON), DEFAULT_CONTEXT) <= usable else (low, middle)
    return CardSpec(
        card=desk.card(card),
        architecture=card.architecture,
        generation=card.generation,
        memory_type=card.memory_type,
        memory_bus_bits=card.memory_bus_bits,
        bus_interface=card.bus_interface,
        fp16_tflops=card.fp16_tflops,
        power_w=card.power_w,
        usable_gb=usable,
        largest_at_q4_parameters=low,
        note=card.note,
    )
