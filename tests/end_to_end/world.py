"""The real bot in the loopback Discord: how it is run, how its answers are read, and what must hold whatever a test did."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from answers.rendering.message import Message, plain
from tests.discord_standin import BotProcess, Exchange, Guild, Interaction, Json, StandIn, User, spec, walk
from tests.discord_standin.people import Place

ROOT = Path(__file__).resolve().parents[2]
CONSOLE = (sys.executable, "-m", "bot.cli")
RUN = (*CONSOLE, "run")
WARNINGS = "error,ignore:'audioop' is deprecated:DeprecationWarning"
"""The one that importing discord.py raises is let through, as in pyproject.toml."""
TYPED = frozenset(("model", "hardware", "question", "name", "context", "text"))
"""Options that hold what somebody typed."""
NEVER_LOGGED = ("Traceback", "Warning", "never retrieved", "never awaited", "Exception ignored", " ERROR ")


def settings(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a bot that keeps what it writes in ``folder``; ``reload_pause="0"`` is RIGCHECK_RELOAD_PAUSE."""
    own = {"state": str(folder / "state.db"), "log_level": "DEBUG", **more}
    return process_env() | {f"RIGCHECK_{name.upper()}": value for name, value in own.items()}


def process_env() -> dict[str, str]:
    """What any process of the project needs in its environment."""
    return {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": WARNINGS, "PYTHONUTF8": "1"}


class Discord(StandIn):
    """A loopback Discord that remembers what people wrote."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"message_rate": None, "identify_window": 0, **options})
        self.typed: set[str] = set()
        self.secret = self.token
        self._read: dict[BotProcess, int] = {}

    async def run(self, folder: Path, **more: str) -> BotProcess:
        """Start the bot and wait until it is connected. Its working directory is ``folder``, so that no .env is read."""
        bot = await self.start(RUN, settings(folder, **more), cwd=folder)
        # A test that shares the bot with others does not see what was sent at the start.
        assert spec_violations(list(self.record)) == []
        return bot

    async def say(self, place: Place, user: User, text: str, /, *, reply_to: Json | None = None, ping: bool = True) -> Json:
        self._hear(text)
        return await super().say(place, user, text, reply_to=reply_to, ping=ping)

    async def edit(self, message: Json, text: str, /) -> None:
        self._hear(text)
        await super().edit(message, text)

    def _new(self, kind: int, user: User, channel: Any, name: str, data: Json) -> Interaction:
        for option in _options(data):
            if option["name"] in TYPED:
                self._hear(str(option.get("value", "")))
        return super()._new(kind, user, channel, name, data)

    def _hear(self, text: str) -> None:
        said = text.replace(self.me.mention, "").strip()
        if len(said) > 4:
            self.typed.add(said)

    def add_moderator_of(self, guild: Guild) -> User:
        """Somebody new who may manage a server."""
        user = self.add_user("moderator", guilds=[guild])
        self.add_moderator(guild, user)
        return user

    def mention(self, text: str) -> str:
        """A text that addresses the bot."""
        return f"{self.me.mention} {text}"

    def excuse(self, *codes: tuple[int, int]) -> None:
        """Take exactly these refusals, by status and Discord's code, for what the test wanted."""
        refused = self.record.refused
        assert sorted((exchange.status, exchange.code or 0) for exchange in refused) == sorted(codes)
        for exchange in refused:
            self.record.exchanges.remove(exchange)

    def check(self, *, faults: bool = False) -> None:
        """What holds after every test, however it went; ``faults``: Discord itself failed in it."""
        assert spec_violations(list(self.record)) == []
        if not faults:
            assert [(exchange.route, exchange.status, exchange.answer) for exchange in self.record.refused] == []
        for process in self.processes:
            fresh = process.log[self._read.get(process, 0) :]
            # What one test is blamed for is not held against the next.
            self._read[process] = len(process.log)
            assert not [word for word in NEVER_LOGGED if word in fresh], process.tail()
            assert self.secret not in process.log
            assert not [text for text in self.typed if text in process.log], process.tail()

    def excuse_log(self, process: BotProcess) -> None:
        """Take all that the log says so far for what the test wanted, once it has looked at it."""
        self._read[process] = len(process.log)

    def expect_fault(self, process: BotProcess, reference: str) -> None:
        """Take what the log says so far for what the test wanted: a fault, under the reference that somebody was told."""
        assert f" reference={reference} " in process.log[self._read.get(process, 0) :]
        self.excuse_log(process)


def spec_violations(exchanges: list[Exchange]) -> list[str]:
    """What Discord's own document has against the bodies that the bot sent; nothing where it is not at hand."""
    if not spec.available():
        return []
    # Whoever asks for the same gets the same body, but for ids; how long those may be, the stand-in has seen to.
    different = {json.dumps([exchange.route, _without_ids(exchange.body)], sort_keys=True): exchange for exchange in exchanges}
    return spec.violations(different.values())


def _without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: 0 if name == "nonce" or name.endswith("_id") else _without_ids(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without_ids(inner) for inner in value]
    return value


def _options(data: Mapping[str, Any]) -> Iterator[Json]:
    for option in data.get("options") or ():
        yield option
        yield from _options(option)


# -- reading an answer ----------------------------------------------------------------------------------------------------------


def text_of(embed: Json) -> str:
    """An embed as the console would print it; where a line may break is Discord's own business."""
    body, *rest = embed.get("description", "").split("```\n")
    table = rest[0].rstrip("`") if rest else ""
    fields = [f"{field['name']}\n{field['value']}" for field in embed.get("fields", ())]
    parts = [embed["title"], body.strip(), table.strip("\n"), *fields, embed.get("footer", {}).get("text", "")]
    return breakable(plain("\n\n".join(part for part in parts if part)))


def shown(message: Message) -> str:
    """A rendered message as the console prints it, without the numbered choices that are buttons in Discord."""
    numbered = "\n".join(f"{number}. {choice}" for number, choice in enumerate(message.choices, 1))
    return breakable(message.text().replace(plain(f"\n\n{numbered}"), "") if numbered else message.text())


def breakable(text: str) -> str:
    """A text whose no-break spaces are like any other, and without what keeps a line from breaking elsewhere."""
    return text.replace("\u00a0", " ").replace("\u2060", "")


def one_embed(message: Json | None) -> Json:
    """The only embed of a message."""
    assert message
    (embed,) = message["embeds"]
    return embed


def components(message: Json | None) -> list[Json]:
    """Every button and select of a message."""
    assert message
    return [part for part in walk(message["components"]) if part.get("custom_id")]


def button(message: Json | None, label: str) -> str:
    """The id of the button that says ``label``."""
    return next(part["custom_id"] for part in components(message) if part.get("label") == label)


def buttons(message: Json | None) -> list[str]:
    """What the buttons of a message say."""
    return [part["label"] for part in components(message) if part["type"] == 2]


def select(message: Json | None, action: str) -> Json:
    """The select that changes the context (``t``) or the lowest quant (``m``)."""
    return next(part for part in components(message) if part["custom_id"].startswith(f"rig1s.{action}."))


def chosen(part: Json) -> list[str]:
    """What a select shows as chosen."""
    return [option["value"] for option in part["options"] if option.get("default")]


def rows_in(guild: Guild, state: Path) -> list[tuple[Any, ...]]:
    """Everything that is stored about a server."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(f"file:{state}?mode=ro", uri=True)) as database:
        return [
            row
            for table in ("server", "channel")
            for row in database.execute(f"SELECT * FROM {table} WHERE guild_id = ? ORDER BY 2", (int(guild.id),))
        ]


World = tuple[Discord, Guild, User]
"""The bot with its Discord, a server, and Alice in it."""
