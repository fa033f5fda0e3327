"""Reads how fast system memory is: stated, by the kind of its modules and their channels, or by what a processor is made for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import tomli

from answers.catalogue.atoms import Token, covered
from answers.questions.processors import Processor
from answers.questions.vocabulary import Mark

BYTES_PER_TRANSFER = 8
CHANNELS = 2
"""What a desktop or a laptop has."""
_FASTEST_DDR3, _FASTEST_DDR4 = 1866, 3600
"""MT/s that processors are made for, at most."""
_PLAUSIBLE_MT_S = range(800, 12_001)
_PLAUSIBLE_GB_S = (5.0, 1500.0)
_TELLING = frozenset(("ddr", "lpddr", "gb"))
"""Words without one of which nothing is stated."""


class MemorySpeed(NamedTuple):
    """How fast system memory is read, and the numbers in the text that say so."""

    gb_s: float
    spans: tuple[tuple[int, int], ...]
    """First and last token (exclusive) of each number."""


class _Made(NamedTuple):
    """What a processor's memory is."""

    name: re.Pattern[str]
    mt_s: float
    channels: float


class _Known(NamedTuple):
    kinds: Mapping[str, float]
    """Kind of modules -> MT/s."""
    modules: re.Pattern[str]
    processors: tuple[_Made, ...]


_STATED = re.compile(r"(?<![0-9.,])([0-9]{1,4}(?:[.,][0-9]{1,2})?) ?(?:gb ?/ ?s(?:ec)?|gb/ ?sec|gbps)(?![a-z0-9])")


def find_memory_speed(
    folded: str, tokens: Sequence[Token], said: Collection[str], processors: Sequence[Processor], marks: Sequence[Mark]
) -> MemorySpeed | None:
    """How fast system memory is read, in GB/s, where a folded text tells it; ``None`` where nothing does.

    What is stated in GB/s comes first, then the kind of the modules ("DDR5-6000") with the channels, then what a processor that is
    named is made for. MT/s x 8 bytes x channels; where channels are not said, the processor's own, else two.
    ``said`` are the words of the tokens.
    """
    if not processors and _TELLING.isdisjoint(said) and not any(mark.kind == "channels" for mark in marks):
        return None
    channels = next(((mark.value, (mark.first, mark.last)) for mark in marks if mark.kind == "channels"), None)
    known = _known()
    for match in _STATED.finditer(folded) if "gb" in said or "gbps" in said else ():
        gb_s = float(match[1].replace(",", "."))
        if _PLAUSIBLE_GB_S[0] <= gb_s <= _PLAUSIBLE_GB_S[1] and any(mark.kind in {"ram", "system_memory"} for mark in marks):
            return MemorySpeed(gb_s, (covered(tokens, *match.span()),))
    made = next((found for processor in processors if (found := _made(folded, tokens, processor, known))), None)
    spans = [channels[1]] if channels else []
    module = known.modules.search(folded)
    if module is None and made is None and channels is None:
        return None
    mt_s = made.mt_s if made else known.kinds["ddr4"]
    if module is not None:
        kind = module["kind"].replace(" ", "").replace("-", "")
        if made is None or _generation(kind) != _kind_of(made.mt_s):
            # "xeon e5-2690 v4, 64gb ddr4": of modules of its own kind a processor runs what it is made for.
            mt_s = known.kinds[kind]
        if module["speed"] and int(module["speed"]) in _PLAUSIBLE_MT_S:
            mt_s = float(module["speed"])
            spans.append(covered(tokens, module.start("speed"), module.end()))
    count = channels[0] if channels else made.channels if made else CHANNELS
    return MemorySpeed(mt_s * BYTES_PER_TRANSFER * count / 1000, tuple(spans))


def _generation(kind: str) -> str:
    """The number in the name of a kind: ``4`` of ddr4 and lpddr4x."""
    return kind.rstrip("x")[-1]


def _kind_of(mt_s: float) -> str:
    """The generation that modules of such a speed belong to."""
    return "3" if mt_s <= _FASTEST_DDR3 else "4" if mt_s <= _FASTEST_DDR4 else "5"


def _made(folded: str, tokens: Sequence[Token], processor: Processor, known: _Known) -> _Made | None:
    """What the memory of a processor is, where its name tells it."""
    name = folded[tokens[processor.first].start : tokens[processor.last - 1].end].replace("-", " ")
    return next((made for made in known.processors if made.name.search(name)), None)


@cache
def _known() -> _Known:
    said = tomli.loads((Path(__file__).parent / "memory_speed.toml").read_text(encoding="utf-8"))
    kinds: dict[str, float] = {name: float(mt_s) for name, mt_s in said["kinds"].items()}
    spelled = "|".join(re.sub(r"([0-9])", r"[ -]?\1", name) for name in sorted(kinds, key=len, reverse=True))
    modules = re.compile(
        rf"(?<![a-z])(?P<kind>{spelled})(?![a-z])(?:(?: ?[-@(] ?| )(?P<speed>[0-9]{{3,5}})(?: ?(?:mhz|mt/s|mts|mt))?(?![a-z0-9]))?"
    )
    return _Known(kinds, modules, tuple(_made_for(said["processors"])))


def _made_for(entries: Iterable[Mapping[str, Any]]) -> Iterable[_Made]:
    for entry in entries:
        names = "|".join(re.escape(name).replace(r"\ ", " ?").replace(r"\#", "[0-9]") for name in entry["names"])
        yield _Made(re.compile(rf"(?<![a-z0-9])(?:{names})(?![0-9])"), float(entry["mt_s"]), float(entry["channels"]))
