"""Writes docs/answers.md: one example of every answer in three languages, as the command line prints it. Run by ``make docs``."""

from __future__ import annotations

import asyncio
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from answers.answering import Answering, text_of  # noqa: E402 (the project's root comes first, wherever this is run from)

LANGUAGES = {"en": "English", "es": "Español", "it": "Italiano"}


def page(answering: Answering) -> str:
    """The whole page."""
    examples = tomllib.loads((HERE / "answers.toml").read_text(encoding="utf-8"))["example"]
    parts = [
        "# Every answer, once in each language",
        "Printed by `make docs` from the questions in `docs/answers.toml`. Figures are those of the catalogue of "
        f"{answering.catalogue.date.isoformat()}.",
    ]
    for example in examples:
        parts.append(f"## {example['kind']}")
        for code, language in LANGUAGES.items():
            text = text_of(answering.ask(example[code], code))
            parts.append(f"**{language}** · *{example[code]}*\n\n```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Write the page."""
    answering = asyncio.run(Answering.open())
    (HERE / "answers.md").write_text(page(answering), encoding="utf-8")


if __name__ == "__main__":
    main()
