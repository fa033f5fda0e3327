"""The components below an answer as the library knows them: anything whose custom id is one of ours, however old its message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol, cast

import discord
from discord.ui import Button, DynamicItem, Item, Select, View

_ID = r"rig(?P<version>\d{{1,4}}){kind}\.(?P<action>[a-z]\d?)\.(?P<state>[A-Za-z0-9_-]*)"
BUTTON, SELECT, FORM = (re.compile(_ID.format(kind=kind)) for kind in "bsm")
Press = discord.Interaction[Any]


class TakesPresses(Protocol):
    """Does what a component is for."""

    async def pressed(self, interaction: Press, match: re.Match[str] | None, values: Sequence[str] = ()) -> None:
        """Answer a press; never raises."""
        ...


class HasPresses(Protocol):
    """A client that hands its presses on."""

    presses: TakesPresses


class PressButton(DynamicItem[Button[View]], template=BUTTON):
    """Any button below an answer."""

    @classmethod
    async def from_custom_id(cls, interaction: Press, item: Item[Any], match: re.Match[str], /) -> PressButton:
        """The button that was pressed."""
        return cls(cast("Button[View]", item))

    async def callback(self, interaction: Press) -> None:
        """Hand the press on."""
        await cast("HasPresses", interaction.client).presses.pressed(interaction, BUTTON.fullmatch(self.custom_id))


class PressSelect(DynamicItem[Select[View]], template=SELECT):
    """Any select below an answer."""

    @classmethod
    async def from_custom_id(cls, interaction: Press, item: Item[Any], match: re.Match[str], /) -> PressSelect:
        """The select that was used."""
        return cls(cast("Select[View]", item))

    async def callback(self, interaction: Press) -> None:
        """Hand what was chosen on."""
        client = cast("HasPresses", interaction.client)
        await client.presses.pressed(interaction, SELECT.fullmatch(self.custom_id), self.item.values)
