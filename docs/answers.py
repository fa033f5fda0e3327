"""Writes docs/answers.md, one example of every answer in three languages as it is printed: ``python -m docs.answers``."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path

from answers.answering import Answering, text_of

HERE = Path(__file__).resolve().parent

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
