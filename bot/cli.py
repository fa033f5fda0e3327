"""The command line: the same answers as everywhere else, and no token needed.

Exit codes: 0 answered (also when it asks back or does not know a name), 2 for bad usage, 1 for a failure of ours; 78 where the bot
cannot run as it is set up. Errors go to standard error as one sentence, never as a traceback.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TextIO

from answers.errors import RigcheckError, UsageError
from bot.forms import add_forms

if TYPE_CHECKING:
    from answers.answering import Answer, Answering
    from answers.questions.question import Question
    from answers.questions.read import Reader
    from answers.rendering.message import Message
    from bot.settings import Settings

MISCONFIGURED = 78
"""What sysexits.h calls a configuration error: starting again changes nothing."""
MOST_TEXT = 20_000
"""Characters of a question; more cannot be one."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    _ready_streams()
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        code = int(arguments.run(arguments) or 0)
        sys.stdout.flush()
    except UsageError as error:
        return _fail(str(error), 2)
    except RigcheckError as error:
        return _fail(str(error), 1)
    except BrokenPipeError:
        # Whoever read us has stopped.
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        return _fail(f"{error.filename or 'input or output'}: {error.strerror or error}", 1)
    except KeyboardInterrupt:
        return 130
    return code


def _ready_streams() -> None:
    """Streams that can always be read and written: empty where one was closed, replacement characters where text is not UTF-8."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream: TextIO | None = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _drop_output() -> None:
    """Let what is still to be written go nowhere, or the interpreter complains about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(sentence: str, code: int) -> int:
    sys.stderr.write(f"rigcheck: {sentence}\n")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rigcheck", description="Which language models run on which hardware.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    ask = commands.add_parser("ask", help="answer one question")
    ask.add_argument("question", help='for example "can I run StarCoder 2 15B on 12 GB?"')
    ask.add_argument("--locale", help="language of the answer, for example es; by default that of the question")
    ask.add_argument("--json", action="store_true", help="the question, the reply's figures and the text as JSON")
    _add_conditions(ask)
    ask.add_argument("--ram", metavar="GB", type=float, help="system memory beside the cards, for a split with it")
    ask.add_argument("--computed", action="store_true", help="also how the figures are computed")
    ask.set_defaults(run=_ask)

    chat = commands.add_parser("chat", help="ask one question after another, with follow-ups")
    chat.add_argument("--locale", help="language of the answers; by default that of each question")
    chat.set_defaults(run=_chat)

    survey = commands.add_parser("survey", help="rank every card for one model")
    survey.add_argument("model", help='a model on file ("StarCoder 2 15B") or a size ("70B")')
    survey.add_argument("--context", metavar="N", help="context in tokens, for example 8192 or 32k")
    survey.add_argument("--min-quality", metavar="Q", help="the lowest quant you accept, for example Q4_K_M")
    survey.add_argument("--memory", metavar="GB", type=float, help="only cards with exactly this much memory")
    survey.add_argument("--search", metavar="S", help="only cards with this in their name")
    survey.add_argument("--all", action="store_true", help="also cards that cannot run it, last")
    _add_conditions(survey)
    survey.add_argument("--json", action="store_true", help="one JSON list, figures unrounded")
    survey.add_argument("--locale", help="number format of the table")
    survey.set_defaults(run=_survey)

    add_forms(commands, _answer_form)

    understand = commands.add_parser("understand", help="read questions, one JSON a line, and print what was understood")
    understand.add_argument("file", type=Path, help='lines of {"text", "lang"?, "previous_question"?}; - for standard input')
    understand.add_argument("--explain", action="store_true", help="print for people what was recognised and why, instead of JSON")
    understand.set_defaults(run=_understand)

    catalogue = commands.add_parser("catalogue", help="build, check or look into the catalogue")
    actions = catalogue.add_subparsers(dest="action", required=True, metavar="ACTION")
    build = actions.add_parser("build", help="make catalog.db from its sources")
    build.add_argument("--to", type=Path, help="write here instead of the project's catalog.db")
    build.set_defaults(run=_catalogue_build)
    check = actions.add_parser("check", help="prove that catalog.db is valid and is what its sources make")
    check.set_defaults(run=_catalogue_check)
    show = actions.add_parser("show", help="everything on file about a model or a card")
    show.add_argument("name")
    show.set_defaults(run=_catalogue_show)

    locales = commands.add_parser("locales", help="look after the locales")
    locale_actions = locales.add_subparsers(dest="action", required=True, metavar="ACTION")
    locales_check = locale_actions.add_parser("check", help="what a locale lacks or has too much of, by file, key and line")
    locales_check.set_defaults(run=_locales_check)

    bot = commands.add_parser("run", help="run the bot; DISCORD_TOKEN and the other settings come from the environment or .env")
    bot.add_argument("--shards", metavar="A-B/N", help="only shards A to B of N, for a bot that runs in several processes: 0-7/32")
    bot.set_defaults(run=_run)

    slash = commands.add_parser("commands", help="the bot's commands in Discord")
    slash_actions = slash.add_subparsers(dest="action", required=True, metavar="ACTION")
    slash_sync = slash_actions.add_parser("sync", help="tell Discord the commands, whether or not they changed")
    slash_sync.set_defaults(run=_commands_sync)
    slash_show = slash_actions.add_parser("show", help="the commands as Discord is told them, as JSON; needs no token")
    slash_show.set_defaults(run=_commands_show)
    return parser


