"""What every command is handed: the answering of the moment, what moderators set, and how much anybody may ask."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Protocol

from answers.answering import Answering
from answers.catalogue.load import load
from answers.catalogue.records import Card, Model
from answers.catalogue.snapshot import Catalogue
from answers.errors import DataError, UsageError
from answers.locales import Locales, data_path
from answers.questions.question import Intent, PickChange, Question
from commands.charts import Charts
from commands.conversations import Conversations
from commands.kept import Kept
from commands.limits import Limits
from commands.load import DEADLINE_S, Load
from commands.meter import Meter, NoMeter
from commands.rigs import Asked, asked_with
from commands.store.rigs import Rig
from commands.store.servers import Mode, Server
from commands.store.store import Store
from commands.texts import Texts
from commands.wanted import Wanted

RELOAD_PAUSE_S = 10.0
_LOG = logging.getLogger("rigcheck")


class TooSoon(UsageError):
    """The catalogue was loaded only a moment ago."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the catalogue was loaded a moment ago; it can be loaded again in {seconds} s")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Names:
    """What a reload did to one kind of record, by name, in catalogue order."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @classmethod
    def between(cls, before: Sequence[Card | Model], after: Sequence[Card | Model]) -> Names:
        """What has to be done to the first to get the second."""
        old, new = {record.name: record for record in before}, {record.name: record for record in after}
        return cls(
            added=tuple(name for name in new if name not in old),
            removed=tuple(name for name in old if name not in new),
            changed=tuple(name for name, record in new.items() if name in old and old[name] != record),
        )

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


@dataclass(frozen=True, slots=True)
class Change:
    """What a reload changed."""

    models: Names
    cards: Names
    generation: int
    other: bool = False
    """Something else than a record: the date of the facts, the cards that are named first, where the facts come from."""

    def __bool__(self) -> bool:
        return bool(self.models) or bool(self.cards) or self.other


_RECOMMENDS = (Intent.WHAT_CAN_CARD_RUN, Intent.CAN_RUN)
"""Whether a model can run, with none named, asks for recommendations too."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a server takes for said where a question says nothing."""

    context: int | None = None
    min_quality: str | None = None
    picks: tuple[PickChange, ...] = ()
    """What moderators changed about the models that are recommended."""

    def apply(self, question: Question) -> Question:
        """The question with what it leaves unsaid filled in; a question that names a quant needs no lowest one."""
        if question.intent is Intent.NONE:
            return question
        update: dict[str, object] = {}
        if self.context is not None and question.context is None:
            update["context"] = self.context
        if self.min_quality is not None and question.min_quality is None and question.quant is None:
            update["min_quality"] = self.min_quality
        if question.intent in _RECOMMENDS and question.picks != self.picks:
            update["picks"] = self.picks
        return question.model_copy(update=update) if update else question


