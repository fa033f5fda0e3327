"""Chat: answers whoever addresses the bot, and keeps an answer beside its question when that is edited or deleted.

Of a message only ids and the question that was understood are kept, and those in memory alone.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import discord
from discord import MessageType

from answers.answering import Answer, Answering, once, text_of
from answers.questions.followup import picked, remember
from answers.questions.question import Intent, Question, Reading
from answers.replies.asking import Unknown
from commands.below import Below
from commands.conversations import FOLLOW_UP_S, Exchange
from commands.errors import note
from commands.hardware import questions_in
from commands.hearing import Act, Heard, Way, act_on, goes_on, may_concern, way_of
from commands.items import BUTTON, SELECT
from commands.machines import read_with
from commands.meter import Counted
from commands.names import Names
from commands.rigs import noted
from commands.services import Services, on_file
from commands.state import Stale, read_state
from commands.store.servers import Mode
from commands.views import compose

MOST_ANSWERS = 2
"""Answers to one message; a longer one would fill a phone."""
MOST_TEXT = 2000
"""Characters of a message without embeds."""
WELCOME, SENT_APART = "👍", "📬"
"""What thanks are met with, and a question whose answer was sent in private."""
_LOG = logging.getLogger("rigcheck")
_OF_THE_ANSWER = frozenset("tmc")
"""What changes the context or the quality of an answer or explains it holds the question that it answers."""
_ORDINARY = (MessageType.default, MessageType.reply)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A message that concerns the bot."""

    message: discord.Message
    way: Way
    mode: Mode
    text: str
    """What it says, without the mention."""
    before: Exchange | None
    """What it may go on from."""
    previous: Question | None
    guild_locale: str | None
    parent_id: int | None

    @property
    def guild_id(self) -> int | None:
        return self.message.guild.id if self.message.guild else None

    @property
    def is_public(self) -> bool:
        return self.mode is not Mode.PRIVATE


@dataclass(frozen=True, slots=True)
class _Understood:
    """What a message asked, and the answers."""

    reading: Reading
    questions: tuple[Question, ...]
    answers: tuple[Answer, ...]
    locale: str
    answering: Answering
    meant: Question | None = None
    """The last question, with the asker's machine where it names no hardware: what a follow-up goes on from."""
    rig: bool = False
    """The last of the answers that are given is for a machine that the asker saved."""


