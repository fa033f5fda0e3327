"""Whether what comes is what Discord lets people send for the commands as they are now.

A client that was not reloaded since they changed may send what they were before, and one that was made by hand anything at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discord import AppCommandOptionType, AppCommandType, app_commands
from discord.app_commands import CommandTree

Data = Mapping[str, Any]
MOST_TEXT = 6000
"""Characters that Discord lets anybody type into an option."""
LARGEST = 2**53
"""Numbers beyond it Discord takes from nobody."""
_TEXT, _WHOLE, _YES_NO, _NUMBER = (
    AppCommandOptionType.string,
    AppCommandOptionType.integer,
    AppCommandOptionType.boolean,
    AppCommandOptionType.number,
)
_RESOLVED: Mapping[AppCommandOptionType, tuple[str, ...]] = {
    AppCommandOptionType.user: ("users",),
    AppCommandOptionType.channel: ("channels",),
    AppCommandOptionType.role: ("roles",),
    AppCommandOptionType.mentionable: ("users", "roles"),
    AppCommandOptionType.attachment: ("attachments",),
}
_TARGETS = {AppCommandType.user: "users", AppCommandType.message: "messages"}


def fits(tree: CommandTree[Any], data: Data, *, typing: bool = False) -> bool:
    """Whether a command's data are for a command that there is, with options that it has and values that these take.

    Args:
        tree: the commands.
        data: what Discord tells of the use of a command.
        typing: somebody has not finished yet, and only wants suggestions.
    """
    try:
        kind = AppCommandType(data.get("type", 1))
    except ValueError:
        return False
    resolved = data.get("resolved") or {}
    command = tree.get_command(str(data.get("name")), type=kind)
    if kind in _TARGETS:
        return command is not None and not typing and data.get("target_id") in (resolved.get(_TARGETS[kind]) or ())
    options: Sequence[Data] = data.get("options") or ()
    while isinstance(command, app_commands.Group):
        if len(options) != 1:
            return False
        command, options = command.get_command(str(options[0].get("name"))), options[0].get("options") or ()
    if not isinstance(command, app_commands.Command):
        return False
    if typing and not any(option.get("focused") for option in options):
        return False
    known = {parameter.display_name: parameter for parameter in command.parameters}
    return all(_takes(known.get(str(option.get("name"))), option, resolved, typing) for option in options)


def _takes(parameter: app_commands.Parameter | None, option: Data, resolved: Data, typing: bool) -> bool:
    if parameter is None or parameter.type.value != option.get("type"):
        return False
    value = option.get("value")
    if typing and option.get("focused"):
        # It may be half a number.
        return parameter.autocomplete and isinstance(value, (str, int, float))
    if parameter.type in _RESOLVED:
        return isinstance(value, str) and any(value in (resolved.get(kind) or ()) for kind in _RESOLVED[parameter.type])
    if parameter.choices and not typing:
        return any(type(value) is type(choice.value) and value == choice.value for choice in parameter.choices)
    return _is_of(parameter.type, value) and (typing or _is_within(parameter, value))


def _is_of(kind: AppCommandOptionType, value: Any) -> bool:
    if kind is _TEXT:
        return isinstance(value, str) and len(value) <= MOST_TEXT
    if kind is _YES_NO:
        return isinstance(value, bool)
    # Neither True nor what is no number at all lies within the bounds.
    whole = isinstance(value, int) and not isinstance(value, bool)
    return (whole or (kind is _NUMBER and isinstance(value, float))) and -LARGEST <= value <= LARGEST


def _is_within(parameter: app_commands.Parameter, value: Any) -> bool:
    """Whether a value keeps the bounds of its option: of the number, or of the length of the text."""
    if parameter.type is _YES_NO:
        return True
    size = len(value) if parameter.type is _TEXT else value
    least, most = parameter.min_value, parameter.max_value
    return (least is None or size >= least) and (most is None or size <= most)
