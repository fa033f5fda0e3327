"""The commands of the console that fill in a form, as Discord's commands of the same names do: the same questions and answers."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from answers.errors import UsageError

if TYPE_CHECKING:
    from answers.questions.question import Question
    from answers.questions.read import Reader

Answer = Callable[[argparse.Namespace, "Callable[[Reader], Question]"], int]
"""Answers the question that is made with the reader, as the arguments ask for it; the exit code."""


def add_forms(commands: Any, answer: Answer) -> None:
    """Add ``which-model``, ``which-quant`` and ``compare`` to the subcommands of a parser."""
    _which_model(commands.add_parser("which-model", help="current models that are worth running on hardware"), answer)
    _which_quant(commands.add_parser("which-quant", help="which quant to download: size, need, speed, link"), answer)
    _compare(commands.add_parser("compare", help="two to four cards or models side by side"), answer)


def _which_model(form: argparse.ArgumentParser, answer: Answer) -> None:
    form.add_argument("hardware", help='for example "3060 12GB", "2x 3090" or "24 GB"')
    form.add_argument("--use", choices=("general", "code", "reasoning", "vision"), help="what for")
    form.add_argument("--context", metavar="N", help="context in tokens, for example 8192 or 32k")
    form.add_argument("--min-speed", metavar="TOK/S", type=_positive, help="at least this fast; 10 unless you say otherwise")
    form.add_argument("--ram", metavar="GB", type=_positive, help="system memory, for a split with it")
    _add_output(form)

    def run(given: argparse.Namespace) -> int:
        from answers.questions.forms import which_model

        options = {"use": given.use, "context": given.context, "min_speed": given.min_speed, "ram_gb": given.ram}
        return answer(given, lambda reader: which_model(reader, given.hardware, **options))

    form.set_defaults(run=run)


def _which_quant(form: argparse.ArgumentParser, answer: Answer) -> None:
    form.add_argument("model", help="a model on file, a size (70B) or the name of a GGUF file")
    form.add_argument("hardware", nargs="?", help='for example "3060 12GB", "2x 3090" or "24 GB"')
    form.add_argument("--context", metavar="N", help="context in tokens, for example 8192 or 32k")
    _add_output(form)

    def run(given: argparse.Namespace) -> int:
        from answers.questions.forms import which_quant

        return answer(given, lambda reader: which_quant(reader, given.model, given.hardware, given.context))

    form.set_defaults(run=run)


def _compare(form: argparse.ArgumentParser, answer: Answer) -> None:
    form.add_argument("names", nargs="+", metavar="NAME", help="cards or models; one card among models is what they run on")
    form.add_argument("--model", help="compare cards for this model")
    _add_output(form)

    def run(given: argparse.Namespace) -> int:
        from answers.questions.forms import MOST_COMPARED, compare

        named = len(given.names)
        # A card beside models is what they run on, and not itself compared.
        if not 2 <= named <= MOST_COMPARED + 1:
            raise UsageError(f"2 to {MOST_COMPARED} names can be compared, not {named}")
        return answer(given, lambda reader: compare(reader, given.names, given.model))

    form.set_defaults(run=run)


def _add_output(form: argparse.ArgumentParser) -> None:
    form.add_argument("--locale", help="language of the answer, for example es; English unless you say otherwise")
    form.add_argument("--json", action="store_true", help="the question, the reply's figures and the text as JSON")


def _positive(text: str) -> float:
    """A figure above zero.

    Raises:
        argparse.ArgumentTypeError: where it is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is no figure above 0")
    return value