def _add_conditions(parser: argparse.ArgumentParser) -> None:
    """What an answer's figures can be worked out for apart from the question's words."""
    parser.add_argument("--method", choices=("auto", "documented", "calibrated"), default="auto", help="how figures are worked out")
    parser.add_argument("--kv", choices=("f16", "q8_0", "q4_0"), help="precision of the KV cache")


def _conditions(arguments: argparse.Namespace) -> dict[str, Any]:
    """The slots that the options state."""
    method = None if arguments.method == "auto" else arguments.method
    stated = {"method": method, "kv": arguments.kv, "ram_gb": getattr(arguments, "ram", None)}
    return {name: value for name, value in stated.items() if value is not None}


def _open(one_question: bool = False) -> Answering:
    # Everything that loading makes stays until the end, so that looking for garbage in it is time lost.
    gc.disable()
    # Nothing here multiplies matrices, so that a pool of threads for it would only cost the time to start it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from answers.answering import Answering

    answering = asyncio.run(Answering.open(one_question=one_question))
    gc.freeze()
    gc.enable()
    return answering


def _locale(answering: Answering, asked: str | None) -> str | None:
    """The locale to answer in, with a word on standard error where English stands in for one that is not there.

    Raises:
        UsageError: where it is not the name of a locale at all.
    """
    if asked is None:
        return None
    if not re.fullmatch(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*", asked):
        raise UsageError(f"{asked!r} is no locale; known are {', '.join(answering.locales.by_code)}")
    given = answering.locales.get(asked).code
    if given.partition("-")[0] != asked.replace("_", "-").partition("-")[0].lower():
        sys.stderr.write(f"rigcheck: there is no locale {asked} yet, so the answer is in English\n")
    return asked


def _ask(arguments: argparse.Namespace) -> int:
    question: str = arguments.question
    if not question.strip():
        raise UsageError("the question is empty")
    if len(question) > MOST_TEXT:
        raise UsageError(f"the question has {len(question):,} characters; {MOST_TEXT:,} are the most that can be read")
    answering = _open(one_question=True)
    answers = answering.ask(question, _locale(answering, arguments.locale), stated=_conditions(arguments))
    terms = [answering.computed(answer.question, answer.locale) if arguments.computed else None for answer in answers]
    return _show(answers, terms, arguments.json)


def _answer_form(arguments: argparse.Namespace, question: Callable[[Reader], Question]) -> int:
    answering = _open(one_question=True)
    answer = answering.answer(question(answering.reader), _locale(answering, arguments.locale))
    return _show((answer,), [None], arguments.json)


def _show(answers: tuple[Answer, ...], terms: Sequence[Message | None], as_json: bool) -> int:
    """Print answers, with how their figures are computed where that was asked for."""
    from answers.answering import text_of

    if not as_json:
        _print("\n\n".join([text_of(answers), *(message.text() for message in terms if message)]))
        return 0
    shown = [
        {
            "question": answer.question.model_dump(mode="json"),
            "reply": answer.reply.model_dump(mode="json"),
            "locale": answer.locale,
            "text": answer.message.text(),
        }
        | ({"computed": message.text()} if message else {})
        for answer, message in zip(answers, terms, strict=True)
    ]
    first: dict[str, Any] = shown[0]
    if len(shown) > 1:
        first["more"] = shown[1:]
    _print(_json(first, indent=2))
    return 0


def _chat(arguments: argparse.Namespace) -> int:
    from bot.chat import chat

    answering = _open()
    return chat(answering, _locale(answering, arguments.locale))


def _survey(arguments: argparse.Namespace) -> int:
    from bot.listing import survey_rows, survey_table

    answering = _open()
    rows = survey_rows(
        answering,
        arguments.model,
        context=arguments.context,
        min_quality=arguments.min_quality,
        memory_gb=arguments.memory,
        search=arguments.search,
        include_unfit=arguments.all,
        stated=_conditions(arguments),
    )
    if arguments.json:
        _print(_json(rows, indent=2))
    else:
        _print(survey_table(rows, answering, _locale(answering, arguments.locale), arguments.all))
    return 0


def _understand(arguments: argparse.Namespace) -> int:
    from answers.questions.explain import explain
    from answers.questions.read import as_output

    answering = _open()
    with _lines(arguments.file) as (source, where):
        for number, line in enumerate(source, 1):
            if not line.strip():
                continue
            text, lang, previous_text = _input_line(line, f"{where}, line {number}")
            previous = answering.read(previous_text).question if previous_text else None
            if arguments.explain:
                _print(explain(answering.reader, text, lang, previous) + "\n")
            else:
                _print(_json(as_output(answering.read(text, lang, previous), text)))
    return 0


class _lines:
    """A text file, or standard input for ``-``, as a context manager that also says where lines come from."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.opened: TextIO | None = None

    def __enter__(self) -> tuple[Iterator[str], str]:
        if str(self.file) == "-":
            return iter(sys.stdin), "standard input"
        try:
            self.opened = self.file.open(encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(f"{self.file}: {error.strerror}") from error
        return iter(self.opened), str(self.file)

    def __exit__(self, *_: object) -> None:
        if self.opened:
            self.opened.close()


def _input_line(line: str, where: str) -> tuple[str, str | None, str | None]:
    """Text, language hint and previous question of one line; everything else in it is ignored."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON: {error}") from error
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        raise UsageError(f'{where}: an object with "text" is wanted')
    other = given.get("other")
    previous = given.get("previous_question") or (other.get("previous_question") if isinstance(other, dict) else None)
    lang = given.get("lang")
    return given["text"], lang if isinstance(lang, str) else None, previous if isinstance(previous, str) else None


