"""Counts the names that people ask for and the catalogue does not have, so that moderators see what is wanted most.

What is written down is a name that has the shape of one (a few short words with a number among them) and that several people
asked for. Until then there is nothing of it but a digest, in memory, under a salt that is gone when the bot stops: no text, and no
author.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable
from hashlib import blake2b

from answers.catalogue.snapshot import Catalogue
from answers.errors import DataError
from answers.questions.question import Question
from commands.store.store import Store

PEOPLE = 3
"""So many have to ask for a name before it is written down: what one person types is never stored."""
SHOWN = 10
MOST_NAMES, MOST_PEOPLE = 4096, 256
"""Names that are counted in memory, and people of each."""
LONGEST, MOST_WORDS = 40, 5
_WORDS = re.compile(r"[a-z0-9]+(?:[.+][a-z0-9]+)*\+?")
_LOG = logging.getLogger("rigcheck")


def normal(typed: str) -> str | None:
    """A name as it is counted, whatever its case and however its parts are joined; ``None`` for what has not the shape of one."""
    folded = unicodedata.normalize("NFKC", typed).casefold()
    words = [word for word in re.split(r"[\s\-_/:]+", folded) if word]
    name = " ".join(words)
    fits = 3 <= len(name) <= LONGEST and len(words) <= MOST_WORDS and all(map(_WORDS.fullmatch, words))
    return name if fits and any(map(str.isdigit, name)) and any(map(str.isalpha, name)) else None


class Wanted:
    """Counts in memory until enough people have asked, then on disk. Built once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._salt = secrets.token_bytes(16)
        self._people: OrderedDict[bytes, set[bytes]] = OrderedDict()
        self._writing: set[asyncio.Task[None]] = set()

    def asked(self, questions: Iterable[Question], user_id: int) -> None:
        """Somebody asked for what these questions name; whatever has to be written is, beside the answer."""
        for question in questions:
            name = normal(question.unknown[0]) if question.unknown and question.unknown_kind else None
            more = self._counted(f"{question.unknown_kind}\n{name}", user_id) if name else 0
            if name and question.unknown_kind and more:
                task = asyncio.get_running_loop().create_task(self._write(question.unknown_kind, name, more))
                self._writing.add(task)
                task.add_done_callback(self._writing.discard)

    async def most(self, held: Catalogue) -> list[tuple[str, int]]:
        """The names that most people asked for and that are still not on file, each with how many those were.

        Raises:
            DataError: where the file has become unreadable.
        """
        known = {"model": held.names.find_models, "card": held.names.find_cards}
        every = await self._store.wanted()
        return [(name, people) for kind, name, people in every if not known[kind](name, near=False).names][:SHOWN]

    async def close(self) -> None:
        """Finish what is being written."""
        if self._writing:
            await asyncio.wait(self._writing)

    def _counted(self, name: str, user_id: int) -> int:
        """By how many people the count on disk grows, now that this person has asked."""
        of_name = self._digest(name)
        people = self._people.setdefault(of_name, set())
        self._people.move_to_end(of_name)
        if len(self._people) > MOST_NAMES:
            self._people.popitem(last=False)
        person = self._digest(f"{name}\n{user_id}")
        if person in people or len(people) >= MOST_PEOPLE:
            return 0
        people.add(person)
        return 0 if len(people) < PEOPLE else PEOPLE if len(people) == PEOPLE else 1

    def _digest(self, text: str) -> bytes:
        return blake2b(text.encode(), digest_size=8, key=self._salt).digest()

    async def _write(self, kind: str, name: str, people: int) -> None:
        try:
            await self._store.want(kind, name, people)
        except DataError as error:
            _LOG.warning("a name that is wanted could not be counted", extra={"fault": str(error)})
