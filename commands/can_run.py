"""``/can-run``: whether a model fits on hardware, and how fast it is there."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from commands.asking import answer_to
from commands.autocomplete import Autocomplete
from commands.hardware import MOST_TYPED, on_hardware, quants_on_file
from commands.names import Names
from commands.services import Services


def can_run(services: Services, names: Names, autocomplete: Autocomplete) -> app_commands.Command[Any, ..., Any]:
    """The command."""
    renamed, described = names.options("model", "hardware", "quant", "context", "private")

    @app_commands.command(name=names.name("commands.can-run"), description=names.description("commands.can-run"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.autocomplete(model=autocomplete.model, hardware=autocomplete.hardware)
    @app_commands.choices(quant=quants_on_file())
    async def command(
        interaction: discord.Interaction,
        model: app_commands.Range[str, 1, MOST_TYPED],
        hardware: app_commands.Range[str, 1, MOST_TYPED] | None = None,
        quant: str | None = None,
        context: app_commands.Range[str, 1, 20] | None = None,
        private: bool = False,
    ) -> None:
        answering = services.answering
        question = on_hardware(answering, model, hardware, quant=quant, context=context)
        await answer_to(services, interaction, [question], answering=answering, private=private)

    return command
