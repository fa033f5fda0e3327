"""Who asks, where, and what that means for the answer: its language, who sees it, how long it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import discord

from answers.answering import Answer, Answering, once
from answers.questions.question import Question
from answers.replies.asking import NotAsked, OutOfRange, Unknown
from commands.kept import Finished, Key
from commands.meter import Counted
from commands.rigs import noted
from commands.services import Services
from commands.store.rigs import Rig
from commands.store.servers import Mode
from commands.views import compose


@dataclass(frozen=True, slots=True)
class Place:
    """Where an interaction came from."""

    user_id: int
    locale: str
    guild_locale: str | None
    guild_id: int | None
    channel_id: int | None
    parent_id: int | None

    @classmethod
    def of(cls, interaction: discord.Interaction[Any]) -> Place:
        """The place of an interaction."""
        channel = interaction.channel
        return cls(
            user_id=interaction.user.id,
            locale=str(interaction.locale),
            guild_locale=str(interaction.guild_locale) if interaction.guild_locale else None,
            guild_id=interaction.guild_id,
            channel_id=interaction.channel_id,
            parent_id=channel.parent_id if isinstance(channel, discord.Thread) else None,
        )

    def is_public(self, services: Services) -> bool:
        """Whether answers here are for everybody to see."""
        return services.is_public(self.guild_id, self.channel_id, self.parent_id)

    def is_short(self, services: Services) -> bool:
        """Whether answers here are short."""
        return services.mode(self.guild_id, self.channel_id, self.parent_id) is Mode.SHORT

    def answer_locale(self, services: Services, public: bool, spoken: str | None = None) -> str:
        """The locale of an answer: the asker's, or that of the question (``spoken``), unless moderators set one for all to see."""
        return services.locale_for(spoken or self.locale, self.guild_locale, self.guild_id, self.channel_id, public, self.parent_id)


async def answer_to(
    services: Services,
    interaction: discord.Interaction[Any],
    questions: Iterable[Question],
    *,
    answering: Answering,
    private: bool = False,
    spoken: str | None = None,
    with_rig: bool = True,
    machine: Rig | None = None,
    chart: bool = False,
) -> None:
    """Answer an interaction; what cannot be answered is told to the asker alone.

    Args:
        services: what answers.
        interaction: where it came from.
        questions: at least one.
        answering: what they were read with.
        private: the asker wants to be the only one who sees the answer.
        spoken: the language of the questions, where it is known.
        with_rig: a question that names no hardware is about the machine of whoever uses the command; not so where it is another's.
        machine: the machine of the asker that the questions name.
        chart: draw the answer too.
    """
    begun = services.clock()
    await services.catch_up()
    place = Place.of(interaction)
    key = _key(services, place, private, spoken)
    questions = tuple(questions)
    async with services.charts.turn() if chart else nullcontext():
        finished = _finish(services, answering, questions, key, place, place.user_id if with_rig else 0, machine, chart)
    await _send(services, interaction, finished, begun)
    services.wanted.asked(questions, place.user_id)


async def answer_typed(
    services: Services,
    interaction: discord.Interaction[Any],
    read: Callable[[Answering], Question],
    typed: tuple[Hashable, ...],
    *,
    machine: Rig | None = None,
    private: bool = False,
    chart: bool = False,
) -> None:
    """Answer what was typed into the options of a command, as it was answered before where it was.

    Args:
        services: what answers.
        interaction: what is answered.
        read: reads the question, with the answering that answers it: the catalogue may be swapped meanwhile.
        typed: the command and the values of its options.
        machine: the machine of the asker that they name.
        private: the asker wants to be the only one who sees the answer.
        chart: draw the answer too.
    """
    begun = services.clock()
    await services.catch_up()
    place, answering = Place.of(interaction), services.answering
    key = _key(services, place, private, typed=(*typed, chart))
    # What somebody's own machine has to do with an answer is nobody else's.
    has_rig = bool(services.store.rigs(place.user_id))
    finished = None if has_rig else services.kept.get(answering, key)
    if finished is None:
        async with services.charts.turn() if chart else nullcontext():
            question = read(answering)
            finished = _finish(services, answering, [question], key, place, place.user_id, machine, chart)
        # A name that is not on file may be anything that somebody typed.
        if not (has_rig or question.unknown):
            services.kept.put(answering, key, finished)
        services.wanted.asked([question], place.user_id)
    await _send(services, interaction, finished, begun)


def _key(services: Services, place: Place, private: bool, spoken: str | None = None, typed: Hashable = None) -> Key:
    """What an answer depends on besides its questions."""
    public = not private and place.is_public(services)
    locale = place.answer_locale(services, public, spoken)
    return Key(typed, locale, services.defaults_for(place.guild_id), public, public and place.is_short(services))


def _finish(
    services: Services,
    answering: Answering,
    questions: Iterable[Question],
    key: Key,
    place: Place,
    asker: int,
    machine: Rig | None = None,
    chart: bool = False,
) -> Finished:
    """Answer questions, all but for whom it is. ``asker`` is whose machines are meant; 0 is nobody."""
    held = answering.catalogue
    asked = [services.filled(question, asker, place.guild_id, held, named=machine) for question in questions]
    answers = once(noted(services.texts, answering.answer(one.question, key.locale), one, held) for one in asked)
    alone = not key.public or all(_refuses(answer) for answer in answers)
    composed = compose(services.texts, answers, alone=alone, short=key.short, rig=asked[0].rig is not None)
    picture = answering.picture(answers[0]) if chart else None
    return Finished(composed, alone, tuple(map(Counted.of, answers)), picture)


async def _send(services: Services, interaction: discord.Interaction[Any], finished: Finished, begun: float) -> None:
    view, embeds = finished.composed.below(interaction.user.id), finished.composed.embeds

    async def put_off() -> None:
        await interaction.response.defer(ephemeral=finished.alone, thinking=True)

    files = await services.charts.attached(finished.picture, put_off) if finished.picture else []
    if interaction.response.is_done():
        await interaction.edit_original_response(embeds=embeds, view=view, attachments=files)
    else:
        await interaction.response.send_message(embeds=embeds, view=view, ephemeral=finished.alone, files=files)
    services.meter.answered("slash", finished.counted, services.clock() - begun)


def _refuses(answer: Answer) -> bool:
    """Whether an answer only says that there is none."""
    reply = answer.reply
    return isinstance(reply, (NotAsked, OutOfRange)) or (isinstance(reply, Unknown) and not reply.choices)