class Services:
    """Built once, when the bot starts, and handed down to everything that talks to Discord."""

    def __init__(
        self,
        answering: Answering,
        store: Store,
        *,
        catalogue: Path,
        limits: Limits | None = None,
        reload_pause_s: float = RELOAD_PAUSE_S,
        home_guilds: Iterable[int] = (),
        shares_state: bool = False,
        deadline_s: float = DEADLINE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Args:
        answering: answers until the first reload.
        store: what moderators set, and the machines that people saved.
        catalogue: the file that a reload reads.
        limits: how much anybody may ask.
        reload_pause_s: how long it takes until the catalogue may be loaded again.
        home_guilds: the servers whose moderators may reload; none means those of every server.
        shares_state: other processes write to the store too.
        deadline_s: how long Discord waits for an answer to an interaction.
        clock: seconds that never go back.
        """
        self.store = store
        self.shares_state = shares_state
        self.catalogue = catalogue
        self.limits = limits or Limits(clock=clock)
        self.home_guilds = frozenset(home_guilds)
        self.load = Load(deadline_s, clock)
        self.meter: Meter = NoMeter()
        self.on_swapped: Callable[[], None] = lambda: None
        """What the process does once another catalogue is in use."""
        self.locales = answering.locales
        self.texts = Texts(answering.locales)
        self.conversations = Conversations(clock=clock)
        self.wanted = Wanted(store)
        self.kept = Kept()
        self.charts = Charts()
        self.loaded_at = datetime.now(UTC)
        self.clock = clock
        self._answering = answering
        self._generation = 1
        self._pause_s = reload_pause_s
        self._tried_at: float | None = None
        self._reloading = asyncio.Lock()

    @classmethod
    async def open(
        cls,
        state: Path,
        *,
        catalogue: Path | None = None,
        locales: Path | None = None,
        limits: Limits | None = None,
        reload_pause_s: float = RELOAD_PAUSE_S,
        home_guilds: Iterable[int] = (),
        shares_state: bool = False,
        deadline_s: float = DEADLINE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> Services:
        """Everything from its files; ``close`` it when the bot stops.

        Raises:
            DataError: one sentence about the first file that is missing, damaged, locked or not what it should be.
        """
        path = catalogue or data_path("catalog.db")
        answering = Answering(await load(path), Locales.load(locales))
        answering.reader.prepare()
        store = await Store.open(state)
        try:
            return cls(
                answering,
                store,
                catalogue=path,
                limits=limits,
                reload_pause_s=reload_pause_s,
                home_guilds=home_guilds,
                shares_state=shares_state,
                deadline_s=deadline_s,
                clock=clock,
            )
        except BaseException:
            # An open store that nobody closes would keep the process from ending.
            await store.close()
            raise

    async def forget_person(self, user_id: int) -> None:
        """Forget everything about a person, on disk and in memory.

        Raises:
            DataError: where the file cannot be written to.
        """
        await self.delete_rigs(user_id)
        self.conversations.forget_person(user_id)
        self.limits.forget(user_id)

    async def delete_rigs(self, user_id: int, machine: str | None = None) -> None:
        """Forget a machine that a person saved, or all of them.

        Raises:
            DataError: where the file cannot be written to.
        """
        await self.store.delete_rigs(user_id, machine)
        self.conversations.forget_rigs(user_id)

    async def close(self) -> None:
        """Finish what is being written."""
        await self.charts.close()
        await self.wanted.close()
        await self.store.close()

    @property
    def answering(self) -> Answering:
        """The answering of this moment. Take it once for an answer, so that all of the answer is of one catalogue."""
        return self._answering

    @property
    def generation(self) -> int:
        """How many catalogues have been in use; 1 until the first reload."""
        return self._generation

    async def reload(self) -> Change:
        """Load the catalogue's file afresh and answer from it from now on; answers under way keep the one they began with.

        Raises:
            TooSoon: within the pause after the last try.
            DataError: naming row and field, where the file is not in order; then nothing has changed.
        """
        if self._reloading.locked():
            raise TooSoon(max(1, round(self._pause_s)))
        async with self._reloading:
            now = self.clock()
            if self._tried_at is not None and now - self._tried_at < self._pause_s:
                raise TooSoon(max(1, round(self._pause_s - (now - self._tried_at))))
            self._tried_at = now
            before = self._answering
            # Beside the event loop, where people go on being answered meanwhile.
            after, change = await asyncio.to_thread(_fresh, self.catalogue, before, self._generation + 1)
            self._answering, self._generation, self.loaded_at = after, self._generation + 1, datetime.now(UTC)
            del before
            self.kept.clear()
            self.on_swapped()
            return change

    def may_reload(self, guild_id: int | None) -> bool:
        """Whether moderators of that server may reload the catalogue."""
        return guild_id is not None and (not self.home_guilds or guild_id in self.home_guilds)

    def server(self, guild_id: int | None) -> Server:
        """What the moderators of a server have set."""
        return self.store.server(guild_id)

    def mode(self, guild_id: int | None, channel_id: int | None, parent_id: int | None = None) -> Mode:
        """How the bot behaves in a channel; in direct messages it says everything."""
        return self.store.server(guild_id).channel(channel_id, parent_id).mode or Mode.FULL

    def is_public(self, guild_id: int | None, channel_id: int | None, parent_id: int | None = None) -> bool:
        """Whether a slash command that did not ask for privacy is answered for everybody there to see."""
        return self.mode(guild_id, channel_id, parent_id) not in (Mode.OFF, Mode.PRIVATE)

    def defaults_for(self, guild_id: int | None) -> Defaults:
        """What questions on a server mean where they say nothing."""
        server = self.store.server(guild_id)
        return Defaults(server.context, server.min_quality, server.picks)

    def with_picks(self, question: Question, guild_id: int | None) -> Question:
        """The question as recommendations hold on a server by now, and with nothing else filled in."""
        return Defaults(picks=self.store.server(guild_id).picks).apply(question)

    def filled(
        self,
        question: Question,
        user_id: int,
        guild_id: int | None,
        held: Catalogue,
        *,
        goes_on: bool = False,
        named: Rig | None = None,
    ) -> Asked:
        """The question with what it leaves unsaid filled in: first by the asker's machine, then by the server's defaults.

        Args:
            question: what was understood.
            user_id: who asks.
            guild_id: where.
            held: the catalogue that it is answered from.
            goes_on: what it goes on from was about a machine of theirs.
            named: the machine of theirs that it names.
        """
        asked = asked_with(question, self.store.rigs(user_id), held, goes_on=goes_on, named=named)
        return replace(asked, question=self.defaults_for(guild_id).apply(asked.question))

    async def catch_up(self) -> None:
        """See what another process has written about the asker meanwhile; where it cannot be read, what is known still holds."""
        if self.shares_state:
            try:
                await self.store.refresh()
            except DataError as error:
                _LOG.warning("the state could not be read", extra={"fault": str(error)})

    def locale_for(
        self,
        locale: str | None,
        guild_locale: str | None = None,
        guild_id: int | None = None,
        channel_id: int | None = None,
        public: bool = True,
        parent_id: int | None = None,
    ) -> str:
        """The locale of an answer.

        Args:
            locale: the asker's: of the member for a slash command, the language of the question in chat.
            guild_locale: the server's own, by Discord.
            guild_id: the server, where there is one.
            channel_id: the channel.
            public: others can see the answer, so that the language that moderators set wins.
            parent_id: the channel that a thread belongs to.
        """
        if public and guild_id is not None:
            server = self.store.server(guild_id)
            stated = server.channel(channel_id, parent_id).language or server.language
            if stated:
                return self.locales.get(stated).code
        if locale and guild_locale and "-" not in locale and guild_locale.partition("-")[0] == locale:
            # Who writes Spanish on a Mexican server reads Mexican figures.
            return self.locales.get(guild_locale).code
        if self._speaks(locale) or not self._speaks(guild_locale):
            return self.locales.get(locale).code
        return self.locales.get(guild_locale).code

    def _speaks(self, locale: str | None) -> bool:
        return bool(locale) and locale.partition("-")[0] in {code.partition("-")[0] for code in self.locales.by_code}


class HasServices(Protocol):
    """A client that holds the services, for what Discord hands only the client to."""

    services: Services


def on_file(catalogue: Catalogue, question: Question) -> bool:
    """Whether all that a question names is in a catalogue; one that was asked before a reload may name what has gone."""
    named = (*question.models, *(card.name for card in question.cards), *chain.from_iterable(question.candidates.values()))
    return all(_is_record(catalogue, name) for name in named)


def _is_record(catalogue: Catalogue, name: str) -> bool:
    for look_up in (catalogue.model, catalogue.card):
        with suppress(KeyError):
            look_up(name)
            return True
    return False


def _fresh(path: Path, before: Answering, generation: int) -> tuple[Answering, Change]:
    """A new answering from the file, and what it changes."""
    size = _stamp(path)
    catalogue = asyncio.run(load(path))
    if _stamp(path) != size:
        raise DataError(f"{path}: it was written to while it was read; load it again when it is whole")
    after = Answering(catalogue, before.locales, before.reader.wording)
    # Templates are the locales', which do not change: the new answering need not read them again.
    after.renderer = before.renderer
    # What is made when it is first wanted is made here, where nobody waits for it.
    _ = after.handles, after.suggestions
    old = before.catalogue
    other = _apart_from_records(old) != _apart_from_records(catalogue)
    change = Change(Names.between(old.models, catalogue.models), Names.between(old.cards, catalogue.cards), generation, other)
    return after, change


def _stamp(path: Path) -> tuple[int, ...]:
    """What tells one content of a file from the next, as far as the file system knows."""
    try:
        found = path.stat()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def _apart_from_records(held: Catalogue) -> tuple[object, ...]:
    """What a catalogue holds besides its models and cards."""
    return (
        held.date,
        held.first_cards,
        held.first_card_reasons,
        held.suggested_sizes,
        held.provenance,
        held.picks,
        held.measured.rows,
        held.quality,
    )
