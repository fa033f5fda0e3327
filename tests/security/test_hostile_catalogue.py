"""A ``catalog.db`` that somebody made to do harm: it is refused, or its texts are shown and nothing else."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from answers.answering import Answering
from answers.catalogue.load import load
from answers.catalogue.recognise import MOST_BYTES
from answers.errors import DataError
from answers.locales import Locales
from answers.questions.question import Cards, Intent, Question
from commands.message import embed_of

ROOT = Path(__file__).resolve().parents[2]
Change = Callable[..., Path]


@pytest.fixture
def change(tmp_path: Path) -> Change:
    """The project's catalogue after some statements that pay no attention to its constraints."""

    def changed(*statements: str) -> Path:
        path = Path(shutil.copy(ROOT / "catalog.db", tmp_path / "catalog.db"))
        with closing(sqlite3.connect(path)) as database:
            for pragma in ("ignore_check_constraints = ON", "foreign_keys = OFF", "writable_schema = ON"):
                database.execute(f"PRAGMA {pragma}")
            for statement in statements:
                database.execute(statement)
            database.commit()
        return path

    return changed


def _renamed(name: str) -> tuple[str, ...]:
    """Statements that give a card another name wherever it is named."""
    with closing(sqlite3.connect(ROOT / "catalog.db")) as database:
        tables = [table for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {table: [column[1] for column in database.execute(f"PRAGMA table_info({table})")] for table in tables}
    quoted = name.replace("'", "''")
    return tuple(
        f"UPDATE {table} SET {column} = '{quoted}' WHERE {column} = 'GeForce RTX 3090'"
        for table in tables
        for column in columns[table]
        if column in ("name", "card", "over")
    )


@pytest.mark.parametrize(
    "name", ["{{ 7 * 191 }}", "{% for x in range(9) %}1337{% endfor %}", "{{ r.__class__.__mro__ }}", "{# 1337"]
)
async def test_a_name_is_no_template(change: Change, name: str) -> None:
    answering = Answering(await load(change(*_renamed(name))), Locales.load())
    question = Question(intent=Intent.CAN_RUN, models=("StarCoder 2 15B",), cards=(Cards(name=name),))
    for locale in ("en", "es", "it"):
        text = answering.answer(question, locale).message.text()
        assert "1337" not in text.replace(name, "")
        assert "__main__" not in text
        assert "builtins" not in text
        assert name in text


async def test_a_name_breaks_no_layout_and_leaves_no_limit(change: Change) -> None:
    for bad in ("RTX\n# Heading", "RTX ```", "x" * 81, ""):
        with pytest.raises(DataError, match=r"card|first_card"):
            await load(change(*_renamed(bad)))
    longest = "@everyone <@1> " + "x" * 65
    answering = Answering(await load(change(*_renamed(longest))), Locales.load())
    question = Question(intent=Intent.CAN_RUN, models=("StarCoder 2 15B",), cards=(Cards(name=longest),))
    # Embeds notify nobody, whatever they say, and this one is whole.
    embed = embed_of(answering.answer(question, "en").message)
    assert len(embed.title or "") <= 256
    assert len(embed) <= 6000


async def test_a_huge_file_is_refused_before_it_is_read(change: Change) -> None:
    path = change()
    with path.open("r+b") as file:
        # Sparse: it takes no room on the disk.
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(DataError, match="too large for a catalogue"):
        await load(path)


async def test_a_circle_of_successors_is_walked_once(change: Change) -> None:
    path = change(
        "UPDATE model SET superseded_by = 'StarCoder' WHERE name = 'StarCoder 2 15B'",
        "UPDATE model SET superseded_by = 'StarCoder 2 15B' WHERE name = 'StarCoder'",
    )
    answering = Answering(await load(path), Locales.load())
    for intent in (Intent.CAN_RUN, Intent.RANK_CARDS, Intent.PARAMETERS, Intent.VRAM_NEEDED):
        assert answering.answer(Question(intent=intent, models=("StarCoder",), memory_gb=24), "en").message.title


@pytest.mark.parametrize(
    "statement",
    [
        # A table whose rows are computed by a query that never ends, by the name of one of ours.
        "UPDATE sqlite_master SET type = 'view', rootpage = 0, sql = 'CREATE VIEW card AS WITH RECURSIVE n(i) AS "
        "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n' WHERE name = 'card'",
        "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "CREATE TRIGGER trap AFTER UPDATE ON card BEGIN SELECT load_extension('evil'); END",
        "UPDATE sqlite_master SET sql = 'CREATE TABLE sqlite_master (x)' WHERE name = 'meta'",
        "UPDATE card SET name = CAST(x'ff80fe' AS TEXT) WHERE name = 'GeForce RTX 3090'",
        f"UPDATE model SET tasks = '{'[' * 5000}' WHERE name = 'StarCoder'",
    ],
)
async def test_what_computes_or_is_no_text_is_refused(change: Change, statement: str) -> None:
    path = change(statement)
    with pytest.raises(DataError, match=r"catalog\.db"):
        await load(path)
