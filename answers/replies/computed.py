"""How a figure is computed: every term of it, for one model at one quant on one piece of hardware, by the method in force."""

from __future__ import annotations

import math
from typing import Literal

from answers.catalogue.records import Card
from answers.estimator.calibrated import method as calibrated
from answers.estimator.calibrated.speed import processor_gb_s, terms
from answers.estimator.documented import gb_read
from answers.estimator.estimate import at_quant, common, rungs, speed
from answers.estimator.figures import Figures
from answers.estimator.hardware import NOTHING, Hardware
from answers.estimator.memory import card_reached_gb_s, documented_gb_s, reached_gb_s, weights_gb
from answers.estimator.parts import Estimate
from answers.estimator.quants import constants, quant
from answers.questions.question import Intent, Question
from answers.replies.build import out_of_range
from answers.replies.desk import Desk, speed_figure
from answers.replies.parts import Basis, CardRef, HardwareRef, ModelRef, Part, SpeedFigure
from answers.replies.ranking import ranked
from answers.replies.sureness import as_sure_as_its_figures

EXPLAINED = frozenset(
    (
        *(Intent.CAN_RUN, Intent.GPU_NEEDED, Intent.VRAM_NEEDED, Intent.SPEED, Intent.RANK_CARDS, Intent.FITS_NOT),
        *(Intent.TWO_GPUS, Intent.CHOOSE_GPU),
    )
)
"""What is asked for a figure that the method gives."""


class ReserveTerms(Part):
    """Runtime, buffers and cache, in GB: ``base + root x sqrt(billions) x share``, and a cache for every further token."""

    base_gb: float
    root_gb: float
    billions: float
    share: float
    """Of the root term, for a context under the default; else 1."""
    reserve_gb: float
    """Up to the default context."""
    further_tokens: int
    """Beyond the default context."""
    further_gb: float


class SpeedTerms(Part):
    """``bandwidth x factor x efficiency / GB read per token``."""

    card: CardRef | None
    """Of which the bandwidth is; ``None`` for several different cards together."""
    count: int
    own: bool
    """The asker's, or an example for the memory that was asked about."""
    bandwidth_gb_s: float | None
    factor: float | None
    """Of the vendor and the generation, against a recent NVIDIA card."""
    reached_gb_s: float
    efficiency: float
    used_gb_s: float
    parameters_read: float
    speed_bpw: float
    gb_per_token: float
    speed: SpeedFigure
    range_low: float
    range_high: float


class Computed(Part):
    """The terms of an answer's figures."""

    kind: Literal["computed"] = "computed"
    model: ModelRef
    quant: str
    memory_bpw: float
    weights_gb: float
    reserve: ReserveTerms
    need_gb: float
    hardware: HardwareRef | None = None
    fits: bool | None = None
    """On the hardware."""
    usable_share: float | None = None
    speed: SpeedTerms | None = None
    basis: Basis


class TimeTerms(Part):
    """Milliseconds a token: a fixed part, the weights that are read, the cache that is read."""

    card: CardRef | None
    """Of which the bandwidth is; ``None`` for several different cards together, and without a card."""
    count: int
    own: bool
    """The asker's, or an example for the memory that was asked about."""
    bandwidth_gb_s: float | None
    """Without a card, that of the system memory."""
    efficiency: float | None
    """Share of the bandwidth that the weights are read with; this and the times are ``None`` for different cards together."""
    weights_read_gb: float
    cache_read_gb: float
    fixed_ms: float | None
    weights_ms: float | None
    cache_ms: float | None
    speed: SpeedFigure


class ComputedCalibrated(Part):
    """The terms of an answer's figures by the calibrated method, in GB."""

    kind: Literal["computed_calibrated"] = "computed_calibrated"
    model: ModelRef
    quant: str
    file_gb: float
    weights_gb: float
    """On the card: the file, less the table of the tokens, which stays in system memory where there is such."""
    kv: str
    cache_gb: float
    full_layers: int
    """Layers that keep every token of the context."""
    windowed_layers: int
    """Layers that keep a window of it."""
    recurrent_layers: int
    """Layers that keep a state of constant size."""
    layers: int
    buffers_gb: float
    runtime_gb: float
    need_gb: float
    hardware: HardwareRef | None = None
    fits: bool | None = None
    """On the hardware."""
    speed: TimeTerms | None = None
    basis: Basis


