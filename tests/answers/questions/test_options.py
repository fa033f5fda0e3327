"""A field of a form is read as the same thing said in a sentence."""

from __future__ import annotations

import pytest

from answers.answering import Answering
from answers.errors import UsageError
from answers.questions.options import fields, read_context
from answers.questions.question import Cards, Intent, Question

SENTENCES = (
    ("can I run {} on {}?", Intent.CAN_RUN),
    ("¿me corre {} en {}?", Intent.CAN_RUN),
    ("{} gira su {}?", Intent.CAN_RUN),
)
MODELS = ("StarCoder 2 15B", "starcoder2-15b", "70B", "llama 8b", "qwen2.5 32b", "foo 27b")
HARDWARE = (
    "24 GB",
    "12gb",
    "a 3090",
    "2x 3090",
    "2x 3090 + 4060 Ti 16GB",
    "3060",
    "M4 Max 64GB",
    "7900 xtx",
    "laptop 4060",
    "2x24",
)


@pytest.mark.parametrize("hardware", HARDWARE)
@pytest.mark.parametrize("model", MODELS)
def test_a_form_and_a_sentence_are_one_question(answering: Answering, model: str, hardware: str) -> None:
    reader = answering.reader
    asked = fields(Intent.CAN_RUN, reader.model(model), reader.hardware(hardware))
    said = reader.read(f"can I run {model} on {hardware}?").question
    assert asked == said


@pytest.mark.parametrize(("sentence", "intent"), SENTENCES)
def test_the_language_of_the_sentence_makes_no_difference(answering: Answering, sentence: str, intent: Intent) -> None:
    reader = answering.reader
    said = reader.read(sentence.format("StarCoder 2 15B", "2x 3090")).question
    assert fields(intent, reader.model("StarCoder 2 15B"), reader.hardware("2x 3090")) == said


@pytest.mark.parametrize(
    ("typed", "memory_gb"), [("24", 24.0), ("11.5", 11.5), ("11,5", 11.5), ("512", 512.0), ("10 gigas", 10.0), ("8000 MB", 8.0)]
)
def test_a_bare_number_is_memory(answering: Answering, typed: str, memory_gb: float) -> None:
    assert answering.reader.hardware(typed) == Question(memory_gb=memory_gb)


def test_a_number_that_names_a_card_is_the_card(answering: Answering) -> None:
    assert answering.reader.hardware("3090").cards == (Cards(name="GeForce RTX 3090"),)


def test_every_name_on_file_is_that_record(answering: Answering) -> None:
    reader = answering.reader
    for card in answering.catalogue.cards:
        assert reader.hardware(card.name).cards == (Cards(name=card.name),)
        assert reader.name(card.name).cards == (Cards(name=card.name),)
    for model in answering.catalogue.models:
        assert reader.model(model.name) == Question(models=(model.name,))


def test_names_on_file_are_joined_and_counted(answering: Answering) -> None:
    read = answering.reader.hardware("2x GeForce RTX 3090 + Tesla P40")
    assert read.cards == (Cards(name="GeForce RTX 3090", count=2), Cards(name="Tesla P40"))
    assert read.n_cards == 3


def test_a_file_name_states_its_quant(answering: Answering) -> None:
    assert answering.reader.model("starcoder2-15b-Q4_K_M.gguf") == Question(models=("StarCoder 2 15B",), quant="Q4_K_M")


def test_a_stated_quant_goes_before_that_of_the_file_name(answering: Answering) -> None:
    model = answering.reader.model("starcoder2-15b-Q4_K_M.gguf")
    assert fields(Intent.CAN_RUN, model, quant="Q8_0").quant == "Q8_0"
    assert fields(Intent.CAN_RUN, model, quant=None).quant == "Q4_K_M"


@pytest.mark.parametrize("typed", ["blorp", "the good one", "🦙"])
def test_what_is_no_name_is_an_unknown_name(answering: Answering, typed: str) -> None:
    assert answering.reader.model(typed) == Question(unknown=(typed,), unknown_kind="model")
    assert answering.reader.hardware(typed) == Question(unknown=(typed,), unknown_kind="card")


def test_nothing_typed_is_nothing_asked(answering: Answering) -> None:
    assert answering.reader.model("  ") == answering.reader.hardware("") == answering.reader.name(" ") == Question()


def test_a_name_is_of_a_model_or_of_a_card(answering: Answering) -> None:
    assert answering.reader.name("polycoder").models == ("PolyCoder",)
    assert answering.reader.name("rtx 4090").cards == (Cards(name="GeForce RTX 4090"),)
    assert answering.reader.name("blorp").unknown_kind == "model"


@pytest.mark.parametrize(
    ("typed", "tokens"),
    [("8192", 8192), ("32k", 32768), (" 128 K ", 131072), ("1M", 1048576), ("131,072", 131072), ("131.072", 131072), ("1", 1)],
)
def test_a_context_is_read_as_people_write_it(typed: str, tokens: int) -> None:
    assert read_context(typed) == tokens


@pytest.mark.parametrize("typed", ["", "0", "-5", "lots", "1.5k", "100000001", "9" * 30, "32kk"])
def test_what_is_no_context_is_refused(typed: str) -> None:
    with pytest.raises(UsageError, match="no context"):
        read_context(typed)
