"""Hostile messages: every seed by itself, repeated, nested in markup, inside questions, and in pairs. Always the same list."""

from __future__ import annotations

from pathlib import Path

SEEDS = Path(__file__).with_name("seeds.txt")
FRAMES = (
    "can i run {} on a 3060 12gb?",
    "¿me corre {} en una 4090?",
    "quanta vram serve per {}?",
    "how fast is llama 3.1 8b on {}",
    "{} vs {} for qwen 32b",
    "```\n{}\n```",
    "> {}\nwhat about this one",
    "**_~~||{}||~~_**",
)


def seeds() -> list[str]:
    """The pieces of the file, their escapes resolved; a lone surrogate stays one."""
    lines = SEEDS.read_text(encoding="utf-8").splitlines()
    return [
        line.encode("latin-1", "backslashreplace").decode("unicode_escape") for line in lines if line and not line.startswith("#")
    ]


def corpus() -> list[str]:
    """More than a thousand messages."""
    pieces = seeds()
    messages = list(pieces)
    messages += [frame.replace("{}", piece) for frame in FRAMES for piece in pieces]
    messages += [piece * (3000 // max(len(piece), 1)) for piece in pieces]
    messages += [f"{one} {two}" for one, two in zip(pieces, pieces[1:] + pieces[:1], strict=True)]
    messages += [one + two for one, two in zip(pieces, pieces[7:] + pieces[:7], strict=True)]
    messages += ["", " ", "\n" * 500, "a" * 10_000, "1" * 10_000, "( " * 5_000, "<@1" * 3_000, "漢" * 4_000, "?" * 4_000]
    return messages
