"""The machines that people saved, as they stand in ``state.db``."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from typing import Any

import aiosqlite


@dataclass(frozen=True, slots=True)
class Rig:
    """One machine of a person; what is ``None`` was not said."""

    machine: str = ""
    """What its owner calls it; empty where they gave it no name."""
    cards: tuple[tuple[str, int], ...] = ()
    """Names of the catalogue that it was saved with, which may have left it since, and how many of each."""
    memory_gb: float | None = None
    """Of each card, where no card is named."""
    n_cards: int = 1
    unified: bool = False
    """``memory_gb`` is shared by a processor."""
    free_gb: float | None = None
    """What is left of all card memory once the desktop is up."""
    ram_gb: float | None = None
    ram_gb_s: float | None = None
    context: int | None = None
    """Tokens that its owner usually works with."""
    runner: str | None = None
    visible: bool = False
    """Others may look at it."""


_COLUMNS = tuple(field.name for field in fields(Rig))
_SELECT = f"SELECT user_id, {', '.join(_COLUMNS)} FROM rig"  # noqa: S608 - our own names
_ORDER = "ORDER BY user_id, in_use DESC, machine"
_INSERT = f"INSERT OR REPLACE INTO rig (user_id, in_use, {', '.join(_COLUMNS)}) VALUES (?, 1{', ?' * len(_COLUMNS)})"  # noqa: S608


async def read_all(database: aiosqlite.Connection) -> dict[int, tuple[Rig, ...]]:
    """Everybody's machines, each person's in the order of ``read_one``."""
    found: defaultdict[int, list[Rig]] = defaultdict(list)
    for user_id, *row in await database.execute_fetchall(f"{_SELECT} {_ORDER}"):
        found[user_id].append(_rig(row))
    return {user_id: tuple(rigs) for user_id, rigs in found.items()}


async def read_one(database: aiosqlite.Connection, user_id: int) -> tuple[Rig, ...]:
    """A person's machines: the one that their questions are about first, the others by name."""
    rows = await database.execute_fetchall(f"{_SELECT} WHERE user_id = ? {_ORDER}", (user_id,))
    return tuple(_rig(tuple(row)[1:]) for row in rows)


async def write(database: aiosqlite.Connection, user_id: int, rig: Rig) -> None:
    """Save a machine in place of the one of its name; their questions are about it from now on."""
    await database.execute("UPDATE rig SET in_use = 0 WHERE user_id = ?", (user_id,))
    values = dict(zip(_COLUMNS, astuple(rig), strict=True)) | {"cards": json.dumps(rig.cards)}
    await database.execute(_INSERT, (user_id, *values.values()))


async def delete(database: aiosqlite.Connection, user_id: int, machine: str | None) -> None:
    """Delete a machine of a person, or all of them."""
    if machine is None:
        await database.execute("DELETE FROM rig WHERE user_id = ?", (user_id,))
    else:
        await database.execute("DELETE FROM rig WHERE user_id = ? AND machine = ?", (user_id, machine))


def _rig(row: Iterable[Any]) -> Rig:
    values: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    values["cards"] = tuple((str(name), int(count)) for name, count in json.loads(values["cards"]))
    values["unified"], values["visible"] = bool(values["unified"]), bool(values["visible"])
    return Rig(**values)
