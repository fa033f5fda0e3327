"""Speed by the calibrated method: how long one token takes, and the range that measured speeds keep to.

    seconds per token = fixed time + weights read / (efficiency x bandwidth) + cache read / (cache efficiency x bandwidth)

Fixed time is what a token costs however little is read (kernel launches, synchronisation). All constants are fitted on measured
speeds and stand in ``calibration.toml`` with the number of measurements behind each. They belong to classes (vendor, architecture,
backend, kind of memory, quant), never to a card or a model. Where a class has no measurements, its factor is 1 and the next wider
class speaks: architecture, family of architectures, vendor, all cards.

Everything works on plain floats, or on arrays over many cards (:meth:`Device.table`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from answers.catalogue.records import Card
from answers.estimator.calibrated.calibration import Term, calibration, factor
from answers.estimator.calibrated.classes import Traits, quant_family
from answers.estimator.calibrated.layout import Layout
from answers.estimator.parts import Confidence, Speed

Floats = NDArray[np.float64]
N = TypeVar("N", float, Floats)

LAYERS = 32.0
"""The layers, and the experts per token, that the fitted powers are relative to."""
EXPERTS = 8.0
OPERATIONS = 30.0
"""The FP32 operations per byte of bandwidth that the fitted power is relative to."""
COMPUTING = frozenset(("Kepler", "Maxwell", "Pascal"))
"""Architectures that unpack weights more slowly than their memory gives them: the less they compute per byte, the less of it they
read. Later ones have instructions for that, and memory decides."""
SMALL_STATE = 30_000
"""Values below which a recurrent layer is a short convolution rather than a state-space or linear-attention block."""
PROMPT_OPERATIONS = 10.0
"""FP16 operations per byte of bandwidth below which a rate is not the one that prompts are computed with."""
MOE_BELOW = 0.999
"""The share of the parameters that a mixture of experts reads less than."""
SYSTEM_MEMORY_GB_S = 50.0
"""Assumed unless stated: two channels of DDR4-3200 or slow DDR5."""


@dataclass(frozen=True, slots=True)
class Work:
    """What one token of a model at a quant and context costs."""

    read_gb: float
    """Weights read for every token."""
    cache_gb: float
    """KV cache at the context asked."""
    layers: int | None
    """``None``: as many as are typical of the size."""
    parameters: float
    active_parameters: float
    quant: str
    layout: Layout | None = None
    """What the layers are, where it is known; else they are taken for plain ones with full attention."""

    @property
    def moe(self) -> bool:
        """Whether the model is a mixture of experts."""
        return self.active_parameters < self.parameters * MOE_BELOW

    @property
    def blocks(self) -> float:
        """Layers that mix tokens plus layers that do not, halved, so that a plain layer counts as one.

        Some hybrids have layers that are only the one or the other.
        """
        if self.layout is None:
            return self.layers or LAYERS * (self.active_parameters / 7e9) ** (1 / 3)
        held = self.layout
        return (held.attention_layers + held.recurrent_layers + held.dense_layers + held.expert_layers) / 2


@dataclass(frozen=True)
class Device(Generic[N]):
    """What is to be known of one card, or of many as arrays of shape (cards,)."""

    bandwidth_gb_s: N
    fixed_s: N
    """Fixed time of a token of a dense model with 32 layers."""
    efficiency: N
    """Share of the bandwidth that a dense model's weights are read with, before the quant's factor."""
    cache_efficiency: N
    quants: Mapping[str, N]
    """What a quant's family does to the efficiency on these cards."""
    groups: tuple[str, ...]
    """For each card, the class whose measurements speak for it: ``Ampere``, ``RDNA``, ``NVIDIA`` or ``all cards``."""
    levels: tuple[str, ...]
    """For each card, how wide that class is: ``architecture``, ``family``, ``vendor`` or ``all``."""
    backends: tuple[str, ...]

    def reached_gb_s(self, family: str) -> N:
        """What a dense model's weights are read with at a family of quants, in GB/s; worked out once for each family."""
        if family not in self._reached:
            known = self.bandwidth_gb_s * self.efficiency
            self._reached[family] = known * self.quants[family] if family in self.quants else known
        return self._reached[family]

    @cached_property
    def _reached(self) -> dict[str, N]:
        return {}

    @cached_property
    def reached_of_cache_gb_s(self) -> N:
        """What the cache is read with, in GB/s."""
        return self.bandwidth_gb_s * self.cache_efficiency

    def reached_by_quant(self, families: tuple[str, ...]) -> Floats:
        """:meth:`reached_gb_s` at several families of quants, shape (families, cards); worked out once for each ladder."""
        if families not in self._ladders:
            self._ladders[families] = np.stack([np.atleast_1d(self.reached_gb_s(family)) for family in families])
        return self._ladders[families]

    @cached_property
    def _ladders(self) -> dict[tuple[str, ...], Floats]:
        return {}

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """The cards, counted from 0."""
        return np.arange(len(self.groups))

    @staticmethod
    def of(card: Card, backend: str | None = None) -> Device[float]:
        """One card; with the vendor's usual backend unless another is named."""
        return _known_device(Traits.of(card, backend))

    @staticmethod
    def of_traits(traits: Traits, constants: Mapping[str, Any] | None = None) -> Device[float]:
        """Hardware of which only these traits are known; with other constants than the calibrated ones, for tests of a fit."""
        fitted = constants or calibration()["speed"]
        group, level = _group(fitted, traits)
        terms = device_terms(traits)
        return Device(
            bandwidth_gb_s=traits.bandwidth_gb_s,
            fixed_s=fitted["fixed"]["base_s"] * factor(fitted["fixed"], terms["fixed"]),
            efficiency=fitted["efficiency"]["base"] * factor(fitted["efficiency"], terms["efficiency"]),
            cache_efficiency=fitted["cache"]["base"] * factor(fitted["cache"], terms["cache"]),
            quants=_quants_on(traits.architecture) if constants is None else _quant_factors(fitted, traits.architecture),
            groups=(group,),
            levels=(level,),
            backends=(traits.backend,),
        )

    @staticmethod
    def table(cards: Sequence[Card]) -> Device[Floats]:
        """Many cards at once: to be worked out once per catalogue."""
        single = [Device.of(card) for card in cards]
        families = single[0].quants if single else {}
        return Device(
            bandwidth_gb_s=np.array([one.bandwidth_gb_s for one in single]),
            fixed_s=np.array([one.fixed_s for one in single]),
            efficiency=np.array([one.efficiency for one in single]),
            cache_efficiency=np.array([one.cache_efficiency for one in single]),
            quants={family: np.array([one.quants[family] for one in single]) for family in families},
            groups=tuple(one.groups[0] for one in single),
            levels=tuple(one.levels[0] for one in single),
            backends=tuple(one.backends[0] for one in single),
        )


