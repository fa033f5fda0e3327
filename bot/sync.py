"""Tells Discord the commands, and only when something in them has changed."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import Any

from discord import app_commands

from commands.names import Names
from commands.services import Services
from commands.store.database import Unwritable

_LOG = logging.getLogger("rigcheck")
META = "commands"
"""Under this key the state remembers what Discord was told last."""


async def payload(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
    """The commands as Discord is told them, by kind and name."""
    translator = tree.translator
    found = [
        await command.get_translated_payload(tree, translator) if translator else command.to_dict(tree)
        for command in tree.get_commands()
    ]
    return sorted(found, key=lambda command: (command.get("type", 1), command["name"]))


def digest(tree: app_commands.CommandTree[Any], names: Names) -> str:
    """What tells one set of commands of one application, and their texts in every locale, from another.

    It is taken of what the commands are made of: what Discord is told would have to be translated first, at every start.
    """
    commands = [command.to_dict(tree) for command in tree.get_commands()]
    text = json.dumps([tree.client.application_id, commands, names.own], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


async def sync(tree: app_commands.CommandTree[Any], names: Names, services: Services, *, always: bool = False) -> bool:
    """Tell Discord the commands where they are not what it was told last; whether it was told.

    Raises:
        discord.HTTPException: where Discord refuses them.
        DataError: where the state cannot be read.
    """
    now = digest(tree, names)
    if not always and await services.store.get_meta(META) == now:
        return False
    await tree.sync()
    try:
        await services.store.set_meta(META, now)
    except Unwritable as error:
        # They are told once more at the next start, which changes nothing for anybody.
        _LOG.warning("it could not be noted that Discord was told the commands: %s", error)
    return True
