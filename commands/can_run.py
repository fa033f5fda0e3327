"""``/can-run``: whether a model fits on hardware, and how fast it is there."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from answers.answering import Answering
from answers.questions.question import Question
from commands.asking import answer_typed
from commands.autocomplete import Autocomplete
from commands.hardware import LARGEST_RAM_GB, MOST_TYPED, cache_precisions, on_hardware, quants_on_file
from commands.machines import machine_of
from commands.names import Names
from commands.services import Services


def can_run(services: Services, names: Names, autocomplete: Autocomplete) -> app_commands.Command[Any, ..., Any]:
    """The command."""
    renamed, described = names.options("model", "hardware", "quant", "context", "kv", "ram", "method", "chart", "private")

    @app_commands.command(name=names.name("commands.can-run"), description=names.description("commands.can-run"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.autocomplete(model=autocomplete.model, hardware=autocomplete.machine)
    @app_commands.choices(quant=quants_on_file(), kv=cache_precisions(), method=names.choices("method"))
    async def command(
        interaction: discord.Interaction,
        model: app_commands.Range[str, 1, MOST_TYPED],
        hardware: app_commands.Range[str, 1, MOST_TYPED] | None = None,
        quant: str | None = None,
        context: app_commands.Range[str, 1, 20] | None = None,
        kv: str | None = None,
        ram: app_commands.Range[float, 1, LARGEST_RAM_GB] | None = None,
        method: str | None = None,
        chart: bool = False,
        private: bool = False,
    ) -> None:
        machine = await machine_of(services, interaction.user.id, hardware)

        def read(answering: Answering) -> Question:
            on = None if machine else hardware
            return on_hardware(answering, model, on, quant=quant, context=context, kv=kv, ram_gb=ram, method=method)

        typed = ("can-run", model, hardware, quant, context, kv, ram, method)
        await answer_typed(services, interaction, read, typed, machine=machine, chart=chart, private=private)

    return command
