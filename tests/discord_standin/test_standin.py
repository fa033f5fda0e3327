"""The good paths, with a small real discord.py bot in a process of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.discord_standin import BotEnded, Guild, NotAnswered, NotConnected, NotOffered, Permission, StandIn, User, spec, walk

TINY = (sys.executable, Path(__file__).parent / "bots" / "tiny.py")
QUICK = {"TINY_IDENTIFY_PAUSE": "0"}

World = tuple[StandIn, Guild, User]


# One event loop for all of them, because most share one running bot.
pytestmark = pytest.mark.asyncio(loop_scope="module")


def check(discord_: StandIn) -> None:
    """Whatever went over the wire must be what Discord's own document allows."""
    if spec.available():
        assert spec.violations(discord_.record) == []
        assert spec.wrong_answers(discord_.record) == []


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running() -> AsyncIterator[StandIn]:
    """A running bot."""
    async with StandIn(message_rate=None) as discord_:
        discord_.add_guild("Home")
        await discord_.start(TINY)
        yield discord_
        assert discord_.gateway.dispatched["READY"] == 1


@pytest_asyncio.fixture(loop_scope="module")
async def live(running: StandIn) -> AsyncIterator[World]:
    """A new server with Alice in it, and the bot that all tests share."""
    running.record.clear()
    yield running, running.add_guild("Local LLMs", locale="es-ES"), running.add_user("alice", locale="it")
    check(running)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stricken() -> AsyncIterator[StandIn]:
    """A second bot, for the tests in which something goes wrong."""
    async with StandIn(message_rate=None, identify_window=0) as discord_:
        discord_.add_guild("Home")
        await discord_.start(TINY, QUICK)
        yield discord_


@pytest_asyncio.fixture(loop_scope="module")
async def fragile(stricken: StandIn) -> AsyncIterator[World]:
    """A new server with Alice in it, and that second bot."""
    stricken.record.clear()
    stricken.gateway.dispatched.clear()
    yield stricken, stricken.add_guild("Local LLMs", locale="es-ES"), stricken.add_user("alice", locale="it")
    stricken.faults.clear()
    check(stricken)


async def test_commands_are_answered_in_the_askers_locale(live: World) -> None:
    discord_, guild, alice = live
    assert (await discord_.slash(guild, alice, "ping")).content == "pong, it in es-ES"
    answer = await discord_.slash(guild, alice, "needs", model="Qwen3", context=4096, private=True)
    assert answer.embed["title"] == "Qwen3"
    assert answer.embed["description"] == "for 4096 tokens"
    assert answer.ephemeral
    needs = discord_.command("needs")
    assert needs["name_localizations"] == {"it": "serve", "es-ES": "necesita"}
    assert needs["options"][0]["name_localizations"] == {"it": "modello"}


async def test_autocomplete_offers_choices(live: World) -> None:
    discord_, guild, alice = live
    assert [choice["value"] for choice in await discord_.autocomplete(guild, alice, "needs", "model", "qwen")] == ["Qwen3 30B A3B"]
    assert len(await discord_.autocomplete(guild, alice, "needs", "model", "", context=4096)) == 25


async def test_buttons_and_menus_edit_the_answer_in_place(live: World) -> None:
    discord_, guild, alice = live
    answer = await discord_.slash(guild, alice, "needs", model="Qwen3")
    assert answer.message
    pressed = await discord_.press(answer.message, alice, "page:2")
    assert pressed.message is answer.message
    assert answer.content == "page 2"
    assert answer.embed["title"] == "Qwen3"
    chosen = await (await discord_.select(answer.message, alice, "quant", ["Q6_K"])).edited()
    assert chosen.content == "at Q6_K"
    with pytest.raises(NotOffered):
        await discord_.press(answer.message, alice, "page:2")
    with pytest.raises(NotOffered):
        await discord_.select(answer.message, alice, "quant", ["Q1"])


async def test_a_form_is_filled_in(live: World) -> None:
    discord_, guild, alice = live
    shown = await discord_.slash(guild, alice, "feedback")
    answer = await discord_.submit(shown, text="too slow", when="soon")
    assert answer.content == "noted: too slow"
    with pytest.raises(NotOffered):
        await discord_.submit(shown, other="")


