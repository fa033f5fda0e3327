"""Chat: who is answered, what follows what, what an edit and a deletion do, and how channels differ."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from answers.answering import Answering
from answers.questions.question import Cards, Intent, Question
from commands.texts import Texts
from tests.discord_standin import Guild, Json, User
from tests.end_to_end.world import Discord, World, button, buttons, components, one_embed, shown, text_of

# One event loop for all of them, because they share running bots.
pytestmark = pytest.mark.asyncio(loop_scope="module")

STARCODER = "StarCoder 2 15B"
ASKED = f"can I run {STARCODER} on 12 GB?"
ON_12_GB = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
SMALL_TALK = (
    "good morning everyone",
    f"{STARCODER} 3090",
    "llama 3 8b on cpu feels slow",
    "I bought a 3090",
    "and on a 4090?",
    "lunch?",
)
ON_4090 = Question(intent=Intent.CAN_RUN, models=(STARCODER,), cards=(Cards(name="GeForce RTX 4090"),), memory_gb=24)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Discord]:
    """A bot as it is by default: the text of messages that are not for it is withheld."""
    async with Discord() as discord_:
        discord_.add_guild("Home")
        await discord_.run(tmp_path_factory.mktemp("chat"))
        yield discord_


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reading(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Discord]:
    """A bot that may read every message. Its log is JSON."""
    async with Discord(message_content=True) as discord_:
        discord_.add_guild("Home")
        await discord_.run(tmp_path_factory.mktemp("reading"), message_content="true", log_format="json")
        yield discord_


@pytest_asyncio.fixture(loop_scope="module")
async def overheard(reading: Discord) -> AsyncIterator[World]:
    """The same with the bot that may read every message."""
    reading.record.clear()
    yield reading, reading.add_guild("Local LLMs"), reading.add_user("alice")
    await reading.settle()
    reading.check()


async def asked(discord_: Discord, guild: Guild, user: User, text: str = ASKED) -> tuple[Json, Json]:
    """A question that mentions the bot, and its answer."""
    question = await discord_.say(guild, user, discord_.mention(text))
    return question, await discord_.reply(question)


def says(answering: Answering, message: Json, question: Question, locale: str = "en") -> bool:
    return text_of(one_embed(message)) == shown(answering.answer(question, locale).message)


async def set_mode(discord_: Discord, guild: Guild, mode: str) -> None:
    """Have the owner say how the bot behaves in a server's first channel."""
    await (await discord_.slash(guild, guild.owner, "settings channel", channel=guild.channels[0], mode=mode)).answered()


async def test_a_mention_and_a_direct_message_are_answered_in_their_language(world: World, answering: Answering) -> None:
    discord_, guild, alice = world
    question, answer = await asked(discord_, guild, alice)
    assert says(answering, answer, ON_12_GB)
    assert discord_.pings(answer) == set()
    assert answer["message_reference"]["message_id"] == question["id"]
    direct = await discord_.reply(await discord_.say(None, alice, f"posso far girare {STARCODER} con 12 GB?"))
    assert says(answering, direct, ON_12_GB, "it")


async def test_a_reply_goes_on_from_what_it_answers_and_one_without_a_ping_is_left_alone(
    world: World, answering: Answering
) -> None:
    discord_, guild, alice = world
    bob = discord_.add_user("bob")
    _, answer = await asked(discord_, guild, alice)
    silent = await discord_.say(guild, bob, "and on a 3090?", reply_to=answer, ping=False)
    loud = await discord_.say(guild, bob, "and on a 4090?", reply_to=answer)
    assert says(answering, await discord_.reply(loud), ON_4090)
    await discord_.settle()
    assert discord_.replies_to(silent) == []


async def test_the_next_question_of_the_same_person_goes_on_from_the_last(world: World, answering: Answering) -> None:
    discord_, guild, alice = world
    bob = discord_.add_user("bob")
    await asked(discord_, guild, alice)
    _, answer = await asked(discord_, guild, alice, "and on a 4090?")
    assert says(answering, answer, ON_4090)
    # Somebody else's question has nothing to go on from.
    _, other = await asked(discord_, guild, bob, "and on a 4090?")
    (alone,) = answering.ask("and on a 4090?", "en")
    assert one_embed(other)["title"] == alone.message.title != one_embed(answer)["title"]


async def test_thanks_get_a_reaction_and_no_lecture(world: World) -> None:
    discord_, guild, alice = world
    await asked(discord_, guild, alice)
    thanks = await discord_.say(guild, alice, f"thanks {discord_.me.mention}!")
    await discord_.until(lambda: bool(thanks["reactions"]), "no reaction")
    assert [(entry["emoji"]["name"], entry["me"]) for entry in thanks["reactions"]] == [("👍", True)]
    await discord_.settle()
    assert discord_.replies_to(thanks) == []


async def test_an_edit_brings_the_answer_up_to_date_and_a_deletion_takes_it_away(world: World, answering: Answering) -> None:
    discord_, guild, alice = world
    question, answer = await asked(discord_, guild, alice)
    await discord_.edit(question, discord_.mention(f"can I run {STARCODER} on a 4090?"))
    await discord_.until(lambda: says(answering, answer, ON_4090), "the answer did not follow")
    # A press on the edited answer goes on from what it says now.
    await discord_.press(answer, alice, button(answer, "How is this computed"))
    assert len(discord_.replies_to(question)) == 1
    await discord_.delete(question)
    await discord_.until(lambda: not discord_.exists(answer), "the answer did not go")
    # What never was a question becomes one by an edit.
    late = await discord_.say(guild, alice, "hello all of you")
    await discord_.edit(late, discord_.mention(ASKED))
    assert says(answering, await discord_.reply(late), ON_12_GB)


