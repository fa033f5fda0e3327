"""Kinds of messages that people type: given a message, this question."""

from __future__ import annotations

from typing import Any

import pytest

from answers.catalogue.snapshot import Catalogue
from answers.locales import Locales
from answers.questions.question import Question
from answers.questions.read import Reader

SURE = 0.7
"""How sure a reading must be where nobody addressed the bot."""


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue, locales: Locales) -> Reader:
    return Reader(catalogue, locales)


def holds(question: Question, expected: dict[str, Any]) -> None:
    said = {name: [card.name for card in question.cards] if name == "cards" else getattr(question, name) for name in expected}
    assert said == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("64GB RAM no gpu, can i run mixtral?", {"cpu_only": True, "ram_gb": 64, "memory_gb": None, "intent": "can_run"}),
        ("only have integrated graphics and 16gb, mistral 7b?", {"cpu_only": True, "ram_gb": 16, "intent": "can_run"}),
        ("can i run llama 3.1 8b without a gpu?", {"cpu_only": True, "ram_gb": None, "intent": "can_run"}),
        ("sin gráfica y con 32 gb de ram, corre phi-4?", {"cpu_only": True, "ram_gb": 32}),
        ("niente gpu, 32 giga di ram: gira phi-4?", {"cpu_only": True, "ram_gb": 32}),
        ("mixtral with some layers on the cpu, 8gb card?", {"cpu_only": False, "memory_gb": 8}),
    ],
)
def test_a_machine_without_a_card(reader: Reader, text: str, expected: dict[str, Any]) -> None:
    holds(reader.read(text).question, expected)


@pytest.mark.parametrize(
    ("text", "ram"),
    [
        ("64gb ram and zero gpus, mixtral?", 64),
        ("без видяхи, оперативки 64 гб, mixtral потянет?", 64),
        ("nur ram hab ich, 64gb, läuft mixtral?", 64),
        ("mam 32 gb ramu i żadnej karty, mixtral pójdzie?", 32),
        ("グラボ無しメモリ64GBでmixtral動く？", 64),
    ],
)
def test_a_machine_without_a_card_in_more_words(reader: Reader, text: str, ram: float) -> None:
    holds(reader.read(text).question, {"cpu_only": True, "ram_gb": ram, "memory_gb": None, "intent": "can_run"})


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("i have a 4090, would another 3060 help?", [1, 1]),
        ("lohnt neben der 4090 noch eine 3060 dazu?", [1, 1]),
        ("в пару к 4090 воткнуть 1080ti, будет толк?", [1, 1]),
        ("would another 3060 help?", [2]),
        ("does a second 3060 speed things up", [2]),
        ("would a third 3060 help?", [3]),
    ],
)
def test_one_card_more(reader: Reader, text: str, counts: list[int]) -> None:
    question = reader.read(text).question
    assert question.intent == "two_gpus"
    assert [card.count for card in question.cards] == counts
    assert question.n_cards == sum(counts)


@pytest.mark.parametrize("text", ["can amd and nvidia work together for llama.cpp?", "3 different gpus in one box, works?"])
def test_cards_that_are_not_named_are_counted(reader: Reader, text: str) -> None:
    question = reader.read(text).question
    assert (question.intent, question.cards, question.n_cards) == ("two_gpus", (), 3 if text.startswith("3") else 2)


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("4070tis for phi-4?", "GeForce RTX 4070 Ti SUPER"),
        ("m4, phi-4?", "Apple M4"),
        ("tesla m4, phi-4 mini?", "Tesla M4"),
        ("two 4070tis, phi-4?", "GeForce RTX 4070 Ti"),
    ],
)
def test_short_names_of_cards(reader: Reader, text: str, card: str) -> None:
    (named,) = reader.read(text).question.cards
    assert named.name == card or (card.startswith("Apple") and named.name.startswith(card))


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("потянет ли 3060 геммy 3 12b?", "Gemma 3 12B"),
        ("геммой 3 12b можно пользоваться в коммерции?", "Gemma 3 12B"),
        ("мистраль смолл на 3090 влезет?", "Mistral Small 3 24B"),
    ],
)
def test_names_in_cyrillic_declined_and_typed_half_in_latin(reader: Reader, text: str, model: str) -> None:
    question = reader.read(text).question
    assert model in {*question.models, *(name for names in question.candidates.values() for name in names)}


