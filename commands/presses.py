"""What happens when a button or a select is used, by whomever and however long after the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar, cast

import discord
from discord.ui import Label, Modal, TextInput

from answers.answering import Answer, Answering
from answers.errors import UsageError
from answers.questions.question import Intent
from answers.replies.reply import RankCards
from commands import panel
from commands.asking import Place
from commands.errors import Refusal, own_locale, report
from commands.items import BUTTON, FORM, SELECT, Press
from commands.message import embed_of
from commands.meter import Counted
from commands.names import Names
from commands.rigs import Asked, noted, whose
from commands.services import Services, on_file
from commands.state import VERSION, Stale, State, read_state
from commands.views import EVERY_USE, USES, compose

MOST_DIGITS = 6
T = TypeVar("T")


class Presses:
    """Answers every press; built once."""

    def __init__(self, services: Services, names: Names) -> None:
        self._services = services
        self._panel = panel.Panel(services, names)

    async def pressed(self, interaction: Press, match: re.Match[str] | None, values: Sequence[str] = ()) -> None:
        """Do what a component is for; whatever goes wrong is said to the one who pressed."""
        try:
            if match is None:
                raise Stale
            self._in_time(interaction)
            if match["action"].startswith(panel.ACTION):
                if match["version"] != str(VERSION):
                    raise Stale
                self._limit(interaction)
                await self._panel.pressed(interaction, match["action"])
                return
            # One answering for all of the answer: the catalogue may be swapped meanwhile.
            answering = self._services.answering
            state = read_state(match["state"], match["version"], answering.handles)
            state = replace(state, question=self._services.with_picks(state.question, interaction.guild_id))
            await self._press(interaction, answering, state, match["action"][0], values)
        except Exception as error:
            await report(interaction, error)

    async def unclaimed(self, interaction: Press) -> None:
        """What the library takes to nobody: a form that was sent in, and a button that has gone or was never there."""
        data = cast("dict[str, Any]", interaction.data or {})
        custom_id = str(data.get("custom_id", ""))
        if interaction.type is discord.InteractionType.modal_submit:
            form = FORM.fullmatch(custom_id)
            if form and form["action"].startswith(panel.ACTION):
                await self._filled_in(interaction, form["action"], panel.entered(data.get("components", ())))
                return
            await self.pressed(interaction, FORM.fullmatch(custom_id), [_entered(data.get("components", ()))])
        elif interaction.type is discord.InteractionType.component and not _is_below(interaction.message, custom_id):
            await self.pressed(interaction, None)

    async def _filled_in(self, interaction: Press, action: str, typed: Mapping[str, str]) -> None:
        """Answer a form of a panel; whatever goes wrong is said to the one who sent it in."""
        try:
            self._in_time(interaction)
            self._limit(interaction)
            await self._panel.submitted(interaction, action, typed)
        except Exception as error:
            await report(interaction, error)

    def _in_time(self, interaction: Press) -> None:
        load = self._services.load
        if load.cuts_short(load.late_s(interaction.id)):
            self._services.meter.shed("question")
            raise Refusal("refused.busy")

    async def _press(self, interaction: Press, answering: Answering, state: State, action: str, values: Sequence[str]) -> None:
        match action:
            case "x":
                await self._remove(interaction)
            case "c":
                await self._explain(interaction, answering, state)
            case "l":
                await self._launch(interaction, answering, state)
            case "j" if not values:
                await interaction.response.send_modal(self._form(answering, state))
            case "o":
                await self._beside(interaction, answering, _one_model(state, values))
            case _:
                changed = _changed(answering, state, action, values)
                # An id that was made up for somebody else's answer must not change it.
                if interaction.user.id == state.asker and await self._asker(interaction) in (state.asker, None):
                    await self._in_place(interaction, answering, changed)
                else:
                    await self._beside(interaction, answering, changed)

    async def _in_place(self, interaction: Press, answering: Answering, state: State) -> None:
        """The answer anew, where it stands."""
        begun = self._services.clock()
        alone = interaction.message is not None and interaction.message.flags.ephemeral
        answer = self._noted(answering, state)
        short = not alone and Place.of(interaction).is_short(self._services)
        composed = compose(self._services.texts, [answer], alone=alone, short=short, rig=state.rig)
        shown: dict[str, Any] = {"content": None, "embeds": composed.embeds, "view": composed.below(state.asker)}
        if interaction.message is not None and interaction.message.attachments:
            # A chart beside figures that are no longer its own would belie them: it is drawn anew, or goes.
            picture = answering.picture(answer)
            shown["attachments"] = await self._services.charts.attached(picture, interaction.response.defer) if picture else []
        if interaction.response.is_done():
            await interaction.edit_original_response(**shown)
        else:
            await interaction.response.edit_message(**shown)
        self._services.meter.answered("press", (Counted.of(answer),), self._services.clock() - begun)
        known = self._services.conversations.answered(interaction.message.id) if interaction.message else None
        if known:
            # What is asked next goes on from what the answer says now.
            now = replace(known, memory=state.question, pending=answer.pending, offer=None, rig=state.rig)
            self._services.conversations.remember(now)

    async def _beside(self, interaction: Press, answering: Answering, state: State) -> None:
        """An answer that only the one who pressed sees; it is theirs from now on."""
        begun = self._services.clock()
        theirs, locale = self._owner(interaction, state)
        # Whoever presses sees the answer for the same hardware, which is not their machine.
        state = replace(state, asker=interaction.user.id, locale=locale, rig=state.rig and theirs)
        answer = self._noted(answering, state)
        self._limit(interaction)
        composed = compose(self._services.texts, [answer], alone=True, rig=state.rig)
        content = None if theirs else self._services.texts.say("button.not_yours", locale)
        await interaction.response.send_message(content, embeds=composed.embeds, view=composed.below(state.asker), ephemeral=True)
        self._services.meter.answered("press", (Counted.of(answer),), self._services.clock() - begun)

    def _noted(self, answering: Answering, state: State) -> Answer:
        """The answer, which says that it is for the asker's machine as long as that is what it was."""
        answer = _answer(answering, state)
        rig = whose(state.question, self._services.store.rigs(state.asker)) if state.rig else None
        return noted(self._services.texts, answer, Asked(state.question, state.question, rig), answering.catalogue)

    async def _explain(self, interaction: Press, answering: Answering, state: State) -> None:
        """How the figures are computed, for the one who pressed."""
        _, locale = self._owner(interaction, state)
        message = _known(lambda: answering.computed(state.question, locale))
        if message is None:
            raise Stale
        self._limit(interaction)
        await interaction.response.send_message(embed=embed_of(message), ephemeral=True)

    async def _launch(self, interaction: Press, answering: Answering, state: State) -> None:
        """The commands that start the model of an answer, for the one who pressed."""
        if not on_file(answering.catalogue, state.question):
            raise Stale
        _, locale = self._owner(interaction, state)
        message = _known(lambda: answering.launch(state.question, locale))
        if message is None:
            raise Stale
        self._limit(interaction)
        await interaction.response.send_message(embed=embed_of(message), ephemeral=True)

    def _owner(self, interaction: Press, state: State) -> tuple[bool, str]:
        """Whether an answer belongs to the one who pressed, and the locale to answer them in."""
        theirs = interaction.user.id == state.asker
        return theirs, state.locale if theirs else own_locale(self._services, interaction)

    def _limit(self, interaction: Press) -> None:
        wait = self._services.limits.take(interaction.user.id, interaction.channel_id)
        if wait:
            self._services.meter.slowed_down()
            raise Refusal("refused.too_fast", seconds=wait.seconds)

    async def _remove(self, interaction: Press) -> None:
        """Take an answer away, for whoever asked and for those who may delete anybody's messages.

        Who asked is what Discord says of the answer: an id can be made up, and what it says with it.
        """
        if not _moderates(interaction.permissions) and interaction.user.id != await self._asker(interaction):
            raise Refusal("button.not_yours_to_remove")
        await interaction.response.defer()
        await interaction.delete_original_response()

    async def _asker(self, interaction: Press) -> int | None:
        """Who asked for the answer that a button stands below; ``None`` where that cannot be told any more."""
        message = interaction.message
        if message is None:
            return None
        if message.interaction_metadata:
            return message.interaction_metadata.user.id
        if known := self._services.conversations.answered(message.id):
            return known.asker_id
        reference = message.reference
        if reference is None or reference.message_id is None:
            # Sent by itself, as only answers in private are: to the one person who reads them there.
            return interaction.user.id if interaction.guild_id is None else None
        if isinstance(reference.resolved, discord.Message):
            return reference.resolved.author.id
        with suppress(discord.HTTPException):
            return (await message.channel.fetch_message(reference.message_id)).author.id
        return None

    def _form(self, answering: Answering, state: State) -> Modal:
        """Asks which page to go to."""
        reply = _answer(answering, state).reply
        custom_id = state.custom_id("m", "j")
        if not isinstance(reply, RankCards) or custom_id is None:
            raise Stale
        say = self._services.texts.say
        form = Modal(title=say("page.title", state.locale), custom_id=custom_id, timeout=600)
        field: TextInput[Modal] = TextInput(custom_id="page", max_length=MOST_DIGITS, placeholder=str(reply.page + 1))
        form.add_item(Label(text=say("page.label", state.locale, pages=reply.pages), component=field))
        return form