async def test_an_answer_is_removed_by_the_asker_and_by_moderators_and_by_nobody_else(world: World, texts: Texts) -> None:
    discord_, guild, alice = world
    stranger, moderator = discord_.add_user("stranger"), discord_.add_user("moderator")
    discord_.add_moderator(guild, moderator)
    _, first = await asked(discord_, guild, alice)
    _, second = await asked(discord_, guild, alice)
    refused = await discord_.press(first, stranger, button(first, "Remove"))
    assert (refused.content, refused.ephemeral) == (texts.say("button.not_yours_to_remove", "en"), True)
    assert discord_.exists(first)
    await discord_.press(first, alice, button(first, "Remove"), wait=False)
    await discord_.press(second, moderator, button(second, "Remove"), wait=False)
    await discord_.until(lambda: not discord_.exists(first) and not discord_.exists(second), "not removed")


async def test_what_is_asked_back_is_answered_by_a_press_or_by_a_word(world: World, answering: Answering) -> None:
    discord_, guild, alice = world
    text = f"can I run {STARCODER} on a 3060?"
    (back,) = answering.ask(text, "en")
    _, pressed = await asked(discord_, guild, alice, text)
    assert text_of(one_embed(pressed)) == shown(back.message)
    assert buttons(pressed)[: len(back.pending)] == list(back.message.choices)
    choice = next(part["custom_id"] for part in components(pressed) if part.get("label") == back.message.choices[0])
    assert (await discord_.press(pressed, alice, choice)).message is pressed
    assert says(answering, pressed, back.pending[0])
    _, typed = await asked(discord_, guild, alice, text)
    picked = await discord_.say(guild, alice, "2", reply_to=typed)
    assert says(answering, await discord_.reply(picked), back.pending[1])


async def test_a_question_channel_answers_where_it_is_sure_and_is_silent_otherwise(overheard: World, answering: Answering) -> None:
    discord_, guild, alice = overheard
    bob = discord_.add_user("bob")
    await set_mode(discord_, guild, "questions")
    answered = await discord_.say(guild, alice, ASKED)
    answer = await discord_.reply(answered)
    assert says(answering, answer, ON_12_GB)
    small_talk = [await discord_.say(guild, bob, text) for text in SMALL_TALK]
    between = await discord_.say(guild, bob, f"{alice.mention} {ASKED}")
    mine = await discord_.say(guild, bob, ASKED, reply_to=answered)
    follow_up = await discord_.say(guild, alice, "and on a 4090?", reply_to=answer, ping=False)
    assert says(answering, await discord_.reply(follow_up), ON_4090)
    await discord_.settle()
    assert [discord_.replies_to(message) for message in (*small_talk, between, mine)] == [[]] * (len(SMALL_TALK) + 2)
    # Elsewhere nobody is answered who does not address it.
    other = discord_.add_channel(guild, "other")
    unasked = await discord_.say(other, alice, ASKED)
    await discord_.settle()
    assert discord_.replies_to(unasked) == []


async def test_a_question_channel_needs_the_intent_and_says_so(world: World, answering: Answering, texts: Texts) -> None:
    discord_, guild, alice = world
    place = guild.channels[0]
    done = await discord_.slash(guild, guild.owner, "settings channel", channel=place, mode="questions")
    assert texts.say("settings.no_intent", "en") in done.content
    unheard = await discord_.say(guild, alice, ASKED)
    _, answer = await asked(discord_, guild, alice)
    assert says(answering, answer, ON_12_GB)
    await discord_.settle()
    assert discord_.replies_to(unheard) == []


async def test_channels_are_off_private_or_short(world: World, answering: Answering, texts: Texts) -> None:
    discord_, guild, alice = world
    await set_mode(discord_, guild, "off")
    unanswered = await discord_.say(guild, alice, discord_.mention(ASKED))
    assert (await discord_.slash(guild, alice, "can-run", model=STARCODER, hardware="12 GB")).ephemeral
    await discord_.settle()
    assert (discord_.replies_to(unanswered), unanswered["reactions"]) == ([], [])

    await set_mode(discord_, guild, "short")
    _, short = await asked(discord_, guild, alice)
    assert one_embed(short)["title"] == answering.answer(ON_12_GB, "en").message.title
    assert not {"fields", "footer"} & one_embed(short).keys()

    await set_mode(discord_, guild, "private")
    apart = await discord_.say(guild, alice, discord_.mention(ASKED))
    await discord_.until(lambda: bool(apart["reactions"]), "no sign that it was answered")
    (sent,) = discord_.sent_to(None, alice)
    assert says(answering, sent, ON_12_GB)
    assert discord_.replies_to(apart) == []
    shy = discord_.add_user("shy")
    shy.accepts_dms = False
    told = await discord_.reply(await discord_.say(guild, shy, discord_.mention(ASKED)))
    assert told["content"] == texts.say("chat.closed", "en", ask="/ask")
    discord_.excuse((403, 50007))


async def test_a_person_who_asks_too_fast_is_told_once(world: World) -> None:
    discord_, guild, alice = world
    said = [await discord_.say(guild, alice, discord_.mention(f"can I run {STARCODER} on {size} GB?")) for size in range(10, 18)]
    await discord_.until(lambda: len(discord_.replies_to(said[5])) == 1, "nobody was told to wait")
    await discord_.settle()
    replies = [discord_.replies_to(message) for message in said]
    assert [len(found) for found in replies] == [1] * 6 + [0] * 2
    assert [bool(found[0]["embeds"]) for found in replies[:6]] == [True] * 5 + [False]