def test_who_is_called_by_name_after_a_greeting_is_asked(reader: Reader) -> None:
    assert reader.read("hey @mike does your 3090 run mixtral?").question.intent == "none"
    assert reader.read("does a 3090 run mixtral @ q4?").question.intent == "can_run"


def test_the_other_size_of_a_family_is_compared(reader: Reader) -> None:
    question = reader.read("what's the difference between qwen3 30b a3b and the 32b?").question
    assert (question.intent, question.models) == ("compare_models", ("Qwen3 30B-A3B", "Qwen3 32B"))


def test_a_sum_in_thousands_is_no_context(reader: Reader) -> None:
    assert reader.read("3k budget, which gpu should i buy for llms?").question.context is None


@pytest.mark.parametrize(
    ("text", "count"), [("99 3090s for llama 405b?", 99), ("can 0x 3090 run llama 8b", 0), ("500 gpus for r1?", 500)]
)
def test_a_number_of_cards_that_nobody_has_is_kept_for_the_answer(reader: Reader, text: str, count: int) -> None:
    assert reader.read(text).question.cards_stated == count


@pytest.mark.parametrize(
    "text", ["is 900 for a 3090 ok?", "$500 4090?", "3060 4090 or 5090 for r1?", "64x h100 for r1?", "8 3090s for r1?"]
)
def test_other_numbers_are_no_impossible_count(reader: Reader, text: str) -> None:
    assert reader.read(text).question.cards_stated is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fastest cards under 16 GB for phi-4", {"intent": "rank_cards", "memory_gb": 16, "memory_at_most": True}),
        ("fastest 16 GB cards for phi-4", {"intent": "rank_cards", "memory_gb": 16, "memory_at_most": False}),
        ("what models fit under 16 GB", {"intent": "what_can_card_run", "memory_gb": 16, "memory_at_most": False}),
        ("best gpu under $1000 for local llms", {"intent": "choose_gpu", "memory_gb": None, "cards": []}),
    ],
)
def test_bounds_and_budgets(reader: Reader, text: str, expected: dict[str, Any]) -> None:
    holds(reader.read(text).question, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unsloth/Qwen3-30B-A3B-GGUF:Q4_K_XL on a 3090?", {"models": ("Qwen3 30B-A3B",), "quant": "Q4_K_M", "intent": "can_run"}),
        ("hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q8_0 on 6gb?", {"models": ("Llama 3.2 3B",), "quant": "Q8_0"}),
        ("llama3.1:8b-instruct-q4_K_M on 8gb?", {"models": ("Llama 3.1 8B",), "quant": "Q4_K_M"}),
        ("Qwen3-30B-A3B-UD-Q4_K_XL.gguf on 24gb?", {"models": ("Qwen3 30B-A3B",), "quant": "Q4_K_M"}),
        ("can i run the new zorblax-2.5-pro 27b on a 3090?", {"unknown": ("zorblax-2.5-pro 27b",), "parameters": 27e9}),
        ("will NewModel-Next 80B-A3B fit on 24gb?", {"unknown": ("NewModel-Next 80B-A3B",), "parameters": 80e9}),
        ("r1 14b on a 4090?", {"models": ("DeepSeek-R1-Distill-Qwen 14B",)}),
        ("who is behind granite 3.3 8b?", {"intent": "creator", "models": ("Granite 3.3 8B",)}),
        ("quién está detrás de salamandra", {"intent": "creator", "models": ("Salamandra 7B",)}),
        ("who wrote the command?", {"models": ()}),
    ],
)
def test_names_in_the_wild(reader: Reader, text: str, expected: dict[str, Any]) -> None:
    holds(reader.read(text).question, expected)


def test_titan_by_itself_asks_which(reader: Reader) -> None:
    read = reader.read("will a titan run llama 3.1 8b?").question
    assert len(read.candidates["titan"]) > 1
    assert not reader.read("the titan sank").question.cards


@pytest.mark.parametrize(
    ("text", "intent"), [("3090", "what_can_card_run"), ("12gb", "what_can_card_run"), ("llama 3.3 70b", "gpu_needed")]
)
def test_a_bare_name_is_answered_where_it_is_addressed_to_us(reader: Reader, text: str, intent: str) -> None:
    reading = reader.read(text)
    assert reading.question.intent == intent
    assert reading.confidence < SURE


