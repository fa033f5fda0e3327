"""The settings of all servers and the machines that people saved: read from memory, written to ``state.db`` first."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import aiosqlite

from answers.errors import DataError
from answers.questions.question import PickChange
from commands.store import rigs as rig_table
from commands.store.aside import KEPT_DAYS, delete_old, keep_aside, kept_aside
from commands.store.database import (
    BUSY_MS,
    DAMAGE,
    Damaged,
    connect,
    fault,
    identity,
    migrations,
    pragma,
    transaction,
)
from commands.store.rigs import Rig
from commands.store.servers import Channel, Mode, Server

T = TypeVar("T")
_DAY_S = 86_400
_LOG = logging.getLogger("rigcheck")


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Stands for a setting that a change leaves as it is, since ``None`` takes one back."""


UNCHANGED = Unchanged()
_UNSET = Server()
# A row that says nothing is no settings.
_TIDY = (
    "DELETE FROM server WHERE coalesce(language, context, min_quality, log_channel_id) IS NULL",
    "DELETE FROM channel WHERE coalesce(mode, language) IS NULL",
)

MOST_WANTED = 500
"""Names that are not on file, of those that are counted."""
_WANT = "INSERT INTO wanted VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET people = people + excluded.people"
_WANTED = "SELECT kind, name, people FROM wanted ORDER BY people DESC, name, kind"
_LEAST_WANTED = "SELECT kind, name FROM wanted ORDER BY people DESC, name, kind LIMIT -1 OFFSET ?"


