"""Whether a message is for the bot, and what it does about it: plain decisions, apart from Discord."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from answers.questions.question import Intent, Reading
from answers.replies.asking import AskBack, NotAsked, OutOfRange, Unknown
from answers.replies.parts import Part
from commands.store.servers import Mode, Server

SURE = 0.7
"""How sure a reading must be for the bot to answer somebody who did not address it. A wrong interjection is worse than silence."""

_ORDINARY = frozenset((0, 19))
"""Discord's numbers for a message and a reply; all the others are written by Discord itself."""
_QUESTION_MARKS = frozenset("?¿؟？")
"""Thanks have none. A question that was not understood is told what can be asked, since a reaction would say yes to it."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What tells whom a message is for."""

    from_person: bool = True
    """Written by a person: no bot (the bot itself included), no webhook, nothing that Discord writes by itself."""
    direct: bool = False
    """A direct message."""
    names_me: bool = False
    """Its text mentions the bot."""
    pings_me: bool = False
    """The bot is among those that it notifies, by a mention or as the author of what it replies to."""
    replies_to_me: bool = False
    replies_to_other: bool = False
    names_others: bool = False
    """It notifies other people or roles."""
    names_everyone: bool = False
    has_text: bool = True
    """Text apart from mentions. Discord withholds that of messages that do not ping the bot, unless it may read all content."""


class Way(StrEnum):
    """How a message concerns the bot."""

    NOT = "not"
    ADDRESSED = "addressed"
    OVERHEARD = "overheard"
    """Said in a question channel, to nobody in particular or in reply to an answer."""


class Act(StrEnum):
    """What is done about a message."""

    NOTHING = "nothing"
    REACT = "react"
    ANSWER = "answer"


def may_concern(message: Mapping[str, Any], me: int, server: Server) -> bool:
    """Whether a message, as the gateway tells it, may be one that something is done about; wrong only where it says yes.

    Asked about every message that anybody writes anywhere, so that all the others cost next to nothing.

    Args:
        message: a new one, or what one was edited to.
        me: the bot's id.
        server: the settings of where it was written.
    """
    author = message.get("author") or {}
    if author.get("bot") or message.get("webhook_id") or message.get("type", 0) not in _ORDINARY:
        return False
    if message.get("guild_id") is None or any(user.get("id") == str(me) for user in message.get("mentions", ())):
        return True
    content = message.get("content") or ""
    if f"<@{me}>" in content or f"<@!{me}>" in content:
        return True
    # Of a thread only its parent's settings may be known, and the gateway does not say which that is.
    return bool(content) and any(channel.mode is Mode.QUESTIONS for channel in server.channels.values())


def way_of(heard: Heard, mode: Mode) -> Way:
    """How a message concerns the bot in a channel of that mode."""
    if not heard.from_person or heard.names_everyone:
        return Way.NOT
    if heard.direct:
        return Way.ADDRESSED
    if mode is Mode.OFF:
        return Way.NOT
    if heard.names_me or (heard.pings_me and heard.has_text):
        return Way.ADDRESSED
    if mode is not Mode.QUESTIONS or not heard.has_text:
        return Way.NOT
    if heard.replies_to_other or heard.names_others:
        # People talking to each other.
        return Way.NOT
    return Way.OVERHEARD


def goes_on(way: Way, mode: Mode, replies_to_me: bool) -> bool:
    """Whether a message may go on from the last question of whoever wrote it: in a question channel only a reply does."""
    return replies_to_me or (way is Way.ADDRESSED and mode is not Mode.QUESTIONS)


def act_on(way: Way, reading: Reading, replies: Sequence[Part], *, text: str, greets: bool) -> Act:
    """What to do about a message that was read.

    Args:
        way: how it concerns the bot.
        reading: what was understood.
        replies: the replies to all its questions.
        text: what it says besides mentioning the bot.
        greets: it opens a conversation of two, where saying what can be asked is no lecture.
    """
    if way is Way.NOT:
        return Act.NOTHING
    if way is Way.OVERHEARD:
        sure = reading.question.intent is not Intent.NONE and reading.confidence >= SURE
        return Act.ANSWER if sure and all(map(_is_answer, replies)) else Act.NOTHING
    if not text:
        # Who only calls the bot by its name is told what it can be asked.
        return Act.ANSWER
    asked = any(not isinstance(reply, NotAsked) for reply in replies) or not _QUESTION_MARKS.isdisjoint(text)
    return Act.ANSWER if asked or greets else Act.REACT


def _is_answer(reply: Part) -> bool:
    """Whether a reply tells something, or asks only which of several like names was meant."""
    if isinstance(reply, AskBack):
        return reply.missing in {"which_model", "which_card"}
    return not isinstance(reply, (NotAsked, Unknown, OutOfRange))
