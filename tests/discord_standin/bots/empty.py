"""The floor that the real bot is measured against: the same commands, and always the same answer to each, thought up beforehand.

``EMPTY_ANSWERS`` names a JSON file: for each command an embed and the components below it, and what is suggested.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import discord
from discord import app_commands

sys.path.insert(0, str(Path(__file__).parent))
from home import run

ANSWERS: dict[str, Any] = json.loads(Path(os.environ["EMPTY_ANSWERS"]).read_text(encoding="utf-8"))


class Press(discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]], template="empty:button:[0-9]+"):
    @classmethod
    async def from_custom_id(cls, interaction: discord.Interaction, item: discord.ui.Item, match: re.Match[str], /) -> Press:
        return cls(item)


class Pick(discord.ui.DynamicItem[discord.ui.Select[discord.ui.View]], template="empty:select:[0-9]+"):
    @classmethod
    async def from_custom_id(cls, interaction: discord.Interaction, item: discord.ui.Item, match: re.Match[str], /) -> Pick:
        return cls(item)


def answer(command: str) -> dict[str, Any]:
    said = ANSWERS[command]
    view = discord.ui.View(timeout=None)
    for row, line in enumerate(said["components"]):
        for place, item in enumerate(line["components"]):
            number = row * 5 + place
            if item["type"] == 2:
                view.add_item(Press(discord.ui.Button(label=item["label"], custom_id=f"empty:button:{number}", row=row)))
            else:
                options = [discord.SelectOption(label=option["label"], value=option["value"]) for option in item["options"]]
                view.add_item(Pick(discord.ui.Select(options=options, custom_id=f"empty:select:{number}", row=row)))
    return {"embed": discord.Embed.from_dict(said["embed"]), "view": view}


class Empty(discord.Client):
    def __init__(self) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)
        super().__init__(
            intents=intents,
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            allowed_mentions=discord.AllowedMentions.none(),
        )
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self) -> None:
        self.add_dynamic_items(Press, Pick)
        await self.tree.sync()

    async def on_message(self, message: discord.Message) -> None:
        if self.user in message.mentions and not message.author.bot:
            await message.reply(**answer("mention"), mention_author=False)


bot = Empty()


async def suggest(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=name, value=name) for name in ANSWERS["choices"]]


@bot.tree.command(name="can-run", description="constant")
@app_commands.autocomplete(model=suggest, hardware=suggest)
async def can_run(interaction: discord.Interaction, model: str, hardware: str | None = None) -> None:
    await interaction.response.send_message(**answer("can-run"))


@bot.tree.command(name="which-gpu", description="constant")
@app_commands.autocomplete(model=suggest)
async def which_gpu(interaction: discord.Interaction, model: str) -> None:
    await interaction.response.send_message(**answer("which-gpu"))


if __name__ == "__main__":
    run(bot)
