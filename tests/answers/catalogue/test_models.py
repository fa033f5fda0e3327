from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from answers.catalogue.active import DERIVED, derive_active
from answers.catalogue.records import Model
from answers.catalogue.snapshot import Catalogue


def read(path: Path) -> dict[str, Mapping[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["name" if "name" in row else "model"]: row for row in csv.DictReader(file)}


def number(text: str) -> float | None:
    return float(text) if text else None


def words(text: str) -> str | None:
    return text or None


def truth(text: str) -> bool | None:
    return text == "true" if text else None


def joined_by_commas(text: str) -> tuple[str, ...]:
    """A comma joins two entries only where no space follows it."""
    return tuple(dict.fromkeys(re.split(r",(?! )", text))) if text else ()


def joined_by_semicolons(text: str) -> tuple[str, ...]:
    return tuple(entry.strip() for entry in text.split(";") if entry.strip())


CARRIED_OVER: dict[str, tuple[str, Callable[[str], Any]]] = {
    **{field: (field, number) for field in (
        "stated_parameters", "parameters", "layers", "hidden_size", "attention_heads", "kv_heads", "head_dim", "v_head_dim",
        "sliding_window", "full_attention_layers", "windowed_layers", "kv_lora_rank", "qk_rope_head_dim", "max_context",
        "vocab_size", "experts_per_token", "training_tokens", "epochs", "tokens_seen", "training_compute_flop",
        "finetune_compute_flop", "chip_count", "chip_hours", "wall_time_hours", "mfu", "power_draw_w", "compute_cost_usd",
        "citations",
    )},
    **{field: (field, words) for field in (
        "family", "estimate_by", "parameters_basis", "attention_kind", "attention_detail", "attention_basis",
        "architecture_basis", "licence", "hf_repo", "base_model", "numerical_format", "reference_title", "reference_link",
        "last_updated",
    )},
    **{field: (column, words) for field, column in {
        "released": "publication_date", "released_basis": "date_basis", "max_context_basis": "context_basis",
        "access": "weights_open", "training_code": "training_code_accessibility", "record_confidence": "confidence",
        "parameter_check": "param_check",
    }.items()},
    **{field: (column, joined_by_commas) for field, column in {
        "organization_categories": "organization_category", "organizations": "organization", "countries": "country",
        "domains": "domain", "tasks": "tasks", "compute_basis": "compute_estimation_method",
        "training_hardware": "training_hardware", "notability": "notability_criteria",
    }.items()},
    "aliases": ("aliases", joined_by_semicolons),
    "flags": ("flags", joined_by_semicolons),
    "recurrent_layers": ("linear_or_ssm_layers", number),
    "experts": ("num_experts", number),
    "active_parameters": ("active_parameters", number),
    "batch_size_tokens": ("batch_size", number),
    "foundation_model": ("foundation_model", truth),
}  # fmt: skip
"""Field of a record -> column of models.csv, and how its text is read."""

FEED_FORWARD: dict[str, tuple[str, Callable[[str], Any]]] = {
    "intermediate_size": ("intermediate_size", number),
    "moe_intermediate_size": ("moe_intermediate_size", number),
    "shared_expert_intermediate_size": ("shared_expert_intermediate_size", number),
    "dense_layers_before_moe": ("num_dense_layers_before_moe", number),
    "tie_word_embeddings": ("tie_word_embeddings", truth),
    "text_parameters": ("text_parameters", number),
    "v_head_dim": ("v_head_dim", number),
    "feed_forward_note": ("note", words),
}
"""Field of a record -> column of ffn.csv."""

LAGUNA = {"attention_kind", "attention_detail", "attention_basis", "sliding_window", "full_attention_layers", "windowed_layers"}
TEXT_ONLY = (
    *("Gemma 3n E2B", "Gemma 3n E4B", "Gemma 4 E2B", "Gemma 4 E4B"),
    *("Llama 4 Scout", "Llama 4 Maverick", "Ministral 3 3B", "Qwen3-Next 80B-A3B"),
)
PUT_RIGHT = (
    # The model cards state the layer pattern, and three dense layers for the largest.
    {(f"Laguna {size}", field) for size in ("XS.2", "XS 2.1", "S 2.1", "M.1") for field in LAGUNA}
    | {("Laguna M.1", "dense_layers_before_moe"), ("Laguna M.1", "feed_forward_note")}
    # Batches counted in sequences, which the record keeps as a flag.
    | {(name, field) for name in ("s1 32B", "s1.1 32B", "A.X K1 519B", "VAETKI 112B") for field in ("batch_size_tokens", "flags")}
    # Broken accents in the name of the EPFL.
    | {(name, "organizations") for name in ("Apertus 8B", "Apertus 70B", "Meditron 70B")}
    # What the total holds besides the language model, taken from published files.
    | {(name, field) for name in TEXT_ONLY for field in ("text_parameters", "feed_forward_note")}
    # Its F16 file holds one table of tokens.
    | {("Ministral 3 3B", field) for field in ("tie_word_embeddings", "feed_forward_check")}
)
"""Fields whose value differs from the tables on purpose."""


@pytest.mark.parametrize(("file", "fields"), [("models.csv", CARRIED_OVER), ("ffn.csv", FEED_FORWARD)])
def test_every_fact_of_every_model_is_carried_over(
    catalogue: Catalogue, shared: Path, file: str, fields: Mapping[str, tuple[str, Callable[[str], Any]]]
) -> None:
    rows = read(shared / "data" / file)
    assert rows.keys() == {model.name for model in catalogue.models}
    for name, row in rows.items():
        for field, (column, read_as) in fields.items():
            ours, theirs = getattr(catalogue.model(name), field), read_as(row[column])
            added = field == "active_parameters" and theirs is None
            assert ours == theirs or added or (name, field) in PUT_RIGHT, f"{name}: {field}"


def test_every_model_names_its_sources(catalogue: Catalogue) -> None:
    assert all(model.sources for model in catalogue.models)


def test_lists_are_split_at_their_own_commas_only(catalogue: Catalogue) -> None:
    starcoder = catalogue.model("StarCoder")
    assert len(starcoder.organizations) == 37
    assert starcoder.organizations[3] == "Mila - Quebec AI (originally Montreal Institute for Learning Algorithms)"
    assert starcoder.organization_categories == ("Industry", "Academia", "Government", "Research collective")
    assert "Booz Allen Hamilton, McLean" in {name for model in catalogue.models for name in model.organizations}
    assert catalogue.model("StarCoder 2 3B").organizations == ("Hugging Face", "ServiceNow", "NVIDIA", "BigCode")


def test_authors_are_those_that_the_documents_print_in_full(catalogue: Catalogue, shared: Path) -> None:
    printed = {}
    for seed in sorted((shared / "seeds").glob("*.txt")):
        text = seed.read_text(encoding="utf-8")
        name = re.search(r"StarCoder(?: 2 \d+B)?", text.split("\n", 1)[0])
        authors = re.search(r"^(?:Autores|Autori|Authors): (.*)$", text, re.MULTILINE)
        assert name and authors
        printed[name[0]] = tuple(authors[1].split(", ")[:-1])
    assert len(printed) == 4
    for name, authors in printed.items():
        assert catalogue.model(name).authors == authors
        assert not catalogue.model(name).authors_complete
    assert all(model.authors_complete for model in catalogue.models if model.name not in printed)


def test_the_documents_five_models_are_estimated_by_the_documented_method(catalogue: Catalogue) -> None:
    documented = {model.name: model.stated_parameters for model in catalogue.models if model.estimate_by == "documented"}
    assert documented == {
        "StarCoder 2 3B": 3_000_000_000,
        "StarCoder 2 7B": 7_000_000_000,
        "StarCoder 2 15B": 15_000_000_000,
        "StarCoder": 15_500_000_000,
        "PolyCoder": 2_700_000_000,
    }
    assert catalogue.model("StarCoder").size == 15_500_000_000
    assert catalogue.model("StarCoderBase").size == catalogue.model("StarCoderBase").parameters


def test_successors_are_on_file_and_lead_somewhere(catalogue: Catalogue, shared: Path) -> None:
    successors = {model.name: model.superseded_by for model in catalogue.models if model.superseded_by}
    rows = read(shared / "data" / "superseded.csv")
    assert successors == {name: row["superseded_by"] for name, row in rows.items()}
    assert len(successors) == 276
    for model in catalogue.models:
        assert (model.superseded_by is None) == (model.superseded_basis is None)
        line = [model.name]
        while following := successors.get(line[-1]):
            assert following not in line
            line.append(following)


@pytest.mark.parametrize(
    ("name", "uses"),
    [
        ("StarCoder 2 15B", ("code", "base")),
        ("Qwen2.5-Coder 7B", ("code",)),
        ("Llama 3.1 8B", ("general",)),
        ("Qwen3 8B", ("general", "reasoning")),
        ("QwQ 32B", ("reasoning",)),
        ("DeepSeek-R1-Distill-Qwen 14B", ("reasoning",)),
        ("Gemma 3 27B", ("general", "vision")),
        ("Qwen2.5-VL 7B", ("general", "vision")),
        ("DeepSeek-OCR", ("vision",)),
        ("gpt-oss 20B", ("general", "code", "reasoning")),
        ("Pythia 12B", ("base",)),
        ("LLaMA 7B", ("base",)),
        ("ChatGLM3 6B", ("general",)),
        ("Llama Guard 3 8B", ()),
    ],
)
def test_what_a_model_is_for(catalogue: Catalogue, name: str, uses: tuple[str, ...]) -> None:
    assert catalogue.model(name).uses == uses


def test_uses_are_our_five_words_in_one_order(catalogue: Catalogue) -> None:
    order = ("general", "code", "reasoning", "vision", "base")
    for model in catalogue.models:
        assert model.uses == tuple(use for use in order if use in model.uses), model.name
    assert {model.name for model in catalogue.models if not model.uses} == {"Llama Guard 3 8B", "gpt-oss-safeguard 20B"}


def mixtures(catalogue: Catalogue) -> list[Model]:
    return [model for model in catalogue.models if model.moe]


def test_an_active_count_says_where_it_comes_from(catalogue: Catalogue) -> None:
    for model in catalogue.models:
        assert (model.active_parameters is None) == (model.active_parameters_basis is None), model.name
    bases = [model.active_parameters_basis or "" for model in mixtures(catalogue)]
    assert all(basis == DERIVED or basis.startswith("published") or not basis for basis in bases)
    assert sorted(model.name for model in mixtures(catalogue) if not model.active_parameters) == ["A.X K2 692B", "Hy4 Preview 780B"]


def test_derived_counts_are_what_the_layout_gives(catalogue: Catalogue) -> None:
    derived = {model.name: model for model in mixtures(catalogue) if model.active_parameters_basis == DERIVED}
    assert set(derived) == {
        "GLM-5.2", "GLM-5.3", "Grok-2 270B", "LLaDA2.1 Mini", "MiMo-V2.5", "Sarvam 30B", "Sarvam 105B", "Solar Open 2 250B",
        "Step-3.7-Flash",
    }  # fmt: skip
    for model in derived.values():
        assert model.active_parameters == derive_active(model)


def test_the_derivation_agrees_with_published_counts(catalogue: Catalogue) -> None:
    misfits = ("alternate", "every second", "relu2", "latent", "assumed", "unknown", "zero experts")
    errors: list[float] = []
    for model in mixtures(catalogue):
        layout = f"{model.feed_forward_basis} {model.feed_forward_note}"
        derived = derive_active(model)
        if model.active_parameters_basis == DERIVED or model.active_parameters is None or derived is None:
            continue
        if any(word in layout for word in misfits) or "compressed" in (model.attention_kind or ""):
            continue
        errors.append(abs(derived / model.active_parameters - 1))
    assert len(errors) >= 115
    assert median(errors) < 0.03
    # Counts of a few billion are published rounded ("A3B" for 3.9), often without the embedding.
    assert sum(error < 0.2 for error in errors) / len(errors) > 0.9


def test_mixtral_is_derived_to_the_published_figure(catalogue: Catalogue) -> None:
    mixtral = catalogue.model("Mixtral 8x7B")
    assert derive_active(mixtral) == 46_702_792_704 - 6 * 32 * 3 * 4096 * 14336
    assert derive_active(catalogue.model("Llama 3.1 8B")) is None
