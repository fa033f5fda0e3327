"""Several models in memory at the same time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.answering import Answering, text_of
from answers.estimator.estimate import need_gb, usable_gb
from answers.estimator.hardware import Hardware
from answers.estimator.quants import quant
from answers.questions.question import Intent, Question
from answers.replies.reply import CanRunSeveral

MODELS = ("Qwen3 8B", "Gemma 3 12B", "Llama 3.3 70B", "Phi-4 14B", "Qwen3 0.6B")


@pytest.mark.parametrize(
    "text",
    [
        "can i run two models at once on 24gb, qwen3 8b and gemma 3 12b?",
        "qwen3 8b y gemma 3 12b a la vez en 24 gb, ¿caben?",
        "qwen3 8b e gemma 3 12b insieme su 24 gb, ci stanno?",
        "passen qwen3 8b und gemma 3 12b gleichzeitig in 24 gb?",
        "qwen3 8b et gemma 3 12b en même temps sur 24 go, ça passe ?",
        "24G显存能同时跑qwen3 8b和gemma 3 12b吗",
    ],
)
def test_it_is_read_from_the_question(answering: Answering, text: str) -> None:
    question = answering.ask(text)[0].question
    assert (question.intent, question.at_once, set(question.models)) == (Intent.CAN_RUN, True, {"Qwen3 8B", "Gemma 3 12B"})


def test_without_a_word_for_it_each_is_answered_for_by_itself(answering: Answering) -> None:
    question = answering.ask("do qwen3 8b and gemma 3 12b fit on 24gb")[0].question
    assert not question.at_once


@given(
    models=st.lists(st.sampled_from(MODELS), min_size=2, max_size=4, unique=True),
    memory=st.sampled_from([4.0, 8.0, 12.0, 16.0, 24.0, 48.0, 96.0]),
    asked=st.none() | st.just("Q4_K_M"),
)
def test_what_is_shown_adds_up_and_fits(answering: Answering, models: list[str], memory: float, asked: str | None) -> None:
    question = Question(intent=Intent.CAN_RUN, models=tuple(models), memory_gb=memory, at_once=True, quant=asked)
    reply = answering.answer(question).reply
    assert isinstance(reply, CanRunSeveral)
    assert reply.at_once is not None
    hardware = Hardware.of_memory(memory, 1, unified=False, all_usable=False)
    figures = [answering.desk.figures(answering.catalogue.model(name), question) for name in models]
    room = min(usable_gb(one, hardware) for one in figures)
    if reply.at_once.fit == "no":
        assert reply.at_once.short_gb == pytest.approx(reply.at_once.need_gb - room)
        return
    assert reply.at_once.need_gb <= room
    rungs = [row.rung for row in reply.rows]
    assert all(rung is not None for rung in rungs)
    shown = [(rung.quant, rung.need_gb) for rung in rungs if rung]
    assert sum(need for _, need in shown) == pytest.approx(reply.at_once.need_gb)
    for (name, need), one in zip(shown, figures, strict=True):
        assert need == pytest.approx(need_gb(one, quant(name), one.context(None)))
        assert asked in {None, name}


def test_the_answer_leads_with_it(answering: Answering) -> None:
    text = text_of(answering.ask("can i run qwen3 8b and gemma 3 12b at once on a 3090?"))
    assert text.startswith("Both fit at once on an RTX 3090")
    assert "One model at a time" not in text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("can I use mistral large 2 commercially?", "No, not commercially: Mistral Large 2"),
        ("is qwen3 32b ok for commercial use?", "Yes, commercially too: Qwen3 32B"),
        ("can we use llama 3.3 70b in a commercial product?", "Llama 3.3 70B: commercially only as its license allows"),
        ("what licence does qwen3 32b have", "Qwen3 32B: open weights, and that is not open source"),
        ("posso usare qwen3 32b per lavoro?", "Sì, anche a fini commerciali: Qwen3 32B"),
        ("¿puedo usar mistral large 2 comercialmente?", "Solo para uso no comercial: Mistral Large 2"),
    ],
)
def test_commercial_use_is_answered_with_a_yes_or_a_no(answering: Answering, text: str, title: str) -> None:
    assert answering.ask(text)[0].message.title == title


@pytest.mark.parametrize(
    ("text", "copies"),
    [
        ("can 3 copies of qwen3 8b run on a 4090?", 3),
        ("can two instances of qwen3 8b run on 16gb", 2),
        ("¿caben 2 copias de qwen3 8b en una 3090?", 2),
        ("due istanze di qwen3 8b girano su una 3090?", 2),
        ("laufen zwei instanzen von qwen3 8b auf einer 3090?", 2),
    ],
)
def test_copies_of_a_model_are_added_up_at_one_quant(answering: Answering, text: str, copies: int) -> None:
    (answer,) = answering.ask(text)
    assert isinstance(answer.reply, CanRunSeveral)
    assert answer.reply.at_once is not None
    rungs = [row.rung for row in answer.reply.rows if row.rung]
    assert [row.model.name for row in answer.reply.rows] == ["Qwen3 8B"] * copies
    assert len({rung.quant for rung in rungs}) == 1
    assert answer.reply.at_once.need_gb == pytest.approx(copies * rungs[0].need_gb)
