"""What an answer in Discord costs beyond what any bot pays: ours and an empty one, by turns, against the same stand-in.

Run it with ``make bench``. Every figure is the median of five rounds, in each of which both bots run; a bar on a ratio or a
difference is held against the median of those of the rounds. Nothing leaves the machine.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from answers.catalogue.load import load
from tests.discord_standin.standin import StandIn

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5
IN_FLIGHT = 32
MANY, WARM = 500, 120
RATE, FOR_S = 200, 1.0
MOST_S = 230
"""Where the machine is too slow for five rounds in this time, there are fewer."""
USERS, CHANNELS = 700, 140
"""So many that nobody asks, and nowhere is asked, more than the bot lets them."""
MODELS = 60
"""From all of the catalogue, and so many that each is asked about again: what is measured is a bot that has run for a while."""
WAYS = ("can-run", "which-gpu", "autocomplete", "mention")
HARDWARE = (
    "12 GB",
    "24 GB",
    "8GB",
    "RTX 3060 12 GB",
    "4090",
    "2x 3090",
    "7900 XTX",
    "M4 Max 64GB",
    "3090 + 3060 12GB",
    "A100 80GB",
    "RTX 5090",
)
QUESTIONS = (
    "can I run {model} on {hardware}?",
    "what gpu do i need for {model}?",
    "how much vram for {model}?",
    "¿me corre {model} en {hardware}?",
    "quanto va veloce {model} su {hardware}?",
)
Once = Callable[[], Awaitable[float]]


@dataclass
class Measured:
    """What one bot did in one round."""

    start_s: float = 0
    memory_mb: float = 0
    rate: dict[str, float] = field(default_factory=dict[str, float])
    cpu_ms: dict[str, float] = field(default_factory=dict[str, float])
    p50_ms: dict[str, float] = field(default_factory=dict[str, float])
    p95_ms: dict[str, float] = field(default_factory=dict[str, float])


def memory_mb(pid: int) -> float:
    """Resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) / 1024