async def test_a_deferred_answer_carries_an_upload(live: World) -> None:
    discord_, guild, alice = live
    answer = await (await discord_.slash(guild, alice, "chart")).followed_up()
    assert answer.message
    assert answer.message["attachments"][0]["size"] == 20_008
    assert answer.embed["image"]["url"] == answer.message["attachments"][0]["url"]
    assert answer.followups[0]["content"] == "and a word to it"
    assert discord_.record.to("POST webhooks/*/*")[0].files == ("chart.png",)


async def test_an_answer_is_taken_back(live: World) -> None:
    discord_, guild, alice = live
    answer = await discord_.slash(guild, alice, "slow", wait=False)
    await answer.until(lambda: answer.edits == 1 and answer.message is None, "not taken back")
    assert not discord_.record.refused


async def test_a_message_of_components_alone(live: World) -> None:
    discord_, guild, alice = live
    answer = await discord_.slash(guild, alice, "layout")
    assert answer.message
    assert [part.get("content") for part in walk(answer.message["components"])] == [None, "**12 GB** are enough"]


async def test_menus_of_messages_and_members(live: World) -> None:
    discord_, guild, alice = live
    said = await discord_.say(guild, alice, "can I run it?")
    assert (await discord_.message_menu(said, alice, "Explain")).content == "explaining: can I run it?"
    greeted = await discord_.user_menu(guild, alice, "Greet", alice)
    assert greeted.content == f"hello {alice.mention}"
    # The bot allows no mentions, so nobody is notified.
    assert greeted.message
    assert discord_.pings(greeted.message) == set()


async def test_subcommands_for_moderators(live: World) -> None:
    discord_, guild, alice = live
    general = guild.channels[0]
    with pytest.raises(NotOffered, match="lacks the permissions"):
        await discord_.slash(guild, alice, "settings channel", channel=general, mode="off")
    forced = await discord_.slash(guild, alice, "settings channel", channel=general, mode="off", forced=True)
    assert forced.content == "refused: MissingPermissions"
    discord_.add_moderator(guild, alice)
    answer = await discord_.slash(guild, alice, "settings channel", channel=general, mode="off")
    assert answer.content == "#general is off"
    with pytest.raises(NotOffered):
        await discord_.slash(None, guild.owner, "settings channel", channel=general, mode="off")


async def test_mentions_edits_and_deletions_are_followed(live: World) -> None:
    discord_, guild, alice = live
    said = await discord_.say(guild, alice, f"{discord_.me.mention} hello")
    reply = await discord_.reply(said)
    assert reply["content"] == f"you said: {discord_.me.mention} hello"
    assert discord_.pings(reply) == set()
    await discord_.edit(said, f"{discord_.me.mention} goodbye")
    await discord_.until(lambda: reply["content"] == f"now you said: {discord_.me.mention} goodbye", "the reply was not edited")
    await discord_.delete(said)
    await discord_.until(lambda: not discord_.exists(reply), "the reply was not deleted")


async def test_text_is_hidden_unless_it_is_meant_for_the_bot(live: World) -> None:
    discord_, guild, alice = live
    first = await discord_.say(guild, alice, "can I run it?")
    mention = await discord_.reply(await discord_.say(guild, alice, f"{discord_.me.mention}?"))
    # A reply whose ping is switched off hides its text, although it answers the bot.
    silent = await discord_.say(guild, alice, "and on a 4090?", reply_to=mention, ping=False)
    loud = await discord_.say(guild, alice, "and on a 3090?", reply_to=mention)
    direct = await discord_.say(None, alice, "and here?")
    assert (await discord_.reply(loud))["content"] == "you said: and on a 3090?"
    assert (await discord_.reply(direct))["content"] == "you said: and here?"
    await discord_.settle()
    assert discord_.replies_to(first) == discord_.replies_to(silent) == []


async def test_text_is_shown_with_the_privileged_intent() -> None:
    async with StandIn(message_content=True) as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        await discord_.start(TINY, {"TINY_CONTENT": "1"})
        assert (await discord_.reply(await discord_.say(guild, alice, "can I run it?")))["content"] == "a question, unasked for"


