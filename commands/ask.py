"""``/ask``: a question in the asker's own words."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from commands.asking import answer_to
from commands.hardware import method_of, questions_in
from commands.machines import read_with
from commands.names import Names
from commands.services import Services

MOST_TYPED = 2000


def ask(services: Services, names: Names) -> app_commands.Command[Any, ..., Any]:
    """The command."""
    renamed, described = names.options("question", "method", "private")

    @app_commands.command(name=names.name("commands.ask"), description=names.description("commands.ask"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.choices(method=names.choices("method"))
    async def command(
        interaction: discord.Interaction,
        question: app_commands.Range[str, 1, MOST_TYPED],
        method: str | None = None,
        private: bool = False,
    ) -> None:
        answering = services.answering
        await services.catch_up()
        rigs = services.store.rigs(interaction.user.id)
        reading, machine = read_with(answering, question, rigs, interaction.locale.value.partition("-")[0])
        asked = questions_in(reading)
        wanted = method_of(method)
        asked = [single.model_copy(update={"method": wanted}) for single in asked] if wanted else asked
        await answer_to(services, interaction, asked, answering=answering, machine=machine, private=private)

    return command