def computed(desk: Desk, question: Question) -> Computed | ComputedCalibrated | None:
    """The terms of the figures that answer a question; ``None`` where they are of several models, or of none.

    Where no hardware was named, a card that people own stands in: the one that is named first for the memory asked about, the
    fastest one where a speed was asked for, else the smallest that runs the model.

    Raises:
        UsageError: where the question names a quant that is not on file.
        KeyError: where it names what is not in the catalogue.
    """
    named = len(question.models) == 1 or (not question.models and question.parameters is not None)
    refused = question.candidates or question.unknown or out_of_range(question)
    if question.intent not in EXPLAINED or not named or refused:
        return None
    ref, model, _ = desk.model(question)
    hardware_ref, hardware, example = _hardware(desk, question, model)
    tried = _tried(desk, question, model, hardware)
    if model.layout is not None:
        reply = _calibrated(desk, question, ref, model, tried, hardware_ref, hardware, example)
        return as_sure_as_its_figures(reply)
    weights = weights_gb(model.parameters, tried.quant)
    return Computed(
        model=ref,
        quant=tried.quant.name,
        memory_bpw=tried.quant.memory_bpw,
        weights_gb=weights,
        reserve=_reserve(model, tried, weights),
        need_gb=tried.need_gb,
        hardware=hardware_ref,
        fits=tried.fit != "no" if hardware_ref else None,
        usable_share=hardware_ref.usable_gb / hardware_ref.total_gb if hardware_ref else None,
        speed=_speed(desk, model, tried, hardware_ref, hardware, example),
        basis=desk.basis(question, model),
    )


def _hardware(desk: Desk, question: Question, model: Figures) -> tuple[HardwareRef | None, Hardware | None, Card | None]:
    """The asker's hardware, or a card as an example; and the card that gives an amount of memory its speed."""
    stated = desk.hardware(question, model) if question.intent not in {Intent.RANK_CARDS, Intent.CHOOSE_GPU} else None
    if stated:
        ref, hardware = stated
        alone = ref.named or ref.unified or ref.cpu or ref.usable_stated or ref.count > 1
        example = None if alone else desk.first_card(ref.memory_gb)
        return ref, hardware, example
    found = desk.survey_of(question, model)
    if question.intent is Intent.RANK_CARDS:
        _, indices = ranked(desk, question)
        shown = desk.card_at(found, int(indices[0])) if len(indices) else None
    elif question.intent is Intent.SPEED:
        shown = desk.card_at(found, int(found.fastest[0])) if found.count else None
    else:
        shown = desk.smallest_current(found) or desk.smallest(found)
    if shown is None:
        return None, None, None
    ref, hardware = desk.of_cards([(desk.catalogue.card(shown.card.name), 1)], model)
    return ref, hardware, None


def _tried(desk: Desk, question: Question, model: Figures, hardware: Hardware | None) -> Estimate:
    """What was answered: the quant asked for, the best that fits, or what is missing for the quant that most people use."""
    room = hardware or NOTHING
    if question.quant:
        return at_quant(model, room, quant(question.quant), question.context)
    found = desk.try_on(model, room, question)
    floor = max(rungs(model, question.min_quality)[-1], common(model), key=lambda step: step.memory_bpw)
    return found or at_quant(model, room, floor, question.context)


def _reserve(model: Figures, tried: Estimate, weights: float) -> ReserveTerms:
    documented = constants()["documented"]
    reserve, default = documented["reserve"], int(documented["default_context"])
    billions = model.parameters / 1e9
    further = max(0, tried.context - default)
    further_gb = reserve["token_gb"] * math.sqrt(billions) * further
    return ReserveTerms(
        base_gb=reserve["base_gb"],
        root_gb=reserve["root_gb"],
        billions=billions,
        share=min(tried.context, default) / default,
        reserve_gb=tried.need_gb - weights - further_gb,
        further_tokens=further,
        further_gb=further_gb,
    )


