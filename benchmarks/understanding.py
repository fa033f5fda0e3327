"""Scores how questions are understood: ``python -m benchmarks.understanding [FILE ...] [--langs en,es] [--half a] [--language]``.

A FILE holds one labelled question a line: text, lang, intent, model or models, card, n_cards, memory_gb, quant, context and
other. Two values count as equal as follows: a model's label stands for every model of that name, alias or family, and for none
where it is not on file; any twin of a card that differs in nothing said is right; n_cards missing is 1; memory is per card and
not scored where a card is named; Q4, 4-bit and Q4_K_M are one. A slot that a follow-up leaves unsaid is not scored.

Printed are every miss, a table by language and one by intent, which intents were taken for which, the totals against their bars,
and how long a reading takes. ``--half a`` and ``--half b`` score either half of the lines, told apart by a hash of their text: what
is tuned on one half is judged on the other. ``--language`` prints how well the language of each line is recognised, and no more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from answers.catalogue.atoms import tokenise
from answers.catalogue.load import load
from answers.catalogue.names import Names
from answers.catalogue.snapshot import Catalogue
from answers.locales import Locales
from answers.questions.quants import find_quants
from answers.questions.read import Reader, as_output

Line = dict[str, Any]
QUESTIONS = Path(__file__).with_name("questions.jsonl")
_BITS = re.compile(r"(?<![0-9.,])([1-9][0-9]?)[\- ]?(?:bit)s?(?![a-z])")
_COMPARED = frozenset(("compare_cards", "choose_gpu", "spec", "accuracy", "rank_cards"))
COLUMNS = ("intent", "slots", "silent", "also", "follow-up", "lang")
BARS = {"intent": 0.97, "slots": 0.95, "silent": 38 / 39, "also": 0.8, "follow-up": 0.95}
"""The least share that must be right of each."""
READ_MS, IDLE_MS = 0.5, 0.1
"""The most that a question may take to read, and a message in which nothing speaks of models or hardware; medians."""
IDLE = (
    "good morning everyone",
    "lol that was hilarious",
    "brb lunch",
    "happy birthday!!",
    "we watched the match yesterday with my brother and lost",
    "the meeting is in the blue room, see you there at noon",
    "buenos días a todos",
    "ayer fuimos al cine y luego a cenar",
    "buon compleanno, ci vediamo stasera",
    "che bella giornata oggi",
)
ROUNDS = 30


class Miss(NamedTuple):
    """A line that was read wrong, and how."""

    line: Line
    faults: list[str]
    confidence: float


class Scores(NamedTuple):
    """What was counted over a set of lines."""

    counts: dict[str, Counter[str]]
    """Group -> what -> how often it occurs, and under "what right" how often it was right."""
    misses: list[Miss]
    taken_for: Counter[tuple[str, str]]
    """(what was asked, what it was taken for) -> how often."""
    languages: Counter[tuple[str, str]]
    """(the language written in, the one it was taken for) -> how often."""


def resolve_models(label: str, catalogue: Catalogue, names: Names) -> set[str]:
    """The models that a label stands for; empty where it is not on file."""
    found = set(names.find_models(label).names)
    for family, members in catalogue.families.items():
        if family.lower() in {label.lower(), f"{label.lower()} 1"}:
            found.update(model.name for model in members)
    return found


def resolve_cards(label: str, other: Line, names: Names) -> set[str]:
    """The cards that are right for a label."""
    alternatives = other.get("card_alternatives") or []
    wanted = [label, *(alternatives if label in alternatives else [])]
    found: set[str] = set()
    for name in wanted:
        match = names.find_cards(name)
        found.update(match.names or (name,))
    return found


def canonical_quant(label: str | None) -> str | None:
    """The quant that a label names."""
    if not label:
        return None
    folded = label.lower()
    found = find_quants(folded, tokenise(folded), _BITS)
    return found[0].name if found else label


def expected_cards(line: Line) -> list[str]:
    """The labels of all cards that a line names."""
    other = line.get("other") or {}
    cards = [re.sub(r"^\d+x ", "", card) for card in other.get("cards") or []]
    return list(dict.fromkeys(cards or ([line["card"]] if line.get("card") else [])))


def slot_faults(line: Line, output: Line, catalogue: Catalogue, names: Names) -> list[str]:
    """What is wrong with the slots of a reading."""
    other = line.get("other") or {}
    follows = bool(other.get("followup"))
    faults: list[str] = []
    candidates = {name for options in output["candidates"].values() for name in options}
    wanted = [
        resolve_models(label, catalogue, names) for label in (line.get("models") or ([line["model"]] if line.get("model") else []))
    ]
    wanted = [group for group in wanted if group]
    if not (follows and not wanted):
        ambiguous = any(group & candidates for group in wanted)
        missing = [group for group in wanted if not group & (set(output["models"]) | candidates)]
        if missing or (len(output["models"]) != len(wanted) and not (ambiguous and output["models"])):
            faults.append(f"models {output['models']}")
    labels = expected_cards(line)
    if labels or not follows:
        groups = [resolve_cards(label, other, names) for label in labels]
        if len(groups) != len(output["cards"]) or any(not group & (set(output["cards"]) | candidates) for group in groups):
            faults.append(f"cards {output['cards']}")
        counted = (labels or output["cards"] or line.get("n_cards")) and line["intent"] not in _COMPARED
        if counted and output["n_cards"] != (line.get("n_cards") or 1):
            faults.append(f"n_cards {output['n_cards']}")
    if not labels and not (follows and line.get("memory_gb") is None) and output["memory_gb"] != line.get("memory_gb"):
        faults.append(f"memory {output['memory_gb']}")
    for slot, value in (("quant", canonical_quant(line.get("quant"))), ("context", line.get("context"))):
        if not (follows and value is None) and output[slot] != value:
            faults.append(f"{slot} {output[slot]}")
    return faults


def score(lines: Sequence[Line], reader: Reader, catalogue: Catalogue, names: Names) -> Scores:
    """Read every line, note what is wrong, and count by language and by intent."""
    found = Scores({}, [], Counter(), Counter())

    def count(line: Line, what: str, right: bool) -> None:
        for group in ("all", line["lang"], f"* {line['intent']}"):
            found.counts.setdefault(group, Counter()).update({what: 1, f"{what} right": int(right)})

    for line in lines:
        other = line.get("other") or {}
        asked_before = other.get("previous_question")
        previous = reader.read(asked_before).question if asked_before else None
        output = as_output(reader.read(line["text"], previous=previous), line["text"])
        right = output["intent"] == line["intent"]
        faults = [] if right else [f"intent {output['intent']}"]
        count(line, "intent", right)
        if not right:
            found.taken_for[line["intent"], output["intent"]] += 1
        if line["intent"] == "none":
            count(line, "silent", right)
        else:
            wrong = slot_faults(line, output, catalogue, names)
            count(line, "slots", not wrong)
            faults += wrong
        if asked_before:
            count(line, "follow-up", not faults)
        for also in other.get("also_intents") or []:
            heard = also in output["also_intents"] or also == output["intent"]
            count(line, "also", heard)
            faults += [] if heard else [f"also {output['also_intents']}, not {also}"]
        count(line, "lang", output["lang"] == line["lang"])
        found.languages[line["lang"], output["lang"]] += 1
        if faults:
            found.misses.append(Miss(line, faults, output["confidence"]))
    return found


def in_half(line: Line, half: str) -> bool:
    """Whether a line is in half ``a`` or ``b``."""
    return (blake2b(line["text"].encode(), digest_size=1).digest()[0] % 2 == 0) == (half == "a")


def median_ms(reader: Reader, texts: Sequence[str]) -> float:
    """The median time of one reading, caches warm."""
    times: list[float] = []
    for _ in range(ROUNDS):
        for text in texts:
            start = time.perf_counter()
            reader.read(text)
            times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def print_misses(misses: Sequence[Miss]) -> None:
    """Every line that was read wrong, with what was made of it."""
    for line, faults, confidence in misses:
        print(f"{line['lang']} {line['intent']:18} {line['text']}\n      {'; '.join(faults)}  ({confidence})")


def print_tables(scores: Scores) -> None:
    """Counts by language, then by intent, then which intent was taken for which."""
    for title, wanted in (("language", False), ("intent", True)):
        print(f"\n| {title} | " + " | ".join(COLUMNS) + " |\n|---" + "|---" * len(COLUMNS) + "|")
        for group in sorted(scores.counts, key=lambda group: (group != "all", group)):
            if group.startswith("* ") == wanted:
                counts = scores.counts[group]
                cells = [f"{counts[f'{what} right']}/{counts[what]}" if counts[what] else "" for what in COLUMNS]
                print(f"| {group.removeprefix('* ')} | " + " | ".join(cells) + " |")
    if scores.taken_for:
        print("\n| asked | taken for | times |\n|---|---|---|")
        for (asked, taken), times in sorted(scores.taken_for.items(), key=lambda entry: (-entry[1], entry[0])):
            print(f"| {asked} | {taken} | {times} |")


def print_languages(languages: Counter[tuple[str, str]]) -> None:
    """How often each language was recognised, and what else it was taken for."""
    print("\n| written in | recognised | taken for |\n|---|---|---|")
    for written in sorted({written for written, _ in languages}):
        taken = {other: times for (language, other), times in languages.items() if language == written}
        others = ", ".join(f"{other} {taken[other]}" for other in sorted(taken) if other != written)
        print(f"| {written} | {taken.get(written, 0)}/{sum(taken.values())} | {others} |")
    right = sum(times for (written, other), times in languages.items() if written == other)
    print(f"| all | {right}/{languages.total()} | {right / languages.total():.1%} |")


def print_totals(scores: Scores) -> bool:
    """The totals against their bars; whether all are held."""
    counts = scores.counts["all"]
    held = True
    print()
    for what, bar in BARS.items():
        if counts[what]:
            share = counts[f"{what} right"] / counts[what]
            held &= share >= bar
            verdict = "ok" if share >= bar else "BELOW"
            print(f"{what:<10} {counts[f'{what} right']:>4}/{counts[what]:<4} {share:7.1%}  bar {bar:6.1%}  {verdict}")
    return held


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the scores; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description="score how questions are understood")
    parser.add_argument("files", type=Path, nargs="*", default=[QUESTIONS], help="by default the questions beside this module")
    parser.add_argument("--langs", default="", help="only these languages, as en,es,it")
    parser.add_argument("--half", choices=("a", "b"), help="only one half of the lines")
    parser.add_argument("--language", action="store_true", help="print only how well the language is recognised")
    parser.add_argument("--no-times", action="store_true", help="do not measure how long a reading takes")
    options = parser.parse_args(arguments)
    lines = [json.loads(text) for file in options.files for text in file.read_text(encoding="utf-8").splitlines() if text.strip()]
    wanted = set(options.langs.split(",")) - {""}
    lines = [line for line in lines if not wanted or line["lang"] in wanted]
    lines = [line for line in lines if not options.half or in_half(line, options.half)]
    if not lines:
        parser.error("no line is left to score")
    catalogue = asyncio.run(load())
    names = Names(catalogue.models, catalogue.cards)
    reader = Reader(catalogue, Locales.load(), names)
    reader.prepare()
    scores = score(lines, reader, catalogue, names)
    if options.language:
        print_languages(scores.languages)
        return 0
    print_misses(scores.misses)
    print_tables(scores)
    held = print_totals(scores)
    if not options.no_times:
        questions = [line["text"] for line in lines if line["intent"] != "none"] or list(IDLE)
        for what, texts, bar in (("a question", questions, READ_MS), ("no question", IDLE, IDLE_MS)):
            median = median_ms(reader, texts)
            held &= median <= bar
            print(f"reading {what:<12} {median:6.3f} ms median  bar {bar} ms  {'ok' if median <= bar else 'ABOVE'}")
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())
