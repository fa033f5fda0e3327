"""What is for the bot, and what it does about it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from answers.answering import Answering
from answers.replies.build import build, each
from commands.hearing import SURE, Act, Heard, Way, act_on, goes_on, may_concern, way_of
from commands.store.servers import Channel, Mode, Server

SAID = Heard()
MENTION = Heard(names_me=True, pings_me=True)
REPLY = Heard(pings_me=True, replies_to_me=True)
DIRECT = Heard(direct=True)
LINES = Path(__file__).resolve().parents[1] / "answers" / "questions" / "own_lines.jsonl"


@pytest.fixture(scope="module")
def answering() -> Answering:
    return asyncio.run(Answering.open())


@pytest.mark.parametrize("mode", Mode)
def test_it_never_answers_bots_itself_webhooks_or_everyone(mode: Mode) -> None:
    for said in (SAID, MENTION, REPLY, DIRECT):
        assert way_of(replace(said, from_person=False), mode) is Way.NOT
        assert way_of(replace(said, names_everyone=True), mode) is Way.NOT


@pytest.mark.parametrize("mode", set(Mode) - {Mode.OFF})
def test_mentions_replies_that_ping_and_direct_messages_address_it(mode: Mode) -> None:
    assert way_of(MENTION, mode) is Way.ADDRESSED
    assert way_of(REPLY, mode) is Way.ADDRESSED
    assert way_of(DIRECT, mode) is Way.ADDRESSED


def test_it_is_silent_where_it_is_switched_off() -> None:
    for names, pings, replies in product((False, True), repeat=3):
        assert way_of(Heard(names_me=names, pings_me=pings, replies_to_me=replies), Mode.OFF) is Way.NOT


def test_a_reply_with_the_ping_switched_off_is_not_for_it() -> None:
    for mode in set(Mode) - {Mode.QUESTIONS}:
        assert way_of(Heard(replies_to_me=True), mode) is Way.NOT
    assert way_of(Heard(replies_to_me=True, has_text=False), Mode.QUESTIONS) is Way.NOT


def test_a_reply_that_pings_and_says_nothing_is_not_for_it() -> None:
    assert way_of(replace(REPLY, has_text=False), Mode.FULL) is Way.NOT
    assert way_of(replace(MENTION, has_text=False), Mode.FULL) is Way.ADDRESSED


def test_only_a_question_channel_is_listened_to() -> None:
    for mode in Mode:
        expected = Way.OVERHEARD if mode is Mode.QUESTIONS else Way.NOT
        assert way_of(SAID, mode) is expected


def test_people_who_talk_to_each_other_are_left_alone() -> None:
    assert way_of(Heard(replies_to_other=True), Mode.QUESTIONS) is Way.NOT
    assert way_of(Heard(names_others=True), Mode.QUESTIONS) is Way.NOT


def test_in_a_question_channel_only_a_reply_goes_on_from_the_last_question() -> None:
    assert goes_on(Way.ADDRESSED, Mode.FULL, False)
    assert goes_on(Way.ADDRESSED, Mode.FULL, True)
    assert not goes_on(Way.OVERHEARD, Mode.QUESTIONS, False)
    assert not goes_on(Way.ADDRESSED, Mode.QUESTIONS, False)
    assert goes_on(Way.OVERHEARD, Mode.QUESTIONS, True)
    assert goes_on(Way.ADDRESSED, Mode.QUESTIONS, True)


def act(answering: Answering, way: Way, text: str, greets: bool = False) -> Act:
    reading = answering.read(text)
    replies = [build(answering.desk, single) for whole in (reading.question, *reading.more) for single in each(whole)]
    return act_on(way, reading, replies, text=text, greets=greets)


@pytest.mark.parametrize(
    "text", ["can I run StarCoder 2 15B on 12 GB?", "¿me va un 7B en una 3060 de 12?", "quanta vram vuole starcoder 2 15b?"]
)
def test_a_question_is_answered_whoever_it_is_said_to(answering: Answering, text: str) -> None:
    assert act(answering, Way.ADDRESSED, text) is Act.ANSWER
    assert act(answering, Way.OVERHEARD, text) is Act.ANSWER
    assert act(answering, Way.NOT, text) is Act.NOTHING


@pytest.mark.parametrize("text", ["thanks!", "gracias, crack", "grazie mille", "lol nice"])
def test_thanks_get_a_reaction_and_no_lecture(answering: Answering, text: str) -> None:
    assert act(answering, Way.ADDRESSED, text) is Act.REACT
    assert act(answering, Way.OVERHEARD, text) is Act.NOTHING


@pytest.mark.parametrize("text", ["and on a 4090?", "¿qué tal?", "how do I reset my router?"])
def test_a_question_that_is_not_understood_is_told_what_can_be_asked(answering: Answering, text: str) -> None:
    assert act(answering, Way.ADDRESSED, text) is Act.ANSWER
    assert act(answering, Way.OVERHEARD, text) is Act.NOTHING


def test_whoever_opens_a_direct_conversation_or_only_calls_it_is_told_what_can_be_asked(answering: Answering) -> None:
    assert act(answering, Way.ADDRESSED, "hello there", greets=True) is Act.ANSWER
    assert act(answering, Way.ADDRESSED, "") is Act.ANSWER


def test_who_addresses_it_is_asked_back_who_does_not_is_left_alone(answering: Answering) -> None:
    for text in ("can I run Llama 3.3 70B?", "can I run Blorptron 27B on a 3090?"):
        assert act(answering, Way.ADDRESSED, text) is Act.ANSWER
        assert act(answering, Way.OVERHEARD, text) is Act.NOTHING


def test_an_unsure_reading_is_not_spoken_about_unasked(answering: Answering) -> None:
    reading = answering.read("can I run StarCoder 2 15B on 12 GB?")
    replies = [build(answering.desk, reading.question)]
    for confidence, expected in ((SURE, Act.ANSWER), (SURE - 0.01, Act.NOTHING)):
        unsure = reading.model_copy(update={"confidence": confidence})
        assert act_on(Way.OVERHEARD, unsure, replies, text="can I?", greets=False) is expected
        assert act_on(Way.ADDRESSED, unsure, replies, text="can I?", greets=False) is Act.ANSWER


def test_no_line_that_asks_nothing_is_interrupted_and_most_questions_are_answered(answering: Answering) -> None:
    lines = [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]
    chatter = [line["text"] for line in lines if line["intent"] == "none"]
    questions = [line["text"] for line in lines if line["intent"] != "none"]
    assert len(chatter) > 50
    assert [text for text in chatter if act(answering, Way.OVERHEARD, text) is not Act.NOTHING] == []
    answered = sum(act(answering, Way.OVERHEARD, text) is Act.ANSWER for text in questions)
    assert answered / len(questions) >= 0.6


# -- before the library makes a message of it --------------------------------------------------------------------------------------

ME, OTHER, GUILD = 42, 43, 7
PLAIN: dict[str, Any] = {"id": "1", "type": 0, "guild_id": str(GUILD), "channel_id": "9", "author": {"id": "5"}, "content": "hi"}
QUIET, ASKED_IN = Server(), Server(channels={8: Channel(Mode.QUESTIONS)})


@pytest.mark.parametrize(
    ("change", "server", "wanted"),
    [
        ({}, QUIET, False),
        ({"content": ""}, QUIET, False),
        ({"mentions": [{"id": str(ME)}], "content": ""}, QUIET, True),
        ({"content": f"<@{ME}> hi"}, QUIET, True),
        ({"content": f"<@!{ME}>"}, QUIET, True),
        ({"content": f"<@{OTHER}> hi", "mentions": [{"id": str(OTHER)}]}, QUIET, False),
        ({"guild_id": None}, QUIET, True),
        ({"type": 19}, ASKED_IN, True),
        ({}, ASKED_IN, True),
        ({"content": ""}, ASKED_IN, False),
        ({"type": 7}, ASKED_IN, False),
        ({"webhook_id": "3"}, ASKED_IN, False),
        ({"author": {"id": str(ME), "bot": True}, "guild_id": None}, QUIET, False),
        ({"author": {"id": "5", "bot": True}, "content": f"<@{ME}>"}, ASKED_IN, False),
    ],
)
def test_what_cannot_concern_the_bot_is_passed_over(change: dict[str, Any], server: Server, wanted: bool) -> None:
    assert may_concern(PLAIN | change, ME, server) is wanted
