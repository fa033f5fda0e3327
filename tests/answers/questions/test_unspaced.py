"""Chinese, Japanese and Korean messages: names, counts, memory and languages where no space parts the words."""

from __future__ import annotations

from typing import Any

import pytest

from answers.catalogue.atoms import clean, tokenise
from answers.catalogue.snapshot import Catalogue
from answers.locales import Locales
from answers.questions.gate import Gate
from answers.questions.read import Reader, as_output
from answers.questions.unspaced import places, plain_words, respelled, runs_of


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue, locales: Locales) -> Reader:
    return Reader(catalogue, locales)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Names that touch other characters.
        ("跑deepseek r1推理要多少显存", {"models": ["DeepSeek-R1 671B"], "intent": "vram_needed"}),
        ("8g显存的4060笔记本能玩什么模型", {"cards": ["GeForce RTX 4060 Mobile"], "intent": "what_can_card_run"}),
        ("1080ti로 뭐 돌릴 수 있음?", {"cards": ["GeForce GTX 1080 Ti"], "intent": "what_can_card_run"}),
        ("千问3 14b在3090上能跑吗", {"models": ["Qwen3 14B"], "cards": ["GeForce RTX 3090"]}),
        ("딥시크 코더 6.7b 1060 6기가로 가능?", {"models": ["DeepSeek Coder 6.7B"]}),
        # Counts before and behind the name.
        ("两张3090跑llama 3.3 70b q4行不行", {"n_cards": 2, "quant": "Q4_K_M"}),
        ("两张二手3090跑llama 3.3 70b行不行", {"n_cards": 2}),
        ("3090两块跑llama 3.3 70b行不行", {"n_cards": 2}),
        ("2張のRTX 3090でllama 3.3 70bは動く？", {"n_cards": 2, "lang": "ja"}),
        ("3090を2枚でllama 3.3 70bは動く？", {"n_cards": 2}),
        ("3090 두 장에서 llama 3.3 70b 돌아가나요", {"n_cards": 2, "intent": "can_run"}),
        ("再插一张3090能快一倍吗", {"n_cards": 2, "intent": "two_gpus"}),
        ("V100 16GB×2でYi 34Bは動く？", {"n_cards": 2, "cards": ["Tesla V100 PCIe 16 GB"]}),
        # Whose memory.
        ("显存8G内存16G，跑得动phi-4吗", {"memory_gb": 8}),
        ("8G显存16G内存，跑得动phi-4吗", {"memory_gb": 8}),
        ("램 32기가에 vram 8기가인데 phi-4 돌아갈까요", {"memory_gb": 8}),
        ("1650，8G内存，能跑llama 3.2 3b吗", {"cards": ["GeForce GTX 1650"]}),
        # Widths of letters and digits, traditional characters, numbers.
        ("３０９０でｑｗｅｎ３　１４ｂは動きますか", {"cards": ["GeForce RTX 3090"], "models": ["Qwen3 14B"], "lang": "ja"}),
        ("這張顯卡4090跑得動qwen3 32b嗎", {"cards": ["GeForce RTX 4090"], "intent": "can_run", "lang": "zh"}),
        ("70亿参数的模型要多大显存", {"parameters": 7e9, "intent": "vram_needed"}),
        ("130억 모델 돌리려면 vram 몇 기가 필요해요?", {"parameters": 13e9, "intent": "vram_needed"}),
        # What stands last asks.
        ("4090能跑phi-4不", {"intent": "can_run"}),
        ("4090跑phi-4不错，很满意", {"intent": "none"}),
        # Complaints, reports, other things.
        ("昨天把phi-4装到4090上了，爽", {"intent": "none"}),
        ("3090现在闲鱼多少钱", {"intent": "none"}),
        ("친구가 4090이면 phi-4도 거뜬하다고 하더라고요", {"intent": "none"}),
    ],
)
def test_what_is_read(reader: Reader, text: str, expected: dict[str, Any]) -> None:
    output = as_output(reader.read(text), text)
    assert {key: output[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("text", "lang", "hint"),
    [
        ("qwen3 8b 4060?", "en", None),
        ("qwen3 8b 4060?", "es", "es"),
        ("4060能跑qwen3 8b吗", "zh", "es"),
        ("StarCoderはいつ公開された？", "ja", None),
        ("ollama로 codestral 돌아가나요", "ko", "en"),
        ("量子化", "zh", None),
        ("量子化", "ja", "ja"),
        ("what does the word 显存 mean on a card like this", "en", None),
    ],
)
def test_the_script_tells_the_language(reader: Reader, text: str, lang: str, hint: str | None) -> None:
    assert reader.read(text, lang=hint).lang == lang


def test_a_word_is_several_characters() -> None:
    tokens = tokenise("a b")
    assert list(places(tokens)) == [0, 1, 2]
    assert list(places(tokenise("显存 24"))) == [0, 0.5, 1.0, 2.0]
    assert plain_words(["显", "存", "card", "的"], {"的"}) == 2


def test_names_are_respelled_longest_first() -> None:
    runs = runs_of({"千问": "qwen", "千问码": "qwen coder"})
    said = [token.text for token in respelled(tokenise(clean("千问码3和千问")), runs)]
    assert said == ["qwen", "coder", "3", "和", "qwen"]


def test_talk_is_passed_over_and_names_are_not(locales: Locales) -> None:
    words = {language: locales.words(language) for language in ("zh", "ja", "ko")}
    gate = Gate(words, ("显", "グ"))
    assert not gate.passes(tokenise("哈哈哈笑死我了"), ())
    assert all(gate.passes(tokenise(text), ()) for text in ("딥시크", "千问", "显存够吗", "グラボの話"))
