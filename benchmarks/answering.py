"""How fast an answer is: one question in process, one model and all models against every card, loading, and a whole process.

Run it with ``make bench``. Every figure is the median of five runs, which are all printed; bars stand beside them.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from answers.answering import Answering
from answers.catalogue.load import load
from answers.estimator.survey import CardTable, survey

RUNS = 5
QUESTIONS = (
    "can I run StarCoder 2 15B on 12 GB?",
    "¿me corre starcoder 2 15b en 12gb?",
    "con 12 giga ci sta starcoder 2 15b?",
    "is qwen3 30b a3b ok on a 4090 at q5?",
    "what gpu do i need for llama 3.3 70b?",
    "¿qué gráfica necesito para starcoder 2 7b?",
    "che scheda mi serve per gemma 3 27b?",
    "how much vram for mixtral 8x7b at 4 bit?",
    "¿cuánta vram pide starcoder 2 15b?",
    "quanta vram vuole starcoder 2 15b?",
    "tokens per second of llama 3.1 8b on a 4060 ti 16gb?",
    "¿cómo de rápido va starcoder 2 15b?",
    "quanto va veloce starcoder 2 15b su una 3090?",
    "who made PolyCoder?",
    "fastest cards for starcoder 2 7b",
    "what can a 3060 12gb run?",
    "starcoder 2 15b doesn't fit my 8gb card, can i still run it?",
    "3090 vs 7900 xtx for qwen2.5 32b?",
    "how much context does mistral nemo get on 12gb?",
    "what is this, a chat?",
)
ASK = "can I run StarCoder 2 15B on 12 GB?"


@dataclass(frozen=True)
class Row:
    """One measured figure."""

    what: str
    unit: str
    runs: list[float]
    bar: float

    def line(self) -> str:
        """The row of the printed table."""
        median = statistics.median(self.runs)
        runs = " ".join(f"{run:.3g}" for run in self.runs)
        verdict = "ok" if median <= self.bar else "ABOVE"
        return f"{self.what:<42} {median:>9.3g} {self.unit:<3} bar {self.bar:>6g}  {verdict:<6} runs {runs}"


def seconds(action: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def asked(answering: Answering, rounds: int = 40) -> list[float]:
    """Times in ms of every question, ``rounds`` times over, caches warm."""
    for question in QUESTIONS:
        answering.ask(question)
    return [1000 * seconds(lambda q=question: answering.ask(q)) for _ in range(rounds) for question in QUESTIONS]


def percentile(values: list[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


_CHILD = """
import sys
from pathlib import Path
from bot.cli import main
code = main(["ask", sys.argv[1]])
lines = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(code)
"""


def process() -> tuple[float, float]:
    """Wall time in s of ``rigcheck ask`` as a process of its own, and its peak memory in MB.

    The peak is read by the process itself: what the system reports of a child counts its parent's memory from before the exec.
    """
    command = [sys.executable, "-m", "bot.cli", "ask", ASK]
    elapsed = seconds(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))
    child = subprocess.run([sys.executable, "-c", _CHILD, ASK], capture_output=True, text=True, check=True)
    return elapsed, int(child.stderr.split()[-1]) / 1024


def main() -> int:
    """Measure, print, and return 1 where a bar is missed."""
    os.chdir(Path(__file__).resolve().parent.parent)
    # As everywhere but for the first time: Python keeps what it has compiled.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    process()
    answering = asyncio.run(Answering.open())
    every = [asked(answering) for _ in range(RUNS)]
    table = CardTable(answering.catalogue.surveyed)
    figures = [answering.desk.figures(model) for model in answering.catalogue.models]
    one = [1000 * min(seconds(lambda: survey(figures[263], table).ranking) for _ in range(50)) for _ in range(RUNS)]
    whole = [seconds(lambda: [survey(model, table).tok_s for model in figures]) for _ in range(RUNS)]
    loads = [1000 * seconds(lambda: asyncio.run(load())) for _ in range(RUNS)]
    processes = [process() for _ in range(RUNS)]
    rows = [
        Row("one answered question, median", "ms", [statistics.median(times) for times in every], 0.7),
        Row("one answered question, 99th percentile", "ms", [percentile(times, 0.99) for times in every], 4),
        Row(f"one model against {len(table)} cards, ranked", "ms", one, 0.25),
        Row(f"all {len(figures)} models against {len(table)} cards", "s", whole, 0.1),
        Row("loading the catalogue", "ms", loads, 150),
        Row("`rigcheck ask` as a process", "s", [wall for wall, _ in processes], 0.6),
        Row("`rigcheck ask`, peak memory", "MB", [memory for _, memory in processes], 100),
    ]
    for row in rows:
        sys.stdout.write(row.line() + "\n")
    return int(any(statistics.median(row.runs) > row.bar for row in rows))


if __name__ == "__main__":
    sys.exit(main())
