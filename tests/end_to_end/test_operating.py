"""What a supervisor and Prometheus are told: on a port of this machine alone, and only where one is set."""

from __future__ import annotations

import asyncio
import re
import socket
from pathlib import Path
from typing import Any

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from tests.discord_standin import BotProcess
from tests.end_to_end.world import RUN, Discord, button, select, settings

STARCODER = "StarCoder 2 15B"
OPTIONS = {"model": STARCODER, "hardware": "12 GB"}
MISCONFIGURED = 78


def port_of(bot: BotProcess) -> int:
    """The port that the system picked."""
    found = re.search(r"health and metrics port=(\d+)", bot.log)
    assert found, bot.tail()
    return int(found[1])


async def get(port: int, path: str) -> tuple[int, Any]:
    """Status and content of a page."""
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as response:
        content = await (response.json() if response.content_type == "application/json" else response.text())
        return response.status, content


async def metrics(port: int) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every sample, by its name and the values of its labels in the order of their names."""
    status, text = await get(port, "/metrics")
    assert status == 200
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def until_ready(port: int, ready: bool) -> Any:
    """What is said once the bot is ready, or is not."""
    async with asyncio.timeout(30):
        while True:
            status, said = await get(port, "/readyz")
            if (status == 200) is ready:
                return said
            await asyncio.sleep(0.05)


async def test_health_is_told_shard_by_shard(tmp_path: Path) -> None:
    async with Discord(shards=2, max_concurrency=2) as discord_:
        for shard in range(2):
            discord_.add_guild(f"Server {shard}", shard=shard)
        bot = await discord_.run(tmp_path, health_port="0")
        port = port_of(bot)
        assert await get(port, "/healthz") == (200, "ok\n")
        said = await until_ready(port, True)
        assert (said["state"], said["generation"], list(said["shards"])) == ("ok", 1, ["0", "1"])
        assert all(shard["connected"] and shard["losses"] == 0 for shard in said["shards"].values())
        # Discord is away, by the gateway and by HTTP.
        discord_.gateway.settings.refuses = True
        discord_.faults.drop(1)
        said = await until_ready(port, False)
        assert [shard["connected"] for shard in said["shards"].values()] == [True, False]
        assert (await get(port, "/healthz"))[0] == 200
        discord_.gateway.settings.refuses = False
        said = await until_ready(port, True)
        assert [shard["losses"] for shard in said["shards"].values()] == [0, 1]
        assert (await get(port, "/elsewhere"))[0] == 404
        discord_.check(faults=True)


async def test_what_was_answered_is_counted_without_saying_what_was_asked(tmp_path: Path) -> None:
    async with Discord() as discord_:
        guild = discord_.add_guild("Local LLMs")
        alice, bruno = discord_.add_user("alice"), discord_.add_user("bruno", "it")
        bot = await discord_.run(tmp_path, health_port="0")
        port = port_of(bot)
        answer = await discord_.slash(guild, alice, "can-run", **OPTIONS)
        await discord_.slash(guild, bruno, "can-run", **OPTIONS)
        await discord_.slash(guild, bruno, "info", name="Frobnicator 9000")
        await discord_.reply(await discord_.say(guild, alice, discord_.mention(f"can I run {STARCODER} on 24 GB?")))
        context = select(answer.message, "t")
        await discord_.select(answer.message or {}, alice, context["custom_id"], [context["options"][-1]["value"]])
        await discord_.autocomplete(guild, alice, "can-run", "model", "star")
        for _ in range(8):
            await discord_.press(answer.message or {}, bruno, button(answer.message, "How is this computed"))
        found = await metrics(port)
        assert found["rigcheck_answers_total", ("can_run", "en", "slash")] == 1
        assert found["rigcheck_answers_total", ("can_run", "it", "slash")] == 1
        assert found["rigcheck_answers_total", ("can_run", "en", "chat")] == 1
        assert found["rigcheck_answers_total", ("can_run", "en", "press")] == 1
        assert found["rigcheck_misses_total", ("unknown",)] == 1
        assert found["rigcheck_answer_seconds_count", ("slash",)] == 3
        assert found["rigcheck_answer_seconds_sum", ("slash",)] > 0
        assert found["rigcheck_slowed_down_total", ()] >= 1
        assert found["rigcheck_shard_up", ("0",)] == 1
        assert found["rigcheck_catalogue_generation", ()] == 1
        assert found["rigcheck_catalogue_age_seconds", ()] >= 0
        assert found["rigcheck_catalogue_records", ("model",)] > 600
        assert found["rigcheck_cache_misses_total", ("suggested_models",)] >= 1
        assert found["rigcheck_state_writable", ()] == 1
        await discord_.slash(guild, guild.owner, "catalogue reload")
        assert (await metrics(port))["rigcheck_catalogue_generation", ()] == 2
        _, text = await get(port, "/metrics")
        assert not [word for word in ("StarCoder", "Frobnicator", "alice", alice.id, guild.id, discord_.token) if word in text]
        discord_.check()


async def test_nobody_is_told_where_no_port_is_set_and_nobody_elsewhere(tmp_path: Path) -> None:
    async with Discord() as discord_:
        discord_.add_guild("Local LLMs")
        silent = await discord_.run(tmp_path)
        assert "health and metrics" not in silent.log
        modules = await _loaded(silent.pid)
        assert "prometheus_client" not in modules
        await silent.stop()
        bot = await discord_.run(tmp_path, health_port="0")
        listening = [
            line.split()[1] for line in Path(f"/proc/{bot.pid}/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"
        ]
        port = f"{port_of(bot):04X}"
        assert [address for address in listening if address.endswith(f":{port}")] == [f"0100007F:{port}"]
        discord_.check()


async def _loaded(pid: int) -> str:
    """The files that a process has mapped; every extension module that it has loaded is one of them."""
    return Path(f"/proc/{pid}/maps").read_text()


async def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        async with Discord() as discord_:
            environment = settings(tmp_path, health_port=str(other.getsockname()[1]))
            bot = await discord_.start(RUN, environment, cwd=tmp_path, ready=False)
            assert await bot.wait(60) == MISCONFIGURED
            assert bot.log.splitlines()[-1].startswith("rigcheck: RIGCHECK_HEALTH_PORT: port ")