class Chat:
    """Hears messages, their edits and their deletions; built once."""

    def __init__(self, client: discord.Client, services: Services, names: Names) -> None:
        self._client = client
        self._services = services
        self._names = names
        # An edit or a deletion waits until the message that it is about has been answered.
        self._orders: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    def may_concern(self, message: Mapping[str, Any]) -> bool:
        """Whether a message, as the gateway tells it, may be one to answer, or the edit of one that was answered."""
        me = self._client.user
        if me is None or self._services.conversations.asked(int(message["id"])):
            return True
        return may_concern(message, me.id, self._services.server(int(message.get("guild_id") or 0)))

    async def said(self, message: discord.Message) -> None:
        """Somebody wrote a message."""
        # Who writes twice in a row goes on from what was said first: a slow connection brings both at once.
        async with self._order(message.id), self._order((message.author.id, message.channel.id)):
            turn = self._turn(message)
            if turn:
                await self._guarded(turn, self._answer(turn))

    async def edited(self, payload: discord.RawMessageUpdateEvent) -> None:
        """A message was edited: its answer follows."""
        message = payload.message
        if message.edited_at is None:
            # Discord has only looked up a link.
            return
        async with self._order(message.id):
            known = self._services.conversations.asked(message.id)
            turn = self._turn(message, known)
            if turn is None:
                return
            if known:
                await self._guarded(turn, self._follow(turn, known))
            elif turn.way is Way.ADDRESSED and (message.edited_at - message.created_at).total_seconds() <= FOLLOW_UP_S:
                # It asks something only now, or mentions the bot only now.
                await self._guarded(turn, self._answer(turn))

    async def deleted(self, message_ids: Sequence[int]) -> None:
        """Messages were deleted: their answers go with them."""
        for message_id in message_ids:
            async with self._order(message_id):
                self._services.conversations.forget_answer(message_id)
                known = self._services.conversations.forget(message_id)
                if known:
                    await self._delete_answer(known)

    # -- hearing ----------------------------------------------------------------------------------------------------------------

    def _turn(self, message: discord.Message, known: Exchange | None = None) -> _Turn | None:
        """The message as it concerns the bot; ``None`` where it does not."""
        me = self._client.user
        if me is None:
            return None
        services, guild, channel = self._services, message.guild, message.channel
        parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
        mode = services.mode(guild.id if guild else None, channel.id, parent_id)
        answered = self._answered(message)
        text, heard = heard_in(message, me.id, replies_to_me=answered is not None)
        way = way_of(heard, mode)
        if way is Way.NOT:
            return None
        before = services.conversations.asked(known.after) if known and known.after else None
        if known is None and goes_on(way, mode, heard.replies_to_me):
            before = answered or services.conversations.latest(message.author.id, channel.id)
        previous = known.previous if known else before.memory if before else None
        if known is None and before is None and heard.replies_to_me:
            previous = _asked_below(message, services)
        if previous and not on_file(services.answering.catalogue, previous):
            previous = None
        guild_locale = str(guild.preferred_locale) if guild else None
        return _Turn(message, way, mode, text, before, previous, guild_locale, parent_id)

    def _answered(self, message: discord.Message) -> Exchange | None:
        """The exchange whose answer a message replies to."""
        reference = message.reference
        return self._services.conversations.answered(reference.message_id) if reference and reference.message_id else None

    def _understand(self, turn: _Turn) -> _Understood:
        """What a message asks, and the answers; one answering for all of it, since the catalogue may be swapped meanwhile."""
        services, answering = self._services, self._services.answering
        before = turn.before
        chosen = None
        if before:
            chosen = picked(turn.text, before.pending, before.offer, answering.reader.wording)
        machine = None
        if before and chosen and on_file(answering.catalogue, chosen):
            reading = Reading(question=chosen, lang=before.locale, confidence=1.0)
        else:
            hint = before.locale if before else turn.guild_locale
            rigs = services.store.rigs(turn.message.author.id)
            reading, machine = read_with(answering, turn.text, rigs, hint.partition("-")[0] if hint else None, turn.previous)
        locale = services.locale_for(
            reading.lang, turn.guild_locale, turn.guild_id, turn.message.channel.id, turn.is_public, turn.parent_id
        )
        if not turn.text:
            return _Understood(reading, (), answering.ask("", locale), locale, answering)
        questions = tuple(questions_in(reading))
        held, goes_on = answering.catalogue, before is not None and before.rig
        asked = [
            services.filled(question, turn.message.author.id, turn.guild_id, held, goes_on=goes_on, named=machine)
            for question in questions
        ]
        answers = once(noted(services.texts, answering.answer(one.question, locale), one, held) for one in asked)
        rig = bool(asked) and asked[:MOST_ANSWERS][-1].rig is not None
        meant = next((one.meant for one in reversed(asked) if one.meant.intent is not Intent.NONE), None)
        return _Understood(reading, questions, answers, locale, answering, meant, rig)

    def _act(self, turn: _Turn, understood: _Understood) -> Act:
        return act_on(
            turn.way,
            understood.reading,
            [answer.reply for answer in understood.answers],
            text=turn.text,
            greets=turn.message.guild is None and turn.before is None,
        )

    # -- answering --------------------------------------------------------------------------------------------------------------

    async def _answer(self, turn: _Turn) -> None:
        """Do about a new message what there is to do."""
        if turn.way is Way.ADDRESSED and not await self._is_turn(turn):
            return
        await self._services.catch_up()
        begun = self._services.clock()
        understood = self._understand(turn)
        act = self._act(turn, understood)
        if act is Act.REACT:
            await turn.message.add_reaction(WELCOME)
        elif act is Act.ANSWER and (turn.way is Way.ADDRESSED or await self._is_turn(turn)):
            sent = await self._send(turn, understood)
            if sent:
                self._services.meter.answered("chat", map(Counted.of, understood.answers), self._services.clock() - begun)
                self._remember(turn, understood, sent.id, sent.channel.id)
                self._services.wanted.asked(understood.questions, turn.message.author.id)

    async def _follow(self, turn: _Turn, known: Exchange) -> None:
        """Bring the answer to an edited message up to date."""
        if known.answer_id is None:
            # Somebody took the answer away; it stays away.
            return
        await self._services.catch_up()
        understood = self._understand(turn)
        if self._act(turn, understood) is not Act.ANSWER:
            self._services.conversations.forget(known.asked_id)
            await self._delete_answer(known)
        elif (understood.questions, understood.locale) != (known.questions, known.locale) and await self._is_turn(turn):
            embeds, view, text = self._composed(turn, understood)
            await self._place(known).edit(content=text, embeds=embeds, view=view)
            self._remember(turn, understood, known.answer_id, known.answer_channel_id)

    async def _is_turn(self, turn: _Turn) -> bool:
        """Whether whoever asks may be answered now; who addressed the bot is told once that they have to wait."""
        message = turn.message
        wait = self._services.limits.take(message.author.id, message.channel.id)
        if wait:
            self._services.meter.slowed_down()
        if wait and wait.first and turn.way is Way.ADDRESSED:
            await self._reply(turn, self._say(turn, "refused.too_fast", seconds=wait.seconds))
        return wait is None

    async def _send(self, turn: _Turn, understood: _Understood) -> discord.Message | None:
        """The message that answers; ``None`` where nothing could be said."""
        embeds, view, text = self._composed(turn, understood)
        message = turn.message
        if message.guild is None or turn.mode is not Mode.PRIVATE:
            return await message.reply(text, embeds=embeds, view=view, mention_author=False)
        try:
            sent = await message.author.send(text, embeds=embeds, view=view)
        except discord.Forbidden:
            ask = self._names.said(understood.locale)["ask"]
            await self._reply(turn, self._say(turn, "chat.closed", ask=ask))
            return None
        # Where it may not react, the answer has been sent all the same.
        with suppress(discord.HTTPException):
            await message.add_reaction(SENT_APART)
        return sent

    def _composed(self, turn: _Turn, understood: _Understood) -> tuple[Sequence[discord.Embed], Below, str | None]:
        """The answer as Discord shows it: embeds, what stands below them, and a line above them where something was left out."""
        composed = compose(
            self._services.texts, understood.answers[:MOST_ANSWERS], short=turn.mode is Mode.SHORT, rig=understood.rig
        )
        view = composed.below(turn.message.author.id)
        left_out = len(understood.answers) > MOST_ANSWERS
        text = self._services.texts.say("chat.rest", understood.locale, n=MOST_ANSWERS) if left_out else None
        if turn.is_public and not _shows_embeds(turn.message):
            return [], view, text_of(understood.answers[:MOST_ANSWERS])[:MOST_TEXT]
        return composed.embeds, view, text

    def _remember(self, turn: _Turn, understood: _Understood, answer_id: int, channel_id: int | None) -> None:
        last = understood.answers[min(len(understood.answers), MOST_ANSWERS) - 1]
        kept = remember(understood.meant, turn.previous) if understood.meant else None
        self._services.conversations.remember(
            Exchange(
                asked_id=turn.message.id,
                asker_id=turn.message.author.id,
                channel_id=turn.message.channel.id,
                locale=understood.locale,
                questions=understood.questions,
                memory=kept,
                pending=last.pending,
                offer=last.pending[0] if isinstance(last.reply, Unknown) and last.reply.offered else None,
                previous=turn.previous,
                after=turn.before.asked_id if turn.before else None,
                rig=understood.rig,
                answer_id=answer_id,
                answer_channel_id=channel_id,
            )
        )

    async def _delete_answer(self, known: Exchange) -> None:
        if known.answer_id is None:
            return
        try:
            await self._place(known).delete()
        except discord.HTTPException as error:
            _LOG.info("an answer could not be deleted", extra={"status": error.status, "code": error.code})

    def _place(self, known: Exchange) -> discord.PartialMessage:
        channel = self._client.get_partial_messageable(known.answer_channel_id or known.channel_id)
        return channel.get_partial_message(known.answer_id or 0)

    # -- manners ----------------------------------------------------------------------------------------------------------------

    def _order(self, of: Hashable) -> asyncio.Lock:
        """What keeps the events of one message, or what somebody writes in one channel, in their order."""
        return self._orders.setdefault(of, asyncio.Lock())

    async def _guarded(self, turn: _Turn, work: Any) -> None:
        """Do something about a message; what goes wrong is logged, and said to whoever addressed the bot."""
        try:
            await work
        except discord.HTTPException as error:
            # No permission, or the message is gone: nobody is helped by a second try.
            _LOG.info("a message could not be answered", extra={"status": error.status, "code": error.code})
        except Exception as error:
            reference = note(self._services, error, "chat")
            if turn.way is Way.ADDRESSED:
                await self._reply(turn, self._say(turn, "error.ours", code=reference))

    async def _reply(self, turn: _Turn, text: str) -> None:
        try:
            await turn.message.reply(text, mention_author=False)
        except discord.HTTPException as error:
            _LOG.info("a message could not be answered", extra={"status": error.status, "code": error.code})

    def _say(self, turn: _Turn, key: str, **figures: Any) -> str:
        """A sentence beside the answers, in the language of what was said before, else that of the server."""
        spoken = turn.before.locale if turn.before else None
        locale = self._services.locale_for(spoken, turn.guild_locale, turn.guild_id, turn.message.channel.id, True, turn.parent_id)
        return self._services.texts.say(key, locale, **figures)


