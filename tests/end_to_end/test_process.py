"""The process: how it starts, what keeps it from starting, how it ends, and what outlives it."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

from answers.answering import Answering
from answers.questions.question import Intent, Question
from commands.texts import Texts
from tests.end_to_end.world import ROOT, RUN, Discord, button, one_embed, settings, shown, text_of

STARCODER = "StarCoder 2 15B"
OPTIONS = {"model": STARCODER, "hardware": "12 GB"}
ON_12_GB = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
RANKING = Question(intent=Intent.RANK_CARDS, models=(STARCODER,))
COMMANDS = "PUT applications/*/commands"
MISCONFIGURED = 78


async def test_what_is_set_up_wrongly_ends_it_with_a_sentence(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    other = Path(shutil.copy(ROOT / "catalog.db", tmp_path / "other.db"))
    cases: list[tuple[dict[str, str], str]] = [
        ({"DISCORD_TOKEN": "wrong.secret.token"}, "Discord refuses the token"),
        ({"DISCORD_TOKEN": ""}, "DISCORD_TOKEN is not set"),
        ({"DISCORD_TOKEN": "two secret words"}, "DISCORD_TOKEN"),
        ({"RIGCHECK_CATALOG": str(nowhere / "catalog.db")}, str(nowhere / "catalog.db")),
        ({"RIGCHECK_STATE": str(other)}, str(other)),
        ({"RIGCHECK_RELOAD_PAUSE": "soon"}, "RIGCHECK_RELOAD_PAUSE"),
        ({"RIGCHECK_API_BASE": "nonsense"}, "RIGCHECK_API_BASE"),
        ({"RIGCHECK_MESSAGE_CONTENT": "true"}, "RIGCHECK_MESSAGE_CONTENT is on"),
    ]
    async with Discord() as discord_:

        async def refused(number: int, more: dict[str, str], says: str) -> None:
            folder = tmp_path / str(number)
            folder.mkdir()
            bot = await discord_.start(RUN, {**settings(folder), **more}, cwd=folder, ready=False)
            code = await bot.wait(60)
            # What the log says before it is of the start.
            sentences = [line for line in bot.log.splitlines() if line.startswith("rigcheck: ")]
            assert (code, len(sentences), bot.log.splitlines()[-1:]) == (MISCONFIGURED, 1, sentences), bot.log
            assert says in sentences[0]
            assert "secret" not in bot.log

        # Two at a time, as there are processors.
        for start in range(0, len(cases), 2):
            await asyncio.gather(*(refused(start + at, *case) for at, case in enumerate(cases[start : start + 2])))
        discord_.excuse(*[(401, 0)] * len(discord_.record.refused))
        discord_.check()


async def test_it_ends_in_order_with_what_it_has_begun_finished(tmp_path: Path, answering: Answering) -> None:
    async with Discord() as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        bot = await discord_.run(tmp_path, log_format="json")
        slow = discord_.faults.slow("POST channels/*/messages", 1.0)
        said = await discord_.say(guild, alice, discord_.mention(f"can I run {STARCODER} on 12 GB?"))
        reload = await discord_.slash(guild, guild.owner, "catalogue reload", wait=False)
        await discord_.until(lambda: slow.met == 1 and reload.kind is not None, "nothing was begun")
        assert await bot.stop() == 0
        assert text_of(one_embed(await discord_.reply(said))) == shown(answering.answer(ON_12_GB, "en").message)
        assert not (await reload.answered()).loading
        events = [json.loads(line) for line in bot.log.splitlines()]
        assert [event["message"] for event in events if event["logger"] == "rigcheck"][-2:] == ["stopping", "stopped"]
        assert discord_.gateway.closes == []
        assert not list(tmp_path.glob("state.db-*"))
        discord_.check()


async def test_what_outlives_a_crash_and_when_commands_are_told_anew(tmp_path: Path, answering: Answering, texts: Texts) -> None:
    async with Discord() as discord_:
        guild, alice = discord_.add_guild("Local LLMs"), discord_.add_user("alice")
        bruno = discord_.add_user("bruno")
        bot = await discord_.run(tmp_path)
        assert len(discord_.record.to(COMMANDS)) == 1
        told = discord_.command("can-run")
        answer = await discord_.slash(guild, alice, "which-gpu", model=STARCODER)
        asked = await discord_.say(guild, alice, discord_.mention(f"can I run {STARCODER} on 12 GB?"))
        reply = await discord_.reply(asked)
        log = discord_.add_channel(guild, "log")
        await discord_.slash(guild, guild.owner, "settings channel", channel=log, mode="short", language="it")
        # Not stopped: killed, as a machine that loses its power.
        await bot.kill()

        await discord_.run(tmp_path)
        assert len(discord_.record.to(COMMANDS)) == 1
        message = answer.message
        pressed = await discord_.press(message or {}, alice, button(message, "▶"))
        assert pressed.message is message
        assert text_of(answer.embed) == shown(answering.answer(RANKING, "en", 1).message)
        copy = await discord_.press(message or {}, bruno, button(message, "▶"))
        assert (copy.ephemeral, copy.content) == (True, texts.say("button.not_yours", "en"))
        short = await discord_.slash(log, alice, "can-run", **OPTIONS)
        assert (short.embed["title"], "footer" in short.embed) == (answering.answer(ON_12_GB, "it").message.title, False)
        await discord_.press(reply, alice, button(reply, "Remove"), wait=False)
        await discord_.until(lambda: not discord_.exists(reply), "not removed")
        assert await discord_.processes[-1].stop() == 0

        # Another text, and Discord is told the commands again.
        changed = Path(shutil.copytree(ROOT / "locales", tmp_path / "locales"))
        file = changed / "en" / "commands.toml"
        file.write_text(file.read_text(encoding="utf-8").replace(told["description"], "Will it run?"), encoding="utf-8")
        again = await discord_.run(tmp_path, locales=str(changed))
        assert len(discord_.record.to(COMMANDS)) == 2
        assert discord_.command("can-run")["description"] == "Will it run?"

        # A token that is revoked ends it like one that was wrong from the start.
        await discord_.faults.revoke_token()
        assert await again.wait() == MISCONFIGURED
        assert again.log.splitlines()[-1] == "rigcheck: Discord refuses the token in DISCORD_TOKEN"
        discord_.check()
