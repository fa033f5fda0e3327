"""Measured speeds as the calibration and its tests take them: what was measured, and on what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from answers.catalogue.records import Card, Measurement, Model
from answers.catalogue.snapshot import Catalogue
from answers.errors import UsageError
from answers.estimator.calibrated import memory
from answers.estimator.calibrated.calibration import Term
from answers.estimator.calibrated.classes import Traits, memory_kind, usual_backend
from answers.estimator.calibrated.layout import Layout
from answers.estimator.calibrated.speed import Work
from answers.estimator.calibrated.weights import weights

GB_PER_GIB = 1.073741824
LEAST_DEPTH = 256
"""llama.cpp's own benchmark writes 128 tokens at depth 0, and a cache is read in steps of 256."""
SHALLOW = 4096
"""Tokens of context up to which a measurement counts as shallow."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measured median."""

    hardware: str
    traits: Traits
    cards: int
    work: Work
    layout: Layout
    depth: int
    grade: str
    runtime: str
    """What ran the model: ``llama.cpp``, or ``LocalScore`` (llamafile's build)."""
    tok_s: float
    model: str
    parameters: float
    weights_gb: float
    """All weights, of a mixture of experts those of every expert."""
    known: bool
    """Whether the model is on file under the name it was reported by."""

    @property
    def condition(self) -> str:
        """How it was measured, beside the reference of llama.cpp's own benchmark (grade A)."""
        return "LocalScore" if self.runtime == "LocalScore" else {"A": "", "B": "server", "C": "report"}.get(self.grade, "report")


def of_measurement(measured: Measurement, catalogue: Catalogue) -> Row:
    """The row of a measurement on file."""
    model = catalogue.model(measured.model) if measured.model else None
    model = model or namesake(catalogue, measured.parameters, measured.active_parameters)
    card = catalogue.card(measured.card) if measured.card else None
    return make(
        hardware=measured.hardware,
        card=card,
        vendor=measured.vendor,
        architecture=measured.architecture,
        bandwidth_gb_s=measured.bandwidth_gb_s,
        backend=measured.backend,
        cards=measured.cards,
        model=model,
        reported=measured.reported_model,
        parameters=float(measured.parameters),
        active=float(measured.active_parameters) if measured.active_parameters else None,
        quant=measured.quant,
        weights_gb=measured.weights_gb,
        depth=measured.depth,
        grade=measured.grade,
        source=measured.source,
        tok_s=measured.tok_s,
    )


def of_line(line: Mapping[str, Any], catalogue: Catalogue) -> Row:
    """The row of one line of a CSV in the form of the public collection (columns gpu, vendor, gpu_arch, ..., tok_s).

    A model or a card on file is recognised by its name; one that is not is taken from the line's own figures. What is missing or
    makes no sense is replaced by what is typical, so that every line gets an answer.
    """
    parameters = _number(line.get("params_b"), 7.0, 0.01, 10_000.0) * 1e9
    active = _number(line.get("active_params_b"), 0.0, 0.001, 10_000.0) * 1e9
    quant = str(line.get("quant") or "Q4_K_M").strip()
    size = _number(line.get("size_gib"), 0.0, 0.001, 100_000.0) * GB_PER_GIB
    bandwidth = _number(line.get("bandwidth_gb_s"), 0.0, 1.0, 100_000.0)
    cards = [catalogue.card(name) for name in catalogue.names.find_cards(str(line.get("gpu") or ""), near=False).names]
    if bandwidth:
        cards = [card for card in cards if abs(math.log(card.bandwidth_gb_s / bandwidth)) < 0.3]
    models = [catalogue.model(name) for name in catalogue.names.find_models(str(line.get("model") or ""), near=False).names]
    if line.get("params_b"):
        models = [model for model in models if _alike(model, parameters)]
    if not models and line.get("params_b"):
        found = namesake(catalogue, parameters, active or None)
        models = [found] if found else []
    return make(
        hardware=str(line.get("gpu") or ""),
        card=cards[0] if cards else None,
        vendor=str(line.get("vendor") or (cards[0].vendor if cards else "")),
        architecture=str(line.get("gpu_arch") or ""),
        bandwidth_gb_s=bandwidth or (cards[0].bandwidth_gb_s if cards else 500.0),
        backend=str(line.get("backend") or ""),
        cards=round(_number(line.get("n_gpus"), 1.0, 1.0, 64.0)),
        model=models[0] if models else None,
        reported=str(line.get("model") or ""),
        parameters=float(models[0].parameters) if models and not line.get("params_b") else parameters,
        active=active or None,
        quant=quant,
        weights_gb=size,
        depth=round(_number(line.get("depth"), 0.0, 0.0, 1e7)),
        grade=str(line.get("tier") or "A"),
        source=str(line.get("source") or ""),
        tok_s=_number(line.get("tok_s"), math.nan),
    )


