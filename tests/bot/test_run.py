"""The bot as a process: what keeps it from running is one sentence, and an exit code that says that starting again is no use."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.run import token_of
from bot.settings import Settings, SettingsError, read_settings
from tests.bot.conftest import ROOT, Run

MISCONFIGURED = 78


@pytest.fixture
def nowhere(tmp_path: Path) -> dict[str, str]:
    """Settings of a bot that reaches nobody."""
    return {
        "DISCORD_TOKEN": "a.b.c",
        "RIGCHECK_STATE": str(tmp_path / "state.db"),
        "RIGCHECK_API_BASE": "http://127.0.0.1:9/api/v10",
        "RIGCHECK_GATEWAY": "ws://127.0.0.1:9/gateway",
    }


def one_sentence(err: str) -> str:
    """What was said last, on a line of its own."""
    assert "Traceback" not in err
    return err.splitlines()[-1]


def test_a_missing_token_is_said(process: Run, nowhere: dict[str, str]) -> None:
    result = process("run", **nowhere | {"DISCORD_TOKEN": ""})
    assert result.code == MISCONFIGURED
    assert one_sentence(result.err) == "rigcheck: DISCORD_TOKEN is not set: put the bot's token into the environment or into .env"


@pytest.mark.parametrize("token", ["my token", "tökén", "a\tb"])
def test_what_is_no_token_is_said(process: Run, nowhere: dict[str, str], token: str) -> None:
    result = process("run", **nowhere | {"DISCORD_TOKEN": token})
    assert result.code == MISCONFIGURED
    assert token not in result.err


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("RIGCHECK_CATALOG", "/nowhere/catalog.db", "/nowhere/catalog.db"),
        ("RIGCHECK_LOCALES", "/nowhere", "/nowhere has no en/terms.toml"),
        ("RIGCHECK_STATE", "/nowhere/state.db", "/nowhere/state.db"),
        ("RIGCHECK_LOG_FORMAT", "xml", "RIGCHECK_LOG_FORMAT cannot be read"),
        ("RIGCHECK_LOG_LEVEL", "loud", "RIGCHECK_LOG_LEVEL cannot be read"),
        ("RIGCHECK_HOME_GUILDS", "here", "RIGCHECK_HOME_GUILDS cannot be read"),
        ("RIGCHECK_RELOAD_PAUSE", "-1", "RIGCHECK_RELOAD_PAUSE cannot be read"),
        ("RIGCHECK_API_BASE", "discord.com", "RIGCHECK_API_BASE cannot be read"),
        ("RIGCHECK_GATEWAY", "http://x", "RIGCHECK_GATEWAY cannot be read"),
        ("RIGCHECK_MESSAGE_CONTENT", "perhaps", "RIGCHECK_MESSAGE_CONTENT cannot be read"),
    ],
)
def test_a_bad_setting_is_said(process: Run, nowhere: dict[str, str], setting: str, value: str, said: str) -> None:
    result = process("run", **nowhere | {setting: value})
    assert result.code == MISCONFIGURED
    assert one_sentence(result.err).startswith("rigcheck: ")
    assert said in one_sentence(result.err)


def test_a_catalogue_that_is_none_is_said(process: Run, nowhere: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "catalog.db").write_text("no database")
    result = process("run", **nowhere | {"RIGCHECK_CATALOG": str(tmp_path / "catalog.db")})
    assert result.code == MISCONFIGURED
    assert "not a catalogue" in one_sentence(result.err)


def test_a_locked_database_is_said(process: Run, nowhere: dict[str, str]) -> None:
    with closing(sqlite3.connect(nowhere["RIGCHECK_STATE"], isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        result = process("run", **nowhere)
    assert result.code == MISCONFIGURED
    assert "state.db" in one_sentence(result.err)


def test_a_discord_that_cannot_be_reached_may_be_there_later(process: Run, nowhere: dict[str, str]) -> None:
    result = process("run", **nowhere)
    assert result.code == 1
    assert one_sentence(result.err).startswith("rigcheck: Discord cannot be reached")


def test_the_commands_are_shown_without_a_token_and_leave_no_trace(process: Run, nowhere: dict[str, str]) -> None:
    result = process("commands", "show", **nowhere | {"DISCORD_TOKEN": ""})
    assert result.code == 0
    commands = {command["name"]: command for command in json.loads(result.out)}
    assert {"ask", "can-run", "which-gpu", "info", "help", "privacy", "Answer this"} <= commands.keys()
    assert commands["can-run"]["name_localizations"]["it"] == "ci-gira"
    assert not Path(nowhere["RIGCHECK_STATE"]).exists()


def test_telling_discord_takes_a_token(process: Run, nowhere: dict[str, str]) -> None:
    assert process("commands", "sync", **nowhere | {"DISCORD_TOKEN": ""}).code == MISCONFIGURED


@pytest.mark.parametrize("command", [["ask", "can I run StarCoder 2 15B on 12 GB?"], ["locales", "check"], ["commands", "--help"]])
def test_nothing_but_the_bot_loads_discord(command: list[str]) -> None:
    code = (
        "import sys; from bot.cli import main; main(sys.argv[1:]);"
        "loaded = [name for name in sys.modules if name.partition('.')[0] in {'discord', 'aiohttp', 'pydantic_settings'}];"
        "sys.exit(f'{len(loaded)} loaded' if loaded else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert "loaded" not in done.stderr


# -- settings -------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A working directory with nothing in it, and an environment that says nothing."""
    import os

    for name in [name for name in os.environ if name.startswith(("RIGCHECK_", "DISCORD_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_any_there_are_defaults(empty: Path) -> None:
    settings = read_settings()
    assert settings == Settings()
    assert settings.api_base == "https://discord.com/api/v10"
    assert (settings.state, settings.reload_pause, settings.message_content) == (Path("state.db"), 10.0, False)
    with pytest.raises(SettingsError, match="not set"):
        token_of(settings)


def test_they_are_read_from_a_file_and_the_environment_wins(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty / ".env").write_text("DISCORD_TOKEN=from.the.file\nRIGCHECK_RELOAD_PAUSE=3\nRIGCHECK_HOME_GUILDS=1, 2\nOTHER=x\n")
    monkeypatch.setenv("RIGCHECK_RELOAD_PAUSE", "4.5")
    settings = read_settings()
    assert token_of(settings) == "from.the.file"
    assert settings.reload_pause == 4.5
    assert settings.home_guilds == {1, 2}


def test_what_is_empty_is_not_set(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RIGCHECK_CATALOG", "RIGCHECK_LOCALES", "RIGCHECK_GATEWAY", "RIGCHECK_HOME_GUILDS"):
        monkeypatch.setenv(name, "")
    assert read_settings() == Settings()


def test_the_token_is_not_shown(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", " a.secret.token \n")
    settings = read_settings()
    assert "secret" not in repr(settings)
    assert token_of(settings) == "a.secret.token"
