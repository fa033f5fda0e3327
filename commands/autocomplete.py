"""Suggests models and hardware while somebody types: best match first, and what was typed is never lost."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import discord
from discord import app_commands

from answers.answering import Answering
from answers.questions.question import Question
from answers.replies.desk import label_of
from commands.errors import own_locale
from commands.rigs import label
from commands.services import Services

MOST = 25
LONGEST = 100
KEPT = 512
"""Beginnings of names, for each kind of option, whose suggestions are kept."""
Choice = app_commands.Choice[str]
Complete = Callable[[discord.Interaction[Any], str], Coroutine[Any, Any, list[Choice]]]

_COUNT = re.compile(r"([1-9]\d?)\s*[xX×*]\s*")
_CARDS_OF_NAMES = 8
"""Of what an option for either suggests, at least so many of the second kind."""


class Autocomplete:
    """What the options suggest; built once."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._labels: dict[tuple[str, str], str] = {}
        self._of: Answering | None = None

    @property
    def model(self) -> Complete:
        """For an option that names a model."""
        return self._completing(self.model_choices)

    @property
    def hardware(self) -> Complete:
        """For an option that names hardware."""
        return self._completing(self.hardware_choices)

    @property
    def machine(self) -> Complete:
        """For an option that names hardware, which may be a machine of the asker's own."""
        return self._with_machines(self.hardware)

    @property
    def compared(self) -> Complete:
        """For an option that names a model, a card or a machine of the asker's own."""
        return self._with_machines(self.name)

    @property
    def name(self) -> Complete:
        """For an option that names a model or a card."""
        return self._completing(self.name_choices)

    def _with_machines(self, others: Complete) -> Complete:
        services = self._services

        async def complete(interaction: discord.Interaction[Any], current: str) -> list[Choice]:
            held, locale, typed = services.answering.catalogue, own_locale(services, interaction), current.strip().casefold()
            own = [
                _choice(f"{rig.machine} · {label(services.texts, rig, held, locale)}", rig.machine)
                for rig in services.store.rigs(interaction.user.id)
                if rig.machine and typed in rig.machine.casefold()
            ]
            found = await others(interaction, current)
            return [*own, *(choice for choice in found if choice.value not in {one.value for one in own})][:MOST]

        return complete

    def _completing(self, choices: Callable[[Answering, str, str], list[Choice]]) -> Complete:
        # Most of what is typed begins as others have begun. What is typed is kept in memory alone, without who typed it.
        kept: OrderedDict[tuple[str, str], list[Choice]] = OrderedDict()
        of: Answering | None = None

        async def complete(interaction: discord.Interaction[Any], current: str) -> list[Choice]:
            nonlocal of
            answering = self._services.answering
            if of is not answering:
                of = answering
                kept.clear()
            key = (current, own_locale(self._services, interaction))
            if key not in kept:
                kept[key] = choices(answering, *key)
                if len(kept) > KEPT:
                    kept.popitem(last=False)
            kept.move_to_end(key)
            return kept[key]

        return complete

    def model_choices(self, answering: Answering, typed: str, locale: str) -> list[Choice]:
        """Models on file; before them a size that stands for itself, or a file's name that states its quant."""
        found = [_choice(name, name) for name in answering.suggestions.models(typed)]
        read = answering.reader.model(typed) if _worth_reading(typed, found) else Question()
        own: list[Choice] = []
        if read.parameters is not None and not read.unknown:
            own = [_choice(self._services.texts.say("view.dense", locale, parameters=read.parameters), typed)]
        elif read.models and not read.candidates:
            own = [_choice(" · ".join(part for part in (read.models[0], read.quant) if part), typed)]
        return _choices(own, found)

    def hardware_choices(self, answering: Answering, typed: str, locale: str) -> list[Choice]:
        """Cards for the last of what is joined by a plus, with all before it kept; before them what was typed, as it reads."""
        before, plus, last = typed.rpartition("+")
        kept = f"{before.strip()} + " if plus else ""
        counted = _COUNT.match(last.strip())
        count, name = (int(counted[1]), last.strip()[counted.end() :]) if counted else (1, last.strip())
        prefix = kept + (f"{count}x " if count > 1 else "")
        shown = kept + (f"{count}× " if count > 1 else "")
        cards = answering.suggestions.cards(name)
        found = [_choice(shown + self.label(answering, card, locale), prefix + card) for card in cards]
        read = answering.reader.hardware(typed) if _worth_reading(typed, found) else Question()
        own = self._hardware_label(answering, read, locale)
        return _choices([_choice(own, typed)] if own else [], found)

    def name_choices(self, answering: Answering, typed: str, locale: str) -> list[Choice]:
        """Models and cards; cards first where a number is typed."""
        cards = [_choice(self.label(answering, name, locale), name) for name in answering.suggestions.cards(typed)]
        found = [_choice(name, name) for name in answering.suggestions.models(typed)]
        first, second = (cards, found) if typed[:1].isdigit() else (found, cards)
        return _choices([], [*first[: MOST - min(len(second), _CARDS_OF_NAMES)], *second])

    def label(self, answering: Answering, name: str, locale: str) -> str:
        """A card as it is named in an answer, with what it is where that is odd and its name does not say so."""
        if answering is not self._of:
            self._of, self._labels = answering, {}
        key = (name, locale)
        if key not in self._labels:
            card = answering.desk.card(answering.catalogue.card(name))
            kind = self._services.texts.say("view.card", locale, card=card)
            self._labels[key] = f"{card.label}, {kind}" if kind else card.label
        return self._labels[key]

    def _hardware_label(self, answering: Answering, read: Question, locale: str) -> str:
        """Hardware that was read, as an answer names it; empty where nothing was read, or a name means several cards."""
        if read.candidates:
            return ""
        if read.cards:
            alone = len(read.cards) == 1
            labels = [self.label(answering, card.name, locale) if alone else label_of(card.name) for card in read.cards]
            return " + ".join(f"{card.count}× " * (card.count > 1) + said for card, said in zip(read.cards, labels, strict=True))
        if read.memory_gb is None:
            return ""
        return self._services.texts.say("view.memory", locale, count=read.n_cards, memory_gb=read.memory_gb, unified=read.unified)


def _worth_reading(typed: str, found: list[Choice]) -> bool:
    """Whether what was typed may say more than the names that it is part of."""
    return bool(typed.strip()) and len(typed) <= LONGEST and (not found or any(sign.isdigit() for sign in typed))


def _choice(label: str, value: str) -> Choice:
    shown = label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
    return app_commands.Choice(name=shown, value=value)


def _choices(own: Sequence[Choice], found: Sequence[Choice]) -> list[Choice]:
    """At most 25, each value and each label once, none too long for Discord: what is typed can always be sent as it is."""
    said = {choice.name for choice in own}
    # Of what was typed and a name on file that read the same, the name is the better one to send.
    named = [choice for choice in found if choice.name in said]
    chosen: dict[str, Choice] = {}
    labels: set[str] = set()
    for choice in (*named, *own, *found):
        if 0 < len(choice.value) <= LONGEST and choice.name not in labels and len(chosen) < MOST:
            chosen.setdefault(choice.value, choice)
            labels.add(choice.name)
    return list(chosen.values())
