"""``/help``: what can be asked, with examples; for the asker alone."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from answers.rendering.message import Message
from commands.errors import own_locale
from commands.message import embed_of
from commands.names import Names
from commands.services import Services

TOPICS = {
    "questions": "help.questions",
    "hardware": "help.hardware",
    "figures": "help.figures",
    "chat": "help.chat",
    "moderators": "help.moderators",
}


def help_(services: Services, names: Names) -> app_commands.Command[Any, ..., Any]:
    """The command."""
    renamed, described = names.options("topic")

    @app_commands.command(name=names.name("commands.help"), description=names.description("commands.help"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.choices(topic=names.choices("topic"))
    async def command(interaction: discord.Interaction, topic: str = "questions") -> None:
        message = help_message(services, names, topic, own_locale(services, interaction))
        await interaction.response.send_message(embed=embed_of(message), ephemeral=True)

    return command


def help_message(services: Services, names: Names, topic: str, locale: str) -> Message:
    """What is said about a topic."""
    return services.texts.message(
        TOPICS[topic],
        locale,
        c=names.said(locale),
        computed=services.texts.say("button.computed", locale),
        answer_this=names.text("menus.answer-this", locale),
    )
