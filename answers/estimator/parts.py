"""What an estimate consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from answers.estimator.quants import Quant

Fit = Literal["comfortable", "tight", "no"]
Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second for one request, with the range, and how sure it is."""

    tok_s: float
    low_tok_s: float
    high_tok_s: float
    confidence: Confidence = "low"


@dataclass(frozen=True, slots=True)
class Estimate:
    """One model at one quant on one piece of hardware."""

    quant: Quant
    need_gb: float
    fit: Fit
    speed: Speed | None
    """``None`` where it does not fit, or where no bandwidth or no active parameter count is known."""
    context: int


@dataclass(frozen=True, slots=True)
class Split:
    """A model of which a part stays on the card and the rest is read from system memory."""

    quant: Quant
    layers_on_card: int
    """Whole layers on the card; for a mixture of experts, layers whose experts are on the card too."""
    layers: int
    weights_gb: float
    ram_gb: float
    """Weights left in system memory."""
    ram_gb_s: float
    """Read speed of the system memory, assumed or stated."""
    speed: Speed | None
    experts: bool = False
    """Only experts are left in system memory; everything else is on the card."""
