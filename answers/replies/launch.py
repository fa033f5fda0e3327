"""How to start a model that was answered about: lines for llama.cpp's server, Ollama and LM Studio, for this very choice.

A file has no address of its own on file, so that every line takes it by the name that quantised files usually have. What is not
needed is left out: layers or experts are only placed where the model is split with system memory.
"""

from __future__ import annotations

import re
from typing import Literal

from answers.estimator.estimate import at_quant, split
from answers.estimator.quants import quant
from answers.questions.question import Intent, Question
from answers.replies.build import build
from answers.replies.desk import Desk, split_figure
from answers.replies.parts import Basis, ModelRef, Part, SplitFigure
from answers.replies.reply import CanRun, WhichQuant


class Launch(Part):
    """Lines that start a model at one quant."""

    kind: Literal["launch"] = "launch"
    model: ModelRef
    quant: str
    file: str
    """The name that a file of it usually has."""
    llama_server: tuple[str, ...]
    modelfile: tuple[str, ...]
    """What Ollama reads the choice from."""
    ollama: tuple[str, ...]
    lm_studio: tuple[str, ...]
    split: SplitFigure | None = None
    kv: str | None = None
    """The cache's precision, where it is not the usual one."""
    basis: Basis


LAUNCHED = frozenset((Intent.CAN_RUN, Intent.WHICH_QUANT))
"""Questions whose answers are about one model at one quant on hardware."""


def launch(desk: Desk, question: Question) -> Launch | None:
    """The lines for what a question is answered with; ``None`` where that is no one model on file that runs there.

    Raises:
        UsageError: where the question names a quant that is not on file.
    """
    hardware = desk.hardware(question)
    if question.intent not in LAUNCHED or hardware is None or len(question.models) != 1 or question.candidates:
        return None
    chosen = _chosen(desk, question)
    if chosen is None:
        return None
    ref, figures, record = desk.model(question)
    assert record is not None
    at = quant(chosen)
    divided = None
    if at_quant(figures, hardware[1], at, question.context).fit == "no":
        divided = split(figures, desk.timed(*hardware), at, question.context, question.ram_gb_s)
        if divided is None:
            return None
    basis = desk.basis(question, figures)
    stem = re.sub(r"[^\w.-]+", "-", (record.hf_repo or record.name).rsplit("/", 1)[-1])
    file = f"{stem}-{at.name}.gguf"
    kv = question.kv if question.kv and question.kv != "f16" else None
    placed = split_figure(divided, question)
    return Launch(
        model=ref,
        quant=at.name,
        file=file,
        llama_server=_llama_server(file, basis.context, placed, kv),
        modelfile=_modelfile(file, basis.context, placed),
        ollama=_ollama(stem.lower(), kv),
        lm_studio=_lm_studio(file, stem.lower(), basis.context, placed),
        split=placed,
        kv=kv,
        basis=basis,
    )


def _chosen(desk: Desk, question: Question) -> str | None:
    """The quant that the answer leads with."""
    reply = build(desk, question)
    if isinstance(reply, WhichQuant):
        marked = {mark: row.quant for row in reply.rows for mark in row.marks}
        found = marked.get("recommended") or marked.get("closest")
        return found or (reply.split.quant if reply.split else None)
    if isinstance(reply, CanRun):
        if reply.rung and reply.verdict != "no":
            return reply.rung.quant
        return reply.split.quant if reply.split else None
    return None


def _llama_server(file: str, context: int, placed: SplitFigure | None, kv: str | None) -> tuple[str, ...]:
    words = ["llama-server", "-m", file, "-c", str(context)]
    if placed and placed.experts:
        words += ["--n-cpu-moe", str(placed.layers - placed.layers_on_card)]
    elif placed:
        words += ["-ngl", str(placed.layers_on_card)]
    if kv:
        # The cache of the values can only be quantised with flash attention.
        words += ["-fa", "on", "--cache-type-k", kv, "--cache-type-v", kv]
    return (" ".join(words),)


def _modelfile(file: str, context: int, placed: SplitFigure | None) -> tuple[str, ...]:
    modelfile = [f"FROM ./{file}", f"PARAMETER num_ctx {context}"]
    # Ollama places whole layers and knows no place for experts alone; it finds the split of those by itself.
    if placed and not placed.experts:
        modelfile.append(f"PARAMETER num_gpu {placed.layers_on_card}")
    return tuple(modelfile)


def _ollama(name: str, kv: str | None) -> tuple[str, ...]:
    serve = [f"OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE={kv} ollama serve"] if kv else []
    return (*serve, f"ollama create {name} -f Modelfile", f"ollama run {name}")


def _lm_studio(file: str, name: str, context: int, placed: SplitFigure | None) -> tuple[str, ...]:
    share = "max"
    if placed and not placed.experts:
        share = f"{placed.layers_on_card / placed.layers:.2f}"
    gpu = "" if placed and placed.experts else f" --gpu {share}"
    return (f"lms import {file}", f"lms load {name} --context-length {context}{gpu}")