def namesake(catalogue: Catalogue, parameters: float, active: float | None) -> Model | None:
    """A model on file with just these counts: under another name it is nearly always the one that was fine-tuned."""
    for model in catalogue.models:
        counts = (model.parameters, model.text_parameters or model.parameters)
        same = any(abs(count / parameters - 1) < 0.003 for count in counts)
        held = model.active_parameters if model.moe else None
        if same and bool(held) == bool(active) and (not held or not active or abs(held / active - 1) < 0.1) and Layout.of(model):
            return model
    return None


def make(
    *,
    hardware: str,
    card: Card | None,
    vendor: str,
    architecture: str,
    bandwidth_gb_s: float,
    backend: str,
    cards: int,
    model: Model | None,
    reported: str,
    parameters: float,
    active: float | None,
    quant: str,
    weights_gb: float,
    depth: int,
    grade: str,
    source: str,
    tok_s: float,
) -> Row:
    """A row from what was reported, completed by what is on file."""
    known = Traits.of(card) if card else None
    maker = "AMD" if vendor == "ATI" else vendor
    traits = Traits(
        vendor=maker,
        architecture=architecture or (known.architecture if known else ""),
        memory=known.memory if known else _memory_of(maker, architecture, bandwidth_gb_s),
        bandwidth_gb_s=bandwidth_gb_s,
        backend=_backend(maker, backend),
        fp32_tflops=card.fp32_tflops if card else None,
    )
    read = active or (float(model.active_parameters) if model and model.active_parameters else None) or parameters
    layout = (Layout.of(model) if model else None) or Layout.of_size(parameters, read if read < parameters else None)
    try:
        stored = weights(layout, quant)
    except UsageError:
        stored = weights(layout, "Q4_K_M")
    size = weights_gb or stored.all_gb * parameters / layout.text_parameters
    return Row(
        hardware=hardware,
        traits=traits,
        cards=cards,
        work=Work(
            read_gb=size * min(1.0, stored.active_gb / stored.all_gb),
            cache_gb=memory.cache_gb(layout, max(depth, LEAST_DEPTH)),
            layers=layout.layers,
            parameters=parameters,
            active_parameters=min(read, parameters),
            quant=quant,
            layout=layout,
        ),
        layout=layout,
        depth=depth,
        grade=grade,
        runtime="LocalScore" if "localscore" in f"{source} {backend}".lower() else "llama.cpp",
        tok_s=tok_s,
        model=model.name if model else reported,
        parameters=parameters,
        weights_gb=size,
        known=model is not None,
    )


def condition_terms(row: Row) -> list[Term]:
    """Which fitted factors the way a row was measured brings."""
    if not row.condition:
        return []
    return [("condition", row.condition, 1.0), ("vendor condition", f"{row.traits.vendor} {row.condition}", 1.0)]


def _alike(model: Model, parameters: float) -> bool:
    counts = (model.parameters, model.text_parameters or model.parameters)
    return any(abs(math.log(count / parameters)) < 0.12 for count in counts)


def _memory_of(vendor: str, architecture: str, bandwidth_gb_s: float) -> str:
    """The kind of memory of a card that is not on file."""
    if vendor == "Apple" or architecture == "RDNA 3.5":
        return "shared"
    return memory_kind("HBM" if bandwidth_gb_s > 2000 or architecture.startswith(("CDNA", "Hopper")) else "GDDR", vendor)


def _backend(vendor: str, backend: str) -> str:
    """The backend as the classes name it; what was not stated is the vendor's usual one."""
    name = backend.split(" (", maxsplit=1)[0].strip()
    return name if name and name != "not stated" and (name, vendor) not in _MISTAKEN else usual_backend(vendor)


_MISTAKEN = {("CUDA", "Apple"), ("Metal", "AMD"), ("CUDA", "AMD")}


def _number(cell: Any, default: float, least: float = 0.0, most: float = math.inf) -> float:
    """The number in a cell, kept between what makes sense; the default where there is none above zero."""
    try:
        value = float(str(cell).replace(",", "").strip())
    except ValueError:
        return default
    return min(max(value, least), most) if math.isfinite(value) and value > 0 else default
