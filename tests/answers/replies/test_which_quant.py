"""Which quant to download: all of them, three marked, with what is published of their loss."""

from __future__ import annotations

import pytest

from answers.catalogue.collect import SOURCES
from answers.catalogue.quality import read_quality
from answers.errors import DataError
from answers.questions.question import Cards, Intent, Question
from answers.replies.build import build

RTX_3060 = Cards(name="GeForce RTX 3060 12 GB")


def ask(desk, *models: str, **slots):
    return build(desk, Question(intent=Intent.WHICH_QUANT, models=models, **slots))


def marked(reply) -> dict[str, str]:
    return {mark: row.quant for row in reply.rows for mark in row.marks}


def test_every_quant_has_its_file_its_need_and_its_fit_best_first(desk) -> None:
    reply = ask(desk, "Qwen3 14B", cards=(RTX_3060,))
    assert [row.quant for row in reply.rows] == ["Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "IQ4_XS", "Q3_K_M", "Q2_K"]
    files, needs = [row.file_gb for row in reply.rows], [row.need_gb for row in reply.rows]
    assert files == sorted(files, reverse=True)
    assert all(file < need for file, need in zip(files, needs, strict=True))
    assert [row.fit == "no" for row in reply.rows] == [True, True, False, False, False, False, False]
    assert all((row.speed is None) == (row.fit == "no") for row in reply.rows)


@pytest.mark.parametrize(
    ("model", "memory_gb"), [("Llama 3.1 8B", 8), ("Llama 3.1 8B", 16), ("Qwen3 14B", 12), ("Qwen3.8 27B", 24)]
)
def test_three_rungs_are_marked(desk, model, memory_gb) -> None:
    card = desk.first_card(memory_gb)
    reply = ask(desk, model, cards=(Cards(name=card.name),))
    fitting = [row for row in reply.rows if row.fit != "no"]
    marks = marked(reply)
    assert marks["closest"] == fitting[0].quant
    assert marks["recommended"] in {"Q6_K", "Q5_K_M", "Q4_K_M"}
    good = [row for row in fitting if row.quant in {"Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M"}]
    assert marks["fastest"] == max(good, key=lambda row: row.speed.tok_s).quant
    comfortable = [row.quant for row in good if row.fit == "comfortable" and row.quant != "Q8_0"]
    assert not comfortable or marks["recommended"] == comfortable[0]


def test_without_hardware_the_usual_quant_is_recommended_and_nothing_is_said_of_speed(desk) -> None:
    reply = ask(desk, "Llama 3.1 8B")
    assert marked(reply) == {"closest": "Q8_0", "recommended": "Q4_K_M"}
    assert all(row.fit is None and row.speed is None for row in reply.rows)


def test_a_model_that_was_published_quantised_is_offered_as_that_alone(desk) -> None:
    reply = ask(desk, "gpt-oss 20B", memory_gb=16)
    assert reply.native
    assert [row.quant for row in reply.rows] == ["MXFP4"]
    assert marked(reply)["recommended"] == "MXFP4"


def test_where_none_fits_the_split_is_offered(desk) -> None:
    reply = ask(desk, "Llama 3.3 70B", cards=(Cards(name="GeForce RTX 3090"),))
    assert marked(reply) == {}
    assert reply.split.ram_gb > 0
    assert reply.split.quant == "Q4_K_M"


def test_the_loss_is_the_published_one_with_its_source_and_of_this_model_alone(desk) -> None:
    rows = {row.quant: row for row in ask(desk, "Llama 3 8B").rows}
    assert rows["Q6_K"].loss.metric == "perplexity"
    assert rows["Q6_K"].loss.value == pytest.approx(0.349, abs=0.2)
    assert "llama.cpp" in rows["Q6_K"].loss.source
    assert all(row.loss is None for row in ask(desk, "Gemma 4 12B").rows)


def test_the_link_is_made_from_the_records_repository_and_a_size_has_none(desk) -> None:
    assert ask(desk, "Qwen3 14B").gguf_search == "https://huggingface.co/models?search=Qwen3-14B%20GGUF"
    assert build(desk, Question(intent=Intent.WHICH_QUANT, parameters=7e9)).gguf_search is None


def test_what_is_wrong_with_a_published_figure_is_named_by_its_line(catalogue, tmp_path) -> None:
    file = tmp_path / "quality.csv"
    header, first, *_ = (SOURCES / "quality.csv").read_text(encoding="utf-8").splitlines()
    for rows, problem in (
        ([first.replace("GLM-5.1,", "GLM-9,", 1)], "quality.csv: line 2: model: GLM-9 is not on file"),
        ([first, first], "quality.csv: line 3: GLM-5.1 Q5_K_M kl_divergence AesSedai (attention kept at Q8_0) is there already"),
        ([first.replace("0.020247", "much")], "value: input should be a valid number"),
    ):
        file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
        with pytest.raises(DataError) as failed:
            read_quality(file, catalogue.models)
        assert problem in str(failed.value)