def _speed(
    desk: Desk, model: Figures, tried: Estimate, ref: HardwareRef | None, hardware: Hardware | None, example: Card | None
) -> SpeedTerms | None:
    if ref is None or hardware is None or tried.fit == "no" or not model.parameters_read:
        return None
    cards = {counted.card.name for counted in ref.cards}
    card = example or (desk.catalogue.card(next(iter(cards))) if len(cards) == 1 else None)
    measured = desk.together([example]) if example else hardware
    reached = reached_gb_s(measured)
    if not reached:
        return None
    on_card = at_quant(model, hardware if not example else measured, tried.quant, tried.context)
    speed = speed_figure(on_card.speed)
    if speed is None:
        return None
    documented = constants()["documented"]
    return SpeedTerms(
        card=desk.card(card) if card else None,
        count=ref.count,
        own=ref.named,
        bandwidth_gb_s=documented_gb_s(card) if card else None,
        factor=card_reached_gb_s(card) / documented_gb_s(card) if card else None,
        reached_gb_s=reached,
        efficiency=tried.quant.efficiency,
        used_gb_s=reached * tried.quant.efficiency,
        parameters_read=model.parameters_read,
        speed_bpw=tried.quant.speed_bpw,
        gb_per_token=gb_read(model.parameters_read, tried.quant),
        speed=speed,
        range_low=documented["range_low"],
        range_high=documented["range_high"],
    )


def _calibrated(
    desk: Desk,
    question: Question,
    ref: ModelRef,
    model: Figures,
    tried: Estimate,
    hardware_ref: HardwareRef | None,
    hardware: Hardware | None,
    example: Card | None,
) -> ComputedCalibrated:
    layout = calibrated.layout_of(model)
    held = calibrated.parts(model, tried.quant, tried.context, hardware or NOTHING)
    return ComputedCalibrated(
        model=ref,
        quant=tried.quant.name,
        file_gb=calibrated.file_gb(model, tried.quant),
        weights_gb=held.weights_gb,
        kv=model.kv,
        cache_gb=held.cache_gb,
        full_layers=layout.full_layers,
        windowed_layers=layout.windowed_layers,
        recurrent_layers=layout.recurrent_layers,
        layers=layout.layers,
        buffers_gb=held.buffers_gb,
        runtime_gb=held.runtime_gb,
        need_gb=held.need_gb,
        hardware=hardware_ref,
        fits=tried.fit != "no" if hardware_ref else None,
        speed=_times(desk, model, tried, hardware_ref, hardware, example),
        basis=desk.basis(question, model),
    )


def _times(
    desk: Desk, model: Figures, tried: Estimate, ref: HardwareRef | None, hardware: Hardware | None, example: Card | None
) -> TimeTerms | None:
    if ref is None or hardware is None or tried.fit == "no":
        return None
    timed = desk.together([example]) if example else hardware
    found = speed_figure(speed(model, timed, tried.quant, tried.context))
    task = calibrated.work(model, tried.quant, tried.context)
    if found is None or task is None:
        return None
    read = {"weights_read_gb": task.read_gb, "cache_read_gb": task.cache_gb}
    if not timed.cards:
        return TimeTerms(
            card=None,
            count=0,
            own=True,
            bandwidth_gb_s=timed.ram_gb_s,
            efficiency=processor_gb_s(timed.ram_gb_s) / timed.ram_gb_s if timed.ram_gb_s else None,
            fixed_ms=None,
            weights_ms=None,
            cache_ms=None,
            speed=found,
            **read,
        )
    one = timed.cards[0]
    alike = all(card is one for card in timed.cards)
    # Of several equal cards each reads its part while the others wait: the terms are those of one, with what passing on costs.
    single = terms(task, calibrated.devices(desk.together([one]))[0][0]) if alike else None
    return TimeTerms(
        card=desk.card(one) if alike else None,
        count=len(timed.cards),
        own=ref.named,
        bandwidth_gb_s=one.bandwidth_gb_s if alike else None,
        efficiency=single.efficiency if single else None,
        **read,
        fixed_ms=1000 * (1 / found.tok_s - single.weights_s - single.cache_s) if single else None,
        weights_ms=1000 * single.weights_s if single else None,
        cache_ms=1000 * single.cache_s if single else None,
        speed=found,
    )