def _shows_embeds(message: discord.Message) -> bool:
    """Whether the bot may show embeds where a message stands; Discord drops those that it may not without a word."""
    if message.guild is None or isinstance(message.channel, (discord.DMChannel, discord.GroupChannel, discord.PartialMessageable)):
        return True
    return message.channel.permissions_for(message.guild.me).embed_links


def _asked_below(message: discord.Message, services: Services) -> Question | None:
    """The question of an answer that a message replies to, from its buttons: for answers to commands, and those of long ago."""
    replied_to = message.reference.resolved if message.reference else None
    if not isinstance(replied_to, discord.Message):
        return None
    for row in replied_to.components:
        for child in getattr(row, "children", ()):
            custom_id = str(getattr(child, "custom_id", ""))
            match = BUTTON.fullmatch(custom_id) or SELECT.fullmatch(custom_id)
            # Other buttons lead to another question than the one that was answered.
            if match and match["action"] in _OF_THE_ANSWER:
                with suppress(Stale):
                    return read_state(match["state"], match["version"], services.answering.handles).question
    return None


def heard_in(message: discord.Message, me: int, *, replies_to_me: bool = False) -> tuple[str, Heard]:
    """What a message says, without a mention of the bot, and whom it is for.

    Args:
        message: as Discord sent it.
        me: the bot's id.
        replies_to_me: it is known to reply to an answer of the bot.
    """
    mention = re.compile(rf"<@!?{me}>")
    text = mention.sub(" ", message.content).strip()
    reference = message.reference if message.type is MessageType.reply else None
    replied_to = reference.resolved if reference else None
    to_me = replies_to_me or (isinstance(replied_to, discord.Message) and replied_to.author.id == me)
    pinged = {user.id for user in message.mentions}
    person = not message.author.bot and message.webhook_id is None and message.type in _ORDINARY
    return text, Heard(
        from_person=person,
        direct=message.guild is None,
        names_me=mention.search(message.content) is not None,
        pings_me=me in pinged,
        replies_to_me=to_me,
        replies_to_other=reference is not None and not to_me,
        names_others=bool(pinged - {me}) or bool(message.raw_role_mentions),
        names_everyone=message.mention_everyone,
        has_text=bool(text),
    )
