"""``/info``: what is on file about a model or a card."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from commands.asking import answer_typed
from commands.autocomplete import Autocomplete
from commands.hardware import MOST_TYPED, record
from commands.names import Names
from commands.services import Services


def info(services: Services, names: Names, autocomplete: Autocomplete) -> app_commands.Command[Any, ..., Any]:
    """The command."""
    renamed, described = names.options("name", "private")

    @app_commands.command(name=names.name("commands.info"), description=names.description("commands.info"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.autocomplete(name=autocomplete.name)
    async def command(
        interaction: discord.Interaction, name: app_commands.Range[str, 1, MOST_TYPED], private: bool = False
    ) -> None:
        await answer_typed(services, interaction, lambda answering: record(answering, name), ("info", name), private=private)

    return command
