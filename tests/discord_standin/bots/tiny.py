"""A small bot that touches everything the stand-in offers, the way a real bot would."""

from __future__ import annotations

import asyncio
import io
import os
import re
import sys
import time
from pathlib import Path

import discord
from discord import app_commands

sys.path.insert(0, str(Path(__file__).parent))
from home import run

MODELS = [f"model-{number:03d}-q4" for number in range(400)] + ["Llama 3.1 8B", "Qwen3 30B A3B", "Mistral Small 24B"]
TEXTS = {
    ("needs", "it"): "serve",
    ("needs", "es-ES"): "necesita",
    ("model", "it"): "modello",
    ("How much memory a model needs", "it"): "Quanta memoria serve a un modello",
    ("How much memory a model needs", "es-ES"): "Cuánta memoria necesita un modelo",
}


class Texts(app_commands.Translator):
    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        return TEXTS.get((string.message, locale.value))


class Page(discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]], template=r"page:(?P<number>[0-9]+)"):
    """A button whose whole state stands in its custom_id, so that it works after a restart."""

    def __init__(self, number: int) -> None:
        super().__init__(discord.ui.Button(label="Next", custom_id=f"page:{number}"))
        self.number = number

    @classmethod
    async def from_custom_id(cls, interaction: discord.Interaction, item: discord.ui.Item, match: re.Match[str], /) -> Page:
        return cls(int(match["number"]))

    async def callback(self, interaction: discord.Interaction) -> None:
        await interaction.response.edit_message(content=f"page {self.number}", view=paged(self.number))


class Quant(discord.ui.DynamicItem[discord.ui.Select[discord.ui.View]], template="quant"):
    def __init__(self) -> None:
        options = [discord.SelectOption(label=quant) for quant in ("Q4_K_M", "Q6_K", "Q8_0")]
        super().__init__(discord.ui.Select(custom_id="quant", options=options))

    @classmethod
    async def from_custom_id(cls, interaction: discord.Interaction, item: discord.ui.Item, match: re.Match[str], /) -> Quant:
        new = cls()
        new.item._refresh_state(interaction, interaction.data)
        return new

    async def callback(self, interaction: discord.Interaction) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content=f"at {interaction.data['values'][0]}")


def paged(number: int) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    view.add_item(Page(number + 1))
    view.add_item(Quant())
    return view


class Feedback(discord.ui.Modal, title="Feedback"):
    text = discord.ui.TextInput(label="What was wrong?", custom_id="text", style=discord.TextStyle.paragraph)
    fixed = discord.ui.Label(text="How soon?", component=discord.ui.TextInput(custom_id="when", required=False))

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(f"noted: {self.text.value}", ephemeral=True)


class Layout(discord.ui.LayoutView):
    body = discord.ui.Container(discord.ui.TextDisplay("**12 GB** are enough"), accent_colour=0x5865F2)


class Tiny(discord.AutoShardedClient):
    def __init__(self) -> None:
        intents = discord.Intents.default()
        intents.message_content = bool(os.environ.get("TINY_CONTENT"))
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            heartbeat_timeout=float(os.environ.get("TINY_HEARTBEAT_TIMEOUT", "60")),
        )
        self.tree = app_commands.CommandTree(self)
        self.answers: dict[int, discord.Message] = {}
        self.max_concurrency = 1
        self.identified: dict[int, float] = {}

    async def setup_hook(self) -> None:
        await self.tree.set_translator(Texts())
        self.add_dynamic_items(Page, Quant)
        register(self.tree)
        await self.tree.sync()
        self.max_concurrency = (await self.http.get_bot_gateway())[2]["max_concurrency"]

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        # discord.py waits 5 s between any two shards; Discord wants it only of those in one bucket.
        bucket = (shard_id or 0) % self.max_concurrency
        await asyncio.sleep(max(0.0, self.identified.get(bucket, 0) + self.pause - time.monotonic()))
        self.identified[bucket] = time.monotonic()

    @property
    def pause(self) -> float:
        return float(os.environ.get("TINY_IDENTIFY_PAUSE", "5"))

    async def on_message(self, message: discord.Message) -> None:
        if message.author.bot:
            return
        if "thanks" in message.content:
            await message.add_reaction("👍")
        elif self.user in message.mentions or message.guild is None:
            self.answers[message.id] = await message.reply(f"you said: {message.content}", view=paged(1))
        elif message.content.endswith("?"):
            self.answers[message.id] = await message.reply("a question, unasked for")

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        if payload.message_id in self.answers:
            await self.answers[payload.message_id].edit(content=f"now you said: {payload.message.content}")

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        if payload.message_id in self.answers:
            await self.answers.pop(payload.message_id).delete()

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        if str(payload.emoji) == "🗑️" and payload.user_id != self.user.id:
            await self.get_partial_messageable(payload.channel_id).get_partial_message(payload.message_id).delete()

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        print(f"left {guild.name}")


