"""How typed names are found: given a name, these records."""

from __future__ import annotations

import asyncio

import pytest

from answers.catalogue.atoms import atoms, clean, name_atoms, parameters, tokenise
from answers.catalogue.load import load
from answers.catalogue.names import Names


@pytest.fixture(scope="module")
def names() -> Names:
    snapshot = asyncio.run(load())
    return Names(snapshot.models, snapshot.cards)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("4090", "GeForce RTX 4090"),
        ("gtx 4090", "GeForce RTX 4090"),
        ("rx 4090", "GeForce RTX 4090"),
        ("RTX4070TiSuper", "GeForce RTX 4070 Ti SUPER"),
        ("4070 ti super", "GeForce RTX 4070 Ti SUPER"),
        ("7900xtx", "Radeon RX 7900 XTX"),
        ("rtx3060ti", "GeForce RTX 3060 Ti"),
        ("4060 laptop", "GeForce RTX 4060 Mobile"),
        ("3060M", "GeForce RTX 3060 Mobile"),
        ("4060", "GeForce RTX 4060"),
        ("2060", "GeForce RTX 2060"),
        ("2060 12gb", "GeForce RTX 2060 12 GB"),
        ("3060 12gb", "GeForce RTX 3060 12 GB"),
        ("3060 8 GB", "GeForce RTX 3060 8 GB"),
        ("1060 6gb", "GeForce GTX 1060 6 GB"),
        ("rx580", "Radeon RX 580"),
        ("p40", "Tesla P40"),
        ("T4", "Tesla T4"),
        ("mi50", "Radeon Instinct MI50"),
        ("k80", "Tesla K80"),
        ("A6000", "RTX A6000"),
        ("arc b580", "Arc B580"),
        ("titan x pascal", "TITAN X Pascal"),
        ("Titan V", "TITAN V"),
        ("titan xp", "TITAN Xp"),
        ("titan rtx", "TITAN RTX"),
        ("2080 ti 22gb", "GeForce RTX 2080 Ti 22 GB"),
        ("rtx 6000 ada", "RTX 6000 Ada Generation"),
        ("M4 Max 64GB", "Apple M4 Max 64 GB"),
        ("apple m2 pro 32 gb", "Apple M2 Pro 32 GB"),
        ("2070 super", "GeForce RTX 2070 SUPER"),
        ("4090 d", "GeForce RTX 4090"),
        ("4090D", "GeForce RTX 4090 D"),
    ],
)
def test_a_card_is_found_by_any_of_its_names(names: Names, typed: str, name: str) -> None:
    assert names.find_cards(typed).names == (name,)


@pytest.mark.parametrize(
    ("typed", "first", "also"),
    [
        ("3060", "GeForce RTX 3060 12 GB", "GeForce RTX 3060 8 GB"),
        ("4060 ti", "GeForce RTX 4060 Ti 16 GB", "GeForce RTX 4060 Ti 8 GB"),
        ("3050", "GeForce RTX 3050 8 GB", "GeForce RTX 3050 6 GB"),
        ("h100", "H100 PCIe 80 GB", "H100 SXM5 80 GB"),
        ("v100 16gb", "Tesla V100 PCIe 16 GB", "Tesla V100 SXM2 16 GB"),
        ("m1", "Apple M1 16 GB", "Apple M1 8 GB"),
    ],
)
def test_a_name_that_several_cards_share_lists_them_likeliest_first(names: Names, typed: str, first: str, also: str) -> None:
    match = names.find_cards(typed)
    assert match.names[0] == first
    assert also in match.names
    assert not match.exact


def test_boards_that_differ_in_nothing_that_matters_are_one_card(names: Names) -> None:
    assert not any("GA104" in name for name in names.find_cards("3060").names)


def test_a_bare_number_is_never_the_laptop_version(names: Names) -> None:
    for number in ("3060", "3070", "4060", "4070", "4080", "4090", "2060", "1060"):
        assert not any("Mobile" in name or "Max-Q" in name for name in names.find_cards(number).names)


def test_another_variant_is_another_card(names: Names) -> None:
    assert names.find_cards("3080").names == ("GeForce RTX 3080",)
    assert names.find_cards("3080 ti").names == ("GeForce RTX 3080 Ti",)
    assert names.find_cards("4080 super").names == ("GeForce RTX 4080 SUPER",)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("llama3.1:8b-instruct-q4_K_M", "Llama 3.1 8B"),
        ("llama31 8b", "Llama 3.1 8B"),
        ("meta-llama/Llama-3.1-8B-Instruct", "Llama 3.1 8B"),
        ("qwen25-32b", "Qwen2.5 32B"),
        ("qwen3:14b", "Qwen3 14B"),
        ("bigcode/starcoder2-15b", "StarCoder 2 15B"),
        ("star coder 2 15b", "StarCoder 2 15B"),
        ("starcoder", "StarCoder"),
        ("starcoder 16b", "StarCoder"),
        ("r1 14b", "DeepSeek-R1-Distill-Qwen 14B"),
        ("deepseekcoder 33b", "DeepSeek Coder 33B"),
        ("gpt oss 120b", "gpt-oss 120B"),
        ("codestral", "Codestral 22B"),
        ("mixtral 47b", "Mixtral 8x7B"),
        ("30b llama", "LLaMA 33B"),
        ("command-r+", "Command R+ 104B"),
        ("yi-34b", "Yi 34B"),
        ("mistrall 7b", "Mistral 7B v0.1"),
        ("qwen 2.5 coder 32b", "Qwen2.5-Coder 32B"),
    ],
)
def test_a_model_is_found_by_any_of_its_names(names: Names, typed: str, name: str) -> None:
    assert names.find_models(typed).names == (name,)


