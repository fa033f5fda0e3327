"""The command tree: every command, where each may be used, how often, and what is said when one fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import discord
from discord import app_commands
from discord.app_commands import AppCommandContext, AppInstallationType

from commands.answer_this import answer_this
from commands.ask import ask
from commands.autocomplete import Autocomplete
from commands.can_run import can_run
from commands.catalogue import catalogue
from commands.compare import compare
from commands.errors import own_locale, report, tell
from commands.help import help_
from commands.info import info
from commands.names import Names
from commands.privacy import privacy
from commands.rig import rig, show_rig
from commands.services import Services
from commands.settings import settings
from commands.wellformed import fits
from commands.which_gpu import which_gpu
from commands.which_model import which_model
from commands.which_quant import which_quant


class Tree(app_commands.CommandTree[Any]):
    """The tree of the bot's client."""

    def __init__(self, client: discord.Client, services: Services) -> None:
        super().__init__(
            client,
            allowed_contexts=AppCommandContext(guild=True, dm_channel=True, private_channel=True),
            allowed_installs=AppInstallationType(guild=True, user=True),
        )
        self._services = services

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Whether it is this person's turn; what is suggested while they type is theirs unless too much is asked at once."""
        services = self._services
        late_s = services.load.late_s(interaction.id)
        data = cast("Mapping[str, Any]", interaction.data or {})
        if interaction.type is not discord.InteractionType.application_command:
            if not services.load.leaves_out(late_s):
                return fits(self, data, typing=True)
            services.meter.shed("autocomplete")
            return False
        locale = own_locale(services, interaction)
        if services.load.cuts_short(late_s):
            services.meter.shed("question")
            await tell(interaction, services.texts.say("refused.busy", locale))
            return False
        wait = services.limits.take(interaction.user.id, interaction.channel_id)
        if wait:
            services.meter.slowed_down()
            await tell(interaction, services.texts.say("refused.too_fast", locale, seconds=wait.seconds))
            return False
        if not fits(self, data):
            await tell(interaction, services.texts.say("error.old_command", locale))
            return False
        return True

    async def on_error(self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /) -> None:
        """Say what went wrong."""
        await report(interaction, error)


def fill(tree: app_commands.CommandTree[Any], services: Services, names: Names, forget: Callable[[int], Awaitable[None]]) -> None:
    """Put every command into a tree. ``forget`` drops whatever is kept about a person."""
    autocomplete = Autocomplete(services)
    tree.add_command(ask(services, names))
    tree.add_command(can_run(services, names, autocomplete))
    tree.add_command(which_quant(services, names, autocomplete))
    tree.add_command(which_model(services, names, autocomplete))
    tree.add_command(which_gpu(services, names, autocomplete))
    tree.add_command(compare(services, names, autocomplete))
    tree.add_command(info(services, names, autocomplete))
    tree.add_command(rig(services, names, autocomplete))
    tree.add_command(show_rig(services, names))
    tree.add_command(help_(services, names))
    tree.add_command(privacy(services, names, forget))
    tree.add_command(answer_this(services, names))
    tree.add_command(settings(services, names, autocomplete))
    tree.add_command(catalogue(services, names))
