"""``/which-model``: current models that are worth running on hardware, with their reasons."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from commands.asking import answer_to
from commands.autocomplete import Autocomplete
from commands.hardware import LARGEST_RAM_GB, LARGEST_TOK_S, MOST_TYPED, by_method, models_for
from commands.machines import machine_of
from commands.names import Names
from commands.services import Services


def which_model(services: Services, names: Names, autocomplete: Autocomplete) -> app_commands.Command[Any, ..., Any]:
    """The command."""
    renamed, described = names.options("hardware", "use", "context", "min-speed", "ram", "method", "chart", "private")

    @app_commands.command(name=names.name("commands.which-model"), description=names.description("commands.which-model"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.autocomplete(hardware=autocomplete.machine)
    @app_commands.choices(use=names.choices("use"), method=names.choices("method"))
    async def command(
        interaction: discord.Interaction,
        hardware: app_commands.Range[str, 1, MOST_TYPED] | None = None,
        use: str | None = None,
        context: app_commands.Range[str, 1, 20] | None = None,
        min_speed: app_commands.Range[float, 1, LARGEST_TOK_S] | None = None,
        ram: app_commands.Range[float, 1, LARGEST_RAM_GB] | None = None,
        method: str | None = None,
        chart: bool = False,
        private: bool = False,
    ) -> None:
        answering = services.answering
        machine = await machine_of(services, interaction.user.id, hardware)
        on = None if machine else hardware
        question = by_method(models_for(answering, on, use=use, context=context, min_speed=min_speed, ram_gb=ram), method)
        await answer_to(services, interaction, [question], answering=answering, machine=machine, chart=chart, private=private)

    return command
