"""Chat, as members of a server see it: whom the bot answers, how a conversation goes on, and what follows an edit or a deletion."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from discord import PermissionOverwrite, Permissions

from answers.rendering.message import plain
from commands.chat import SENT_APART, WELCOME
from commands.conversations import FOLLOW_UP_S
from commands.message import embed_of, unbroken
from commands.services import Services
from commands.store.servers import Mode
from tests.commands.conftest import Clock, change
from tests.commands.in_discord.conftest import World, components, labelled

ASKED = "can I run StarCoder 2 15B on 12 GB?"


def me(world: World) -> str:
    return f"<@{world.env.bot.user.id}>"


def said(world: World, channel: Any = None) -> list[Any]:
    """What the bot wrote in a channel, oldest first."""
    return [message for message in (channel or world.channel).history() if message.author.id == world.env.bot.user.id]


def titles(world: World, channel: Any = None) -> list[str]:
    return [embed.title for message in said(world, channel) for embed in message.embeds]


async def reactions(world: World, message: Any, channel: Any = None) -> list[str]:
    found = next(other for other in (channel or world.channel).history() if other.id == message.id)
    return [str(reaction.emoji) for reaction in found.reactions]


# -- whom it answers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "locale"),
    [(ASKED, "en"), ("¿me va starcoder 2 15b con 12 gigas?", "es"), ("con 12 giga ci sta starcoder 2 15b?", "it")],
)
async def test_a_mention_is_answered_in_its_language_as_the_console_would(
    world: World, services: Services, text: str, locale: str
) -> None:
    asked = await world.alice.send(world.channel, f"{me(world)} {text}")
    (answer,) = said(world)
    (expected,) = services.answering.ask(text)
    assert expected.locale == locale
    assert answer.embeds == [embed_of(expected.message)]
    assert answer.reference.message_id == asked.id
    assert answer.mentions == []


async def test_the_mention_may_stand_anywhere(world: World) -> None:
    await world.alice.send(world.channel, f"hey {me(world)}, {ASKED}")
    await world.bob.send(world.channel, f"{ASKED} <@!{world.env.bot.user.id}>")
    assert len(set(titles(world))) == 1
    assert len(said(world)) == 2


async def test_whoever_does_not_address_it_is_left_alone(world: World) -> None:
    await world.alice.send(world.channel, ASKED)
    await world.alice.send(world.channel, f"{world.bob.mention} {ASKED}")
    asked = await world.bob.send(world.channel, "anybody?")
    await world.alice.send(world.channel, ASKED, reply_to=asked)
    assert said(world) == []


async def test_bots_webhooks_and_everyone_are_not_answered(world: World) -> None:
    robot = world.guild.add_member(world.env.create_user("robot", bot=True))
    await robot.send(world.channel, f"{me(world)} {ASKED}")
    await world.guild.create_webhook(world.channel).send(f"{me(world)} {ASKED}")
    loud = world.guild.create_role("loud", permissions=Permissions(mention_everyone=True))
    carol = world.guild.add_member(world.env.create_user("carol"), roles=[loud])
    await carol.send(world.channel, f"@everyone {me(world)} {ASKED}")
    assert said(world) == []


async def test_thanks_get_a_reaction_and_no_lecture(world: World) -> None:
    asked = await world.alice.send(world.channel, f"thanks {me(world)}!")
    assert said(world) == []
    assert await reactions(world, asked) == [WELCOME]


async def test_who_only_calls_it_is_told_what_can_be_asked(world: World, services: Services) -> None:
    await world.alice.send(world.channel, me(world))
    assert titles(world) == [services.answering.ask("")[0].message.title]


async def test_a_direct_message_is_answered_and_a_greeting_is_told_what_can_be_asked(world: World, services: Services) -> None:
    room = world.alice.user.dm_channel
    await world.alice.send_dm("hello there")
    await world.alice.send_dm(ASKED)
    await world.alice.send_dm("and on a 4090?")
    thanks = await world.alice.send_dm("thank you so much")
    told, answered, followed = titles(world, room)
    assert told == services.answering.ask("hello there")[0].message.title
    assert answered == services.answering.ask(ASKED)[0].message.title
    assert "StarCoder 2 15B" in followed
    assert "4090" in followed
    assert await reactions(world, thanks, room) == [WELCOME]


async def test_two_answers_at_most_and_a_line_says_that_there_is_more(world: World) -> None:
    await world.alice.send(world.channel, f"{me(world)} how much vram for PolyCoder, StarCoder 2 15B and Qwen3 8B?")
    (answer,) = said(world)
    assert len(answer.embeds) == 2
    assert "first 2" in answer.content


# -- going on -------------------------------------------------------------------------------------------------------------------


async def test_a_follow_up_keeps_what_was_asked(world: World) -> None:
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    await world.alice.send(world.channel, f"{me(world)} and on a 4090?")
    assert "StarCoder 2 15B" in titles(world)[1]
    assert "4090" in titles(world)[1]


async def test_a_reply_that_pings_goes_on_from_the_answer_that_it_replies_to(world: World) -> None:
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    first = said(world)[0]
    await world.alice.send(world.channel, f"{me(world)} can I run PolyCoder on 8 GB?")
    await world.alice.send(world.channel, "and on a 4090?", reply_to=first)
    assert "StarCoder 2 15B" in titles(world)[2]


async def test_nobody_goes_on_from_what_somebody_else_or_another_channel_asked(world: World) -> None:
    other = world.guild.create_text_channel("random")
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    await world.bob.send(world.channel, f"{me(world)} and on a 4090?")
    await world.alice.send(other, f"{me(world)} and on a 4090?")
    assert "StarCoder" not in titles(world)[1]
    assert all("StarCoder" not in title for title in titles(world, other))


async def test_after_ten_minutes_there_is_nothing_to_go_on_from(world: World, clock: Clock) -> None:
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    clock.now += FOLLOW_UP_S + 1
    await world.alice.send(world.channel, f"{me(world)} and on a 4090?")
    assert "StarCoder" not in titles(world)[1]


async def test_a_spanish_question_that_is_asked_back_is_finished_in_spanish(world: World, services: Services) -> None:
    await world.alice.send(world.channel, f"{me(world)} ¿qué puedo usar con una 3060?")
    (asked_back,) = said(world)
    assert [item["label"] for item in components(_stored(world, asked_back))][:2] == ["RTX 3060 12 GB", "RTX 3060 8 GB"]
    await world.alice.send(world.channel, f"{me(world)} 2")
    expected = services.answering.ask("¿qué puedo usar con una 3060 de 8 GB?")[0]
    assert titles(world)[1] in {unbroken(plain(expected.message.title)), unbroken(expected.message.title)}


async def test_a_choice_is_taken_by_its_button(world: World) -> None:
    await world.alice.send(world.channel, f"{me(world)} can a 3060 run StarCoder 2 15B?")
    (asked_back,) = said(world)
    await world.alice.click(asked_back, custom_id=labelled(_stored(world, asked_back), "RTX 3060 8 GB"))
    assert len(said(world)) == 1
    assert "StarCoder 2 15B" in titles(world)[0]
    assert titles(world)[0].startswith("No")


async def test_a_yes_takes_up_an_offer(world: World) -> None:
    await world.alice.send(world.channel, f"{me(world)} can I run Blorptron 27B on 24 GB?")
    await world.alice.send(world.channel, f"{me(world)} yes please")
    assert "27B" in titles(world)[1]
    assert titles(world)[1] != titles(world)[0]


async def test_what_has_gone_from_the_catalogue_is_not_gone_on_from(
    world: World, services: Services, catalogue_file: Any, clock: Clock
) -> None:
    await world.alice.send(world.channel, f"{me(world)} can I run PolyCoder on 8 GB?")
    change(catalogue_file, "DELETE FROM model_alias WHERE model = 'PolyCoder'", "DELETE FROM model WHERE name = 'PolyCoder'")
    clock.now += 60
    await services.reload()
    await world.alice.send(world.channel, f"{me(world)} and on a 4090?")
    assert len(said(world)) == 2
    assert "PolyCoder" not in titles(world)[1]


async def test_a_reply_goes_on_from_the_answer_to_a_command(world: World) -> None:
    result = await world.bob.slash(world.channel, "can-run", model="StarCoder 2 15B", hardware="12 GB")
    await world.alice.send(world.channel, f"{me(world)} and on a 4090?", reply_to=result.response.message)
    assert "StarCoder 2 15B" in titles(world)[-1]
    assert "4090" in titles(world)[-1]


async def test_a_reply_goes_on_from_an_answer_that_is_remembered_no_more(world: World, services: Services) -> None:
    asked = await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    (answer,) = said(world)
    assert services.conversations.forget(asked.id)
    await world.alice.send(world.channel, "and on a 4090?", reply_to=answer)
    assert "StarCoder 2 15B" in titles(world)[-1]


# -- edits and deletions --------------------------------------------------------------------------------------------------------


async def test_an_edited_question_edits_its_answer(world: World, services: Services) -> None:
    asked = await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    (before,) = said(world)
    await world.alice.edit(asked, f"{me(world)} can I run StarCoder 2 15B on 24 GB?")
    (after,) = said(world)
    assert after.id == before.id
    assert after.embeds == [embed_of(services.answering.ask("can I run StarCoder 2 15B on 24 GB?")[0].message)]


async def test_an_edit_that_changes_nothing_that_matters_writes_nothing(world: World) -> None:
    asked = await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    before = len(world.env.http_requests)
    await world.alice.edit(asked, f"{me(world)} hi, {ASKED}")
    assert len(world.env.http_requests) == before


async def test_an_edited_follow_up_goes_on_from_what_it_went_on_from(world: World) -> None:
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    second = await world.alice.send(world.channel, f"{me(world)} and on a 4090?")
    await world.alice.send(world.channel, f"{me(world)} who made PolyCoder?")
    await world.alice.edit(second, f"{me(world)} and on a 3090?")
    assert "StarCoder 2 15B" in titles(world)[1]
    assert "3090" in titles(world)[1]


async def test_a_question_that_is_edited_into_none_loses_its_answer(world: World) -> None:
    asked = await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    await world.alice.edit(asked, f"{me(world)} never mind, thanks")
    assert said(world) == []


async def test_thanks_that_are_edited_into_a_question_are_answered(world: World) -> None:
    asked = await world.alice.send(world.channel, f"{me(world)} thanks")
    await world.alice.edit(asked, f"{me(world)} {ASKED}")
    assert len(said(world)) == 1


async def test_a_deleted_question_takes_its_answer_with_it(world: World) -> None:
    asked = await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    kept = await world.bob.send(world.channel, f"{me(world)} {ASKED}")
    assert len(said(world)) == 2
    await world.alice.delete(asked)
    (left,) = said(world)
    assert left.reference.message_id == kept.id


async def test_an_answer_that_was_taken_away_stays_away(world: World) -> None:
    asked = await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    (answer,) = said(world)
    await world.alice.click(answer, custom_id=labelled(_stored(world, answer), "Remove"))
    assert said(world) == []
    await world.alice.edit(asked, f"{me(world)} can I run StarCoder 2 15B on 24 GB?")
    assert said(world) == []


async def test_only_whoever_asked_and_moderators_remove_an_answer(world: World) -> None:
    moderators = world.guild.create_role("mods", permissions=Permissions(manage_messages=True))
    carol = world.guild.add_member(world.env.create_user("carol"), roles=[moderators])
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    (answer,) = said(world)
    button = labelled(_stored(world, answer), "Remove")
    refused = await world.bob.click(answer, custom_id=button)
    assert refused.response.ephemeral
    assert [message.id for message in said(world)] == [answer.id]
    await carol.click(answer, custom_id=button)
    assert said(world) == []


async def test_an_edit_that_comes_while_the_answer_is_written_is_not_lost(world: World, services: Services) -> None:
    asked = await world.alice.send(world.channel, f"{me(world)} thanks")
    chat = world.env.bot.chat
    message = await world.env.bot.get_channel(world.channel.id).fetch_message(asked.id)
    message.content = f"{me(world)} {ASKED}"
    # Two events of one message: the deletion is heard while the answer is under way.
    await asyncio.gather(chat.said(message), chat.deleted([message.id]))
    assert said(world) == []
    assert services.conversations.asked(message.id) is None


# -- what moderators set --------------------------------------------------------------------------------------------------------


async def test_a_channel_that_is_off_is_silent(world: World, services: Services) -> None:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=Mode.OFF)
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    await world.alice.send(world.channel, f"{me(world)} thanks")
    assert said(world) == []
    assert all(request.method == "GET" for request in world.env.http_requests if "/channels/" in request.path)


async def test_in_a_private_channel_the_answer_comes_by_direct_message(world: World, services: Services) -> None:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=Mode.PRIVATE, language="it")
    asked = await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    assert said(world) == []
    assert await reactions(world, asked) == [SENT_APART]
    (answer,) = said(world, world.alice.user.dm_channel)
    # What only the asker sees is in the asker's language, whatever the channel's is.
    assert answer.embeds == [embed_of(services.answering.ask(ASKED)[0].message)]
    await world.alice.delete(asked)
    assert said(world, world.alice.user.dm_channel) == []


async def test_where_it_may_not_react_a_private_answer_is_followed_all_the_same(world: World, services: Services) -> None:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=Mode.PRIVATE)
    world.env.inject_error("PUT", "/channels/*/reactions/*", status=403, code=50013, message="Missing Permissions")
    asked = await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    await world.alice.edit(asked, f"{me(world)} can I run StarCoder 2 15B on 24 GB?")
    assert titles(world, world.alice.user.dm_channel) == [
        services.answering.ask("can I run StarCoder 2 15B on 24 GB?")[0].message.title
    ]


async def test_who_takes_no_direct_messages_is_told_how_to_ask_in_a_private_channel(world: World, services: Services) -> None:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=Mode.PRIVATE)
    room = world.alice.user.dm_channel
    world.env.inject_error("POST", f"/channels/{room.id}/messages", status=403, code=50007, message="Cannot send messages")
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    (told,) = said(world)
    assert told.embeds == []
    assert "/ask" in told.content


async def test_a_short_channel_gets_the_verdict_and_the_sentence_below(world: World, services: Services) -> None:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=Mode.SHORT)
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    (answer,) = said(world)
    (expected,) = services.answering.ask(ASKED)
    assert answer.embeds == [embed_of(expected.message, short=True)]
    assert answer.embeds[0].fields == []


async def test_the_language_of_a_channel_wins(world: World, services: Services) -> None:
    await services.store.change_server(world.guild.id, language="it")
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    await services.store.change_channel(world.guild.id, world.channel.id, language="es")
    await world.bob.send(world.channel, f"{me(world)} {ASKED}")
    assert titles(world) == [services.answering.ask(ASKED, locale)[0].message.title for locale in ("it", "es")]


async def test_a_thread_does_as_its_channel(world: World, services: Services) -> None:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=Mode.OFF)
    started = await world.alice.send(world.channel, "a thread")
    await (await world.env.bot.get_channel(world.channel.id).fetch_message(started.id)).create_thread(name="thread")
    (thread,) = world.channel.threads
    await world.alice.send(thread, f"{me(world)} {ASKED}")
    assert said(world, thread) == []
    await services.store.change_channel(world.guild.id, thread.id, mode=Mode.FULL)
    await world.alice.send(thread, f"{me(world)} {ASKED}")
    assert len(said(world, thread)) == 1


async def test_a_servers_defaults_fill_in_what_a_question_leaves_unsaid(world: World, services: Services) -> None:
    await services.store.change_server(world.guild.id, context=32768)
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    (answer,) = said(world)
    (expected,) = services.answering.ask(f"{ASKED} 32k context")
    assert answer.embeds == [embed_of(expected.message)]


# -- manners --------------------------------------------------------------------------------------------------------------------


async def test_who_asks_too_fast_is_told_once(world: World, clock: Clock) -> None:
    for _ in range(9):
        await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    answers = said(world)
    assert len(answers) == 6
    assert answers[-1].content.startswith("One moment")
    assert answers[-1].embeds == []
    clock.now += 60
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    assert len(said(world)) == 7


async def test_a_channel_where_it_may_not_write_is_none_of_its_errors(world: World, caplog: pytest.LogCaptureFixture) -> None:
    role = world.guild.default_role
    closed = world.guild.create_text_channel("closed", overwrites={world.env.bot.user: PermissionOverwrite(send_messages=False)})
    assert role
    await world.alice.send(closed, f"{me(world)} {ASKED}")
    assert said(world, closed) == []
    assert [record.levelno for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_where_it_may_show_no_embeds_it_says_the_same_in_text(world: World, services: Services) -> None:
    bare = world.guild.create_text_channel("bare", overwrites={world.env.bot.user: PermissionOverwrite(embed_links=False)})
    await world.alice.send(bare, f"{me(world)} {ASKED}")
    (answer,) = said(world, bare)
    assert answer.embeds == []
    assert answer.content == services.answering.ask(ASKED)[0].message.text()


async def test_what_breaks_on_our_side_is_said_with_a_reference_that_the_log_has(
    world: World, services: Services, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the secret words of alice")

    monkeypatch.setattr(services.answering.reader, "read", broken)
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    (told,) = said(world)
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    reference = record.__dict__["reference"]
    assert f"`{reference}`" in told.content
    assert "secret" not in told.content
    assert "secret" not in record.getMessage()


async def test_nothing_that_anybody_wrote_is_logged_or_kept(
    world: World, services: Services, caplog: pytest.LogCaptureFixture, tmp_path: Any
) -> None:
    caplog.set_level(logging.DEBUG, logger="rigcheck")
    secret = "xyzzyplugh"
    asked = await world.alice.send(world.channel, f"{me(world)} {secret} {ASKED}")
    await world.alice.edit(asked, f"{me(world)} {secret} can I run StarCoder 2 15B on 24 GB? {secret}")
    await world.alice.send(world.channel, f"{me(world)} can I run {secret} 9B on a 3090?")
    ours = [record for record in caplog.records if record.name == "rigcheck"]
    assert all(secret not in str(record.__dict__) for record in ours)
    assert all(secret not in str(value) for value in vars(services.answering).values())
    kept = [path.read_bytes() for path in tmp_path.iterdir() if path.is_file()]
    assert kept
    assert all(secret.encode() not in content for content in kept)


async def test_what_is_known_of_a_person_is_forgotten_at_their_wish(world: World, services: Services) -> None:
    await world.alice.send(world.channel, f"{me(world)} {ASKED}")
    await world.alice.slash(world.channel, "privacy delete")
    assert services.conversations.latest(world.alice.id, world.channel.id) is None
    await world.alice.send(world.channel, f"{me(world)} and on a 4090?")
    assert "StarCoder" not in titles(world)[-1]


def _stored(world: World, message: Any) -> Any:
    """A message with its components as Discord holds them."""
    return world.env.backend.get_message(message.channel.id, message.id)