def _moderates(permissions: discord.Permissions) -> bool:
    return permissions.administrator or permissions.manage_guild or permissions.manage_messages


# -- what is asked now ----------------------------------------------------------------------------------------------------------


def _changed(answering: Answering, state: State, action: str, values: Sequence[str]) -> State:
    """The state after a press. The id of a button already holds what it leads to; a select's says what it changes."""
    question = state.question
    if action == "t":
        return replace(state, question=question.model_copy(update={"context": _whole(values)}))
    if action == "f":
        use = _first(values)
        if use not in (*USES, EVERY_USE):
            raise Stale
        return replace(state, question=question.model_copy(update={"use": None if use == EVERY_USE else use}))
    if action == "m":
        return replace(state, question=question.model_copy(update={"min_quality": _first(values), "quant": None}))
    if action == "j":
        reply = _answer(answering, state).reply
        pages = reply.pages if isinstance(reply, RankCards) else 0
        page = int(values[0]) if values[0].isdecimal() and len(values[0]) <= MOST_DIGITS else 0
        if not 1 <= page <= pages:
            raise Refusal("page.none", pages=pages)
        return replace(state, page=page - 1)
    if action not in "qpnsu":
        raise Stale
    return state


def _one_model(state: State, values: Sequence[str]) -> State:
    """Whether one model of a list runs on the hardware of the question."""
    update = {"intent": Intent.CAN_RUN, "models": (_first(values),), "use": None}
    return replace(state, question=state.question.model_copy(update=update), page=0)


