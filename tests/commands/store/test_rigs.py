"""Machines that people saved: read back, by whoever opens the file next, and gone from the disk once they are deleted."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from answers.errors import DataError
from commands.store.rigs import Rig
from commands.store.store import Store

ALICE, BOB = 812047193355812864, 912047193355812865
TOWER = Rig("Tower", (("GeForce RTX 3090", 2), ("GeForce RTX 3060 12 GB", 1)), n_cards=3, ram_gb=64, context=32768)
LAPTOP = Rig("Laptop", memory_gb=8.0, free_gb=7.2, runner="Ollama", visible=True)
MAC = Rig(memory_gb=64.0, unified=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(path)
    yield opened
    await opened.close()


def bytes_in(path: Path) -> bytes:
    """The bytes of the file and of everything beside it that belongs to it."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


async def test_what_is_saved_is_there_at_once_and_after_a_restart(store: Store, path: Path) -> None:
    assert store.rigs(ALICE) == ()
    for rig in (TOWER, MAC, LAPTOP):
        await store.save_rig(ALICE, rig)
    # The one saved last is the one that is meant; the others are in the order of their names.
    assert store.rigs(ALICE) == (LAPTOP, MAC, TOWER)
    assert store.rigs(BOB) == ()
    await store.close()
    again = await Store.open(path)
    assert again.rigs(ALICE) == (LAPTOP, MAC, TOWER)
    await again.close()


async def test_a_machine_is_saved_in_place_of_the_one_of_its_name_and_is_meant_from_then_on(store: Store) -> None:
    await store.save_rig(ALICE, TOWER)
    await store.save_rig(ALICE, LAPTOP)
    changed = replace(TOWER, ram_gb=128.0, context=None)
    await store.save_rig(ALICE, changed)
    assert store.rigs(ALICE) == (changed, LAPTOP)


async def test_one_machine_is_deleted_and_the_next_one_is_meant(store: Store) -> None:
    for rig in (LAPTOP, MAC, TOWER):
        await store.save_rig(ALICE, rig)
    await store.delete_rigs(ALICE, "Tower")
    assert store.rigs(ALICE) == (MAC, LAPTOP)
    await store.delete_rigs(ALICE)
    assert store.rigs(ALICE) == ()


async def test_settings_and_machines_do_not_touch_each_other(store: Store) -> None:
    await store.save_rig(ALICE, TOWER)
    await store.change_server(ALICE, language="es")
    assert store.rigs(ALICE) == (TOWER,)
    await store.forget(ALICE)
    assert store.rigs(ALICE) == (TOWER,)
    await store.change_server(ALICE, language="it")
    await store.delete_rigs(ALICE)
    assert store.server(ALICE).language == "it"


async def test_another_process_sees_them_once_it_looks_and_loses_them_the_same_way(store: Store, path: Path) -> None:
    other = await Store.open(path)
    await store.save_rig(ALICE, TOWER)
    # What it writes meanwhile does not make it take what it has not read for read.
    await other.change_server(1, language="es")
    await other.refresh()
    assert other.rigs(ALICE) == (TOWER,)
    await store.delete_rigs(ALICE)
    await other.refresh()
    assert other.rigs(ALICE) == ()
    await other.close()


async def test_what_cannot_be_is_refused_whole(store: Store) -> None:
    await store.save_rig(ALICE, TOWER)
    with pytest.raises(DataError, match=r"state\.db"):
        await store.save_rig(ALICE, replace(LAPTOP, context=0))
    assert store.rigs(ALICE) == (TOWER,)
    await store.refresh()
    assert store.rigs(ALICE) == (TOWER,)


async def test_deleting_leaves_no_byte_in_the_file_or_its_log_while_the_bot_runs(store: Store, path: Path) -> None:
    """However the pages were filled, split and filled again before: with many people, and machines that were changed often."""
    sequence = random.Random(7)
    people = [ALICE + number * 4_194_304 for number in range(150)]
    for _ in range(3):
        sequence.shuffle(people)
        for person in people:
            cards = (("Card-of-some-" + "x" * sequence.randrange(120), 1),)
            await store.save_rig(person, Rig(f"machine-{person % 97}", cards, context=sequence.randrange(1, 100_000)))
    await store.save_rig(BOB, Rig("Bobs-own-machine-name", (("Bobs-own-card", 3),), runner="Bobs-own-runner"))
    await store.save_rig(BOB, Rig("Bobs-own-machine-name", (("Bobs-own-card-after-a-change", 3),)))
    await store.save_rig(BOB, Rig("Bobs-own-second-name", memory_gb=12.0))
    for person in people[:40]:
        await store.delete_rigs(person)
    kept = people[40:]
    traces = (b"Bobs-own", BOB.to_bytes(8, "big"))
    assert all(trace in bytes_in(path) for trace in traces)
    await store.delete_rigs(BOB)
    found = bytes_in(path)
    assert [trace for trace in traces if trace in found] == []
    assert [person for person in people[:40] if person.to_bytes(8, "big") in found] == []
    assert all(person.to_bytes(8, "big") in found for person in kept)
    assert all(store.rigs(person) for person in kept)


async def test_deleting_one_machine_leaves_no_byte_of_it_and_all_of_the_other(store: Store, path: Path) -> None:
    await store.save_rig(ALICE, Rig("the-one-that-goes", memory_gb=24.0))
    await store.save_rig(ALICE, Rig("the-one-that-stays", memory_gb=24.0))
    await store.delete_rigs(ALICE, "the-one-that-goes")
    assert b"the-one-that-goes" not in bytes_in(path)
    assert b"the-one-that-stays" in bytes_in(path)


async def test_saves_and_deletes_at_once_leave_memory_and_file_the_same(store: Store, path: Path) -> None:
    sequence = random.Random(3)
    people = [ALICE, BOB, 3]

    async def one() -> None:
        person = sequence.choice(people)
        if sequence.random() < 0.3:
            await store.delete_rigs(person, sequence.choice((None, "Tower")))
        else:
            await store.save_rig(person, sequence.choice((TOWER, LAPTOP, MAC)))

    await asyncio.gather(*(one() for _ in range(60)))
    held = {person: store.rigs(person) for person in people}
    assert any(held.values())
    again = await Store.open(path)
    assert {person: again.rigs(person) for person in people} == held
    await again.close()
    with closing(sqlite3.connect(path)) as database:
        in_use = "SELECT user_id FROM rig WHERE in_use GROUP BY user_id HAVING count(*) > 1"
        assert database.execute(in_use).fetchall() == []
