"""What a catalogue of ten times the models and cards costs: suggestions, questions, memory for each model.

Run it with ``make bench``. The further records are copies under names and in families of their own, so that every look-up has ten
times as much to tell apart. Each size is measured in a process of its own, from a file that is loaded as any other.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from answers.answering import Answering
from answers.catalogue.load import load
from answers.locales import Locales
from benchmarks.discord import ROOT, memory_mb, percentile

SIZES = (1, 10)
MOST_SUGGESTION_MS, MOST_RATIO = 3.0, 1.5
MODELS, ROUNDS = 60, 3
QUESTIONS = (
    "can I run {model} on 12 GB?",
    "how fast is {model} on a 4090?",
    "how much vram for {model}?",
    "which gpu for {model}?",
    "who made {model}?",
)
CARDS = ("RTX 3060 12 GB", "RTX 4090", "RX 7900 XTX", "A100 80 GB", "Arc A770")
Figures = dict[str, float]


def grow(path: Path, times: int) -> None:
    """Make the project's catalogue in ``path`` that many times as large."""
    shutil.copy(ROOT / "catalog.db", path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        for table, own in (("model", ("name", "family")), ("card", ("name",))):
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})") if row[1] != "position"]
            count = database.execute(f"SELECT max(position) + 1 FROM {table}").fetchone()[0]
            for number in range(1, times):
                mark = f"Zu{chr(96 + number)}"
                # A repository's name is one of the model's names, too.
                renamed = dict.fromkeys(own, "substr('{0}' || {1}, 1, 80)") | {
                    "superseded_by": "NULL",
                    "hf_repo": "replace({1}, '/', '/{0}-')",
                }
                values = [renamed.get(column, "{1}").format(mark, column) for column in columns]
                database.execute(
                    f"INSERT OR IGNORE INTO {table} (position, {', '.join(columns)}) "
                    f"SELECT position + {number * count}, {', '.join(values)} FROM {table} WHERE position < {count}"
                )
        database.commit()


def took_ms(once: Callable[[], object]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    once()
    return 1000 * (time.perf_counter() - start)


async def measure(path: Path) -> Figures:
    """The figures of one catalogue."""
    locales = Locales.load()
    before, start = memory_mb(os.getpid()), time.perf_counter()
    held = await load(path)
    loaded_s = time.perf_counter() - start
    answering = Answering(held, locales)
    _ = answering.handles, answering.suggestions
    memory = memory_mb(os.getpid()) - before
    asked = [model.name for model in (await load(ROOT / "catalog.db")).models]
    chance = random.Random(5)
    chance.shuffle(asked)
    names = asked[:MODELS]
    kinds = ((answering.suggestions.models, names), (answering.suggestions.cards, CARDS))
    suggested = [
        took_ms(lambda find=find, text=name[:length]: find(text))
        for find, begun in kinds
        for name in begun
        for length in range(1, len(name) + 1)
    ]
    questions = [question.format(model=name) for name in names for question in QUESTIONS]
    for text in questions[:: len(QUESTIONS)]:
        answering.ask(text, "en")
    answered = [took_ms(lambda text=text: answering.ask(text, "en")) for _ in range(ROUNDS) for text in questions]
    return {
        "models": len(held.models),
        "cards": len(held.cards),
        "load_s": loaded_s,
        "suggestion_p95_ms": percentile(suggested, 0.95),
        "question_p50_ms": percentile(answered, 0.5),
        "question_p95_ms": percentile(answered, 0.95),
        "memory_mb": memory,
    }


def main() -> int:
    """Measure every size, print, and return 1 where a bar is missed."""
    if len(sys.argv) == 2:
        print(json.dumps(asyncio.run(measure(Path(sys.argv[1])))))
        return 0
    found: list[Figures] = []
    with tempfile.TemporaryDirectory() as folder:
        for times in SIZES:
            path = Path(folder) / f"{times}.db"
            grow(path, times)
            said = subprocess.run(
                [sys.executable, "-m", "benchmarks.growth", path], cwd=ROOT, capture_output=True, text=True, check=True
            )
            found.append(json.loads(said.stdout))
    small, large = found
    print(f"{'':<22}" + "".join(f"{f'{times}x':>10}" for times in SIZES))
    for name in small:
        print(f"{name:<22}{small[name]:>10.4g}{large[name]:>10.4g}")
    each = 1000 * (large["memory_mb"] - small["memory_mb"]) / (large["models"] - small["models"])
    print(f"memory for each further model, with its share of cards: {each:.0f} kB")
    ratio = large["question_p50_ms"] / small["question_p50_ms"]
    bars = (
        (
            f"suggestions at 10x: p95 {large['suggestion_p95_ms']:.2f} ms, bar {MOST_SUGGESTION_MS:g}",
            large["suggestion_p95_ms"] <= MOST_SUGGESTION_MS,
        ),
        (f"a question at 10x: {ratio:.2f} times as long, bar {MOST_RATIO:g}", ratio <= MOST_RATIO),
    )
    for line, met in bars:
        print(f"{line}  {'ok' if met else 'MISSED'}")
    return int(not all(met for _, met in bars))


if __name__ == "__main__":
    sys.exit(main())
