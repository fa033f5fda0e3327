"""A bot that does what Discord refuses, and prints how it was refused: "late: 404 10062"."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import discord
from discord import app_commands

sys.path.insert(0, str(Path(__file__).parent))
from home import run


class SameNames(app_commands.Translator):
    """Gives two commands the same name in Italian, which discord.py does not notice."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        return "uguale" if locale is discord.Locale.italian and string.message in ("first", "second") else None


class Wrong(discord.Client):
    def __init__(self) -> None:
        super().__init__(intents=discord.Intents.default())
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self) -> None:
        await self.tree.set_translator(SameNames())
        for name in ("first", "second"):
            self.tree.add_command(_nothing(name))
        try:
            await self.tree.sync()
        except discord.HTTPException as error:
            _tell("names", error)
        for name in ("first", "second"):
            self.tree.remove_command(name)
        for do in (late, twice, description, fields, total, title, content, label, too_late_to_follow, elsewhere):
            self.tree.add_command(_refused(do))
        self.tree.add_command(choices)
        await self.tree.sync()

    async def on_message(self, message: discord.Message) -> None:
        if message.author.bot:
            return
        try:
            await message.reply("x" * 2001)
        except discord.HTTPException as error:
            _tell("reply", error)
        try:
            await message.edit(content="I say it better")
        except discord.HTTPException as error:
            _tell("edit", error)
        try:
            await message.add_reaction("no emoji")
        except discord.HTTPException as error:
            _tell("reaction", error)


def _tell(what: str, error: discord.HTTPException) -> None:
    print(f"{what}: {error.status} {error.code}")


def _nothing(name: str) -> app_commands.Command:
    async def callback(interaction: discord.Interaction) -> None:
        await interaction.response.defer()

    return app_commands.Command(name=app_commands.locale_str(name), description="Does nothing", callback=callback)


def _refused(do) -> app_commands.Command:
    async def callback(interaction: discord.Interaction) -> None:
        try:
            await do(interaction)
        except discord.HTTPException as error:
            _tell(do.__name__, error)

    return app_commands.Command(name=do.__name__, description="Is refused", callback=callback)


async def late(interaction: discord.Interaction) -> None:
    await asyncio.sleep(0.5)
    await interaction.response.send_message("better late than never")


async def twice(interaction: discord.Interaction) -> None:
    await interaction.response.send_message("once")
    # discord.py guards against this itself, as long as it is the same object.
    again = discord.InteractionResponse(interaction)
    await again.send_message("twice")


async def description(interaction: discord.Interaction) -> None:
    await interaction.response.send_message(embed=discord.Embed(description="x" * 4097))


async def title(interaction: discord.Interaction) -> None:
    await interaction.response.send_message(embed=discord.Embed(title="x" * 257))


async def fields(interaction: discord.Interaction) -> None:
    embed = discord.Embed(title="Cards")
    for number in range(26):
        embed.add_field(name=str(number), value="fits")
    await interaction.response.send_message(embed=embed)


async def total(interaction: discord.Interaction) -> None:
    embeds = [discord.Embed(description="x" * 3001), discord.Embed(description="x" * 3000)]
    await interaction.response.send_message(embeds=embeds)


async def content(interaction: discord.Interaction) -> None:
    await interaction.response.send_message("x" * 2001)


async def label(interaction: discord.Interaction) -> None:
    view = discord.ui.View()
    view.add_item(discord.ui.Button(label="x" * 81))
    await interaction.response.send_message("press", view=view)


async def too_late_to_follow(interaction: discord.Interaction) -> None:
    await interaction.response.defer()
    await asyncio.sleep(0.3)
    await interaction.followup.send("after a quarter of an hour")


async def elsewhere(interaction: discord.Interaction) -> None:
    channel = interaction.guild.text_channels[-1]
    await channel.send("I may not write here")


@app_commands.command(description="Offers too much")
async def choices(interaction: discord.Interaction, model: str) -> None:
    await interaction.response.send_message(model)


@choices.autocomplete("model")
async def models(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    offered = [app_commands.Choice(name=f"model {number}", value=str(number)) for number in range(26)]
    try:
        await interaction.response.autocomplete(offered)
    except discord.HTTPException as error:
        _tell("choices", error)
    return []


if __name__ == "__main__":
    run(Wrong())