def _first(values: Sequence[str]) -> str:
    if not values:
        raise Stale
    return values[0]


def _whole(values: Sequence[str]) -> int:
    value = _first(values)
    if not value.isdecimal() or len(value) > 9:
        raise Stale
    return int(value)


def _answer(answering: Answering, state: State) -> Answer:
    """The answer that a state stands for.

    Raises:
        Stale: where it names what is not on file.
    """
    if not on_file(answering.catalogue, state.question):
        raise Stale
    return _known(lambda: answering.answer(state.question, state.locale, state.page))


def _known(attempt: Callable[[], T]) -> T:
    """What is answered to a question that came with an id; a quant that is not on file was made up.

    Raises:
        Stale: where there is no such quant.
    """
    try:
        return attempt()
    except UsageError as error:
        raise Stale from error


# -- Discord's parts ------------------------------------------------------------------------------------------------------------


def _entered(components: Iterable[Any]) -> str:
    """What was typed into the one field of a form."""
    for component in components:
        inner = component.get("component")
        found = component.get("value") or _entered([*component.get("components", ()), *([inner] if inner else ())])
        if found:
            return str(found).strip()
    return ""


def _is_below(message: discord.Message | None, custom_id: str) -> bool:
    """Whether a message has a component of that id, and it is one of ours."""
    if message is None or not (BUTTON.fullmatch(custom_id) or SELECT.fullmatch(custom_id)):
        return False
    return any(
        getattr(child, "custom_id", None) == custom_id for row in message.components for child in getattr(row, "children", ())
    )
