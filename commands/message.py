"""From a rendered message to what Discord shows: an embed, inside all of Discord's limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import discord

from answers.rendering.message import Colour, Message, plain

COLOURS: Mapping[Colour, int] = {"green": 0x3BA55D, "amber": 0xF0A020, "red": 0xD83C3E, "grey": 0x8A93A0}
"""The word carries the verdict; the colour only repeats it."""
MOST_EMBEDS = 10
MOST_IN_ALL = 6000
"""Characters of all embeds of a message together."""
_TITLE, _DESCRIPTION, _NAME, _VALUE, _FOOTER = 256, 4096, 256, 1024, 2048
_FENCE = "```"
_LOOSE = re.compile(r"(?<=\d) (?=[GMT]B\b)|(?<=\d–)(?=\d)|(?<=tok/)(?=s\b)|(?<=GB/)(?=s\b)")
"""Where a line would break inside a card's name (RTX 3060 12 GB), a range (14–38) or a unit."""


def embed_of(message: Message, *, short: bool = False, numbered: bool = False) -> discord.Embed:
    """The embed of one message.

    Args:
        message: what a template said.
        short: the verdict and the sentence below it only, with what was taken for said of the asker.
        numbered: list the choices, where there are no buttons for them.
    """
    lines = [unbroken(line) for line in message.body]
    if message.table and not short:
        lines += [_FENCE, *message.table, _FENCE]
    if numbered:
        lines += [f"{number}. {choice}" for number, choice in enumerate(message.choices, 1)]
    embed = discord.Embed(
        title=_cut(unbroken(message.title), _TITLE),
        description=_cut_lines(lines, _DESCRIPTION) or None,
        colour=COLOURS[message.colour],
    )
    for field in message.fields[:25] if not short else ():
        embed.add_field(name=_cut(field.name, _NAME), value=_cut_lines(map(unbroken, field.lines), _VALUE), inline=False)
    footer = message.assumed if short else message.small_print
    if footer:
        # A footer knows no Markdown.
        embed.set_footer(text=_cut(plain(footer), _FOOTER))
    return embed


def embeds_of(messages: Iterable[Message], *, short: bool = False, numbered: bool = False) -> list[discord.Embed]:
    """The embeds of several messages, as many as one message of Discord's holds."""
    embeds: list[discord.Embed] = []
    left = MOST_IN_ALL
    for message in messages:
        embed = embed_of(message, short=short, numbered=numbered)
        left -= len(embed)
        if left < 0 or len(embeds) == MOST_EMBEDS:
            break
        embeds.append(embed)
    return embeds


def unbroken(text: str) -> str:
    """The text with what belongs together kept on one line of a phone: a no-break space, or a word joiner, which nobody sees.

    Only Discord breaks lines as it likes: names, and what the console prints, stay as they are.
    """
    return _LOOSE.sub(lambda found: "\u00a0" if found[0] else "\u2060", text)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _cut_lines(lines: Iterable[str], most: int) -> str:
    """Whole lines, as many as there is room for; a table that is cut is closed."""
    text = "\n".join(lines)
    if len(text) <= most:
        return text
    whole, _, _ = text[: most - len(_FENCE) - 1].rpartition("\n")
    whole = whole or text[: most - len(_FENCE) - 1]
    return whole + f"\n{_FENCE}" if whole.count(_FENCE) % 2 else whole
