"""Brings the answers that a document shows up to date: ``python -m docs.refresh README.md``.

An answer is shown in a block of its own, below the command that gives it: ``$ make ask Q="..."``.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from answers.answering import Answering, text_of

SHOWN = re.compile(r'^(```console\n\$ make ask Q="(.*?)"\n)(.*?)^```$', re.MULTILINE | re.DOTALL)


def refreshed(text: str, answering: Answering) -> str:
    """The document with each answer that it shows given anew; no-break spaces, hard to type and to see, are plain ones."""

    def block(found: re.Match[str]) -> str:
        answer = text_of(answering.ask(found[2])).replace("\u00a0", " ")
        return f"{found[1]}{answer}\n```"

    return SHOWN.sub(block, text)


def main(arguments: Sequence[str]) -> int:
    """Rewrite every document that is named."""
    answering = asyncio.run(Answering.open())
    for document in map(Path, arguments):
        document.write_text(refreshed(document.read_text(encoding="utf-8"), answering), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