def _catalogue_build(arguments: argparse.Namespace) -> int:
    from answers.catalogue.build import build
    from answers.locales import data_path

    target = arguments.to or data_path("catalog.db")
    made = build(target)
    _print(f"{target}: {made.models:,} models, {made.cards:,} cards ({made.surveyed:,} of them surveyed), {made.aliases:,} aliases")
    return 0


def _catalogue_check(_: argparse.Namespace) -> int:
    from answers.catalogue.check import check
    from answers.catalogue.collect import SOURCES
    from answers.locales import data_path

    path = data_path("catalog.db")
    compared = "and the file is what its sources make" if SOURCES.is_dir() else "but its sources are not here to compare it with"
    return _report(check(path), f"{path.name}: every row is valid, {compared}")


def _catalogue_show(arguments: argparse.Namespace) -> int:
    from bot.listing import show

    _print(_json(show(_open(), arguments.name), indent=2))
    return 0


def _locales_check(_: argparse.Namespace) -> int:
    from answers.locales import Locales
    from answers.questions.check import check as check_processors
    from answers.rendering.check import check
    from commands.texts import check as check_texts

    locales = Locales.load()
    return _report(
        [*check(locales), *check_texts(locales), *check_processors()],
        f"{', '.join(locales.by_code)}: nothing missing, nothing unused",
    )


def _run(arguments: argparse.Namespace) -> int:
    from bot.shards import Part

    part = Part.read(arguments.shards) if arguments.shards else None
    return _as_set_up(lambda settings: _bot().run(settings, part))


def _commands_sync(_: argparse.Namespace) -> int:
    return _as_set_up(lambda settings: _print(f"Discord knows {_bot().sync_commands(settings)} commands"))


def _commands_show(_: argparse.Namespace) -> int:
    return _as_set_up(lambda settings: _print(_json(_bot().show_commands(settings), indent=2)))


def _as_set_up(act: Callable[[Settings], None]) -> int:
    """Do something of the bot's; what its settings do not allow ends it with a code of its own."""
    # What is loaded stays until the end, so that looking for garbage in it is time lost; the bot looks again once it runs.
    gc.disable()
    from bot.settings import Unreachable, read_settings

    try:
        act(read_settings())
    except Unreachable as error:
        return _fail(str(error), 1)
    except RigcheckError as error:
        return _fail(str(error), MISCONFIGURED)
    return 0


def _bot() -> ModuleType:
    # The only door to Discord's library: nothing else on the command line loads it.
    from bot import run

    return run


def _report(problems: Sequence[str], well: str) -> int:
    """Print problems, one a line, on standard error; without any, say that all is well."""
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    if not problems:
        _print(well)
    return 1 if problems else 0


def _json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
