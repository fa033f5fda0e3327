"""``state.db``: what is set is read back, by whoever opens the file next, and what is forgotten is gone from the disk."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answers.errors import DataError
from commands.store.database import connect, migrations
from commands.store.servers import Channel, Mode, Server
from commands.store.store import Store

GUILD, OTHER, CHANNEL = 81384788765712384, 41771983423143937, 155101607195836416


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(path)
    yield opened
    await opened.close()


async def test_a_server_that_nothing_was_set_for_has_the_settings_of_a_new_one(store: Store) -> None:
    assert store.server(GUILD) == Server()
    assert store.server(None) == Server()
    assert store.server(GUILD).channel(CHANNEL) == Channel()


async def test_what_is_set_is_there_at_once_and_after_a_restart(store: Store, path: Path) -> None:
    await store.change_server(GUILD, language="es", context=32768)
    await store.change_server(GUILD, min_quality="Q5_K_M", log_channel_id=CHANNEL)
    await store.change_channel(GUILD, CHANNEL, mode=Mode.QUESTIONS, language="it")
    expected = Server("es", 32768, "Q5_K_M", CHANNEL, channels={CHANNEL: Channel(Mode.QUESTIONS, "it")})
    assert store.server(GUILD) == expected
    await store.close()
    again = await Store.open(path)
    assert again.server(GUILD) == expected
    assert again.server(OTHER) == Server()
    await again.close()


async def test_none_takes_a_setting_back_and_leaves_the_others(store: Store) -> None:
    await store.change_server(GUILD, language="es", context=8192)
    assert await store.change_server(GUILD, language=None) == Server(context=8192)
    await store.change_channel(GUILD, CHANNEL, mode=Mode.OFF, language="it")
    assert (await store.change_channel(GUILD, CHANNEL, mode=None)).channel(CHANNEL) == Channel(None, "it")


async def test_a_server_whose_settings_are_all_taken_back_is_not_on_file(store: Store) -> None:
    await store.change_server(GUILD, language="es")
    await store.change_channel(GUILD, CHANNEL, mode=Mode.OFF)
    await store.change_server(GUILD, language=None)
    await store.change_channel(GUILD, CHANNEL, mode=None)
    assert store.servers() == ()


async def test_a_thread_has_what_its_channel_was_set_to_except_what_it_was_set_to_itself(store: Store) -> None:
    await store.change_channel(GUILD, CHANNEL, mode=Mode.SHORT, language="it")
    server = await store.change_channel(GUILD, CHANNEL + 1, language="es")
    assert server.channel(CHANNEL + 1, CHANNEL) == Channel(Mode.SHORT, "es")
    assert server.channel(CHANNEL + 2, CHANNEL) == Channel(Mode.SHORT, "it")
    assert server.channel(CHANNEL + 2) == Channel()


async def test_a_server_that_is_left_is_forgotten_and_its_bytes_are_gone(store: Store, path: Path) -> None:
    await store.change_server(GUILD, language="es", min_quality="Q5_K_M-of-a-server-that-is-left")
    await store.change_channel(GUILD, CHANNEL, mode=Mode.OFF)
    await store.change_server(OTHER, language="it")
    await store.forget(GUILD)
    assert store.servers() == (OTHER,)
    await store.close()
    assert b"of-a-server-that-is-left" not in path.read_bytes()
    again = await Store.open(path)
    assert again.servers() == (OTHER,)
    await again.close()


async def test_a_channel_that_is_deleted_is_forgotten_also_as_the_log_channel(store: Store) -> None:
    await store.change_server(GUILD, log_channel_id=CHANNEL, language="es")
    await store.change_channel(GUILD, CHANNEL, mode=Mode.OFF)
    await store.forget_channel(GUILD, CHANNEL)
    assert store.server(GUILD) == Server(language="es")


async def test_a_channel_of_another_server_is_not_forgotten(store: Store) -> None:
    await store.change_channel(GUILD, CHANNEL, mode=Mode.OFF)
    await store.forget_channel(OTHER, CHANNEL)
    assert store.server(GUILD).channel(CHANNEL).mode is Mode.OFF


async def test_notes_about_the_bot_are_kept(store: Store, path: Path) -> None:
    assert await store.get_meta("commands") is None
    await store.set_meta("commands", "a1b2")
    await store.set_meta("commands", "c3d4")
    await store.close()
    again = await Store.open(path)
    assert await again.get_meta("commands") == "c3d4"
    await again.close()


async def test_a_value_that_cannot_be_is_refused_whole(store: Store) -> None:
    await store.change_server(GUILD, language="es")
    with pytest.raises(DataError, match=r"state\.db"):
        await store.change_server(GUILD, language="it", context=0)
    assert store.server(GUILD) == Server(language="es")
    await store.refresh()
    assert store.server(GUILD) == Server(language="es")


async def test_two_processes_neither_lose_nor_hide_each_others_changes(store: Store, path: Path) -> None:
    second = await Store.open(path)
    await asyncio.gather(
        *(store.change_channel(GUILD, CHANNEL + number, mode=Mode.OFF) for number in range(20)),
        *(second.change_channel(GUILD, CHANNEL + 100 + number, mode=Mode.SHORT) for number in range(20)),
        store.change_server(GUILD, language="es"),
        second.change_server(GUILD, context=8192),
    )
    await store.refresh()
    await second.refresh()
    assert store.server(GUILD) == second.server(GUILD)
    assert len(store.server(GUILD).channels) == 40
    assert (store.server(GUILD).language, store.server(GUILD).context) == ("es", 8192)
    await second.close()


async def test_a_write_that_nobody_waits_for_any_more_is_finished(store: Store) -> None:
    waiting = asyncio.ensure_future(store.change_server(GUILD, language="es", context=8192, min_quality="Q6_K"))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await store.change_server(OTHER, language="it")
    assert store.server(GUILD) == Server("es", 8192, "Q6_K")
    await store.refresh()
    assert store.server(GUILD) == Server("es", 8192, "Q6_K")


async def test_closing_waits_for_what_is_being_written(path: Path) -> None:
    first = await Store.open(path)
    waiting = [asyncio.ensure_future(first.change_channel(GUILD, number, mode=Mode.OFF)) for number in range(1, 21)]
    await asyncio.sleep(0)
    await first.close()
    await asyncio.gather(*waiting)
    again = await Store.open(path)
    assert len(again.server(GUILD).channels) == 20
    await again.close()


async def test_a_closed_store_says_so_in_a_sentence(path: Path) -> None:
    closed = await Store.open(path)
    await closed.close()
    with pytest.raises(DataError, match=r"state\.db"):
        await closed.set_meta("a", "b")


Change = tuple[str, int, dict[str, Any]]

_servers = st.sampled_from((GUILD, OTHER, 3))
_channels = st.sampled_from((CHANNEL, CHANNEL + 1))
_languages = st.none() | st.sampled_from(("en", "es", "it"))
_server_fields = st.fixed_dictionaries(
    {},
    optional={
        "language": _languages,
        "context": st.none() | st.integers(1, 100_000_000),
        "min_quality": st.none() | st.text(min_size=1, max_size=12).filter(lambda text: text.isprintable()),
        "log_channel_id": st.none() | st.integers(1, 2**63 - 1),
    },
)
_channel_fields = st.fixed_dictionaries({}, optional={"mode": st.none() | st.sampled_from(Mode), "language": _languages})
_changes = st.lists(
    st.one_of(
        st.tuples(st.just("server"), _servers, st.none(), _server_fields),
        st.tuples(st.just("channel"), _servers, _channels, _channel_fields),
        st.tuples(st.just("forget"), _servers, st.none(), st.just({})),
        st.tuples(st.just("forget_channel"), _servers, _channels, st.just({})),
        st.tuples(st.just("reopen"), _servers, st.none(), st.just({})),
        st.tuples(st.just("second"), _servers, _channels, _channel_fields),
    ),
    max_size=25,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=_changes)
def test_any_sequence_of_changes_leaves_what_a_plain_dictionary_would_hold(
    tmp_path_factory: pytest.TempPathFactory, changes: list[Any]
) -> None:
    asyncio.run(_follow(tmp_path_factory.mktemp("any") / "state.db", changes))


async def _follow(path: Path, changes: list[Any]) -> None:
    store, second = await Store.open(path), await Store.open(path)
    servers: dict[int, dict[str, Any]] = {}
    channels: dict[tuple[int, int], dict[str, Any]] = {}
    for kind, guild, channel, fields in changes:
        if kind == "server":
            await store.change_server(guild, **fields)
            servers.setdefault(guild, {}).update(fields)
        elif kind in ("channel", "second"):
            await (store if kind == "channel" else second).change_channel(guild, channel, **fields)
            await store.refresh()
            channels.setdefault((guild, channel), {}).update(fields)
        elif kind == "forget":
            await store.forget(guild)
            servers.pop(guild, None)
            channels = {key: value for key, value in channels.items() if key[0] != guild}
        elif kind == "forget_channel":
            await store.forget_channel(guild, channel)
            channels.pop((guild, channel), None)
            if servers.get(guild, {}).get("log_channel_id") == channel:
                servers[guild]["log_channel_id"] = None
        else:
            await store.close()
            store = await Store.open(path)
        expected: set[int] = set()
        for known in (GUILD, OTHER, 3):
            said = {
                number: Channel(**values) for (owner, number), values in channels.items() if owner == known and any(values.values())
            }
            server = Server(**servers.get(known, {}), channels=said)
            assert store.server(known) == server
            expected |= {known} if server != Server() else set()
        assert set(store.servers()) == expected
    await store.close()
    await second.close()


# -- files that are not what they should be -------------------------------------------------------------------------------------


async def _refused(path: Path) -> str:
    """The sentence of the refusal; what lies in the folder is as it was before it."""
    before = path.read_bytes()
    with pytest.raises(DataError) as refusal:
        await Store.open(path, busy_ms=100)
    assert path.read_bytes() == before
    sentence = str(refusal.value)
    assert "\n" not in sentence
    assert str(path) in sentence
    return sentence


def _execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


async def test_a_file_of_a_newer_rigcheck_is_refused_and_left_alone(store: Store, path: Path) -> None:
    await store.change_server(GUILD, language="es")
    await store.close()
    _execute(path, "PRAGMA user_version = 99")
    assert "newer" in await _refused(path)
    _execute(path, f"PRAGMA user_version = {len(migrations())}")
    again = await Store.open(path)
    assert again.server(GUILD).language == "es"
    await again.close()


async def test_a_newer_rigcheck_that_takes_the_file_over_meanwhile_is_not_written_over(store: Store, path: Path) -> None:
    _execute(path, "PRAGMA user_version = 99")
    with pytest.raises(DataError, match="newer"):
        await store.change_server(GUILD, language="es")
    assert store.server(GUILD) == Server()


async def test_the_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    _execute(path, "CREATE TABLE bookmarks (url TEXT)", "INSERT INTO bookmarks VALUES ('x')")
    assert "not the state of a Rigcheck bot" in await _refused(path)


async def test_a_catalogue_is_no_state(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    path.write_bytes((Path(__file__).resolve().parents[3] / "catalog.db").read_bytes())
    assert "not the state of a Rigcheck bot" in await _refused(path)


async def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    opened = await Store.open(path)
    await opened.change_server(GUILD, language="es")
    assert opened.server(GUILD).language == "es"
    await opened.close()


async def test_a_store_that_lacks_a_table_is_refused(store: Store, path: Path) -> None:
    await store.close()
    _execute(path, "DROP TABLE channel")
    assert "no such table: channel" in await _refused(path)


async def test_a_store_that_another_process_holds_is_said_to_be_locked(store: Store, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DataError, match="locked by another process"):
            second = await Store.open(path, busy_ms=50)
            try:
                await second.change_server(GUILD, language="es")
            finally:
                await second.close()
        other.execute("ROLLBACK")
    await store.change_server(GUILD, language="it")
    assert store.server(GUILD).language == "it"


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no folder"):
        await Store.open(tmp_path / "missing" / "state.db")


async def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a folder"):
        await Store.open(tmp_path)


# -- migrations -----------------------------------------------------------------------------------------------------------------


async def test_an_older_store_is_brought_up_to_date_with_what_it_holds(store: Store, path: Path) -> None:
    await store.change_server(GUILD, language="es")
    await store.close()
    later = (*migrations(), "ALTER TABLE server ADD COLUMN motto TEXT;\nUPDATE server SET motto = 'a;b';")
    database = (await connect(path, later)).database
    rows = list(await database.execute_fetchall("SELECT guild_id, language, motto FROM server"))
    assert [tuple(row) for row in rows] == [(GUILD, "es", "a;b")]
    await database.close()
    assert "newer" in await _refused(path)


async def test_a_migration_that_fails_changes_nothing(store: Store, path: Path) -> None:
    await store.change_server(GUILD, language="es")
    await store.close()
    broken = (*migrations(), "ALTER TABLE server ADD COLUMN motto TEXT;\nINSERT INTO nowhere VALUES (1);")
    with pytest.raises(DataError, match="nowhere"):
        await connect(path, broken)
    again = await Store.open(path)
    assert again.server(GUILD) == Server(language="es")
    await again.close()


async def test_processes_that_start_together_make_one_store(path: Path) -> None:
    opened = await asyncio.gather(*(Store.open(path) for _ in range(6)))
    for number, store in enumerate(opened, 1):
        await store.change_channel(GUILD, number, mode=Mode.SHORT)
    await opened[0].refresh()
    assert len(opened[0].server(GUILD).channels) == 6
    await asyncio.gather(*(store.close() for store in opened))


def test_the_migrations_are_numbered_without_a_gap() -> None:
    folder = Path(__file__).resolve().parents[3] / "commands" / "store" / "migrations"
    names = sorted(file.name for file in folder.glob("*.sql"))
    assert [int(name[:3]) for name in names] == list(range(1, len(names) + 1))
    assert len(migrations()) == len(names)