def cpu_s(pid: int) -> float:
    """CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values: list[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


class Driver:
    """Asks a bot in every way, with arguments that vary; the same ones in the same order of every bot."""

    def __init__(self, discord_: StandIn, models: list[str]) -> None:
        self._discord = discord_
        self._guild = discord_.add_guild("Benchmark")
        self.channels = [self._guild.channels[0], *(discord_.add_channel(self._guild, f"c{n}") for n in range(CHANNELS - 1))]
        self.users = [discord_.add_user(f"u{number}") for number in range(USERS)]
        self._models = models
        self.restart()

    def restart(self) -> None:
        """Begin anew with the arguments."""
        chance = random.Random(7)
        pairs = [(chance.choice(self._models), chance.choice(HARDWARE)) for _ in range(2000)]
        self._pairs: Iterator[tuple[str, str]] = itertools.cycle(pairs)
        self._places: Iterator[int] = itertools.count()

    def ways(self) -> dict[str, Once]:
        """One question of each kind; each call tells how many ms the answer took."""
        return {
            "can-run": lambda: self._slash("can-run", hardware=True),
            "which-gpu": lambda: self._slash("which-gpu"),
            "autocomplete": self._suggest,
            "mention": self._mention,
        }

    async def _slash(self, command: str, hardware: bool = False) -> float:
        number, (model, on) = next(self._places), next(self._pairs)
        options: dict[str, Any] = {"model": model, "hardware": on} if hardware else {"model": model}
        channel, user = self.channels[number % CHANNELS], self.users[number % USERS]
        interaction = await self._discord.slash(channel, user, command, **options)
        self._discord.desk.forget(interaction)
        assert interaction.ack_ms is not None
        return interaction.ack_ms

    async def _suggest(self) -> float:
        number, (model, on) = next(self._places), next(self._pairs)
        channel, user = self.channels[number % CHANNELS], self.users[number % USERS]
        option, whole = ("model", model) if number % 2 else ("hardware", on)
        typed = whole[: 1 + number % len(whole)]
        filled = {} if option == "model" else {"model": model}
        interaction = await self._discord.start_autocomplete(channel, user, "can-run", option, typed, **filled)
        await interaction.acknowledged(self._discord.desk.ack_deadline + 0.5)
        self._discord.desk.forget(interaction)
        assert interaction.ack_ms is not None
        return interaction.ack_ms

    async def _mention(self) -> float:
        number, (model, on) = next(self._places), next(self._pairs)
        channel, user = self.channels[number % CHANNELS], self.users[number % USERS]
        text = QUESTIONS[number % len(QUESTIONS)].format(model=model, hardware=on)
        start = time.perf_counter()
        said = await self._discord.say(channel, user, f"{self._discord.me.mention} {text}")
        reply = await self._discord.reply(said, self._discord.desk.ack_deadline + 0.5)
        elapsed = time.perf_counter() - start
        for message in (said, reply):
            self._discord.messages.delete(message)
        self._discord.sent.remove(reply)
        return 1000 * elapsed


async def closed(once: Once, count: int) -> float:
    """Ask ``count`` times, so many at once as are in flight; answers per second."""
    turns = iter(range(count))

    async def worker() -> None:
        for _ in turns:
            await once()

    start = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    return count / (time.perf_counter() - start)


async def steady(once: Once) -> list[float]:
    """Ask at a steady rate, however long the answers take; how long they took in ms."""
    start = time.perf_counter()
    tasks: list[asyncio.Future[float]] = []
    for number in range(int(RATE * FOR_S)):
        await asyncio.sleep(max(0.0, start + number / RATE - time.perf_counter()))
        tasks.append(asyncio.ensure_future(once()))
    return await asyncio.gather(*tasks)


class Bench:
    """The stand-in, the two bots and what they are asked."""

    def __init__(self, discord_: StandIn, driver: Driver, folder: Path) -> None:
        self._discord, self._driver, self._folder = discord_, driver, folder
        self._states = itertools.count()

    def ours(self) -> tuple[list[str | Path], dict[str, str]]:
        """How the bot is started, with nothing from an earlier round."""
        state = self._folder / f"state-{next(self._states)}.db"
        return [sys.executable, "-m", "bot.cli", "run"], {
            "RIGCHECK_STATE": str(state),
            "RIGCHECK_LOG_LEVEL": "WARNING",
            "PYTHONPATH": str(ROOT),
        }

    def empty(self) -> tuple[list[str | Path], dict[str, str]]:
        """How the empty bot is started."""
        bot = ROOT / "tests" / "discord_standin" / "bots" / "empty.py"
        return [sys.executable, bot], {"EMPTY_ANSWERS": str(self._folder / "answers.json"), "TINY_LOG": "30"}

    async def learn(self) -> None:
        """Have the empty bot answer what ours does: as much text, as many buttons."""
        command, env = self.ours()
        process = await self._discord.start(command, env, cwd=self._folder)
        channel, user = self._driver.channels[0], self._driver.users[0]
        can_run = await self._discord.slash(channel, user, "can-run", model="StarCoder 2 15B", hardware="12 GB")
        which_gpu = await self._discord.slash(channel, user, "which-gpu", model="StarCoder 2 15B")
        choices = await self._discord.autocomplete(channel, user, "can-run", "model", "")
        answers: dict[str, Any] = {
            name: {"embed": _sent(interaction.embed), "components": (interaction.message or {})["components"]}
            for name, interaction in (("can-run", can_run), ("which-gpu", which_gpu))
        }
        answers |= {"mention": answers["can-run"], "choices": [choice["name"] for choice in choices]}
        (self._folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
        await process.stop()

    async def measure(self, command: list[str | Path], env: dict[str, str]) -> Measured:
        """One bot, from its start to its end."""
        found = Measured()
        self._driver.restart()
        ways = self._driver.ways()
        start = time.perf_counter()
        process = await self._discord.start(command, env, cwd=self._folder)
        await ways["can-run"]()
        found.start_s = time.perf_counter() - start
        for name, once in ways.items():
            await closed(once, WARM)
            before = cpu_s(process.pid)
            found.rate[name] = await closed(once, MANY)
            found.cpu_ms[name] = 1000 * (cpu_s(process.pid) - before) / MANY
            took = await steady(once)
            found.p50_ms[name], found.p95_ms[name] = percentile(took, 0.5), percentile(took, 0.95)
        found.memory_mb = memory_mb(process.pid)
        await process.stop()
        return found


def _sent(embed: dict[str, Any]) -> dict[str, Any]:
    """An embed as a bot sends it, without what Discord adds."""
    return {key: embed[key] for key in ("title", "description", "color", "fields", "footer") if key in embed}


@dataclass(frozen=True)
class Bar:
    """What a figure is held against."""

    what: str
    of: Callable[[Measured, Measured], float]
    bar: float
    least: bool = False

    def line(self, rounds: list[tuple[Measured, Measured]]) -> tuple[str, bool]:
        """The row of the printed table, and whether the bar is met."""
        runs = [self.of(empty, ours) for empty, ours in rounds]
        median = statistics.median(runs)
        met = median >= self.bar if self.least else median <= self.bar
        sign = ">=" if self.least else "<="
        shown = " ".join(f"{run:.3g}" for run in runs)
        return f"{self.what:<42} {median:>8.3g}  bar {sign} {self.bar:<5g} {'ok' if met else 'MISSED':<7} runs {shown}", met


BARS = (
    Bar("/can-run: CPU added, ms", lambda empty, ours: ours.cpu_ms["can-run"] - empty.cpu_ms["can-run"], 0.20),
    Bar(
        "/can-run: throughput, of the empty bot's",
        lambda empty, ours: ours.rate["can-run"] / empty.rate["can-run"],
        0.60,
        least=True,
    ),
    Bar("/can-run: p95 at 200/s, of the empty bot's", lambda empty, ours: ours.p95_ms["can-run"] / empty.p95_ms["can-run"], 2.0),
    Bar("autocomplete: CPU, ms", lambda _, ours: ours.cpu_ms["autocomplete"], 0.8),
    Bar("start to first answer, s", lambda _, ours: ours.start_s, 0.7),
    Bar("memory, MB", lambda _, ours: ours.memory_mb, 110),
)


def table(rounds: list[tuple[Measured, Measured]]) -> list[str]:
    """Every figure of both bots: medians, and ours as a multiple of the empty one's."""
    lines = [f"{'':<42} {'empty':>8} {'ours':>8} {'ratio':>6}"]

    def row(what: str, of: Callable[[Measured], float]) -> None:
        empty, ours = (statistics.median(of(pair[place]) for pair in rounds) for place in (0, 1))
        ratio = statistics.median(of(pair[1]) / of(pair[0]) for pair in rounds)
        lines.append(f"{what:<42} {empty:>8.3g} {ours:>8.3g} {ratio:>6.2f}")

    for way in WAYS:
        shown = way if way in {"autocomplete", "mention"} else f"/{way}"
        row(f"{shown}: answers/s, {IN_FLIGHT} in flight", lambda bot, way=way: bot.rate[way])
        row(f"{shown}: CPU per answer, ms", lambda bot, way=way: bot.cpu_ms[way])
        row(f"{shown}: p50 at {RATE}/s, ms", lambda bot, way=way: bot.p50_ms[way])
        row(f"{shown}: p95 at {RATE}/s, ms", lambda bot, way=way: bot.p95_ms[way])
    row("start to first answer, s", lambda bot: bot.start_s)
    row("memory, MB", lambda bot: bot.memory_mb)
    return lines