def test_two_questions_each_with_its_own_hardware(reader: Reader) -> None:
    reading = reader.read("can I run mixtral on 12 GB and how fast on a 4090?")
    first, (second,) = reading.question, reading.more
    assert (first.intent, first.memory_gb, first.cards) == ("can_run", 12, ())
    assert (second.intent, second.memory_gb, second.cards[0].name) == ("speed", None, "GeForce RTX 4090")
    assert second.models == first.models
    assert first.also_intents == ("speed",)


@pytest.mark.parametrize(
    ("text", "first", "also"),
    [
        ("how much vram for llama 3.3 70b q4 and will it fit on 2x3090?", "vram_needed", "can_run"),
        ("yi 34b q4 on two 2080 ti, and how fast?", "can_run", "speed"),
        ("should i buy a 3090 or a 5060 ti 16gb for 32b models", "choose_gpu", "compare_cards"),
        ("does yi 34b q4 fit a 3090 and can i use it at work commercially?", "can_run", "open_source"),
    ],
)
def test_further_questions(reader: Reader, text: str, first: str, also: str) -> None:
    question = reader.read(text).question
    assert (question.intent, also in question.also_intents) == (first, True)


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("how fast is qwen3 on a 4090?", "the 14b?", {"models": ("Qwen3 14B",), "cards": ["GeForce RTX 4090"]}),
        ("what gpu for llama 3.3 70b?", "and for 8b?", {"models": ("Llama 3.1 8B",), "intent": "gpu_needed"}),
        ("can codestral run on a 3060 12gb?", "with 64gb of ram too?", {"ram_gb": 64, "cards": ["GeForce RTX 3060 12 GB"]}),
        (
            "can qwen3 14b run on a 3060 12gb?",
            "would a 4060 be faster?",
            {"intent": "compare_cards", "cards": ["GeForce RTX 3060 12 GB", "GeForce RTX 4060"]},
        ),
        ("64gb of ram, no gpu, does mixtral 8x7b run?", "and phi-4?", {"cpu_only": True, "ram_gb": 64, "models": ("Phi-4 14B",)}),
        ("can qwen3 14b run on a 3060 12gb?", "lol nice, i bought a 3090 yesterday", {"intent": "none"}),
    ],
)
def test_what_follows_a_question(reader: Reader, before: str, text: str, expected: dict[str, Any]) -> None:
    holds(reader.read(text, previous=reader.read(before).question).question, expected)


@pytest.mark.parametrize(
    "text",
    [
        "my friend says a 3090 can run llama 70b",
        "un colega dice que su 4090 saca 40 t/s con r1 32b",
        "un amico dice che con la 4090 fa 40 t/s su r1 32b",
        "i use qwen3 14b on my 3060 every day",
        "is 850 for a used 4080 a steal?",
        "which driver do i need for the 4090 and llama.cpp?",
        "can flux dev run on a 3060?",
        "finetuning llama 3.1 8b on a 3090, doable?",
    ],
)
def test_what_is_not_for_us(reader: Reader, text: str) -> None:
    assert reader.read(text).question.intent == "none"


@pytest.mark.parametrize(
    "text",
    [
        "llama 3.3 70b 2x3090?",
        "ryzen 5600, 32gb ddr4 and a 3060 12gb here. mistral nemo q4, doable?",
        "codestral ooms on my 12gb card, shouldnt that fit?",
        "only 10 t/s with qwen3 14b on a 4090, is that normal?",
        "qué gráfica necesito para gemma 3 27b",
        "16 giga bastano per mistral small?",
    ],
)
def test_questions_are_answered_in_a_channel(reader: Reader, text: str) -> None:
    assert reader.read(text).confidence >= SURE


def test_what_kind_of_memory_an_amount_is_asks_for_nothing(reader: Reader) -> None:
    assert reader.read("8gb of vram, gemma 2 9b q4?").question.intent == "can_run"
    assert reader.read("vram for gemma 2 9b q4?").question.intent == "vram_needed"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("can a 3090 run 70bs?", {"cards": ["GeForce RTX 3090"], "parameters": 7e10, "intent": "can_run"}),
        ("are 7b's ok on a 3090", {"cards": ["GeForce RTX 3090"], "parameters": 7e9, "intent": "can_run"}),
        ("what is the context limit of llama", {"intent": "max_context", "cards": []}),
    ],
)
def test_english_plurals_and_names_that_are_words_elsewhere(reader: Reader, text: str, expected: dict[str, Any]) -> None:
    question = reader.read(text).question
    holds(question, expected)
    assert question.models or question.parameters
