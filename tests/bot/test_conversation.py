"""A conversation in the terminal: follow-ups, numbered choices, offers taken up, several questions at once."""

from __future__ import annotations

import pytest

from bot.chat import Conversation, coloured

RTX_3060, RTX_4090 = "GeForce RTX 3060 12 GB", "GeForce RTX 4090"


def said(conversation: Conversation, text: str) -> list[tuple]:
    return [
        (
            answer.locale,
            answer.question.intent.value,
            answer.question.models,
            tuple(card.name for card in answer.question.cards),
            answer.question.context,
        )
        for answer in conversation.say(text)
    ]


TURNS = {
    "en": "can I run Qwen3 8B on a 3060 12GB? / and on a 4090? / with 32k context? / who made it? / and on a 3060 12gb?",
    "es": "¿uso Qwen3 8B en una 3060 de 12 GB? / ¿y en una 4090? / ¿con 32k de contexto? / ¿quién lo hizo? / ¿y en una 3060 de 12?",
    "it": "Qwen3 8B gira su una 3060 da 12 GB? / e su una 4090? / con 32k di contesto? / chi l'ha fatto? / e su una 3060 da 12?",
}


@pytest.mark.parametrize(("locale", "turns"), [(locale, text.split(" / ")) for locale, text in TURNS.items()])
def test_a_conversation_keeps_what_was_said(locale: str, turns: list[str], answering) -> None:
    conversation = Conversation(answering)
    model = ("Qwen3 8B",)
    assert [said(conversation, turn) for turn in turns] == [
        [(locale, "can_run", model, (RTX_3060,), None)],
        [(locale, "can_run", model, (RTX_4090,), None)],
        [(locale, "can_run", model, (RTX_4090,), 32768)],
        [(locale, "creator", model, (), None)],
        [(locale, "can_run", model, (RTX_3060,), 32768)],
    ]


def test_a_number_takes_a_choice_and_the_answer_stays_in_the_language(answering) -> None:
    conversation = Conversation(answering)
    (asked,) = conversation.say("¿qué puedo correr con una 3060?")
    assert asked.message.choices == ("RTX 3060 12 GB", "RTX 3060 8 GB")
    (answer,) = conversation.say("2")
    assert (answer.locale, answer.reply.hardware.memory_gb) == ("es", 8)
    assert conversation.open_choices == ()


@pytest.mark.parametrize(
    ("asked", "yes"),
    [
        ("can i run Foo 27B on 24 GB?", "Yes, please!"),
        ("¿puedo usar Foo 27B con 24 GB?", "sí"),
        ("Foo 27B gira su 24 GB?", "va bene"),
    ],
)
def test_an_offer_is_taken_up_by_a_yes(asked: str, yes: str, answering) -> None:
    conversation = Conversation(answering)
    (offer,) = conversation.say(asked)
    assert offer.reply.offered
    (answer,) = conversation.say(yes)
    assert (answer.reply.kind, answer.reply.verdict, answer.question.parameters) == ("can_run", "tight", 27e9)


def test_a_yes_without_an_offer_takes_nothing_up(answering) -> None:
    conversation = Conversation(answering)
    assert conversation.say("yes")[0].reply.kind == "not_asked"


def test_what_was_asked_back_for_completes_the_question(answering) -> None:
    conversation = Conversation(answering)
    assert conversation.say("can i run starcoder 2 15b?")[0].reply.kind == "ask_back"
    (answer,) = conversation.say("12 gb")
    assert (answer.reply.kind, answer.reply.verdict) == ("can_run", "tight")


def test_two_questions_in_one_message_get_two_answers(answering) -> None:
    answers = Conversation(answering).say("who made starcoder and when did it come out?")
    assert [answer.reply.kind for answer in answers] == ["creator", "released"]


def test_colours_repeat_the_verdict_and_leave_no_markdown(answering) -> None:
    (answer,) = answering.ask("can I run StarCoder 2 15B on 12 GB?")
    shown = coloured(answer.message)
    assert shown.startswith("\x1b[33mYes, but it's tight")
    assert "**" not in shown
    assert "\x1b[1mQ4_K_M\x1b[0m" in shown
