"""What moderators set for a server and its channels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from answers.questions.question import PickChange


class Mode(StrEnum):
    """How the bot behaves in a channel."""

    OFF = "off"
    """It is silent; slash commands answer the asker alone."""
    PRIVATE = "private"
    """Answers go to the asker alone."""
    SHORT = "short"
    """Answers are the verdict and the sentence below it."""
    FULL = "full"
    """Answers are whole; the mode of a channel that nobody has set one for."""
    QUESTIONS = "questions"
    """A question channel: it also answers whoever does not mention it, where it is sure that it was asked something."""


@dataclass(frozen=True, slots=True)
class Channel:
    """The settings of one channel; what is ``None`` was not set."""

    mode: Mode | None = None
    language: str | None = None


def _no_channels() -> Mapping[int, Channel]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Server:
    """The settings of one server; what is ``None`` was not set."""

    language: str | None = None
    """Of public answers; ``None``: the asker's."""
    context: int | None = None
    """Tokens, for questions that state none."""
    min_quality: str | None = None
    """A quant's name, for questions that state none."""
    log_channel_id: int | None = None
    picks: tuple[PickChange, ...] = ()
    """What is changed about the models that are recommended."""
    channels: Mapping[int, Channel] = field(default_factory=_no_channels)

    def channel(self, channel_id: int | None, parent_id: int | None = None) -> Channel:
        """What holds in a channel: what it was set to itself, else (in a thread) what its parent was set to."""
        own = self.channels.get(channel_id or 0, Channel())
        parent = self.channels.get(parent_id or 0, Channel())
        return Channel(own.mode or parent.mode, own.language or parent.language)
