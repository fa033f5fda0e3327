"""Question channels: the bot reads everything there, and speaks unasked only where it is sure that it was asked something."""

from __future__ import annotations

from typing import Any

import pytest

from bot.client import Client
from commands.names import Names
from commands.services import Services
from commands.store.servers import Mode
from tests.commands.in_discord.conftest import World
from tests.commands.in_discord.test_chat import ASKED, me, said, titles


@pytest.fixture
async def simcord_bot(services: Services) -> Client:
    """A bot whose operator lets it read the content of messages."""
    return Client(services, Names(services.locales), message_content=True, shard_count=1)


@pytest.fixture
async def listening(world: World, services: Services) -> World:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=Mode.QUESTIONS)
    return world


async def test_a_question_to_nobody_in_particular_is_answered(listening: World, services: Services) -> None:
    await listening.alice.send(listening.channel, ASKED)
    assert titles(listening) == [services.answering.ask(ASKED)[0].message.title]


@pytest.mark.parametrize(
    "text",
    [
        "thanks!",
        "my 1050ti plays along just fine",
        "selling my 4080, dm me",
        "can it run crysis lol",
        "can I run Blorptron 27B on a 3090?",
        "can I run Llama 3.3 70B?",
        "and on a 4090?",
        "",
    ],
)
async def test_what_is_no_question_for_it_is_left_alone(listening: World, text: str) -> None:
    await listening.alice.send(listening.channel, text, attachments=[("a.txt", b"a")])
    assert said(listening) == []
    assert not any("/reactions/" in request.path for request in listening.env.http_requests)


async def test_people_who_talk_to_each_other_are_left_alone(listening: World) -> None:
    first = await listening.bob.send(listening.channel, "hm")
    await listening.alice.send(listening.channel, ASKED, reply_to=first)
    await listening.alice.send(listening.channel, f"{listening.bob.mention} {ASKED}")
    assert said(listening) == []


async def test_elsewhere_it_does_not_listen(listening: World) -> None:
    other = listening.guild.create_text_channel("random")
    await listening.alice.send(other, ASKED)
    assert said(listening, other) == []


async def test_only_a_reply_goes_on(listening: World) -> None:
    await listening.alice.send(listening.channel, ASKED)
    (answer,) = said(listening)
    await listening.alice.send(listening.channel, "and on a 4090?")
    await listening.alice.send(listening.channel, f"{me(listening)} and on a 4090?")
    assert all("StarCoder" not in title for title in titles(listening)[1:])
    await listening.alice.send(listening.channel, "and on a 4090?", reply_to=answer)
    assert "StarCoder 2 15B" in titles(listening)[-1]
    assert "4090" in titles(listening)[-1]


async def test_an_edit_that_is_no_question_any_more_takes_the_answer_away(listening: World) -> None:
    asked = await listening.alice.send(listening.channel, ASKED)
    assert len(said(listening)) == 1
    await listening.alice.edit(asked, "never mind")
    assert said(listening) == []


async def test_a_chatty_channel_gets_no_answers_and_no_sentences_beyond_the_limit(listening: World) -> None:
    for _ in range(9):
        await listening.alice.send(listening.channel, ASKED)
    messages: list[Any] = said(listening)
    assert len(messages) == 5
    assert all(message.embeds for message in messages)


async def test_what_goes_wrong_unasked_is_not_spoken_of(
    listening: World, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(services.answering.reader, "read", broken)
    await listening.alice.send(listening.channel, ASKED)
    assert said(listening) == []


class TestWithoutTheIntent:
    """The same channel where the operator has not let the bot read all content."""

    @pytest.fixture
    async def simcord_bot(self, services: Services) -> Client:
        return Client(services, Names(services.locales), shard_count=1)

    async def test_it_hears_only_who_mentions_it(self, listening: World) -> None:
        await listening.alice.send(listening.channel, ASKED)
        assert said(listening) == []
        await listening.alice.send(listening.channel, f"{me(listening)} {ASKED}")
        assert len(said(listening)) == 1