async def test_reactions_go_both_ways(live: World) -> None:
    discord_, guild, alice = live
    said = await discord_.say(guild, alice, f"thanks {discord_.me.mention}")
    await discord_.until(lambda: bool(said["reactions"]), "no reaction")
    assert said["reactions"][0]["emoji"]["name"] == "👍"
    reply = await discord_.reply(await discord_.say(guild, alice, f"{discord_.me.mention} hello"))
    await discord_.react(reply, alice, "🗑️")
    await discord_.until(lambda: not discord_.exists(reply), "not removed")


async def test_direct_messages_and_installs_of_users(live: World) -> None:
    discord_, _, alice = live
    bob = discord_.add_user("bob", locale="fr", installed=True)
    elsewhere = discord_.add_guild("Elsewhere", has_bot=False)
    private = discord_.add_private_channel(bob, alice)
    assert (await discord_.slash(None, alice, "ping")).content == "pong, it in private"
    assert (await discord_.slash(private, bob, "ping")).content == "pong, fr in private"
    assert (await discord_.slash(elsewhere, bob, "ping")).content == "pong, fr in en-US"
    for place in (private, elsewhere):
        with pytest.raises(NotOffered, match="not installed"):
            await discord_.slash(place, alice, "ping")


async def test_an_ephemeral_answer_is_there_for_one_alone(live: World) -> None:
    discord_, guild, alice = live
    bob = discord_.add_user("bob")
    answer = await discord_.slash(guild, alice, "needs", model="Qwen3", private=True)
    assert answer.message
    with pytest.raises(NotOffered, match="does not see"):
        await discord_.press(answer.message, bob, "page:2")
    assert (await discord_.press(answer.message, bob, "page:2", forced=True)).content == "page 2"


async def test_buttons_survive_a_restart() -> None:
    async with StandIn(identify_window=0) as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        bot = await discord_.start(TINY)
        answer = await discord_.slash(guild, alice, "needs", model="Qwen3")
        assert answer.message
        await bot.kill()
        await discord_.start(TINY)
        assert (await discord_.press(answer.message, alice, "page:2")).content == "page 2"
        # A press that no message offers reaches the bot too, if it is forced.
        assert (await discord_.press(answer.message, alice, "page:77", forced=True)).content == "page 77"


async def test_the_bot_joins_and_leaves_while_it_runs(live: World) -> None:
    discord_, _, alice = live
    late = discord_.add_guild("Late")
    assert (await discord_.slash(late, alice, "ping")).content == "pong, it in en-US"
    bot = discord_.processes[0]
    discord_.remove_bot(late)
    await bot.until(lambda: "left Late" in bot.log, "the bot did not leave")


@pytest.mark.parametrize("how", ["reconnect", "invalid but resumable", "drop", "close"])
async def test_nothing_is_lost_over_a_broken_connection(fragile: World, how: str) -> None:
    discord_, guild, alice = fragile
    session = discord_.gateway.by_shard[0].id
    if how == "reconnect":
        discord_.faults.reconnect()
    elif how == "invalid but resumable":
        discord_.faults.invalidate(resumable=True)
    elif how == "drop":
        discord_.faults.drop()
    else:
        await discord_.faults.close(code=4000)
    # Dispatched to a connection that is going or gone.
    assert (await discord_.slash(guild, alice, "ping")).content == "pong, it in es-ES"
    await discord_.until_gateway(lambda: discord_.gateway.dispatched["RESUMED"] == 1)
    assert discord_.gateway.by_shard[0].id == session
    assert discord_.gateway.dispatched["READY"] == 0


async def test_an_invalidated_session_is_begun_anew(fragile: World) -> None:
    discord_, guild, alice = fragile
    discord_.faults.invalidate()
    with pytest.raises(NotConnected):
        await discord_.slash(guild, alice, "ping")
    await discord_.until_gateway(lambda: discord_.gateway.is_ready)
    assert (await discord_.slash(guild, alice, "ping")).content == "pong, it in es-ES"
    assert discord_.gateway.dispatched["READY"] == 1


async def test_a_half_open_connection_is_noticed() -> None:
    async with StandIn(heartbeat_interval=0.2, identify_window=0) as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        await discord_.start(TINY, {"TINY_HEARTBEAT_TIMEOUT": "0.6"})
        discord_.faults.freeze()
        assert (await discord_.slash(guild, alice, "ping")).content == "pong, en-US in en-US"
        assert discord_.gateway.dispatched["RESUMED"] == 1


