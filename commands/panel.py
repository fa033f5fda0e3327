"""The panel: a pinned message with buttons, for newcomers who know no command. Every answer goes to the one who pressed alone.

Its buttons know nothing but what they are for, so they work for anybody, for as long as the message stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import discord
from discord.ui import Label, Modal, TextInput, View

from answers.questions.question import Intent
from commands.asking import answer_to
from commands.below import BLUE, GREY
from commands.errors import own_locale
from commands.hardware import MOST_TYPED, on_hardware, ranking
from commands.help import help_message
from commands.machines import machine_of
from commands.message import embed_of
from commands.names import Names
from commands.rig import mine, on
from commands.services import Services
from commands.state import Stale, custom_id
from commands.store.rigs import Rig

ACTION = "w"
"""The first letter of what a panel's buttons and forms do."""
FITS, MODELS, CARDS, SAVE, HELP = (f"{ACTION}{number}" for number in range(5))
_LABELS = {FITS: "panel.fits", MODELS: "panel.models", CARDS: "panel.cards", SAVE: "panel.save", HELP: "panel.help"}
_EXAMPLES = {"model": "panel.a_model", "hardware": "panel.a_card"}
_NAMED = {"model": "panel.model", "hardware": "panel.hardware"}
_FIELDS = {FITS: ("model", "hardware"), MODELS: ("hardware",), CARDS: ("model",), SAVE: ("hardware",)}
_ALWAYS_NEEDED = frozenset(((FITS, "model"), (CARDS, "model"), (SAVE, "hardware")))
_ROW, _BUTTON = 1, 2
"""Discord's numbers for the kinds of components."""
MOST_LABEL = 45
"""Characters of a form's title and of its labels."""


class Buttons(View):
    """The buttons of a panel. Whatever is pressed says itself what it is for, so the library remembers nothing of it."""

    def __init__(self, services: Services, locale: str) -> None:
        super().__init__(timeout=None)
        say = services.texts.say
        styles = {HELP: GREY}
        made = [
            {"type": _BUTTON, "style": styles.get(action, BLUE), "label": say(key, locale), "custom_id": custom_id("b", action, "")}
            for action, key in _LABELS.items()
        ]
        self._rows = [{"type": _ROW, "components": made}]

    def is_finished(self) -> bool:
        """Always, so that the library remembers nothing of it."""
        return True

    def to_components(self) -> list[dict[str, Any]]:
        """The row of buttons."""
        return self._rows


@dataclass(frozen=True, slots=True)
class Panel:
    """Does what the buttons and the forms of a panel are for."""

    services: Services
    names: Names

    def message(self, locale: str) -> tuple[discord.Embed, Buttons]:
        """The panel as it is put up."""
        embed = embed_of(self.services.texts.message("panel.message", locale, c=self.names.said(locale)))
        return embed, Buttons(self.services, locale)

    async def pressed(self, interaction: discord.Interaction[Any], action: str) -> None:
        """A button: ask for what it takes to answer.

        Raises:
            Stale: where there is no such button.
        """
        locale = own_locale(self.services, interaction)
        if action == HELP:
            message = help_message(self.services, self.names, "questions", locale)
            await interaction.response.send_message(embed=embed_of(message), ephemeral=True)
            return
        if action not in _FIELDS:
            raise Stale
        await self.services.catch_up()
        has_rig = bool(self.services.store.rigs(interaction.user.id))
        form = Modal(
            title=self.services.texts.say(_LABELS[action], locale)[:MOST_LABEL], custom_id=custom_id("m", action, "") or ""
        )
        for name in _FIELDS[action]:
            needed = (action, name) in _ALWAYS_NEEDED or (name == "hardware" and not has_rig)
            field: TextInput[Modal] = TextInput(
                custom_id=name,
                required=needed,
                max_length=MOST_TYPED,
                placeholder=self.services.texts.say(_EXAMPLES[name], locale),
            )
            label = self.services.texts.say(_NAMED[name], locale, needed=needed)
            form.add_item(Label(text=label[:MOST_LABEL], component=field))
        await interaction.response.send_modal(form)

    async def submitted(self, interaction: discord.Interaction[Any], action: str, typed: Mapping[str, str]) -> None:
        """A form that was filled in: answer it, for whoever did so alone.

        Raises:
            Refusal: where what was typed cannot be saved.
            Stale: where there is no such form.
        """
        if action == SAVE:
            await self._save(interaction, typed)
            return
        answering = self.services.answering
        model, hardware = typed.get("model", ""), typed.get("hardware", "")
        machine = await machine_of(self.services, interaction.user.id, hardware)
        hardware = "" if machine else hardware
        if action == FITS:
            question = on_hardware(answering, model, hardware)
        elif action == MODELS:
            question = answering.reader.hardware(hardware).model_copy(update={"intent": Intent.WHAT_CAN_CARD_RUN})
        elif action == CARDS:
            question = ranking(answering, model)
        else:
            raise Stale
        await answer_to(self.services, interaction, [question], answering=answering, machine=machine, private=True)

    async def _save(self, interaction: discord.Interaction[Any], typed: Mapping[str, str]) -> None:
        answering, who = self.services.answering, interaction.user.id
        await self.services.catch_up()
        rig = on(answering, next(iter(self.services.store.rigs(who)), Rig()), typed.get("hardware", ""))
        await interaction.response.defer(ephemeral=True, thinking=True)
        await self.services.store.save_rig(who, rig)
        message = mine(self.services, self.names, who, own_locale(self.services, interaction), saved=True)
        await interaction.followup.send(embed=embed_of(message), ephemeral=True)


def entered(components: Iterable[Any]) -> dict[str, str]:
    """What was typed into the fields of a form, by their ids."""
    found: dict[str, str] = {}
    for component in components:
        if "value" in component:
            found[str(component.get("custom_id", ""))] = str(component["value"] or "").strip()
        inner = component.get("component")
        found |= entered([*component.get("components", ()), *([inner] if inner else ())])
    return found
