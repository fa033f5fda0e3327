"""The message menu "Answer this": the question that somebody else wrote, in the language it is written in."""

from __future__ import annotations

import discord
from discord import app_commands

from commands.asking import answer_to
from commands.errors import Refusal
from commands.hardware import questions_in
from commands.names import Names
from commands.services import Services


def answer_this(services: Services, names: Names) -> app_commands.ContextMenu:
    """The menu's entry."""

    async def command(interaction: discord.Interaction, message: discord.Message) -> None:
        if not message.content.strip():
            raise Refusal("refused.no_text")
        answering = services.answering
        reading = answering.read(message.content)
        await answer_to(
            services,
            interaction,
            questions_in(reading),
            answering=answering,
            spoken=reading.lang,
            # Whoever wrote it meant their own machine, which is theirs to show.
            with_rig=message.author.id == interaction.user.id,
        )

    return app_commands.ContextMenu(name=names.menu("answer-this"), callback=command)
