"""``/which-quant``: every quant of a model with its size, need, fit and speed, and three of them marked."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from commands.asking import answer_to
from commands.autocomplete import Autocomplete
from commands.hardware import MOST_TYPED, by_method, quants_for
from commands.machines import machine_of
from commands.names import Names
from commands.services import Services


def which_quant(services: Services, names: Names, autocomplete: Autocomplete) -> app_commands.Command[Any, ..., Any]:
    """The command."""
    renamed, described = names.options("model", "hardware", "context", "method", "private")

    @app_commands.command(name=names.name("commands.which-quant"), description=names.description("commands.which-quant"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.autocomplete(model=autocomplete.model, hardware=autocomplete.machine)
    @app_commands.choices(method=names.choices("method"))
    async def command(
        interaction: discord.Interaction,
        model: app_commands.Range[str, 1, MOST_TYPED],
        hardware: app_commands.Range[str, 1, MOST_TYPED] | None = None,
        context: app_commands.Range[str, 1, 20] | None = None,
        method: str | None = None,
        private: bool = False,
    ) -> None:
        answering = services.answering
        machine = await machine_of(services, interaction.user.id, hardware)
        question = by_method(quants_for(answering, model, None if machine else hardware, context), method)
        await answer_to(services, interaction, [question], answering=answering, machine=machine, private=private)

    return command
