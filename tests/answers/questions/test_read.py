"""Reads messages as people write them: given a message, this question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from answers.catalogue.snapshot import Catalogue
from answers.locales import Locales
from answers.questions.question import Intent, Question
from answers.questions.read import Reader, as_output

LINES = [json.loads(line) for line in Path(__file__).with_name("own_lines.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue, locales: Locales) -> Reader:
    return Reader(catalogue, locales)


def question(reader: Reader, text: str, previous: str | None = None) -> Question:
    before = reader.read(previous).question if previous else None
    return reader.read(text, previous=before).question


@pytest.mark.parametrize(
    ("lang", "least"),
    [
        ("en", 120),
        ("es", 120),
        ("it", 120),
        ("zh", 90),
        ("ja", 85),
        ("ko", 85),
        ("de", 45),
        ("fr", 45),
        ("pt", 45),
        ("pl", 45),
        ("ru", 45),
    ],
)
def test_intents_of_our_own_lines(reader: Reader, lang: str, least: int) -> None:
    lines = [line for line in LINES if line["lang"] == lang]
    wrong: list[str] = []
    for line in lines:
        other = line["other"] or {}
        before = other.get("previous_question")
        read = question(reader, line["text"], before)
        if read.intent != line["intent"]:
            wrong.append(f"{line['text']}: {read.intent} for {line['intent']}")
    assert len(lines) >= least
    assert len(wrong) <= 0.04 * len(lines), wrong


def test_what_is_not_a_question_is_left_alone(reader: Reader) -> None:
    silent = [line["text"] for line in LINES if line["intent"] == "none"]
    answered = [text for text in silent if reader.read(text).question.intent != "none"]
    assert len(answered) <= 0.05 * len(silent), answered


def test_a_threshold_tells_questions_from_the_rest(reader: Reader) -> None:
    asked = [reader.read(line["text"]).confidence for line in LINES if line["intent"] != "none" and not line["other"]]
    rest = [reader.read(line["text"]).confidence for line in LINES if line["intent"] == "none"]
    assert sum(sure >= 0.5 for sure in asked) >= 0.95 * len(asked)
    assert sum(sure >= 0.5 for sure in rest) <= 0.05 * len(rest)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("can I run StarCoder 2 15B on 12 GB?", {"intent": "can_run", "models": ["StarCoder 2 15B"], "memory_gb": 12}),
        ("¿me corre un 7B en una 3060?", {"intent": "can_run", "cards": ["GeForce RTX 3060 12 GB"], "parameters": 7e9}),
        ("chi ha fatto polycoder?", {"intent": "creator", "models": ["PolyCoder"], "lang": "it"}),
        ("una 3060 de 12, cabe qwen3 14b?", {"cards": ["GeForce RTX 3060 12 GB"], "candidates": {}}),
        ("3060 da 12 giga, ci sta qwen3 14b?", {"cards": ["GeForce RTX 3060 12 GB"], "lang": "it"}),
        ("can a laptop with a 4060 run llama 3.1 8b?", {"cards": ["GeForce RTX 4060 Mobile"]}),
        ("la 4060 de portátil puede con llama 3.1 8b?", {"cards": ["GeForce RTX 4060 Mobile"]}),
        ("4060 per portatili, gira llama 3.1 8b?", {"cards": ["GeForce RTX 4060 Mobile"]}),
        ("2x3090 enough for llama 3.3 70b q4km?", {"cards": ["GeForce RTX 3090"], "n_cards": 2, "quant": "Q4_K_M"}),
        ("can two 8xH100 boxes hold r1 671b?", {"n_cards": 16}),
        ("does llama 3.3 70b fit on 2x24?", {"memory_gb": 24, "n_cards": 2}),
        (
            "a 4060 ti 16gb and a 3060 12gb, can they run qwen 32b?",
            {"n_cards": 2, "cards": ["GeForce RTX 4060 Ti 16 GB", "GeForce RTX 3060 12 GB"]},
        ),
        ("can i run codellama 7b with 32k ctx on a 4070", {"context": 32768, "intent": "can_run"}),
        ("does mistral 7b fit in 8gb with 8192 tokens?", {"context": 8192}),
        ("m1 8gb, can it run llama 3.2 3b?", {"cards": ["Apple M1 8 GB"]}),
        ("smallest card for starcoder2 15b", {"intent": "gpu_needed"}),
        ("which nvidia is fastest for phi-4?", {"intent": "rank_cards", "models": ["Phi-4 14B"]}),
        ("¿qué nvidia es más rápida para llama 3.1 8b?", {"intent": "rank_cards", "models": ["Llama 3.1 8B"]}),
        ("quale amd è più veloce per phi-4?", {"intent": "rank_cards", "lang": "it"}),
        ("ryzen 5 5600, 32gb ddr4, rx 7800 xt. would phi-4 work?", {"cards": ["Radeon RX 7800 XT"], "n_cards": 1}),
        ("qué gráfica compro para ia local con 600 euros", {"intent": "choose_gpu", "cards": []}),
        ("show me all radeon cards that fit phi-4", {"intent": "rank_cards", "cards": []}),
        ("top 10 cards for phi-4", {"intent": "rank_cards", "n_cards": 1}),
        ("rtx 4070 ti phi-4?", {"intent": "can_run", "lang": "en"}),
        ("mixtral-8x7b-instruct-v0.1-GGUF on 24gb?", {"intent": "can_run", "models": ["Mixtral 8x7B"]}),
        ("Qwen2.5-Coder-32B-Instruct-Q4_K_M.gguf on my 4090?", {"intent": "can_run", "quant": "Q4_K_M"}),
        ("phi-4 on a 3060 12gb, worth a shot?", {"intent": "can_run"}),
        ("does a 4090 fit in my case", {"intent": "none"}),
        ("is the xbox any good", {"cards": []}),
        ("what's the difference between q4 and q8", {"intent": "quant_differs"}),
        ("vram requirements for hermes 4 70b", {"intent": "vram_needed"}),
        ("what's phi-4 weigh at q4", {"intent": "vram_needed"}),
        ("best 24gb cards for phi-4", {"intent": "rank_cards", "memory_gb": 24}),
        ("i9-13900k, 64gb ddr5, 4080 super. phi-4?", {"context": None, "cards": ["GeForce RTX 4080 SUPER"]}),
        ("two 1080 tis for phi-4?", {"cards": ["GeForce GTX 1080 Ti"], "n_cards": 2}),
        ("is it worth adding a 2nd 3090 for 70b", {"intent": "two_gpus", "n_cards": 2}),
        ("rtx 3090 specs", {"intent": "spec", "lang": "en"}),
        ("qwq 32b on a 3090?", {"models": ["QwQ 32B"], "candidates": {}}),
        ("qwen 14b on a 3090?", {"models": ["Qwen2.5 14B"]}),
        ("mi amigo dice que una 4090 corre cualquier cosa", {"intent": "none"}),
        ("che monitor prendo per la 4090", {"intent": "none"}),
        ("smallest cards for starcoder2 15b", {"intent": "rank_cards"}),
        ("which quant of yi 34b fits on a 4090?", {"intent": "can_run"}),
        ("3090 or 4080 for mixtral, which one is faster?", {"intent": "compare_cards", "n_cards": 1}),
    ],
)
def test_what_is_printed_for_a_question(reader: Reader, text: str, expected: dict[str, Any]) -> None:
    output = as_output(reader.read(text), text)
    assert {key: output[key] for key in expected} == expected


def test_the_output_has_its_keys_and_no_others(reader: Reader) -> None:
    assert list(as_output(reader.read("hi"), "hi")) == [
        "text",
        "lang",
        "intent",
        "also_intents",
        "models",
        "cards",
        "n_cards",
        "memory_gb",
        "quant",
        "context",
        "parameters",
        "candidates",
        "confidence",
    ]


def test_system_memory_is_told_from_card_memory(reader: Reader) -> None:
    read = question(reader, "i have 32gb ram and a 1660 super, can i run codellama 7b?")
    assert (read.ram_gb, [card.name for card in read.cards]) == (32, ["GeForce GTX 1660 SUPER"])
    assert question(reader, "can 16gb ram run mistral 7b?").memory_gb == 16
    both = question(reader, "8gb vram and 64gb of system ram, does mixtral work?")
    assert (both.memory_gb, both.ram_gb) == (8, 64)


def test_memory_beside_a_card_without_such_a_twin_is_a_statement(reader: Reader) -> None:
    read = question(reader, "my 3070 12gb, can it run mistral nemo?")
    assert [card.name for card in read.cards] == ["GeForce RTX 3070"]
    assert read.memory_gb == 12


def test_usable_memory_is_marked(reader: Reader) -> None:
    read = question(reader, "what runs in 7gb usable vram?")
    assert (read.memory_gb, read.memory_usable) == (7, True)


@pytest.mark.parametrize(("text", "memory"), [("can i run llama 8b on 0 GB?", 0), ("can i run llama 8b on -5 GB?", -5)])
def test_absurd_amounts_are_kept_as_stated(reader: Reader, text: str, memory: float) -> None:
    assert question(reader, text).memory_gb == memory


def test_a_context_above_the_models_own_is_kept(reader: Reader) -> None:
    assert question(reader, "can i run starcoder on a 4090 with 128k context?").context == 131072


def test_an_unknown_model_with_a_size_is_named_and_sized(reader: Reader) -> None:
    read = question(reader, "can i run Foo 27B on a 3090?")
    assert (read.unknown, read.unknown_kind, read.parameters, read.models) == (("Foo 27B",), "model", 27e9, ())


def test_a_version_that_does_not_exist_is_unknown(reader: Reader) -> None:
    read = question(reader, "can i run llama 5 8b on a 3090?")
    assert (read.unknown, read.unknown_kind, read.models) == (("llama 5 8b",), "model", ())


def test_an_unknown_card_is_named(reader: Reader) -> None:
    read = question(reader, "is an RTX 9999 enough for llama 3.1 8b?")
    assert (read.unknown, read.unknown_kind, read.cards) == (("RTX 9999",), "card", ())


@pytest.mark.parametrize(
    "text", ["what is the command for that?", "the falcon flew over", "solar panels are great", "is it arctic outside?"]
)
def test_an_ordinary_word_is_no_model(reader: Reader, text: str) -> None:
    assert question(reader, text).models == ()


def test_an_ordinary_word_in_company_is_one(reader: Reader) -> None:
    assert question(reader, "can i run falcon 40b on 24gb?").models == ("Falcon 40B",)
    assert question(reader, "how much vram does solar need?").models == ("SOLAR 10.7B",)


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        (
            "and on a 4090?",
            "can a 3060 12gb run codestral?",
            {"cards": ["GeForce RTX 4090"], "models": ["Codestral 22B"], "intent": "can_run"},
        ),
        (
            "with 32k context?",
            "does mistral nemo fit in 12gb?",
            {"context": 32768, "memory_gb": 12, "models": ["Mistral NeMo 12B"]},
        ),
        ("who made it?", "how fast is codestral on a 4090?", {"intent": "creator", "models": ["Codestral 22B"], "cards": []}),
        (
            "ok and with 2 of them?",
            "can a 3090 run llama 3.3 70b q4?",
            {"n_cards": 2, "cards": ["GeForce RTX 3090"], "quant": "Q4_K_M"},
        ),
        ("¿y en una 4090?", "cabe codestral en 12 gb?", {"cards": ["GeForce RTX 4090"], "memory_gb": None, "intent": "can_run"}),
        ("e su una 4090?", "ho 12 giga di vram, ci sta codestral 22b?", {"cards": ["GeForce RTX 4090"], "lang": "it"}),
        ("how much vram does it need at q8?", "can i run codestral on a 4090?", {"intent": "vram_needed", "quant": "Q8_0"}),
        ("and mixtral?", "can i run codestral on a 4090?", {"models": ["Mixtral 8x7B"], "cards": ["GeForce RTX 4090"]}),
        ("thanks!", "can i run codestral on a 4090?", {"intent": "none", "models": []}),
    ],
)
def test_a_follow_up_keeps_what_it_leaves_unsaid(reader: Reader, text: str, before: str, expected: dict[str, Any]) -> None:
    reading = reader.read(text, previous=reader.read(before).question)
    output = as_output(reading, text)
    assert {key: output[key] for key in expected} == expected


def test_a_whole_question_takes_nothing_from_the_one_before(reader: Reader) -> None:
    before = reader.read("can a 3090 run llama 3.3 70b q4 with 16k context?").question
    after = reader.read("does mistral 7b fit in 8gb?", previous=before).question
    assert (after.models, after.cards, after.quant, after.context) == (("Mistral 7B v0.1",), (), None, None)


def test_several_questions_are_each_read_whole(reader: Reader) -> None:
    reading = reader.read("does llama 3 8b fit on a 3060 12gb? and qwen3 14b on a 4090?")
    first, (second,) = reading.question, reading.more
    assert (first.models, first.cards[0].name) == (("Llama 3 8B",), "GeForce RTX 3060 12 GB")
    assert (second.models, second.cards[0].name) == (("Qwen3 14B",), "GeForce RTX 4090")


def test_a_second_question_about_the_same_thing_is_found(reader: Reader) -> None:
    reading = reader.read("how much vram does starcoder need? and who made it?")
    assert (reading.question.intent, reading.question.also_intents) == ("vram_needed", ("creator",))
    assert reading.more[0].models == ("StarCoder",)


def test_cards_named_one_instead_of_the_other_are_asked_about_apart(reader: Reader) -> None:
    reading = reader.read("are deepseek coder 6.7b and 33b ok on a 3060 12gb or a 4090?")
    assert [card.name for card in reading.question.cards] == ["GeForce RTX 3060 12 GB"]
    assert [card.name for card in reading.more[0].cards] == ["GeForce RTX 4090"]


def test_markup_mentions_and_quotes_do_not_matter(reader: Reader) -> None:
    plain = question(reader, "can i run codestral on a 4090?")
    assert question(reader, "<@123456789> can i run **codestral** on a `4090`?") == plain
    assert question(reader, "> no you need a 5090 for mixtral\ncan i run codestral on a 4090?") == plain
    linked = question(reader, "can i run https://huggingface.co/mistralai/Codestral-22B-v0.1 on a 4090?")
    assert linked.models == ("Codestral 22B",)


def test_a_long_message_is_read_at_both_ends(reader: Reader) -> None:
    filler = "and then i went on and on about my day " * 200
    read = question(reader, f"i have a 4090. {filler} so can i run codestral on that?")
    assert (read.models, read.cards[0].name) == (("Codestral 22B",), "GeForce RTX 4090")


def test_a_stated_language_is_a_hint_and_no_more(reader: Reader) -> None:
    assert reader.read("llama 3 8b 3060 12gb?", lang="es-419").lang == "es"
    assert reader.read("can i run codestral on a 4090?", lang="it").lang == "en"


def test_an_answer_to_a_question_asked_back_completes_it(reader: Reader) -> None:
    before = reader.read("can i run codestral?").question
    after = reader.read("3060 12gb", previous=before)
    assert (after.question.intent, after.question.models) == ("can_run", ("Codestral 22B",))
    assert [card.name for card in after.question.cards] == ["GeForce RTX 3060 12 GB"]
    assert after.confidence >= 0.5


def test_software_with_a_models_name_is_no_model(reader: Reader) -> None:
    assert question(reader, "llama.cpp on a 3090: is qwen3 32b possible?").models == ("Qwen3 32B",)


def test_a_vendor_between_the_words_of_a_cue_does_not_hide_it(reader: Reader) -> None:
    read = question(reader, "which nvidia cards can run llama 3.3 70b?")
    assert (read.intent, read.vendor) == ("rank_cards", "NVIDIA")


def test_the_least_quality_is_told_from_a_quant(reader: Reader) -> None:
    read = question(reader, "fastest cards for mixtral at least q5")
    assert (read.quant, read.min_quality) == (None, "Q5_K_M")


@pytest.mark.parametrize(
    "text", ["780m igpu, can it do llama 3.1 8b?", "llama 3.1 8b on a radeon 890m?", "intel arc 140v llama 3.1 8b?"]
)
def test_graphics_of_a_processor_are_not_taken_for_another_card(reader: Reader, text: str) -> None:
    read = question(reader, text)
    assert (read.models, read.cards, read.unknown, read.cpu_only) == (("Llama 3.1 8B",), (), (), True)


def test_memory_of_the_system_is_read_without_its_unit(reader: Reader) -> None:
    read = question(reader, "con 8gb de vram y 32 de ram, puedo mover qwen3 30b a3b?")
    assert (read.memory_gb, read.ram_gb) == (8, 32)


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("which nvidia is fastest for phi-4?", "and amd?", {"vendor": "AMD", "order": "fastest", "models": ("Phi-4 14B",)}),
        ("fastest amd cards for phi-4", "what about the smallest", {"vendor": "AMD", "order": "smallest"}),
        ("what can a 4090 run?", "for coding?", {"intent": "what_can_card_run", "use": "code"}),
        ("miglior modello per 12gb", "e per programmare?", {"intent": "what_can_card_run", "use": "code", "memory_gb": 12}),
        ("can a titan xp run phi-4?", "which nvidia is fastest?", {"intent": "rank_cards", "cards": (), "models": ("Phi-4 14B",)}),
        ("can a 4090 run phi-4?", "amd is garbage", {"intent": "none"}),
    ],
)
def test_a_question_is_narrowed_by_the_next_one(reader: Reader, before: str, text: str, expected: dict[str, Any]) -> None:
    read = question(reader, text, before)
    assert {name: getattr(read, name) for name in expected} == expected


def test_a_card_is_compared_with_those_before_it(reader: Reader) -> None:
    read = question(reader, "what about the 4090", "3090 or 4080 for phi-4?")
    assert [card.name for card in read.cards] == ["GeForce RTX 3090", "GeForce RTX 4080", "GeForce RTX 4090"]


def test_questions_about_different_models_are_read_each_by_itself(reader: Reader) -> None:
    text = "who made PolyCoder? how much vram does StarCoder 2 15B need? can I run Qwen3 8B on 12 GB?"
    reading = reader.read(text)
    assert [(question.intent.value, question.models) for question in (reading.question, *reading.more)] == [
        ("creator", ("PolyCoder",)),
        ("vram_needed", ("StarCoder 2 15B",)),
        ("can_run", ("Qwen3 8B",)),
    ]


def test_a_whole_new_question_takes_nothing_from_the_one_before(reader: Reader) -> None:
    before = reader.read("can I run Qwen3 8B on a 3060 12GB at Q8 with 32k context?").question
    asked = reader.read("what can a 4090 run?", "en", before).question
    assert asked == reader.read("what can a 4090 run?", "en").question
    assert (asked.quant, asked.context) == (None, None)


def test_what_else_runs_is_not_asked_at_the_quant_of_the_model_before(reader: Reader) -> None:
    before = reader.read("¿me corre Qwen3 8B en una 3060 12GB a Q8 con 32k de contexto?").question
    asked = reader.read("¿y qué más puede correr?", "es", before).question
    assert asked.intent == "what_can_card_run"
    assert [card.name for card in asked.cards] == [card.name for card in before.cards] != []
    assert (before.quant, asked.quant, asked.context) == ("Q8_0", None, 32768)


@pytest.mark.parametrize(
    ("text", "kv", "quant"),
    [
        ("Qwen3 14B on a 3060 12 GB with 32k context and q8_0 kv cache", "q8_0", None),
        ("qwen3 14b q5 on a 3060 12gb, kv cache at q8, 32k ctx", "q8_0", "Q5_K_M"),
        ("¿qwen3 14b en una 3060 de 12 con caché q8 y 32k?", "q8_0", None),
        ("can i run qwen3 14b -ctk q4_0 on 12gb", "q4_0", None),
        ("qwen3 14b 显存12g kv缓存q8能跑吗", "q8_0", None),
        ("qwen3 14b at q8 on a 3090, how big is the kv cache?", None, "Q8_0"),
        ("can I run qwen3 14b at q8 on a 3090?", None, "Q8_0"),
    ],
)
def test_the_precision_of_the_cache_is_not_that_of_the_model(reader: Reader, text: str, kv: str | None, quant: str | None) -> None:
    asked = question(reader, text)
    assert (asked.kv, asked.quant) == (kv, quant)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("does qwen3 32b fit in 16 or 24gb?", [16, 24]),
        ("8, 12 or 16 GB for llama 3.1 8b?", [8, 12, 16]),
        ("8/12/16gb enough for gemma 3 12b?", [8, 12, 16]),
        ("16gb or 24gb for qwen3 32b?", [16, 24]),
        ("¿cabe gemma 3 27b en 16 o 24 gigas?", [16, 24]),
        ("qwen3 14b sta in 8 o 12 gb?", [8, 12]),
        ("qwen3 32b 16G还是24G能跑？", [16, 24]),
        # The second is the system's memory, and a card has one size.
        ("can I run qwen3 30b a3b on 12 GB and 32 GB RAM?", [12]),
        ("can a 3060 12 gb run gemma 3 12b?", [None]),
        ("does q4 of qwen3 14b fit 12gb, it takes 9 or 10gb?", [12]),
    ],
)
def test_each_of_several_amounts_of_memory_is_asked_about(reader: Reader, text: str, sizes: list[float | None]) -> None:
    reading = reader.read(text)
    asked = [reading.question, *reading.more]
    expected = sizes if sizes != [None] else [asked[0].memory_gb]
    assert [one.memory_gb for one in asked if one.intent == reading.question.intent] == expected
    assert all(one.models for one in asked)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("getting 6 tok/s from llama 3.1 8b on my 2060, thats way too low right?", 6),
        ("me da 5 tok/s mistral nemo en la 3060 12gb, es normal tan lento?", 5),
        ("faccio 6,5 token al secondo con mistral nemo sulla 3060 12gb, è normale?", 6.5),
        ("4 tokens/s avec nemo sur ma 3060 c normal ??", 4),
        ("3060 12g 跑qwen3 14b只有8token每秒，正常吗", 8),
        ("how many tok/s does llama 3.1 8b get on a 4060?", None),
        # Asked for, not told of.
        ("which gpus get more than 30 t/s with llama 3 8b", None),
    ],
)
def test_a_speed_that_is_told_of_is_noted_where_speed_is_asked_about(reader: Reader, text: str, told: float | None) -> None:
    assert question(reader, text).reported_tok_s == told


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("64gb ddr5-5600 and a 4070, llama 3.3 70b doable?", ["GeForce RTX 4070"]),
        ("how slow is cpu only with ddr5 6000 for a 14b?", []),
        ("lpddr5x 8533 laptop with 32gb and no gpu, qwen3 30b a3b?", []),
        # Behind a comma the number is a card's.
        ("i9-13900k, 64gb ddr5, 4080 super. phi-4?", ["GeForce RTX 4080 SUPER"]),
        ("ryzen 5 5600, 32gb ddr4 3200, 3060 12gb: mistral small 24b ok?", ["GeForce RTX 3060 12 GB"]),
        ("rtx 3060 gddr6 12gb, qwen3 14b?", ["GeForce RTX 3060 12 GB"]),
        ("3060 ti gddr6x, qwen3 8b?", ["GeForce RTX 3060 Ti GDDR6X"]),
        ("gtx 1650 gddr6, llama 3.2 3b?", ["GeForce GTX 1650 GDDR6"]),
        ("is 48gb of unified memory on an m4 pro sufficient for llama 3.3 70b q4?", ["Apple M4 Pro 48 GB"]),
    ],
)
def test_memory_modules_are_no_cards_and_choose_none(reader: Reader, text: str, cards: list[str]) -> None:
    assert [card.name for card in question(reader, text).cards] == cards


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("is there a card under 2k that runs mixtral 8x22b", None),
        ("best gpu for 1.5k for llama 3.3 70b", None),
        ("qwen3 8b with 2k context on a 1060 6gb?", 2048),
        ("can I go up to 8k context on mistral 7b with 6gb?", 8192),
        ("qwen3 14b 16k on a 3060 12gb?", 16384),
    ],
)
def test_a_price_is_no_context(reader: Reader, text: str, context: int | None) -> None:
    assert question(reader, text).context == context


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("hab noch ne alte p40, reicht die für qwen3 14b?", 1),
        ("noch ne 3090 dazu, lohnt das für qwen3 32b?", 2),
        ("would a third 3060 12gb be pointless on pcie 3.0 x4", 3),
    ],
)
def test_what_somebody_has_is_not_another_one_of_it(reader: Reader, text: str, count: int) -> None:
    asked = question(reader, text)
    assert max(asked.n_cards, *(card.count for card in asked.cards)) == count


@pytest.mark.parametrize(
    ("text", "quants"),
    [
        ("q4 vs q6, what do i lose?", ("Q4_K_M", "Q6_K")),
        ("is iq3 usable or lobotomized", ("IQ3_M",)),
        ("is q4 much worse than unquantized?", ("Q4_K_M", "F16")),
        ("si sente la differenza tra q4 e q6?", ("Q4_K_M", "Q6_K")),
        ("¿se nota mucho pasar de q8 a q4?", ("Q8_0", "Q4_K_M")),
        ("¿se nota la diferencia entre q6 y q4?", ("Q6_K", "Q4_K_M")),
        ("merkt man q4 zu q6 wirklich?", ("Q4_K_M", "Q6_K")),
        ("why would i use q8 rather than q6", ("Q8_0", "Q6_K")),
        # Why the one is shown here and the other there asks about cards.
        ("why did you give me q4 on one card and q8 on the other", ()),
        ("perché alla 4060 dai q4 e alla 4090 q8", ()),
        ("¿por qué en una tarjeta sale q4 y en otra q6?", ()),
        ("wieso nimmst du bei der 4070 q5 und bei der 4090 q8", ()),
        ("pourquoi tu proposes q4 sur la 4070 et q6 sur la 4080", ()),
    ],
)
def test_quants_that_are_compared_are_told_from_why_they_differ(reader: Reader, text: str, quants: tuple[str, ...]) -> None:
    asked = question(reader, text)
    assert (asked.intent, asked.quants) == (Intent.QUANT_DIFFERS, quants)


def test_quants_are_compared_on_for_the_next_model(reader: Reader) -> None:
    after = question(reader, "and for gemma 3 27b?", previous="is q6 noticeably better than q4 for qwen3 14b?")
    assert (after.models, after.quants) == (("Gemma 3 27B",), ("Q6_K", "Q4_K_M"))


def test_a_vendor_that_is_asked_for_is_not_bound_to_what_was_too_small(reader: Reader) -> None:
    first = reader.read("is 24gb enough for a 70b?").question
    second = reader.read("what do i need then", previous=first).question
    third = reader.read("what about amd", previous=second).question
    assert (third.intent, third.vendor, third.parameters, third.memory_gb, third.cards) == (
        Intent.GPU_NEEDED,
        "AMD",
        70e9,
        None,
        (),
    )


@pytest.mark.parametrize(
    ("text", "memory", "ram"),
    [
        ("qwen3-next 80b a3b on 64gb ram + 12gb", 12, 64),
        ("llama 3.3 70b, 64 gb of ram and 24gb?", 24, 64),
        ("vram 8gb ram 16gb, qwen3 14b?", 8, 16),
        ("qwen3 14b on 8gb vram, 16gb ram?", 8, 16),
    ],
)
def test_a_kind_of_memory_belongs_to_the_amount_that_it_follows(reader: Reader, text: str, memory: float, ram: float) -> None:
    asked = question(reader, text)
    assert (asked.memory_gb, asked.ram_gb) == (memory, ram)


def test_words_that_all_languages_share_are_nobodys_own(reader: Reader) -> None:
    assert reader.read("vram 8gb ram 16gb qwen3 14b?").lang == "en"
    assert reader.read("vram 8gb ram 16gb qwen3 14b?", "it").lang == "it"
    assert reader.read("¿vram 8gb ram 16gb qwen3 14b?").lang == "es"


@pytest.mark.parametrize("text", ["why is moe faster than dense?", "does nvme speed matter", "is a q2 70b better than a q8 14b?"])
def test_a_general_question_gets_no_answer_to_another_one(reader: Reader, text: str) -> None:
    assert question(reader, text).intent is Intent.NONE


@pytest.mark.parametrize(
    ("text", "watts"),
    [
        ("which nvidia card under 300w runs llama 3.3 70b", 300),
        ("fastest card under 75 watts for qwen3 8b", 75),
        ("¿qué gráfica de menos de 150w va con gemma 3 12b?", 150),
        ("scheda sotto i 200w per qwen3 14b", 200),
        ("welche karte unter 150 watt für gemma 3 12b", 150),
        # What the power supply gives, and a Polish "w" ("in"), bound nothing.
        ("i have a 650w psu, which card for qwen3 14b?", None),
        ("czy qwen3 14b zmieści się na 3090 w 24 gb?", None),
    ],
)
def test_a_bound_on_power_is_told_from_other_watts(reader: Reader, text: str, watts: float | None) -> None:
    assert question(reader, text).max_power_w == watts


@pytest.mark.parametrize(
    ("text", "speed"),
    [
        ("which gpu gives me 50 t/s on qwen3 32b", 50),
        ("what do i need to run gemma 3 27b at 30 tokens per second", 30),
        ("i want 20 tok/s with llama 3.3 70b, which card?", 20),
        ("is 20 tok/s normal for llama 3.3 70b on 2x 3090", None),
        ("llama 3.3 70b gives me 5 t/s on my gpu, is that normal?", None),
    ],
)
def test_a_speed_that_a_card_should_reach_is_told_from_one_that_is_reported(reader: Reader, text: str, speed: float | None) -> None:
    asked = question(reader, text)
    assert asked.min_speed == speed
    assert (asked.reported_tok_s is None) == (speed is not None)


@pytest.mark.parametrize(
    ("text", "about_cache", "kv"),
    [
        ("how big is the kv cache for qwen3 32b at 32k?", True, None),
        ("kv cache size llama 3.1 8b 128k", True, None),
        ("¿cuánto ocupa la caché kv de qwen3 32b a 32k?", True, None),
        ("wie groß ist der kv cache von qwen3 32b bei 32k", True, None),
        ("how much vram incl kv cache for llama 3.1 8b", False, None),
        ("how much vram does qwen3 32b take with the kv cache at 32k", False, None),
        ("qwen3 32b with q8 kv cache on a 3090, how much vram at 32k", False, "q8_0"),
    ],
)
def test_the_size_of_the_cache_is_told_from_that_of_all(reader: Reader, text: str, about_cache: bool, kv: str | None) -> None:
    asked = question(reader, text)
    assert (asked.intent, asked.about_cache, asked.kv) == (Intent.VRAM_NEEDED, about_cache, kv)


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("2x3090 or one 5090?", True),
        ("two 4060 ti 16gb or one 3090 for qwen3 32b", True),
        ("¿dos 3090 o una 5090?", True),
        ("due 3090 o una 5090 per qwen3 32b?", True),
        ("would a second 3090 help", False),
        ("does adding a 3060 12gb next to my 3090 help for llama 3.3 70b", False),
    ],
)
def test_cards_set_against_each_other_are_told_from_cards_together(reader: Reader, text: str, apart: bool) -> None:
    asked = question(reader, text)
    assert (asked.apart or asked.intent is Intent.COMPARE_CARDS) == apart


@pytest.mark.parametrize(
    "text",
    [
        "is gemma 3 27b outdated?",
        "what replaced llama 3.3 70b",
        "what's newer than qwen3 32b?",
        "is there a newer version of codestral 22b",
        "¿qué sustituye a gemma 3 27b?",
        "¿está obsoleto mixtral 8x7b?",
        "gemma 3 27b è superato?",
    ],
)
def test_what_came_after_a_model_is_asked_of_its_release(reader: Reader, text: str) -> None:
    assert question(reader, text).intent is Intent.RELEASED


@pytest.mark.parametrize(
    "text",
    [
        "do I need two 3090s for qwen2.5 72b or is one enough?",
        "is one 3090 enough for qwen2.5 72b or do i need two?",
        "¿me llega una 3090 para qwen2.5 72b o necesito dos?",
        "servono due 3090 o ne basta una per qwen2.5 72b?",
        "brauche ich zwei 3090 für qwen2.5 72b oder reicht eine?",
        "il me faut deux 3090 pour qwen2.5 72b ou une seule suffit ?",
        "preciso de duas 3090 para qwen2.5 72b ou uma basta?",
        "нужны две 3090 для qwen2.5 72b или хватит одной?",
        "czy potrzebuję dwóch 3090 do qwen2.5 72b czy wystarczy jedna?",
        "跑qwen2.5 72b要两张3090还是一张就够？",
        "qwen2.5 72bには3090が2枚必要？それとも1枚で足りる？",
        "qwen2.5 72b 돌리려면 3090 두 장 필요해 아니면 한 장이면 돼?",
    ],
)
def test_one_card_or_two_asks_how_many(reader: Reader, text: str) -> None:
    asked = reader.read(text).question
    assert (asked.intent, asked.models, [card.count for card in asked.cards]) == (Intent.TWO_GPUS, ("Qwen2.5 72B",), [2])


@pytest.mark.parametrize(
    ("text", "models"),
    [
        ("what changed between llama 3 and 3.1 8b", ("Llama 3 8B", "Llama 3.1 8B")),
        ("gemma 2 vs 3 27b", ("Gemma 2 27B", "Gemma 3 27B")),
        ("qwen 2.5 or 3 14b for a 24gb card?", ("Qwen2.5 14B", "Qwen3 14B")),
        ("vram at 4bit for the 8b, 14b and 32b qwen3?", ("Qwen3 8B", "Qwen3 14B", "Qwen3 32B")),
        ("how much vram for 7b, 13b and 70b llama 2", ("Llama 2 7B", "Llama 2 13B", "Llama 2 70B")),
    ],
)
def test_lists_share_a_family_or_a_size(reader: Reader, text: str, models: tuple[str, ...]) -> None:
    assert reader.read(text).question.models == models


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("does llama 2 70b run on 8 v100s", [("Tesla V100", 8)]),
        ("does llama 3.1 8b run on a v100s", [("Tesla V100S", 1)]),
        ("con una 3090 puedo llegar a 2000 tok/s con llama 3.1 8b?", [("GeForce RTX 3090", 1)]),
        ("che dite, prendo la 3090 usata a 600 o una 5070?", [("GeForce RTX 3090", 1), ("GeForce RTX 5070", 1)]),
        ("qwen 2.5 32b q4km on a 3090 tps?", [("GeForce RTX 3090", 1)]),
        ("llama 3.1 8b on a quadro p5000", [("Quadro P5000", 1)]),
    ],
)
def test_plurals_and_bare_numbers_are_the_cards_that_people_mean(reader: Reader, text: str, cards: list[tuple[str, int]]) -> None:
    asked = reader.read(text).question
    assert len(asked.cards) == len(cards)
    for found, (name, count) in zip(asked.cards, cards, strict=True):
        assert found.name.startswith(name)
        assert found.count == count
        assert name.endswith("S") or "V100S" not in found.name


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("how long would r1 32b take to write 1000 tokens on a 3090", None),
        ("¿cuánto tarda qwen3 14b en escribir 1000 tokens en una 3060 12gb?", None),
        ("can a 3090 generate with 32k context on qwen3 32b", 32768),
    ],
)
def test_what_is_written_is_no_context(reader: Reader, text: str, context: int | None) -> None:
    assert reader.read(text).question.context == context


@pytest.mark.parametrize(
    ("text", "models", "count"),
    [
        ("llama 3.1 70b 3x3090", ("Llama 3.1 70B",), 3),
        ("mixtral 8x7b 2x3060 12gb", ("Mixtral 8x7B",), 2),
        ("gemma 3 27b 2x3090", ("Gemma 3 27B",), 2),
        ("phi-4 14b 4x3060 12gb", ("Phi-4 14B",), 4),
    ],
)
def test_a_count_behind_a_name_is_no_part_of_it(reader: Reader, text: str, models: tuple[str, ...], count: int) -> None:
    asked = reader.read(text).question
    assert (asked.models, [card.count for card in asked.cards]) == (models, [count])


@pytest.mark.parametrize(
    "text",
    [
        "Tried to allocate 2.00 GiB (GPU 0; 11.76 GiB total capacity; 9.30 GiB already allocated; 1.2 GiB free) qwen3 14b q6",
        "qwen3 14b q6: Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 11.76 GiB of which 120.00 MiB is free.",
    ],
)
def test_of_a_pasted_error_the_capacity_counts(reader: Reader, text: str) -> None:
    asked = reader.read(text).question
    assert (asked.models, asked.memory_gb) == (("Qwen3 14B",), 11.76)


@pytest.mark.parametrize(
    ("text", "ram_gb"),
    [
        ("mi portátil tiene 16 gb de ram y no tiene gráfica, ¿qwen3 8b?", 16),
        ("single channel ddr5-5600 32gb ram gpt-oss 20b, how fast", 32),
        ("core ultra 9 285k 64gb ddr5-6400, gpt-oss 20b speed", 64),
        ("samsung s24 ultra 12gb ram run qwen3 8b?", 12),
    ],
)
def test_memory_of_a_machine_without_a_card_is_its_own(reader: Reader, text: str, ram_gb: float) -> None:
    asked = reader.read(text).question
    assert (asked.cpu_only, asked.ram_gb, asked.memory_gb, asked.context) == (True, ram_gb, None, None)