def device_terms(traits: Traits) -> dict[str, list[Term]]:
    """Which fitted factors a card's traits bring, for each part of the time."""
    backend: Term = ("backend", f"{traits.vendor} {traits.backend}", 1.0)
    architecture: Term = ("architecture", traits.architecture, 1.0)
    classes: list[Term] = [
        ("vendor", traits.vendor, 1.0),
        ("family", traits.family, 1.0),
        architecture,
        backend,
        ("memory", traits.memory, 1.0),
        ("vendor memory", f"{traits.vendor} {traits.memory}", 1.0),
    ]
    operations = traits.operations_per_byte if traits.family in COMPUTING else None
    rate: list[Term] = [("power", "operations per byte", math.log(operations / OPERATIONS))] if operations else []
    return {"fixed": classes, "efficiency": [*classes, *rate], "cache": [architecture, backend]}


def work_terms(work: Work) -> dict[str, list[Term]]:
    """Which fitted factors a model brings, apart from its quant."""
    return model_terms(work.layout, work.moe, work.blocks)


def model_terms(layout: Layout | None, moe: bool, blocks: float) -> dict[str, list[Term]]:
    """Which fitted factors a model brings: by what its layers are, whether it is a mixture of experts, and :attr:`Work.blocks`."""
    fixed: list[Term] = [("power", "layers", math.log(blocks / LAYERS))]
    kind: list[Term] = [("model", "mixture of experts", 1.0)] if moe else []
    if layout is not None:
        recurrent = "convolution" if layout.recurrent_state < SMALL_STATE else "recurrent"
        fixed += [
            ("share of layers", "windowed", layout.windowed_layers / layout.layers),
            ("share of layers", recurrent, layout.recurrent_layers / layout.layers),
        ]
        if moe:
            fixed.append(("power", "experts per token", math.log(max(1, layout.experts_per_token) / EXPERTS)))
    return {"fixed": [*kind, *fixed], "efficiency": kind, "cache": []}


def quant_terms(architecture: str, family: str) -> list[Term]:
    """Which fitted factors of the efficiency a quant brings on cards of an architecture."""
    return [("quant", family, 1.0), ("architecture quant", f"{architecture} {family}", 1.0)]