class Store:
    """Settings by server, machines by person. Reading never waits; a write is on disk, whole, before it can be read."""

    def __init__(self, database: aiosqlite.Connection, path: Path, version: int, trouble: str | None = None) -> None:
        self.path = path
        self.trouble = trouble
        """Why nothing can be written, where the file could only be opened for reading."""
        self.set_aside: Path | None = None
        """Where the file is that was found damaged at the start."""
        self._database = database
        self._version = version
        self._servers: Mapping[int, Server] = {}
        self._rigs: dict[int, tuple[Rig, ...]] = {}
        self._panels: Mapping[int, tuple[int, int]] = {}
        self._seen: int = -1
        self._lock = asyncio.Lock()
        self._writing: set[asyncio.Task[Any]] = set()
        self._deleting: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, path: Path, busy_ms: int = BUSY_MS) -> Store:
        """The store in ``path``, made where there is none.

        A damaged one is kept aside and begun anew; one that cannot be written to is read, and every change is refused.

        Raises:
            DataError: one sentence naming the file, where it is not ours, newer, locked, or neither there nor to be made.
        """
        before = identity(path)
        try:
            return (await cls._open(path, busy_ms))._watching()
        except Damaged as error:
            # Where another process has put a new one in its place meanwhile, that is the one to open.
            aside = keep_aside(path) if identity(path) == before else None
            store = await cls._open(path, busy_ms)
            if aside:
                store.set_aside = aside
                _LOG.error(
                    "THE STATE WAS DAMAGED, and the settings of all servers have been lost: "
                    f"{error}. The file is kept as {aside.name} for {KEPT_DAYS} days; the bot has begun with an empty one"
                )
            return store._watching()

    @classmethod
    async def _open(cls, path: Path, busy_ms: int) -> Store:
        scripts = migrations()
        opened = await connect(path, scripts, busy_ms)
        store = cls(opened.database, path, len(scripts), opened.trouble)
        try:
            await store.refresh()
        except BaseException:
            await store._database.close()
            raise
        if opened.trouble:
            _LOG.error(f"{opened.trouble}. Settings hold as they are on file, and none can be changed")
        return store

    @property
    def aside_until(self) -> datetime | None:
        """Until when a file that was found damaged, with all that was in it, is kept; ``None`` where there is none."""
        return max(kept_aside(self.path).values(), default=None)

    def _watching(self) -> Store:
        """The same, deleting what is kept aside when its time has come."""
        self._deleting = asyncio.create_task(self._delete_old())
        return self

    async def _delete_old(self) -> None:
        while True:
            await asyncio.to_thread(delete_old, self.path)
            await asyncio.sleep(_DAY_S)

    async def close(self) -> None:
        """Wait for what is being written, then close the file."""
        if self._deleting is not None:
            self._deleting.cancel()
        while self._writing:
            await asyncio.wait(self._writing)
        async with self._lock:
            await self._database.close()

    def server(self, guild_id: int | None) -> Server:
        """The settings of a server; those of a new one for any that has none, and for direct messages."""
        return self._servers.get(guild_id or 0, _UNSET)

    def servers(self) -> tuple[int, ...]:
        """The servers that something is on file about."""
        return tuple(self._servers.keys() | self._panels.keys())

    def panel(self, guild_id: int) -> tuple[int, int] | None:
        """The channel and the message of a server's panel."""
        return self._panels.get(guild_id)

    async def set_panel(self, guild_id: int, place: tuple[int, int] | None) -> None:
        """Note where a server's panel stands; ``None``: nowhere.

        Raises:
            DataError: where the file cannot be written to; then nothing has changed.
        """
        await self._whole(self._set_panel(guild_id, place))

    async def refresh(self) -> None:
        """Read the settings anew where another process has changed the file.

        Raises:
            DataError: where the file has become unreadable.
        """
        async with self._lock:
            with _Sentence(self.path):
                if await pragma(self._database, "data_version") != self._seen:
                    await self._read()

    async def change_server(
        self,
        guild_id: int,
        *,
        language: str | Unchanged | None = UNCHANGED,
        context: int | Unchanged | None = UNCHANGED,
        min_quality: str | Unchanged | None = UNCHANGED,
        log_channel_id: int | Unchanged | None = UNCHANGED,
    ) -> Server:
        """Set what is given, take back what is given as ``None``; the server's settings after it.

        Raises:
            DataError: where the file cannot be written to; then nothing has changed.
        """
        given = {"language": language, "context": context, "min_quality": min_quality, "log_channel_id": log_channel_id}
        values = {column: value for column, value in given.items() if not isinstance(value, Unchanged)}
        return await self._whole(self._change("server", {"guild_id": guild_id}, values, guild_id))

    async def change_channel(
        self,
        guild_id: int,
        channel_id: int,
        *,
        mode: Mode | Unchanged | None = UNCHANGED,
        language: str | Unchanged | None = UNCHANGED,
    ) -> Server:
        """Set what is given for a channel, take back what is given as ``None``; the server's settings after it.

        Raises:
            DataError: where the file cannot be written to; then nothing has changed.
        """
        given = {"mode": mode, "language": language}
        values = {column: value for column, value in given.items() if not isinstance(value, Unchanged)}
        return await self._whole(self._change("channel", {"guild_id": guild_id, "channel_id": channel_id}, values, guild_id))

    async def change_pick(self, guild_id: int, model: str, use: str, action: str | None) -> Server:
        """Note what is changed about a recommended model, or with ``None`` that nothing is; the server's settings after it.

        Raises:
            DataError: where the file cannot be written to; then nothing has changed.
        """
        return await self._whole(self._change_pick(guild_id, model, use, action))

    async def forget(self, guild_id: int) -> None:
        """Delete everything about a server.

        Raises:
            DataError: where the file cannot be written to; then nothing has changed.
        """
        await self._whole(self._forget(guild_id))

    async def forget_channel(self, guild_id: int, channel_id: int) -> None:
        """Delete everything about a channel.

        Raises:
            DataError: where the file cannot be written to; then nothing has changed.
        """
        await self._whole(self._forget_channel(guild_id, channel_id))

    def rigs(self, user_id: int) -> tuple[Rig, ...]:
        """The machines of a person, the one that their questions are about first."""
        return self._rigs.get(user_id, ())

    async def save_rig(self, user_id: int, rig: Rig) -> None:
        """Save a machine in place of the one of its name; its owner's questions are about it from now on.

        Raises:
            DataError: where the file cannot be written to; then nothing has changed.
        """
        await self._whole(self._save_rig(user_id, rig))

    async def delete_rigs(self, user_id: int, machine: str | None = None) -> None:
        """Delete a machine of a person, or all of them, so that nothing of it is left in the file or in its log.

        Raises:
            DataError: where the file cannot be written to.
        """
        await self._whole(self._delete_rigs(user_id, machine))

    async def want(self, kind: str, name: str, people: int) -> None:
        """So many more people asked for a name that is not on file; of very many names the least wanted are dropped.

        Raises:
            DataError: where the file cannot be written to; then nothing has changed.
        """
        await self._whole(self._want(kind, name, people))

    async def wanted(self) -> list[tuple[str, str, int]]:
        """The names that were asked for and are not on file, by kind and with how many people asked, most first.

        Raises:
            DataError: where the file has become unreadable.
        """
        async with self._lock:
            with _Sentence(self.path):
                rows = await self._database.execute_fetchall(_WANTED)
        return [(kind, name, people) for kind, name, people in rows]

    async def get_meta(self, key: str) -> str | None:
        """What the bot has noted about itself under ``key``.

        Raises:
            DataError: where the file has become unreadable.
        """
        async with self._lock:
            with _Sentence(self.path):
                rows = list(await self._database.execute_fetchall("SELECT value FROM meta WHERE key = ?", (key,)))
        return rows[0][0] if rows else None

    async def set_meta(self, key: str, value: str) -> None:
        """Note something about the bot itself.

        Raises:
            DataError: where the file cannot be written to; then nothing has changed.
        """
        await self._whole(self._set_meta(key, value))

    # -- inside the lock --------------------------------------------------------------------------------------------------------

    async def _whole(self, writing: Coroutine[Any, Any, T]) -> T:
        """Finish a write although whoever wanted it may stop waiting, so that memory and file never part."""
        task = asyncio.ensure_future(writing)
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        return await asyncio.shield(task)

    @asynccontextmanager
    async def _write(self, person: int | None = None) -> AsyncGenerator[None, None]:
        """A write, whole; ``person``: it is about them alone, and only what the file holds about them is read anew."""
        async with self._lock:
            with _Sentence(self.path):
                async with transaction(self._database, self.path, self._version):
                    yield
                    for statement in _TIDY if person is None else ():
                        await self._database.execute(statement)
                if person is None:
                    await self._read(servers_only=True)
                else:
                    await self._read_rigs(person)

    async def _change(self, table: str, key: Mapping[str, int], values: Mapping[str, Any], guild_id: int) -> Server:
        async with self._write():
            await self._database.execute(
                f"INSERT OR IGNORE INTO {table} ({', '.join(key)}) VALUES ({', '.join('?' * len(key))})",  # noqa: S608 - our own names
                tuple(key.values()),
            )
            for column, value in values.items():
                where = " AND ".join(f"{name} = ?" for name in key)
                await self._database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value, *key.values()))  # noqa: S608
        return self.server(guild_id)

    async def _change_pick(self, guild_id: int, model: str, use: str, action: str | None) -> Server:
        async with self._write():
            await self._database.execute("DELETE FROM pick WHERE guild_id = ? AND model = ? AND use = ?", (guild_id, model, use))
            if action is not None:
                await self._database.execute(
                    "INSERT INTO pick (guild_id, model, use, action) VALUES (?, ?, ?, ?)", (guild_id, model, use, action)
                )
        return self.server(guild_id)

    async def _forget(self, guild_id: int) -> None:
        async with self._write():
            await self._database.execute("DELETE FROM pick WHERE guild_id = ?", (guild_id,))
            await self._database.execute("DELETE FROM server WHERE guild_id = ?", (guild_id,))
            await self._database.execute("DELETE FROM channel WHERE guild_id = ?", (guild_id,))
            await self._database.execute("DELETE FROM panel WHERE guild_id = ?", (guild_id,))

    async def _set_panel(self, guild_id: int, place: tuple[int, int] | None) -> None:
        async with self._write():
            await self._database.execute("DELETE FROM panel WHERE guild_id = ?", (guild_id,))
            if place:
                await self._database.execute("INSERT INTO panel VALUES (?, ?, ?)", (guild_id, *place))

    async def _forget_channel(self, guild_id: int, channel_id: int) -> None:
        async with self._write():
            await self._database.execute("DELETE FROM channel WHERE guild_id = ? AND channel_id = ?", (guild_id, channel_id))
            await self._database.execute(
                "UPDATE server SET log_channel_id = NULL WHERE guild_id = ? AND log_channel_id = ?", (guild_id, channel_id)
            )

    async def _save_rig(self, user_id: int, rig: Rig) -> None:
        async with self._write(user_id):
            await rig_table.write(self._database, user_id, rig)

    async def _delete_rigs(self, user_id: int, machine: str | None) -> None:
        async with self._write(user_id):
            await rig_table.delete(self._database, user_id, machine)
        async with self._lock:
            with _Sentence(self.path):
                # What was overwritten in the file still stands in its log. Another process that reads just now may keep it there
                # until the next checkpoint, which comes when the last process closes the file at the latest.
                await self._database.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")

    async def _want(self, kind: str, name: str, people: int) -> None:
        async with self._write():
            await self._database.execute(_WANT, (kind, name, people))
            await self._database.execute(f"DELETE FROM wanted WHERE (kind, name) IN ({_LEAST_WANTED})", (MOST_WANTED,))  # noqa: S608

    async def _set_meta(self, key: str, value: str) -> None:
        async with self._write():
            await self._database.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))

    async def _read(self, *, servers_only: bool = False) -> None:
        """Take the file's content into memory, as of one moment; with ``servers_only`` not what it holds about people."""
        await self._database.execute("BEGIN")
        try:
            # Read first: a change that another process makes from now on counts as one that has not been seen.
            seen = await pragma(self._database, "data_version")
            servers = list(
                await self._database.execute_fetchall("SELECT guild_id, language, context, min_quality, log_channel_id FROM server")
            )
            channels = list(await self._database.execute_fetchall("SELECT guild_id, channel_id, mode, language FROM channel"))
            picks = list(await self._database.execute_fetchall("SELECT guild_id, model, use, action FROM pick"))
            panels = list(await self._database.execute_fetchall("SELECT guild_id, channel_id, message_id FROM panel"))
            rigs = None if servers_only else await rig_table.read_all(self._database)
        finally:
            if self._database.in_transaction:
                await self._database.execute("COMMIT")
        by_guild: dict[int, dict[int, Channel]] = {}
        for guild_id, channel_id, mode, language in channels:
            by_guild.setdefault(guild_id, {})[channel_id] = Channel(Mode(mode) if mode else None, language)
        found = {guild_id: Server(*settings) for guild_id, *settings in servers}
        changes: dict[int, list[PickChange]] = {}
        for guild_id, model, use, action in picks:
            changes.setdefault(guild_id, []).append(PickChange(action=action, model=model, use=use))
        self._servers = {
            guild_id: replace(
                found.get(guild_id, _UNSET),
                channels=MappingProxyType(by_guild.get(guild_id, {})),
                picks=tuple(changes.get(guild_id, ())),
            )
            for guild_id in found.keys() | by_guild.keys() | changes.keys()
        }
        self._panels = {guild_id: (channel_id, message_id) for guild_id, channel_id, message_id in panels}
        if rigs is not None:
            self._rigs, self._seen = rigs, seen

    async def _read_rigs(self, user_id: int) -> None:
        found = await rig_table.read_one(self._database, user_id)
        if found:
            self._rigs[user_id] = found
        else:
            self._rigs.pop(user_id, None)


class _Sentence:
    """Turns what SQLite raises inside it into one sentence that names the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, DAMAGE):
            raise fault(self._path, error) from error
        if isinstance(error, ValueError):
            # aiosqlite says so of a connection that is closed.
            raise DataError(f"{self._path}: {error}") from error
