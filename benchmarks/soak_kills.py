"""The bot is killed at any moment while people ask, save and set: what was confirmed holds, and nobody is answered twice.

``make soak`` does it two hundred times, and holds how soon the bot is back against its bar. Nothing leaves the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from tests.discord_standin import BotProcess, Guild, Interaction, Json, NotAnswered, NotConnected
from tests.end_to_end.world import RUN, Discord, breakable, settings, text_of

KILLS = 200
MOST_BACK_S = 3.0
STARCODER = "StarCoder 2 15B"
PICKED = (STARCODER, "StarCoder 2 7B", "StarCoder 2 3B")
OPTIONS: dict[str, Any] = {"model": STARCODER, "hardware": "12 GB"}
PEOPLE, OWNERS, MODERATORS, ROOMS = 400, 200, 80, 10
TOKENS = {"4k": 4096, "8k": 8192, "16k": 16384, "32k": 32768, "64k": 65536}


@dataclass
class Ledger:
    """What of one kind was confirmed, by whose or what it is, and what else may have been written in this life of the bot."""

    confirmed: dict[Any, Any] = field(default_factory=dict[Any, Any])
    under_way: dict[Any, set[Any]] = field(default_factory=dict[Any, set[Any]])
    changes: int = 0

    async def change(self, key: Any, value: Any, asking: Awaitable[Interaction], told: Callable[[Interaction], bool]) -> None:
        """Ask for a change, and note it where ``told`` finds it confirmed in the answer."""
        under_way = self.under_way.setdefault(key, set())
        under_way.add(value)
        try:
            answer = await (await asking).answered(1)
        except (NotConnected, NotAnswered):
            # Somebody may still be writing it, for as long as this life of the bot lasts.
            await asyncio.sleep(0.05)
            return
        under_way.discard(value)
        if told(answer):
            self.confirmed[key] = value
            self.changes += 1
            return
        # Told to slow down: nothing was written, and nothing is confirmed.
        assert not answer.content.startswith("That broke"), answer.content
        await asyncio.sleep(0.5)

    def check(self, found: Mapping[Any, Any]) -> None:
        """What a dead bot left on file is what it confirmed last, or something that it was asked for besides; and nothing else."""
        assert found.keys() <= self.under_way.keys()
        for key, under_way in self.under_way.items():
            assert found.get(key) in {self.confirmed.get(key), *under_way}, key
            under_way.clear()
        self.confirmed = dict(found)


@dataclass
class House:
    """A server with its people, what they were confirmed, and all that was asked."""

    discord_: Discord
    guild: Guild
    state: Path
    chance: random.Random
    """When the bot is killed."""
    settings: Ledger = field(default_factory=Ledger)
    """The default context, by server."""
    picks: Ledger = field(default_factory=Ledger)
    """What is changed about a model that is recommended."""
    rigs: Ledger = field(default_factory=Ledger)
    """The RAM of a machine, by its owner."""
    asked: list[Interaction] = field(default_factory=list[Interaction])
    said: list[Json] = field(default_factory=list[Json])
    back_s: list[float] = field(default_factory=list[float])

    async def ask(self) -> None:
        """Ask without end, by commands and in chat; each person so seldom that nobody is told to slow down."""
        users = [self.discord_.add_user(f"u{number}", guilds=[]) for number in range(PEOPLE)]
        for number in count():
            user = users[number % PEOPLE]
            with suppress(NotConnected):
                if number % 2:
                    self.asked.append(await self.discord_.slash(None, user, "can-run", wait=False, **OPTIONS))
                else:
                    self.said.append(await self.discord_.say(None, user, f"can I run {STARCODER} on 12 GB?"))
            await asyncio.sleep(0.02)

    async def set(self) -> None:
        """Change a setting, or what is recommended, again and again, and note what was confirmed."""
        chance = random.Random(1)
        moderators = [self.discord_.add_moderator_of(self.guild) for _ in range(MODERATORS)]
        rooms = [self.guild.channels[0], *(self.discord_.add_channel(self.guild, f"c{number}") for number in range(ROOMS - 1))]
        for number in count():
            place, user = rooms[number % ROOMS], moderators[number % MODERATORS]
            if number % 2:
                context = chance.choice(tuple(TOKENS))
                asking = self.discord_.slash(place, user, "settings defaults", context=context, wait=False)
                told = partial(_says, context)
                await self.settings.change(int(self.guild.id), TOKENS[context], asking, told)
            else:
                model, action = chance.choice(PICKED), chance.choice(("add", "pin"))
                asking = self.discord_.slash(place, user, f"settings picks {action}", model=model, use="general", wait=False)
                await self.picks.change(model, action, asking, partial(_says, model))

    async def save(self) -> None:
        """Save a machine again and again, each person theirs, and note what was confirmed."""
        chance = random.Random(2)
        owners = [self.discord_.add_user(f"o{number}", guilds=[]) for number in range(OWNERS)]
        for number in count():
            owner, ram = owners[number % OWNERS], chance.randint(1, 512)
            asking = self.discord_.slash(None, owner, "rig set", hardware="3060 12gb", ram=ram, wait=False)
            await self.rigs.change(int(owner.id), ram, asking, partial(_says, f"{ram} GB"))

    async def start(self) -> BotProcess:
        """Start the bot; how long it takes until somebody is answered is noted."""
        begun = time.perf_counter()
        bot = await self.discord_.start(RUN, settings(self.state.parent, log_level="WARNING"), cwd=self.state.parent, ready=False)
        if self.chance.random() < 0.25:
            # It may be killed before it is up.
            await asyncio.sleep(self.chance.uniform(0, 1))
            return bot
        answers = sum(asked.kind is not None for asked in self.asked)
        await bot.until(lambda: sum(asked.kind is not None for asked in self.asked) > answers, "nobody was answered", 60)
        self.back_s.append(time.perf_counter() - begun)
        if self.chance.random() < 0.75:
            before = self.changes()
            await bot.until(
                lambda: all(now > then for now, then in zip(self.changes(), before, strict=True)), "not all were confirmed", 60
            )
        await asyncio.sleep(self.chance.uniform(0, 0.5))
        return bot

    def changes(self) -> tuple[int, int, int]:
        """How many changes of settings, picks and rigs were confirmed."""
        return self.settings.changes, self.picks.changes, self.rigs.changes

    def check_file(self) -> None:
        """The file is sound, and what was confirmed is in it."""
        with closing(sqlite3.connect(self.state)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            self.settings.check(dict(database.execute("SELECT guild_id, context FROM server")))
            self.picks.check(dict(database.execute("SELECT model, action FROM pick")))
            self.rigs.check(dict(database.execute("SELECT user_id, ram_gb FROM rig")))

    def check(self) -> None:
        """Look at all that was asked in the last life of the bot, and forget it."""
        replies = Counter(sent.get("message_reference", {}).get("message_id") for sent in self.discord_.sent)
        assert not [said for said in self.said if replies[said["id"]] > 1]
        assert not [asked for asked in self.asked if asked.followups or asked.edits]
        # 40060: somebody was to be answered a second time.
        assert not [exchange for exchange in self.discord_.record.refused if exchange.code == 40060]
        # Discord was told the commands in the bot's first life.
        assert not self.discord_.record.to("POST applications/*/commands")
        assert not self.discord_.record.to("PUT applications/*/commands")
        self.discord_.record.clear()
        self.discord_.sent.clear()
        for asked in self.asked:
            self.discord_.desk.forget(asked)
        self.asked.clear()
        self.said.clear()


def _says(what: str, answer: Interaction) -> bool:
    """Whether an answer, a sentence or an embed, names something."""
    embeds = (answer.message or {}).get("embeds") or ()
    return what in breakable("\n".join((answer.content, *map(text_of, embeds))))


@dataclass(frozen=True)
class Killed:
    """What came of it."""

    kills: int
    settings: int
    picks: int
    rigs: int
    back_s: list[float]
    """From each start that was let come up to the first answer."""

    def line(self) -> str:
        """What is printed."""
        return (
            f"{self.kills} kills; confirmed: {self.settings} settings, {self.picks} picks, {self.rigs} rigs; "
            f"back after {statistics.median(self.back_s):.2f} s, at worst {max(self.back_s):.2f} s"
        )


async def killed(kills: int, folder: Path) -> Killed:
    """Kill the bot so many times under load; its state is in ``folder``.

    Raises:
        AssertionError: where something that was confirmed is gone, somebody was answered twice, or a command was made twice.
    """
    discord_ = Discord()
    async with discord_:
        house = House(discord_, discord_.add_guild("Local LLMs"), folder / "state.db", random.Random(8))
        bot = await discord_.run(folder, log_level="WARNING")
        assert len(discord_.record.to("PUT applications/*/commands")) == 1
        discord_.record.clear()
        people = [asyncio.create_task(work) for work in (house.ask(), house.set(), house.save())]
        for _ in range(kills):
            await bot.kill()
            discord_.processes.remove(bot)
            house.check_file()
            for person in people:
                if person.done():
                    person.result()
            house.check()
            bot = await house.start()
        names = [(command["type"], command["name"]) for command in discord_.commands.by_scope[None]]
        assert len(names) == len(set(names)) > 8
        for person in people:
            person.cancel()
        assert await bot.stop() in (0, -15)
        house.check()
        return Killed(kills, *house.changes(), house.back_s)


def main() -> int:
    """Kill it, print, and return 1 where it was not back in time."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=KILLS)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(killed(parser.parse_args().kills, Path(folder)))
    print(found.line())
    return int(max(found.back_s) > MOST_BACK_S)


if __name__ == "__main__":
    sys.exit(main())