@dataclass(frozen=True, slots=True)
class Terms(Generic[N]):
    """What a token's time consists of, in seconds."""

    fixed_s: N
    weights_s: N
    cache_s: N
    efficiency: N
    """Share of the bandwidth that the weights are read with."""
    reached_gb_s: N
    """That share in GB/s."""

    @property
    def seconds(self) -> N:
        """The whole time of a token."""
        return self.fixed_s + self.weights_s + self.cache_s


def terms(work: Work, device: Device[N], constants: Mapping[str, Any] | None = None) -> Terms[N]:
    """What a token takes on a device that holds the whole model."""
    of_model = work.layout, work.moe, work.blocks
    fixed, share = _brought(*of_model) if constants is None else _factors(constants, *of_model)
    family = quant_family(work.quant)
    efficiency = device.efficiency * share
    if family in device.quants:
        efficiency = efficiency * device.quants[family]
    reached = device.bandwidth_gb_s * efficiency
    return Terms(
        fixed_s=device.fixed_s * fixed,
        weights_s=work.read_gb / reached,
        cache_s=work.cache_gb / (device.bandwidth_gb_s * device.cache_efficiency),
        efficiency=efficiency,
        reached_gb_s=reached,
    )


@lru_cache(maxsize=4096)
def _brought(layout: Layout | None, moe: bool, blocks: float) -> tuple[float, float]:
    """What a model brings by the calibrated constants; kept, since it is the same at every quant and on every card."""
    return _factors(calibration()["speed"], layout, moe, blocks)


def _factors(fitted: Mapping[str, Any], layout: Layout | None, moe: bool, blocks: float) -> tuple[float, float]:
    """What a model multiplies the fixed time by, and the share of the bandwidth."""
    brought = model_terms(layout, moe, blocks)
    return factor(fitted["fixed"], brought["fixed"]), factor(fitted["efficiency"], brought["efficiency"])


def seconds_by_quant(
    work: Work, quants: tuple[str, ...], read_gb: Floats, which: NDArray[np.intp], device: Device[Floats]
) -> Floats:
    """The time of one token in seconds on each of many cards, each of which runs the model at a quant of its own; shape (cards,).

    Args:
        work: the model at one context, at any quant.
        quants: names of the quants.
        read_gb: weights read for every token at each of them, shape (quants,).
        which: for each card, which of them it runs.
        device: the cards.
    """
    fixed, share = _brought(work.layout, work.moe, work.blocks)
    reached = device.reached_by_quant(tuple([quant_family(name) for name in quants]))
    read_s = (read_gb / share)[which] / reached[which, device.places]
    return device.fixed_s * fixed + work.cache_gb / device.reached_of_cache_gb_s + read_s


def speed(work: Work, device: Device[float]) -> Speed:
    """Tokens a second on one card that holds the whole model."""
    return speed_split(work, [(device, 1.0)])


def speed_split(work: Work, shares: Sequence[tuple[Device[float], float]], constants: Mapping[str, Any] | None = None) -> Speed:
    """Tokens a second on several cards that hold the model layer by layer.

    Each card reads its share of the bytes (the shares add up to 1) while the others wait, so the times add up; passing a token on
    costs a little fixed time for each further card.
    """
    seconds = seconds_split(work, shares, constants)
    return range_of(1 / seconds, work, cards=len(shares), measured=_measured(shares), constants=constants)


def seconds_split(work: Work, shares: Sequence[tuple[Device[float], float]], constants: Mapping[str, Any] | None = None) -> float:
    """The time of one token over several cards, in seconds."""
    if len(shares) == 1:
        return terms(work, shares[0][0], constants).seconds * shares[0][1]
    each = [(terms(work, device, constants), share) for device, share in shares]
    total, fixed = (sum(one.seconds * share for one, share in each), sum(one.fixed_s * share for one, share in each))
    fitted = constants or calibration()["speed"]
    return total + fixed * (factor(fitted["fixed"], [("power", "cards", math.log(len(shares)))]) - 1)


def speed_offload(
    work: Work,
    shares: Sequence[tuple[Device[float], float]],
    *,
    ram_read_gb: float,
    ram_gb_s: float = SYSTEM_MEMORY_GB_S,
) -> Speed:
    """Tokens a second with a part of the weights in system memory.

    Args:
        work: what a token costs; ``read_gb`` is all that is read, wherever it lies.
        shares: the cards, and each one's share of what they hold.
        ram_read_gb: the part of ``read_gb`` that is read from system memory.
        ram_gb_s: how fast that is read.
    """
    on_cards = replace(work, read_gb=max(0.0, work.read_gb - ram_read_gb))
    seconds = seconds_split(on_cards, shares) + ram_read_gb / processor_gb_s(ram_gb_s)
    return range_of(1 / seconds, work, cards=len(shares), measured=_measured(shares), offload=True)


