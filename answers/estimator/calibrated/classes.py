"""The classes that speeds are calibrated by: of cards, of backends and of quants. No class is a single card or model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from answers.catalogue.records import Card

_VERSION = re.compile(r" \d[\d.]*$| M\d+$| Ultra$")
_USUAL: Final[Mapping[str, str]] = {"NVIDIA": "CUDA", "AMD": "ROCm", "Apple": "Metal", "Intel": "Vulkan"}
"""What people run on a vendor's cards; elsewhere it is Vulkan."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What the speed of a card is worked out from."""

    vendor: str
    architecture: str
    """``Ampere``, ``RDNA 3.0``, ``Apple M2``; empty where unknown."""
    memory: str
    """``GDDR``, ``HBM`` or ``shared`` (LPDDR and DDR, which a processor uses too)."""
    bandwidth_gb_s: float
    backend: str
    fp32_tflops: float | None = None

    @property
    def operations_per_byte(self) -> float | None:
        """FP32 operations that the card does while its memory gives one byte; ``None`` where its rate is not known."""
        return self.fp32_tflops * 1e3 / self.bandwidth_gb_s if self.fp32_tflops else None

    @property
    def family(self) -> str:
        """The architecture without its version: ``RDNA``, ``Apple``."""
        return _VERSION.sub("", self.architecture)

    @classmethod
    def of(cls, card: Card, backend: str | None = None) -> Traits:
        """The traits of a card on file; with the vendor's usual backend unless another is named."""
        vendor = "AMD" if card.vendor == "ATI" else card.vendor
        own = card.generation if vendor == "Apple" else card.architecture
        kind = memory_kind(card.memory_type, vendor)
        return cls(vendor, own or "", kind, card.bandwidth_gb_s, backend or usual_backend(vendor), card.fp32_tflops)


def usual_backend(vendor: str) -> str:
    """The backend that people run on a vendor's cards."""
    return _USUAL.get(vendor, "Vulkan")


def memory_kind(memory_type: str | None, vendor: str) -> str:
    """``GDDR``, ``HBM`` or ``shared``."""
    kind = memory_type or ""
    if vendor == "Apple" or kind.startswith(("LPDDR", "DDR")):
        return "shared"
    return "HBM" if kind.startswith("HBM") else "GDDR"


@lru_cache(maxsize=256)
def quant_family(quant: str) -> str:
    """Quants whose weights are unpacked alike: ``Q4_K`` of Q4_K_M and UD-Q4_K_XL, ``IQ4`` of IQ4_XS and IQ4_NL."""
    name = quant.upper().removeprefix("UD-")
    if "MXFP4" in name or "NVFP4" in name:
        return "MXFP4"
    if name in {"F32", "F16", "BF16"}:
        return name
    if name.startswith("Q8"):
        return "Q8_0"
    found = re.match(r"(IQ\d)|(Q\d_K)|(Q\d_)[01]", name)
    if found is None:
        return "other"
    return found[1] or found[2] or "Q4_0"
