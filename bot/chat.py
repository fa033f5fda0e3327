"""A conversation in the terminal: one question after another, with follow-ups and numbered choices."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from answers.answering import SEPARATOR, Answer, Answering
from answers.questions.followup import picked, remember
from answers.questions.question import Intent, Question
from answers.rendering.message import Message, plain
from answers.replies.asking import Unknown

ANSI = {"green": "\x1b[32m", "amber": "\x1b[33m", "red": "\x1b[31m", "grey": "\x1b[1m"}
RESET = "\x1b[0m"


@dataclass
class Conversation:
    """What has been said: the last question, and the choices that are open."""

    answering: Answering
    locale: str | None = None
    previous: Question | None = None
    open_choices: tuple[Question, ...] = field(default=())
    offer: Question | None = None
    """What a bare "yes" takes up: the size that a model that is not on file was offered to be treated as."""
    spoken: str | None = None
    """The language of the last question, which a bare number is answered in."""

    def say(self, text: str) -> tuple[Answer, ...]:
        """Answer a message; a number takes one of the choices that the last answer offered."""
        chosen = picked(text, self.open_choices, self.offer, self.answering.reader.wording)
        if chosen is not None:
            answers = (self.answering.answer(chosen, self.locale or self.spoken),)
        else:
            answers = self.answering.ask(text, self.locale, self.previous, self.spoken)
        last = answers[-1]
        self.spoken = last.locale
        self.open_choices = last.pending
        self.offer = last.pending[0] if isinstance(last.reply, Unknown) and last.reply.offered else None
        if last.question.intent is not Intent.NONE:
            self.previous = remember(last.question, self.previous)
        return answers


def coloured(message: Message) -> str:
    """A message with terminal colours: the title by its verdict, bold text bold, the footer dim."""
    out = [f"{ANSI[message.colour]}{plain(message.title)}{RESET}"]
    parts = ["\n".join(_bold(line) for line in message.body), "\n".join(message.table)]
    parts += [f"\x1b[1m{plain(f.name)}{RESET}\n" + "\n".join(_bold(line) for line in f.lines) for f in message.fields]
    parts.append("\n".join(f"{number}. {plain(choice)}" for number, choice in enumerate(message.choices, 1)))
    if message.footer:
        parts.append(f"\x1b[2m{plain(message.footer)}{RESET}")
    return "\n\n".join(part for part in [*out, *parts] if part)


def _bold(line: str) -> str:
    pieces = line.split("**")
    return "".join(f"\x1b[1m{plain(piece)}{RESET}" if index % 2 else plain(piece) for index, piece in enumerate(pieces))


def chat(answering: Answering, locale: str | None) -> int:
    """Read questions until the end of input, from a terminal with history and colours, or line by line from a pipe."""
    conversation = Conversation(answering, locale)
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    show: Callable[[Message], str] = coloured if terminal else Message.text
    for line in _prompted() if terminal else sys.stdin:
        if not line.strip():
            continue
        answers = conversation.say(line)
        sys.stdout.write(SEPARATOR.join(show(answer.message) for answer in answers) + "\n\n")
        sys.stdout.flush()
    return 0


def _prompted() -> Iterable[str]:
    """Lines typed at a prompt that remembers them; ends with Ctrl-D or Ctrl-C."""
    from prompt_toolkit import PromptSession

    session: PromptSession[str] = PromptSession()
    while True:
        try:
            yield session.prompt("› ")
        except (EOFError, KeyboardInterrupt):
            return