async def run() -> list[tuple[Measured, Measured]]:
    """All rounds: the empty bot, then ours, from one in turn to the next."""
    every = (await load()).models
    models = [model.name for model in every[:: len(every) // MODELS]]
    rounds: list[tuple[Measured, Measured]] = []
    with tempfile.TemporaryDirectory() as folder:
        async with StandIn(message_rate=None, ack_deadline=30) as discord_:
            discord_.record.keep = False
            bench = Bench(discord_, Driver(discord_, models), Path(folder))
            await bench.learn()
            begun = time.perf_counter()
            while len(rounds) < ROUNDS and (time.perf_counter() - begun) * (len(rounds) + 1) < MOST_S * max(1, len(rounds)):
                async with asyncio.timeout(MOST_S):
                    rounds.append((await bench.measure(*bench.empty()), await bench.measure(*bench.ours())))
    return rounds


def main() -> int:
    """Measure, print, and return 1 where a bar is missed."""
    # As everywhere but for the first time: Python keeps what it has compiled.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    rounds = asyncio.run(run())
    print(f"Medians of {len(rounds)} rounds\n")
    print("\n".join(table(rounds)), end="\n\n")
    bars = [bar.line(rounds) for bar in BARS]
    print("\n".join(line for line, _ in bars))
    return int(not all(met for _, met in bars))


if __name__ == "__main__":
    sys.exit(main())
