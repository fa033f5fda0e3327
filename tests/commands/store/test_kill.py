"""A bot that is killed while it writes: what it has confirmed is there, whole, and the file is sound."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from commands.store.servers import Mode
from commands.store.store import Store

ROOT = Path(__file__).resolve().parents[3]
KILLS = 25

WRITER = """
import asyncio, sys
from pathlib import Path
from commands.store.rigs import Rig
from commands.store.store import Store

async def main(path, guild, start):
    store = await Store.open(Path(path))
    number = int(start)
    while True:
        number += 1
        # Both columns are one change: they are never apart on disk.
        await store.change_server(int(guild), context=number, min_quality=str(number))
        await store.change_channel(int(guild), number % 50 + 1, mode="short", language=str(number))
        # What is deleted at the start of a round is there again, whole, at its end.
        await store.delete_rigs(int(guild), "laptop")
        await store.save_rig(int(guild), Rig("tower", (("card", number % 64 + 1),), context=number, runner=str(number)))
        await store.save_rig(int(guild), Rig("laptop", memory_gb=8.0, context=number))
        print(number, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def _writer(path: Path, guild: int, start: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(guild), str(start)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _kill_after(process: subprocess.Popen[str], lines: int) -> int:
    """Kill a writer once it has confirmed so many writes; the last one that it confirmed."""
    assert process.stdout is not None
    for _ in range(lines):
        assert process.stdout.readline()
    process.kill()
    rest = process.stdout.read().split("\n")
    process.wait()
    process.stdout.close()
    whole = [line for line in rest[:-1] if line]
    return int(whole[-1]) if whole else -1


def _on_disk(path: Path) -> dict[int, tuple[int, str]]:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {
            guild: (context, quality)
            for guild, context, quality in database.execute("SELECT guild_id, context, min_quality FROM server")
        }


def _rigs_on_disk(path: Path, owner: int) -> dict[str, tuple[int, str | None, str, int]]:
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("SELECT machine, context, runner, cards, in_use FROM rig WHERE user_id = ?", (owner,))
        return {machine: tuple(rest) for machine, *rest in found}


def test_a_kill_at_any_moment_loses_nothing_that_was_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    sequence = random.Random(20)
    confirmed = 0
    for _ in range(KILLS):
        process = _writer(path, 1, confirmed)
        lines = sequence.randrange(1, 30)
        last = _kill_after(process, lines)
        confirmed = max(last, confirmed + lines)
        context, quality = _on_disk(path)[1]
        assert str(context) == quality
        # A write may have reached the disk without anybody having been told.
        assert confirmed <= context <= confirmed + 1
        rigs = _rigs_on_disk(path, 1)
        number, runner, cards, _ = rigs["tower"]
        assert (runner, cards) == (str(number), f'[["card", {number % 64 + 1}]]')
        assert confirmed <= number <= context
        # Deleted for a moment in each round, and never without the other one being there to be meant.
        assert [in_use for *_, in_use in rigs.values()].count(1) <= 1
        assert "laptop" not in rigs or confirmed <= rigs["laptop"][0] <= number
        confirmed = context


def test_the_store_opens_after_a_kill_and_reads_what_the_dead_one_wrote(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    last = max(_kill_after(_writer(path, 1, 0), 10), 10)

    async def read() -> int:
        store = await Store.open(path)
        await store.change_channel(1, 999, mode=Mode.OFF)
        context = store.server(1).context
        await store.close()
        assert context is not None
        return context

    assert asyncio.run(read()) in (last, last + 1)


def test_two_writers_of_which_one_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    survivor = _writer(path, 2, 0)
    confirmed = 0
    for _ in range(5):
        confirmed = max(_kill_after(_writer(path, 1, confirmed), 3), confirmed + 3)
        confirmed = _on_disk(path)[1][0]
    last = max(_kill_after(survivor, 3), 3)
    found = _on_disk(path)
    # A write whose frames are in the log before its index names them is seen only by the next recovery of the log.
    assert found[1] in ((confirmed, str(confirmed)), (confirmed + 1, str(confirmed + 1)))
    assert found[2][0] in (last, last + 1)


def test_a_kill_while_the_store_is_made_leaves_no_half_of_it(tmp_path: Path) -> None:
    sequence = random.Random(21)
    for number in range(8):
        path = tmp_path / f"{number}.db"
        process = _writer(path, 1, 0)
        while not path.exists():
            assert process.poll() is None
        # The file is there, its tables may not be: this is the moment that matters.
        for _ in range(sequence.randrange(0, 20_000)):
            pass
        process.kill()
        process.communicate()
        with closing(sqlite3.connect(path)) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            version = database.execute("PRAGMA user_version").fetchone()[0]
        assert (version == 0) == (not tables)

        async def write(path: Path) -> str | None:
            store = await Store.open(path)
            await store.change_server(1, language="es")
            language = store.server(1).language
            await store.close()
            return language

        assert asyncio.run(write(path)) == "es"
