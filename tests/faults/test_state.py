"""``state.db`` goes wrong under a running bot, or before it starts: questions are answered all the same."""

from __future__ import annotations

import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from answers.answering import Answering
from answers.questions.question import Intent, Question
from commands.texts import Texts
from tests.end_to_end.test_operating import get, port_of
from tests.end_to_end.world import RUN, Discord, rows_in, settings, shown, text_of
from tests.faults.powers import LAUNCHER

STARCODER = "StarCoder 2 15B"
OPTIONS = {"model": STARCODER, "hardware": "12 GB"}
ON_12_GB = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
COMMANDS = "PUT applications/*/commands"


@pytest.fixture
def expected(answering: Answering) -> str:
    return shown(answering.answer(ON_12_GB, "en").message)


def _not_stored(texts: Texts, content: str) -> str:
    """The reference in the sentence that says that nothing could be stored."""
    before, after = texts.say("error.not_stored", "en", code="|").split("|")
    assert content.startswith(before), content
    return content.removeprefix(before).removesuffix(after)


async def test_a_full_disk_refuses_settings_and_answers_questions(tmp_path: Path, expected: str, texts: Texts) -> None:
    async with Discord() as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        bot = await discord_.run(tmp_path)
        await discord_.slash(guild, guild.owner, "settings language", language="es")
        before = rows_in(guild, tmp_path / "state.db")
        # Not one byte more may be written to any file.
        _, most = resource.prlimit(bot.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(bot.pid, resource.RLIMIT_FSIZE, (0, most))
        refused = await discord_.slash(guild, guild.owner, "settings language", language="it")
        discord_.expect_fault(bot, _not_stored(texts, refused.content))
        answer = await discord_.slash(guild, alice, "can-run", private=True, **OPTIONS)
        assert text_of(answer.embed) == expected
        assert rows_in(guild, tmp_path / "state.db") == before
        resource.prlimit(bot.pid, resource.RLIMIT_FSIZE, (most, most))
        await discord_.slash(guild, guild.owner, "settings language", language="it")
        assert rows_in(guild, tmp_path / "state.db") != before
        discord_.check()


async def test_a_read_only_state_holds_and_cannot_be_changed(tmp_path: Path, answering: Answering, texts: Texts) -> None:
    async with Discord() as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        first = await discord_.run(tmp_path)
        await discord_.slash(guild, guild.owner, "settings language", language="es")
        await first.stop()
        state = tmp_path / "state.db"
        state.chmod(0o444)
        tmp_path.chmod(0o555)
        try:
            bot = await discord_.start((*LAUNCHER, *RUN), settings(tmp_path, health_port="0"), cwd=tmp_path)
            answer = await discord_.slash(guild, alice, "can-run", **OPTIONS)
            assert text_of(answer.embed) == shown(answering.answer(ON_12_GB, "es").message)
            refused = await discord_.slash(guild, guild.owner, "settings language", language="it")
            assert f" reference={_not_stored(texts, refused.content)} " in bot.log
            assert "none can be changed" in bot.log
            assert "cannot be written to" in (await get(port_of(bot), "/readyz"))[1]["state"]
            # That the server is gone cannot be written down now; the bot goes on.
            discord_.remove_bot(guild)
            await bot.until(lambda: "forgotten at the next start" in bot.log, "not said")
            assert await bot.stop() == 0
        finally:
            tmp_path.chmod(0o755)
            state.chmod(0o644)
        again = await discord_.run(tmp_path)
        await again.until(lambda: not rows_in(guild, state), "the settings were not forgotten")


@pytest.mark.parametrize("how", ["overwritten", "cut off"])
async def test_a_damaged_state_is_kept_aside_and_begun_anew_and_said_loudly(tmp_path: Path, how: str, answering: Answering) -> None:
    async with Discord() as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        first = await discord_.run(tmp_path)
        await discord_.slash(guild, guild.owner, "settings language", language="es")
        await first.stop()
        state = tmp_path / "state.db"
        whole = state.read_bytes()
        state.write_bytes(b"\x5a" * len(whole) if how == "overwritten" else whole[: len(whole) // 2])
        damaged = state.read_bytes()
        bot = await discord_.start(RUN, settings(tmp_path, health_port="0"), cwd=tmp_path)
        (aside,) = tmp_path.glob("state.db.damaged-*")
        assert aside.read_bytes() == damaged
        said = next(line for line in bot.log.splitlines() if "THE STATE WAS DAMAGED" in line)
        assert " ERROR " in said
        assert aside.name in said
        assert aside.name in (await get(port_of(bot), "/readyz"))[1]["state"]
        answer = await discord_.slash(guild, alice, "can-run", **OPTIONS)
        assert text_of(answer.embed) == shown(answering.answer(ON_12_GB, "en").message)
        await discord_.slash(guild, guild.owner, "settings language", language="it")
        assert rows_in(guild, state)
        # What Discord had been told was forgotten too: it is told again, the same commands.
        told = discord_.record.to(COMMANDS)
        assert len(told) == 2
        assert told[0].body == told[1].body
        with closing(sqlite3.connect(state)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_a_broken_text_ends_the_start_although_the_state_is_open(tmp_path: Path) -> None:
    import shutil

    from tests.end_to_end.world import ROOT

    locales = Path(shutil.copytree(ROOT / "locales", tmp_path / "locales"))
    (locales / "en" / "bot.toml").write_text("[button\n", encoding="utf-8")
    async with Discord() as discord_:
        bot = await discord_.start(RUN, settings(tmp_path, locales=str(locales)), cwd=tmp_path, ready=False)
        assert await bot.wait(60) == 78
        assert "bot.toml" in bot.log.splitlines()[-1]
