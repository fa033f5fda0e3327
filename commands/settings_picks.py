"""``/settings picks``: moderators add, drop and pin the models that are recommended in their server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal

import discord
from discord import app_commands

from answers.answering import Answering
from answers.catalogue.records import PickUse
from answers.questions.question import PickChange
from commands.autocomplete import Autocomplete
from commands.errors import Refusal
from commands.hardware import MOST_TYPED
from commands.names import Names
from commands.services import Services

MOST_PICKS = 50
"""Changes that a server may have."""
SAID = {"add": "settings.pick_add", "drop": "settings.pick_drop", "pin": "settings.pick_pin"}
Line = Callable[[str], str]
Done = Callable[[discord.Interaction[Any], Line], Awaitable[None]]


class _Picks(app_commands.Group):
    """A group inside of a moderators' group: the library asks only the innermost one whether a command may be used."""

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Whether the group that it is in lets the command be used.

        Raises:
            MissingPermissions: where it does not.
        """
        return self.parent is not None and await self.parent.interaction_check(interaction)


def picks(services: Services, names: Names, autocomplete: Autocomplete, group: app_commands.Group, done: Done) -> None:
    """Add the commands to ``group``; ``done`` says what holds now, to whoever changed it and in the log."""
    key = "subcommands.settings.picks"
    inner = _Picks(name=names.name(key), description=names.description(key), parent=group)
    renamed, described = names.options("model", "use")

    def add(action: Literal["add", "drop", "pin"]) -> None:
        @inner.command(name=names.name(f"{key}.{action}"), description=names.description(f"{key}.{action}"))
        @app_commands.rename(**renamed)
        @app_commands.describe(**described)
        @app_commands.autocomplete(model=autocomplete.model)
        @app_commands.choices(use=names.choices("use"))
        async def command(interaction: discord.Interaction, model: app_commands.Range[str, 1, MOST_TYPED], use: str) -> None:
            assert interaction.guild_id is not None
            name = _model(services.answering, model)
            await interaction.response.defer(ephemeral=True)
            await _change(services, interaction.guild_id, PickChange.model_validate({"action": action, "model": name, "use": use}))
            await done(interaction, partial(_said, services, action, name, use))

        assert command.parent is inner

    for action in ("add", "drop", "pin"):
        add(action)


def _said(services: Services, action: str, model: str, use: str, locale: str) -> str:
    return services.texts.say(SAID[action], locale, model=model, use=use)


def _model(answering: Answering, typed: str) -> str:
    """The one model on file that was typed.

    Raises:
        Refusal: where it is none, or several.
    """
    read = answering.reader.model(typed)
    if len(read.models) != 1 or read.candidates:
        raise Refusal("settings.pick_unknown", typed=typed)
    return read.models[0]


async def _change(services: Services, guild_id: int, change: PickChange) -> None:
    """Note a change; one that leads back to what the catalogue picks anyway is forgotten instead.

    Raises:
        Refusal: where the server has as many as it may.
    """
    held = {(entry.model, entry.use) for entry in services.server(guild_id).picks}
    picked = _is_picked(services.answering, change.model, change.use)
    usual = (change.action == "add" and picked) or (change.action == "drop" and not picked)
    if not usual and (change.model, change.use) not in held and len(held) >= MOST_PICKS:
        raise Refusal("settings.picks_full", most=MOST_PICKS)
    await services.store.change_pick(guild_id, change.model, change.use, None if usual else change.action)


def _is_picked(answering: Answering, model: str, use: PickUse) -> bool:
    return any(pick.model == model and pick.use == use for pick in answering.catalogue.picks)