@pytest.mark.parametrize(
    ("typed", "first", "also"),
    [
        ("llama 8b", "Llama 3.1 8B", "Llama 3 8B"),
        ("qwen 32b", "Qwen2.5 32B", "Qwen3 32B"),
        ("mixtral", "Mixtral 8x7B", "Mixtral 8x22B"),
        ("code llama", "Code Llama 7B", "Code Llama 34B"),
        ("deepseek coder", "DeepSeek Coder 1.3B", "DeepSeek Coder 33B"),
        ("r1", "DeepSeek-R1 671B", "DeepSeek-R1-Distill-Qwen 14B"),
        ("llama", "Llama 3.1 8B", "LLaMA 7B"),
    ],
)
def test_a_family_lists_its_models_likeliest_first(names: Names, typed: str, first: str, also: str) -> None:
    match = names.find_models(typed)
    assert match.names[0] == first
    assert also in match.names


def test_an_unknown_name_offers_the_nearest(names: Names) -> None:
    match = names.find_models("starcodder3 99b")
    assert match.names == ()
    assert any("StarCoder" in name for name in match.nearest)
    card = names.find_cards("RTX 3061")
    assert card.names == ()
    assert card.nearest


def test_every_record_is_found_by_its_own_name(names: Names) -> None:
    for name in names.models.by_name:
        assert names.find_models(name).names == (name,)
    for name in names.cards.by_name:
        assert names.find_cards(name).names == (name,)


def test_most_names_are_found_in_lower_case_without_marks(names: Names) -> None:
    """The name in running text, not looked up as a whole."""
    missed = [
        name
        for name in names.models.by_name
        if name not in names.find_models(name.lower().replace("-", " ").replace("(", "").replace(")", "")).names
    ]
    assert len(missed) < 0.03 * len(names.models.by_name), missed


def test_a_size_apart_from_its_name_belongs_to_it(names: Names) -> None:
    spans = names.spans(tokenise("the 70b of llama 2"), links={"of"})
    assert [span.names for span in spans] == [("Llama 2 70B",)]


def test_a_size_that_the_family_does_not_have_is_unknown(names: Names) -> None:
    (span,) = names.spans(tokenise("the 34b of llama 2"), links={"of"})
    assert (span.kind, span.names, span.size) == ("model", (), 34e9)


def test_a_list_of_sizes_is_a_list_of_models(names: Names) -> None:
    spans = names.spans(tokenise("code llama 7/13/34b"))
    assert [span.names[0] for span in spans] == ["Code Llama 7B", "Code Llama 13B", "Code Llama 34B"]


def test_the_second_of_two_variants_shares_the_number(names: Names) -> None:
    spans = names.spans(tokenise("7900 xt or xtx"), joins={"or"})
    assert [span.names[0] for span in spans] == ["Radeon RX 7900 XT", "Radeon RX 7900 XTX"]


@pytest.mark.parametrize("text", ["1080p", "5 times", "what a day", "4096 tokens", "i7 12700k", "the open source", "go for it"])
def test_what_is_no_name_is_not_found(names: Names, text: str) -> None:
    assert names.spans(tokenise(text)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RTX 4070 Ti SUPER", ["rtx", "4070", "ti", "super"]),
        ("rtx4070tisuper", ["rtx", "4070", "ti", "super"]),
        ("Qwen3 30B-A3B", ["qwen", "3", "30b", "a3b"]),
        ("mixtral 8x7b", ["mixtral", "8x7b"]),
        ("DeepSeek-V3.1", ["deepseek", "3.1"]),
        ("V100", ["v100"]),
        ("3060M", ["3060", "mobile"]),
        ("command-r+", ["command", "r", "plus"]),
        ("7 billion", ["7b"]),
    ],
)
def test_names_are_cut_into_atoms(text: str, expected: list[str]) -> None:
    assert [atom.text for atom in atoms(tokenise(clean(text)))] == expected


def test_a_name_on_file_is_cut_as_running_text_is(names: Names) -> None:
    for name in ("GeForce RTX 3060 12 GB", "Llama 3.1 8B", "Ryzen AI Max+ 395 128 GB", "A.X K1 519B", "Devstral Small 24B (2505)"):
        assert name_atoms(name) == [atom.text for atom in atoms(tokenise(clean(name)))]


@pytest.mark.parametrize(
    ("size", "value"), [("8b", 8e9), ("8x7b", 56e9), ("125m", 125e6), ("1t", 1e12), ("1.5b", 1.5e9), ("24gb", None)]
)
def test_a_size_states_its_parameters(size: str, value: float | None) -> None:
    assert parameters(size) == value