def register(tree: app_commands.CommandTree) -> None:
    @tree.command(description="Answers a constant")
    @app_commands.allowed_installs(guilds=True, users=True)
    @app_commands.allowed_contexts(guilds=True, dms=True, private_channels=True)
    async def ping(interaction: discord.Interaction) -> None:
        where = f"{interaction.locale.value} in {interaction.guild_locale.value if interaction.guild_locale else 'private'}"
        await interaction.response.send_message(f"pong, {where}")

    @tree.command(name=app_commands.locale_str("needs"), description=app_commands.locale_str("How much memory a model needs"))
    @app_commands.describe(model="Which model")
    @app_commands.rename(model=app_commands.locale_str("model"))
    async def needs(
        interaction: discord.Interaction, model: str, context: app_commands.Range[int, 512, 1_000_000] = 8192, private: bool = False
    ) -> None:
        embed = discord.Embed(title=model, description=f"for {context} tokens", colour=0x57F287)
        embed.add_field(name="VRAM", value="5.9 GB")
        await interaction.response.send_message("page 1", embed=embed, view=paged(1), ephemeral=private)

    @needs.autocomplete("model")
    async def models(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=name, value=name) for name in MODELS if current.lower() in name.lower()][:25]

    @tree.command(description="Shows a form")
    async def feedback(interaction: discord.Interaction) -> None:
        await interaction.response.send_modal(Feedback())

    @tree.command(description="Draws a chart")
    async def chart(interaction: discord.Interaction) -> None:
        await interaction.response.defer()
        file = discord.File(io.BytesIO(b"\x89PNG\r\n\x1a\n" + bytes(20_000)), "chart.png")
        await interaction.followup.send(embed=discord.Embed(title="chart").set_image(url="attachment://chart.png"), file=file)
        await interaction.followup.send("and a word to it", ephemeral=True)

    @tree.command(description="Takes its time")
    async def slow(interaction: discord.Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        await interaction.edit_original_response(content="done")
        await interaction.delete_original_response()

    @tree.command(description="Shows components alone")
    async def layout(interaction: discord.Interaction) -> None:
        await interaction.response.send_message(view=Layout())

    settings = app_commands.Group(
        name="settings",
        description="For moderators",
        default_permissions=discord.Permissions(manage_guild=True),
        guild_only=True,
    )

    @settings.command(description="Sets the channel")
    @app_commands.checks.has_permissions(manage_guild=True)
    async def channel(interaction: discord.Interaction, channel: discord.TextChannel, mode: str) -> None:
        await interaction.response.send_message(f"#{channel.name} is {mode}", ephemeral=True)

    tree.add_command(settings)

    @tree.error
    async def on_error(interaction: discord.Interaction, error: app_commands.AppCommandError) -> None:
        await interaction.response.send_message(f"refused: {type(error).__name__}", ephemeral=True)

    @tree.context_menu(name="Explain")
    async def explain(interaction: discord.Interaction, message: discord.Message) -> None:
        await interaction.response.send_message(f"explaining: {message.content}", ephemeral=True)

    @tree.context_menu(name="Greet")
    async def greet(interaction: discord.Interaction, member: discord.Member) -> None:
        await interaction.response.send_message(f"hello {member.mention}")


if __name__ == "__main__":
    run(Tiny())
