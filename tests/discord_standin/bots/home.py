"""Where the bots of this folder find Discord: in the same settings as the real bot."""

from __future__ import annotations

import os

import discord
from discord import gateway, http


def move_in() -> str:
    """Point discord.py at the stand-in; returns the token."""
    http.Route.BASE = os.environ["RIGCHECK_API_BASE"]
    gateway.DiscordWebSocket.DEFAULT_GATEWAY = gateway.yarl.URL(os.environ["RIGCHECK_GATEWAY"])
    return os.environ["DISCORD_TOKEN"]


def run(client: discord.Client) -> None:
    """Run a bot until it is asked to end."""
    client.run(move_in(), log_level=int(os.environ.get("TINY_LOG", "20")))