@pytest.mark.parametrize("scope", ["route", "global"])
async def test_rate_limits_are_obeyed(fragile: World, scope: str) -> None:
    discord_, guild, alice = fragile
    if scope == "route":
        fault = discord_.faults.rate_limit("POST channels/*/messages", retry_after=0.2)
    else:
        fault = discord_.faults.rate_limit_globally(retry_after=0.2)
    await discord_.reply(await discord_.say(guild, alice, f"{discord_.me.mention} hello"))
    assert fault.met == 1
    assert [exchange.status for exchange in discord_.record.to("POST channels/*/messages")] == [429, 200]


async def test_an_outage_is_waited_out(fragile: World) -> None:
    discord_, guild, alice = fragile
    fault = discord_.faults.fail("POST channels/*/messages", 502)
    await discord_.reply(await discord_.say(guild, alice, f"{discord_.me.mention} hello"))
    assert fault.met == 1
    fault = discord_.faults.fail("*", 503, seconds=60)
    discord_.desk.ack_deadline = 0.5
    with pytest.raises(NotAnswered):
        await discord_.slash(guild, alice, "ping")
    fault.end()
    discord_.desk.ack_deadline = 3.0
    assert (await discord_.slash(guild, alice, "ping")).content == "pong, it in es-ES"


async def test_a_slow_answer_and_a_broken_request(fragile: World) -> None:
    discord_, guild, alice = fragile
    slow = discord_.faults.slow("POST interactions/*/*/callback", 0.2)
    assert (await discord_.slash(guild, alice, "ping")).content == "pong, it in es-ES"
    assert slow.met == 1
    await discord_.settle()
    broken = discord_.faults.hang_up("POST channels/*/messages")
    said = await discord_.say(guild, alice, f"{discord_.me.mention} hello")
    await discord_.until(lambda: broken.met == 1, "no request")
    await discord_.settle()
    assert discord_.replies_to(said) == []


async def test_a_wrong_token_and_an_intent_that_is_not_switched_on_end_the_bot() -> None:
    async with StandIn() as discord_:
        bot = await discord_.start(TINY, {"DISCORD_TOKEN": "nonsense"}, ready=False)
        assert await bot.wait() == 1
        assert "Improper token has been passed" in bot.log
        with pytest.raises(BotEnded, match="PrivilegedIntentsRequired"):
            await discord_.start(TINY, {"TINY_CONTENT": "1"})
        assert discord_.gateway.closes == [4014]


async def test_a_revoked_token_ends_the_bot() -> None:
    async with StandIn() as discord_:
        bot = await discord_.start(TINY)
        await discord_.faults.revoke_token()
        assert await bot.wait() == 1
        assert "4004" in bot.log


async def test_sixteen_shards_start_together_where_discord_allows_it() -> None:
    async with StandIn(shards=16, max_concurrency=16) as discord_:
        guilds = [discord_.add_guild(f"Guild {number}", shard=number) for number in range(16)]
        alice = discord_.add_user("alice")
        await discord_.start(TINY)
        answers = await asyncio.gather(*(discord_.slash(guild, alice, "ping") for guild in guilds))
        assert {answer.content for answer in answers} == {"pong, en-US in en-US"}
        assert sorted(shard for _, shard, _ in discord_.gateway.identified) == list(range(16))
        # One shard breaks, the others do not notice.
        discord_.faults.reconnect(7)
        assert (await discord_.slash(guilds[7], alice, "ping")).content == "pong, en-US in en-US"
        assert discord_.gateway.dispatched["RESUMED"] == 1


async def test_a_channel_that_the_bot_may_not_write_in(live: World) -> None:
    discord_, guild, alice = live
    channel = discord_.add_channel(guild, "quiet")
    discord_.overwrite(channel, discord_.me, deny=Permission.SEND_MESSAGES)
    said = await discord_.say(channel, alice, f"{discord_.me.mention} hello")
    await discord_.until(lambda: bool(discord_.record.refused), "nothing was refused")
    assert [(exchange.status, exchange.code) for exchange in discord_.record.refused] == [(403, 50013)]
    assert discord_.replies_to(said) == []
