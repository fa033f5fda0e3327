"""``/compare``: two to four cards or models side by side."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from commands.asking import answer_to
from commands.autocomplete import Autocomplete
from commands.hardware import MOST_TYPED, by_method
from commands.machines import compared_with
from commands.names import Names
from commands.services import Services


def compare(services: Services, names: Names, autocomplete: Autocomplete) -> app_commands.Command[Any, ..., Any]:
    """The command."""
    renamed, described = names.options("a", "b", "c", "d", "model", "method", "chart", "private")

    @app_commands.command(name=names.name("commands.compare"), description=names.description("commands.compare"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.autocomplete(
        a=autocomplete.compared,
        b=autocomplete.compared,
        c=autocomplete.compared,
        d=autocomplete.compared,
        model=autocomplete.model,
    )
    @app_commands.choices(method=names.choices("method"))
    async def command(
        interaction: discord.Interaction,
        a: app_commands.Range[str, 1, MOST_TYPED],
        b: app_commands.Range[str, 1, MOST_TYPED],
        c: app_commands.Range[str, 1, MOST_TYPED] | None = None,
        d: app_commands.Range[str, 1, MOST_TYPED] | None = None,
        model: app_commands.Range[str, 1, MOST_TYPED] | None = None,
        method: str | None = None,
        chart: bool = False,
        private: bool = False,
    ) -> None:
        answering = services.answering
        await services.catch_up()
        rigs = services.store.rigs(interaction.user.id)
        question, machine = compared_with(answering, [name for name in (a, b, c, d) if name], model, rigs)
        question = by_method(question, method)
        await answer_to(services, interaction, [question], answering=answering, machine=machine, chart=chart, private=private)

    return command
