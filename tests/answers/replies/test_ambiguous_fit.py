"""A name of several models is asked back with what each of them does on the hardware that was named."""

from __future__ import annotations

from answers.answering import Answering, text_of
from answers.replies.asking import AskBack


def reply(answering: Answering, text: str) -> AskBack:
    found = answering.ask(text)[0].reply
    assert isinstance(found, AskBack)
    return found


def test_all_of_them_fit(answering: Answering) -> None:
    back = reply(answering, "can I run llama 70b on 2x 3090")
    assert (back.missing, back.fit) == ("which_model", "all")
    for choice in back.choices:
        own = answering.answer(choice.question).reply
        assert choice.rung == getattr(own, "rung", None), choice.label


def test_none_of_them_fits(answering: Answering) -> None:
    back = reply(answering, "can I run llama 70b on a 3060 12gb")
    assert back.fit == "none"
    assert all(choice.rung is None for choice in back.choices)


def test_some_of_them_fit_and_the_text_says_which(answering: Answering) -> None:
    back = reply(answering, "can I run deepseek r1 on a 4090")
    assert back.fit == "some"
    text = text_of(answering.ask("can I run deepseek r1 on a 4090"))
    assert "DeepSeek-R1 671B: doesn't fit" in text
    assert "Only some of them fit on an RTX 4090." in text


def test_a_speed_is_told_with_its_range(answering: Answering) -> None:
    text = text_of(answering.ask("how fast is llama 8b on a 3090"))
    rows = [line for line in text.splitlines() if "Llama 3.1 8B" in line]
    assert rows
    assert "tok/s (" in rows[0]
    assert "–" in rows[0]


def test_nothing_is_said_of_what_was_not_tried(answering: Answering) -> None:
    back = reply(answering, "how much vram does llama 70b need")
    assert (back.fit, back.hardware) == (None, None)
