"""The bot is killed at any moment while people ask and moderators set: what was confirmed holds, and nobody is answered twice.

Two hundred times with ``make soak``, some times otherwise: RIGCHECK_KILLS says how often.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.discord_standin import BotProcess, Guild, Interaction, Json, NotAnswered, NotConnected
from tests.end_to_end.world import RUN, Discord, breakable, settings

KILLS = int(os.environ.get("RIGCHECK_KILLS", "5"))
STARCODER = "StarCoder 2 15B"
OPTIONS = {"model": STARCODER, "hardware": "12 GB"}
PEOPLE, MODERATORS = 400, 40
MEASURED = 200
TOKENS = {"4k": 4096, "8k": 8192, "16k": 16384, "32k": 32768, "64k": 65536}


@dataclass
class House:
    """A server with its people, what its moderators were confirmed, and all that was asked."""

    discord_: Discord
    guild: Guild
    state: Path
    chance: random.Random
    confirmed: int | None = None
    """The context that was confirmed last."""
    under_way: set[int | None] = field(default_factory=set[int | None])
    """What was asked for since, and may or may not have been written."""
    changes: int = 0
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
        """Change a setting again and again, and note what was confirmed."""
        moderators = [self.discord_.add_moderator_of(self.guild) for _ in range(MODERATORS)]
        for number in count():
            wanted = self.chance.choice(tuple(TOKENS))
            self.under_way.add(TOKENS[wanted])
            try:
                place, user = self.guild, moderators[number % MODERATORS]
                answer = await self.discord_.slash(place, user, "settings defaults", context=wanted, wait=False)
                await answer.answered(1)
            except (NotConnected, NotAnswered):
                # Somebody may still be writing it.
                await asyncio.sleep(0.05)
                continue
            if wanted not in breakable(answer.content):
                # Told to slow down: nothing was written, and nothing is confirmed.
                assert not answer.content.startswith("That broke"), answer.content
                await asyncio.sleep(0.5)
                continue
            self.confirmed, self.under_way = TOKENS[wanted], set()
            self.changes += 1

    async def start(self) -> BotProcess:
        """Start the bot; how long it takes until somebody is answered is noted."""
        begun = time.perf_counter()
        bot = await self.discord_.start(RUN, settings(self.state.parent, log_level="WARNING"), cwd=self.state.parent, ready=False)
        if self.chance.random() < 0.25:
            # It may be killed before it is up.
            await asyncio.sleep(self.chance.uniform(0, 1))
            return bot
        before = sum(asked.kind is not None for asked in self.asked)
        await bot.until(lambda: sum(asked.kind is not None for asked in self.asked) > before, "nobody was answered", 60)
        self.back_s.append(time.perf_counter() - begun)
        if self.chance.random() < 0.75:
            changes = self.changes
            await bot.until(lambda: self.changes > changes, "no setting was confirmed", 60)
        await asyncio.sleep(self.chance.uniform(0, 0.5))
        return bot

    def on_disk(self) -> int | None:
        """The context that is on file; the file is sound."""
        with closing(sqlite3.connect(self.state)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            row = database.execute("SELECT context FROM server WHERE guild_id = ?", (int(self.guild.id),)).fetchone()
        return row[0] if row else None

    def check(self) -> None:
        """Look at all that was asked in the last life of the bot, and forget it."""
        replies = Counter(sent.get("message_reference", {}).get("message_id") for sent in self.discord_.sent)
        assert not [said for said in self.said if replies[said["id"]] > 1]
        assert not [asked for asked in self.asked if asked.followups or asked.edits]
        # 40060: somebody was to be answered a second time.
        assert not [exchange for exchange in self.discord_.record.refused if exchange.code == 40060]
        assert not self.discord_.record.to("POST applications/*/commands")
        self.discord_.record.clear()
        self.discord_.sent.clear()
        for asked in self.asked:
            self.discord_.desk.forget(asked)
        self.asked.clear()
        self.said.clear()


async def test_kills_at_any_moment_lose_nothing_and_answer_nobody_twice(tmp_path: Path) -> None:
    async with Discord() as discord_:
        house = House(discord_, discord_.add_guild("Local LLMs"), tmp_path / "state.db", random.Random(8))
        bot = await discord_.run(tmp_path, log_level="WARNING")
        people = [asyncio.create_task(house.ask()), asyncio.create_task(house.set())]
        for _ in range(KILLS):
            await bot.kill()
            discord_.processes.remove(bot)
            # What was confirmed is there, or something that was asked for after it.
            assert house.on_disk() in {house.confirmed, *house.under_way}
            assert not [person for person in people if person.done()]
            house.check()
            bot = await house.start()
        names = [(command["type"], command["name"]) for command in discord_.commands.by_scope[None]]
        assert len(names) == len(set(names)) > 8
        for person in people:
            person.cancel()
        assert await bot.stop() in (0, -15)
        house.check()
        assert house.changes >= KILLS // 2
        back_s = sorted(house.back_s)
        median, worst = back_s[len(back_s) // 2], back_s[-1]
        print(f"\n{KILLS} kills, {house.changes} settings confirmed; back after {median:.2f} s, at worst {worst:.2f} s")
        # Long runs are measurements, on a machine that has nothing else to do.
        assert worst <= 3 or KILLS < MEASURED
