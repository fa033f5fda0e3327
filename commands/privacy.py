"""``/privacy``: what is kept about the asker, and forgetting it; for the asker alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import discord
from discord import app_commands

from commands.errors import own_locale
from commands.message import embed_of
from commands.names import Names
from commands.rig import told
from commands.services import Services


def privacy(services: Services, names: Names, forget: Callable[[int], Awaitable[None]]) -> app_commands.Group:
    """The command. ``forget`` drops whatever is kept about a person."""
    group = app_commands.Group(name=names.name("commands.privacy"), description=names.description("commands.privacy"))

    @group.command(name=names.name("subcommands.privacy.show"), description=names.description("subcommands.privacy.show"))
    async def show(interaction: discord.Interaction) -> None:
        locale, asker = own_locale(services, interaction), interaction.user.id
        await services.catch_up()
        message = services.texts.message(
            "privacy.show",
            locale,
            machines=told(services, services.store.rigs(asker), services.answering.catalogue, locale),
            aside_until=_aside_until(services),
            questions=services.conversations.of_person(asker),
            c=names.said(locale),
        )
        await interaction.response.send_message(embed=embed_of(message), ephemeral=True)

    @group.command(name=names.name("subcommands.privacy.delete"), description=names.description("subcommands.privacy.delete"))
    async def delete(interaction: discord.Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        await forget(interaction.user.id)
        text = services.texts.say("privacy.deleted", own_locale(services, interaction), aside_until=_aside_until(services))
        await interaction.followup.send(text, ephemeral=True)

    assert show.parent is delete.parent is group
    return group


def _aside_until(services: Services) -> str:
    """The day on which the last damaged file goes that may hold what somebody saved; empty where there is none."""
    until = services.store.aside_until
    return until.date().isoformat() if until else ""
