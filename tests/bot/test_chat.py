"""``rigcheck chat``: a conversation, through a pipe and at a terminal."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Iterator

import pytest

from answers.answering import SEPARATOR, Answering
from answers.questions.question import Intent
from bot.chat import Conversation, coloured
from tests.bot.conftest import ROOT, Run

QUESTION = "can I run StarCoder 2 15B on 12 GB?"


@pytest.fixture
def conversation(answering: Answering) -> Conversation:
    return Conversation(answering)


def titles(conversation: Conversation, *said: str) -> list[str]:
    return [conversation.say(text)[0].message.title.replace("\u00a0", " ") for text in said]


def test_a_follow_up_keeps_what_was_said_before(conversation: Conversation) -> None:
    first, second, third = titles(conversation, QUESTION, "and on a 4090?", "and StarCoder 2 7B?")
    assert first == "Yes, but it's tight: StarCoder 2 15B on 12 GB"
    assert second == "Yes, with room to spare: StarCoder 2 15B on an RTX 4090"
    assert third == "Yes, with room to spare: StarCoder 2 7B on an RTX 4090"


def test_a_remark_in_between_does_not_make_it_forget(conversation: Conversation) -> None:
    _, _, after = titles(conversation, QUESTION, "thanks a lot", "and on a 4090?")
    assert after == "Yes, with room to spare: StarCoder 2 15B on an RTX 4090"


@pytest.mark.parametrize(("typed", "gb"), [("1", 12), ("2", 8), (" 2. ", 8), ("2)", 8)])
def test_a_number_takes_a_choice(conversation: Conversation, typed: str, gb: int) -> None:
    offered, chosen = conversation.say("can I run StarCoder 2 3B on a 3060?"), conversation.say(typed)
    assert len(offered[0].pending) == 2
    assert [card.name for card in chosen[0].question.cards] == [f"GeForce RTX 3060 {gb} GB"]
    assert chosen[0].reply.__dict__["kind"] == "can_run"


@pytest.mark.parametrize("typed", ["0", "3", "99", "-1", "²", "1.5"])
def test_a_number_that_is_no_choice_is_read_like_any_text(conversation: Conversation, typed: str) -> None:
    conversation.say("can I run StarCoder 2 3B on a 3060?")
    (answer,) = conversation.say(typed)
    assert not [card for card in answer.question.cards if card.name.startswith("GeForce RTX 3060 8")]


def test_a_number_with_nothing_to_choose_takes_nothing(conversation: Conversation) -> None:
    conversation.say(QUESTION)
    (answer,) = conversation.say("1")
    assert answer.question.intent is Intent.NONE


def test_a_choice_is_answered_in_the_language_of_its_question(conversation: Conversation) -> None:
    conversation.say("¿puedo correr StarCoder 2 3B en una 3060?")
    (answer,) = conversation.say("1")
    assert answer.locale == "es"


def test_a_stated_locale_holds_for_every_answer(answering: Answering) -> None:
    conversation = Conversation(answering, "it")
    assert {conversation.say(text)[0].locale for text in (QUESTION, "and on a 4090?", "hola")} == {"it"}


def test_colours_add_nothing_to_the_words(answering: Answering) -> None:
    for question in (QUESTION, "which cards are fastest for StarCoder 2 15B?", "can I run StarCoder 2 3B on a 3060?"):
        for answer in answering.ask(question):
            shown = coloured(answer.message)
            assert "\x1b[" in shown
            assert re.sub(r"\x1b\[\d*m", "", shown) == answer.message.text()


def test_through_a_pipe_each_line_is_a_question(process: Run) -> None:
    said = ("who made StarCoder 2 15B and when was it released?", "", QUESTION, "and on a 4090?")
    result = process("chat", stdin="\n".join(said))
    assert (result.code, result.err) == (0, "")
    assert "\x1b" not in result.out
    assert result.out.count(SEPARATOR) == 1
    assert result.out.index("on 12\u00a0GB") < result.out.index("on an RTX 4090")


class Terminal:
    """A command at a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        import pty

        self.shown = ""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(ROOT)
            # The terminal of the test answers no questions about its cursor.
            environment = os.environ | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
            os.execve(sys.executable, [sys.executable, "-m", "bot.cli", *arguments], environment)

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def wait_for(self, pattern: str, seconds: float = 60) -> None:
        """Read until the pattern has been shown since the last wait."""
        end = time.monotonic() + seconds
        while not (found := re.search(pattern, self.shown)):
            ready, _, _ = select.select([self.fd], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{pattern!r} was not shown; this was: {self.shown!r}"
            self.shown += self._read()
        self.shown = self.shown[found.end() :]

    def _read(self) -> str:
        try:
            return os.read(self.fd, 65_536).decode(errors="replace")
        except OSError:  # Linux says so at the end of the process
            return ""

    def end(self) -> tuple[int, str]:
        """The exit code, and what was shown since the last wait; waits for the process to end."""
        while more := self._read():
            self.shown += more
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status), self.shown

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    pytest.importorskip("pty")
    opened = Terminal("chat")
    yield opened
    opened.close()


def test_at_a_terminal_it_prompts_answers_in_colour_and_goes_on(terminal: Terminal) -> None:
    terminal.wait_for("›")
    terminal.type(f"{QUESTION}\r")
    terminal.wait_for("\x1b\\[33mYes, but it's tight: StarCoder 2 15B on 12\u00a0GB\x1b\\[0m")
    terminal.wait_for("›")
    terminal.type("and on a 4090?\r")
    terminal.wait_for("\x1b\\[32mYes, with room to spare: StarCoder 2 15B on an RTX 4090\x1b\\[0m")
    terminal.wait_for("›")
    terminal.type("\x04")
    code, shown = terminal.end()
    assert code == 0
    assert "Traceback" not in shown


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_a_terminal_is_left_with_one_key(terminal: Terminal, key: str) -> None:
    terminal.wait_for("›")
    terminal.type(key)
    code, shown = terminal.end()
    assert code == 0
    assert "Traceback" not in shown


def test_the_prompt_remembers_what_was_asked(terminal: Terminal) -> None:
    terminal.wait_for("›")
    terminal.type("who made PolyCoder?\r")
    terminal.wait_for("Carnegie Mellon")
    terminal.wait_for("›")
    terminal.type("\x1b[A\r")
    terminal.wait_for("Carnegie Mellon")
    terminal.wait_for("›")
    terminal.type("\x04")
    assert terminal.end()[0] == 0