def processor_gb_s(memory_gb_s: float) -> float:
    """What a processor reads weights and cache with, in GB/s, from memory of that rate.

    1 / (1 / (share x rate) + 1 / ceiling): cores and the paths between them set a limit of their own.
    """
    held = calibration()["processor"]
    return 1 / (1 / (held["share"] * memory_gb_s) + 1 / held["ceiling_gb_s"])


def range_of(
    tok_s: float,
    work: Work,
    *,
    cards: int = 1,
    measured: bool = True,
    offload: bool = False,
    constants: Mapping[str, Any] | None = None,
) -> Speed:
    """A speed with the range that nine in ten measured speeds of its kind kept to.

    Args:
        tok_s: the estimate.
        work: what a token costs.
        cards: how many cards share it.
        measured: whether cards of this architecture were measured. The range is then that of cards which a fit had not seen, else
            that of architectures which a fit had not seen.
        offload: whether a part is in system memory; nothing measured says how wide that spreads, so it takes the widest range.
        constants: others than the calibrated ones, for tests of a fit.
    """
    spreads = (constants or calibration()["speed"])["spread"]
    names = spreads if offload else (spread_class(work, cards, measured),)
    widest = max(spreads[name]["factor"] for name in names)
    return Speed(tok_s, tok_s / widest, tok_s * widest)


def spread_class(work: Work, cards: int, measured: bool = True) -> str:
    """The kind of estimate that a range belongs to."""
    kind = "experts" if work.moe else "dense, several cards" if cards > 1 else "dense"
    return kind if measured else f"{kind}, other architecture"


def confidence(measured: Sequence[float] | None, parameters: float, device: Device[float]) -> Confidence:
    """How sure a speed is, by what was measured.

    Args:
        measured: the parameter counts of the models that were measured on this very card.
        parameters: those of the model asked about.
        device: the card.

    Returns:
        ``high`` where this card was measured with a model of half to twice the size; ``medium`` where cards of its architecture
        were, ``low`` elsewhere.
    """
    if any(size <= 2 * parameters and parameters <= 2 * size for size in measured or ()):
        return "high"
    return "medium" if device.levels[0] == "architecture" else "low"


def prompt_tok_s(
    fp16_tflops: float | None, active_parameters: float, vendor: str, bandwidth_gb_s: float | None = None, *, moe: bool = False
) -> float | None:
    """Tokens of a prompt read in a second, a rough figure: a share of the FP16 rate over two operations per active parameter.

    ``None`` where the rate is not on file, or is so far below the bandwidth that prompts are not computed with it: consumer cards
    before Turing have next to no FP16 and compute in FP32.
    """
    if not fp16_tflops or (bandwidth_gb_s and fp16_tflops * 1e3 < PROMPT_OPERATIONS * bandwidth_gb_s):
        return None
    prompt = calibration()["prompt"]
    share = prompt["share"].get(vendor, prompt["share"]["other"]) * (prompt["experts"] if moe else 1.0)
    return share * fp16_tflops * 1e12 / (2 * active_parameters)


@lru_cache(maxsize=4096)
def _known_device(traits: Traits) -> Device[float]:
    """The device of some traits by the calibrated constants, kept: the same cards are asked about again and again."""
    return Device.of_traits(traits)


@lru_cache(maxsize=256)
def _quants_on(architecture: str) -> Mapping[str, float]:
    """What each family of quants multiplies the efficiency by on cards of an architecture, of which there are few."""
    return MappingProxyType(_quant_factors(calibration()["speed"], architecture))


def _quant_factors(fitted: Mapping[str, Any], architecture: str) -> dict[str, float]:
    efficiency = fitted["efficiency"]
    return {family: factor(efficiency, quant_terms(architecture, family)) for family in efficiency.get("quant", {})}


def _measured(shares: Sequence[tuple[Device[float], float]]) -> bool:
    """Whether all of these cards are of architectures that were measured."""
    return all(device.levels[0] == "architecture" for device, _ in shares)


def _group(fitted: Mapping[str, Any], traits: Traits) -> tuple[str, str]:
    """The narrowest class with measurements, and how wide it is."""
    for level, name in (("architecture", traits.architecture), ("family", traits.family), ("vendor", traits.vendor)):
        if name and name in fitted["efficiency"].get(level, {}):
            return name, level
    return "all cards", "all"
