"""What is lost from one quant to another: size, need, speed and the loss that others have measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from answers.catalogue.records import Model, QuantQuality
from answers.estimator.estimate import COMMON, at_quant, file_gb, rungs
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.quants import Quant, quant
from answers.questions.question import Question
from answers.replies.desk import Desk, speed_figure
from answers.replies.reply import ComparedQuant, CompareQuants, Lost

TYPICAL = 8e9
"""Parameters of the dense model whose sizes are shown where none is named."""
LOWEST = "Q2_K"
BESIDE = ("Q6_K", COMMON)
"""What a quant that is named alone is shown beside."""

Metric = Literal["perplexity", "kl_divergence"]
_STEPS: Mapping[Metric, tuple[float, float, float]] = {"perplexity": (1.0, 3.5, 12.0), "kl_divergence": (0.01, 0.05, 0.2)}
"""Below which difference hardly anything, little or a noticeable part is lost: percent of perplexity, nats of divergence.

Set so that both say the same of Llama 3 8B, the one model that both were measured on at ten quants.
"""
_WHOLE = 16.0
"""Bits per weight from which on nothing is lost: losses are measured against these."""
_UNLIKE = ("AesSedai",)
"""How the quantisers of files begin that are not llama.cpp's own mixture: what they lose is true of their own model alone."""


@dataclass(frozen=True)
class _Published:
    """What is on file of quants that were measured on the same models."""

    metric: Metric
    losses: Mapping[str, Sequence[float]]
    """Quant -> its loss, one figure for each time it was measured."""
    models: tuple[str, ...]
    sources: tuple[str, ...]


def compare_quants(desk: Desk, question: Question) -> CompareQuants | None:
    """The quants of the question side by side; ``None`` where the model comes in one quant alone."""
    named = bool(question.models) or question.parameters is not None
    ref, model, record = desk.model(question if named else question.model_copy(update={"parameters": TYPICAL}))
    if len(rungs(model, LOWEST)) == 1:
        return None
    asked = _ordered(question.quants)
    best, worst = asked[0], asked[-1]
    beside = [name for name in BESIDE if len(asked) == 1 and name not in question.quants]
    shown = _ordered([*question.quants, *beside])
    hardware = desk.hardware(question, model)
    found = _published(desk, record, asked, shown)
    return CompareQuants(
        model=ref,
        model_named=named,
        hardware=hardware[0] if hardware else None,
        asked=tuple(step.name for step in asked),
        rows=tuple(_row(model, step, hardware[1] if hardware else None, question, found) for step in shown),
        lost=_lost(found, best.name if len(asked) > 1 else None, worst.name) if found else None,
        lost_in_all=_lost(found, None, worst.name) if found else None,
        metric=found.metric if found else None,
        measured_on=found.models if found else (),
        sources=found.sources if found else (),
        basis=desk.basis(question.model_copy(update={"quant": None}), model),
    )


def _ordered(names: Sequence[str]) -> list[Quant]:
    return sorted((quant(name) for name in names), key=lambda step: -step.memory_bpw)


def _row(model: Figures, at: Quant, hardware: Hardware | None, question: Question, published: _Published | None) -> ComparedQuant:
    found = at_quant(model, hardware, at, question.context) if hardware else None
    values = published.losses.get(at.name) if published else None
    return ComparedQuant(
        quant=at.name,
        bits=at.memory_bpw,
        file_gb=file_gb(model, at),
        need_gb=found.need_gb if found else None,
        fit=found.fit if found else None,
        speed=speed_figure(found.speed) if found else None,
        loss=(min(values), max(values)) if values else None,
    )


def _published(desk: Desk, record: Model | None, asked: Sequence[Quant], shown: Sequence[Quant]) -> _Published | None:
    """Losses of the model itself where they are on file, else of all models that have them; perplexity before divergence."""
    measured = [step.name for step in asked if step.memory_bpw < _WHOLE]
    metrics: tuple[Metric, ...] = ("perplexity", "kl_divergence")
    names = (record.name,) if record else ()
    for chosen in (names, tuple(desk.catalogue.quality)):
        for metric in metrics:
            found = [
                (name, figures)
                for name in chosen
                for figures in _series(desk.catalogue.quality.get(name, ()), metric, alone=chosen is names)
                if figures.keys() >= set(measured)
            ]
            if measured and found:
                return _of(metric, found, measured, shown)
    return None


def _series(figures: Sequence[QuantQuality], metric: Metric, *, alone: bool) -> Iterable[dict[str, QuantQuality]]:
    """Figures of one model that compare with each other, by quant: of one quantiser, on one text."""
    series: dict[tuple[str | None, str], dict[str, QuantQuality]] = {}
    for figure in figures:
        if figure.metric == metric and (alone or not (figure.quantiser or "").startswith(_UNLIKE)):
            series.setdefault((figure.quantiser, figure.corpus), {})[figure.quant] = figure
    return series.values()


def _of(
    metric: Metric, found: Sequence[tuple[str, dict[str, QuantQuality]]], measured: Sequence[str], shown: Sequence[Quant]
) -> _Published:
    # Beside the quants asked about only those that were measured every time.
    losses = {
        step.name: [max(figures[step.name].value, 0.0) for _, figures in found]
        for step in shown
        if all(step.name in figures for _, figures in found)
    }
    losses |= {step.name: [0.0] * len(found) for step in shown if step.memory_bpw >= _WHOLE}
    sources = dict.fromkeys(figures[name].source for _, figures in found for name in measured)
    return _Published(metric, losses, tuple(dict.fromkeys(name for name, _ in found)), tuple(sources))


def _lost(published: _Published, from_quant: str | None, to_quant: str) -> Lost:
    """How much is lost from one quant to another, or from the whole model: the median of all times that it was measured."""
    worse = published.losses[to_quant]
    better = published.losses[from_quant] if from_quant else [0.0] * len(worse)
    gap = median(low - high for low, high in zip(worse, better, strict=True))
    hardly, little, noticeable = _STEPS[published.metric]
    return "hardly" if gap < hardly else "little" if gap < little else "noticeable" if gap < noticeable else "large"
