"""Scores how questions are understood: ``python -m benchmarks.understanding [FILE] [--langs en,es,it] [--misses N]``.

FILE holds one labelled question a line: text, lang, intent, model or models, card, n_cards, memory_gb, quant, context and
other. Two values count as equal as follows: a model's label stands for every model of that name, alias or family, and for none
where it is not on file; any twin of a card that differs in nothing said is right; n_cards missing is 1; memory is per card and
not scored where a card is named; Q4, 4-bit and Q4_K_M are one. A slot that a follow-up leaves unsaid is not scored.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
        if labels or output["cards"] or line.get("n_cards"):
            compared = line["intent"] in {"compare_cards", "choose_gpu", "spec", "accuracy", "rank_cards"}
            if output["n_cards"] != (line.get("n_cards") or 1) and not compared:
                faults.append(f"n_cards {output['n_cards']}")
    if not labels and not (follows and line.get("memory_gb") is None) and output["memory_gb"] != line.get("memory_gb"):
        faults.append(f"memory {output['memory_gb']}")
    for slot, value in (("quant", canonical_quant(line.get("quant"))), ("context", line.get("context"))):
        if not (follows and value is None) and output[slot] != value:
            faults.append(f"{slot} {output[slot]}")
    return faults


def score(lines: Sequence[Line], reader: Reader, catalogue: Catalogue, names: Names, misses: int) -> dict[str, Counter[str]]:
    """Read every line, print what is wrong, and count by language and by intent."""
    totals: dict[str, Counter[str]] = {}

    def count(line: Line, what: str, right: bool) -> None:
        for group in ("all", line["lang"], f"{line['lang']} {line['intent']}", f"* {line['intent']}"):
            totals.setdefault(group, Counter()).update({what: 1, f"{what} right": int(right)})

    for line in lines:
        other = line.get("other") or {}
        previous = reader.read(other["previous_question"]).question if other.get("previous_question") else None
        output = as_output(reader.read(line["text"], previous=previous), line["text"])
        right = output["intent"] == line["intent"]
        count(line, "intent", right)
        faults = [] if right else [f"intent {output['intent']}"]
        if line["intent"] != "none":
            wrong = slot_faults(line, output, catalogue, names)
            count(line, "slots", not wrong)
            faults += wrong
        else:
            count(line, "silent", right)
        count(line, "lang", output["lang"] == line["lang"])
        for also in other.get("also_intents") or []:
            count(line, "also", also in output["also_intents"] or also == output["intent"])
        if faults and misses > 0:
            misses -= 1
            print(f"{line['lang']} {line['intent']:18} {line['text']}\n      {'; '.join(faults)}  ({output['confidence']})")
    return totals


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the scores of one file."""
    parser = argparse.ArgumentParser(description="score how questions are understood")
    parser.add_argument("file", type=Path, nargs="?", default=QUESTIONS, help="by default the questions beside this module")
    parser.add_argument("--langs", default="")
    parser.add_argument("--misses", type=int, default=1000)
    options = parser.parse_args(arguments)
    lines = [json.loads(text) for text in options.file.read_text(encoding="utf-8").splitlines() if text.strip()]
    wanted = set(options.langs.split(",")) - {""}
    lines = [line for line in lines if not wanted or line["lang"] in wanted]
    catalogue = asyncio.run(load())
    names = Names(catalogue.models, catalogue.cards)
    reader = Reader(catalogue, Locales.load(), names)
    totals = score(lines, reader, catalogue, names, options.misses)
    print()
    for group in sorted(totals, key=lambda group: (group != "all", " " in group, group)):
        counts = totals[group]
        parts = [
            f"{what} {counts[f'{what} right']}/{counts[what]}"
            for what in ("intent", "slots", "silent", "also", "lang")
            if counts[what]
        ]
        print(f"{group:24} {'  '.join(parts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
