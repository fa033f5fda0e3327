"""Replies that ask back, or say why nothing is answered."""

from __future__ import annotations

from typing import Literal

from answers.questions.question import Question
from answers.replies.parts import Choice, HardwareRef, Part


class AskBack(Part):
    """Something is missing or means several things: asks for just that."""

    kind: Literal["ask_back"] = "ask_back"
    missing: Literal["model", "hardware", "which_model", "which_card", "cards", "models", "size"]
    typed: str | None = None
    choices: tuple[Choice, ...] = ()
    twins: bool = False
    """The choices are cards that differ in nothing but their memory."""
    more: int = 0
    """Further choices that are not listed."""
    hardware: HardwareRef | None = None
    """Where all that the name may mean was tried on it."""
    fit: Literal["all", "some", "none"] | None = None
    """How many of those fit there."""
    question: Question


class Unknown(Part):
    """A name that is not on file, with the nearest names and, where a size was in it, an offer."""

    kind: Literal["unknown"] = "unknown"
    what: Literal["model", "card"]
    typed: str
    parameters: float | None = None
    choices: tuple[Choice, ...] = ()
    """First the offer to treat it as a dense model of its size, where there is one; then the nearest names."""
    offered: bool = False
    closed_by: str | None = None
    """Who keeps the model's weights to itself; the choices are what it publishes instead."""
    question: Question


class OutOfRange(Part):
    """A number that cannot be answered for."""

    kind: Literal["out_of_range"] = "out_of_range"
    what: Literal["memory", "context", "parameters", "cards", "ram"]
    value: float
    lowest: float
    highest: float


class NotAsked(Part):
    """Nothing that can be answered was asked: what can be."""

    kind: Literal["not_asked"] = "not_asked"
    empty: bool = False
