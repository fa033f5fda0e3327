"""Lists for the command line: the ranking of all cards for one model, and a record as it is on file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import Any

from answers.answering import Answering
from answers.errors import UsageError
from answers.estimator.estimate import need_gb
from answers.estimator.quants import quant
from answers.questions.options import read_context
from answers.questions.question import Intent, Question
from answers.rendering.formats import Formats
from answers.replies.desk import COMMON
from answers.replies.ranking import ranked

Row = dict[str, Any]


def survey_rows(
    answering: Answering,
    model: str,
    *,
    context: str | None = None,
    min_quality: str | None = None,
    memory_gb: float | None = None,
    search: str | None = None,
    include_unfit: bool = False,
    stated: Mapping[str, Any] | None = None,
) -> list[Row]:
    """Every surveyed card that runs the model, in rank order, figures unrounded; with ``include_unfit`` the others last.

    Raises:
        UsageError: where the model is not on file or means several, or an option cannot be read.
    """
    floor = read_quant(min_quality) if min_quality else None
    if memory_gb is not None and not 0 < memory_gb < inf:
        raise UsageError("--memory takes a number of GB above 0")
    question = model_question(answering, model).model_copy(
        update={
            "context": read_context(context) if context else None,
            "min_quality": floor,
            "memory_gb": memory_gb,
            "search": search,
            **(stated or {}),
        }
    )
    ref, figures, _ = answering.desk.model(question)
    found, indices = ranked(answering.desk, question)
    rows: list[Row] = []
    for index in indices:
        estimate = found.estimate(int(index))
        assert estimate is not None
        speed = estimate.speed
        rows.append(
            _row(ref.name, found.table.cards[int(index)])
            | {
                "tok_s": speed.tok_s if speed else None,
                "low_tok_s": speed.low_tok_s if speed else None,
                "high_tok_s": speed.high_tok_s if speed else None,
                "need_gb": estimate.need_gb,
                "quant": estimate.quant.name,
                "fit": estimate.fit,
                "confidence": speed.confidence if speed else "low",
                "method": figures.method,
            }
        )
    if include_unfit:
        need = need_gb(figures, quant(COMMON), found.context)
        for card, runs in zip(found.table.cards, found.runs, strict=True):
            if runs or (memory_gb is not None and card.memory_gb != memory_gb) or (search or "").lower() not in card.name.lower():
                continue
            rows.append(
                _row(ref.name, card)
                | {"tok_s": None, "low_tok_s": None, "high_tok_s": None, "need_gb": need, "quant": None, "fit": "no"}
                | {"confidence": "low", "method": figures.method}
            )
    return rows


def _row(model: str, card: Any) -> Row:
    return {
        "model": model,
        "card": card.name,
        "vendor": card.vendor,
        "card_memory_gb": card.memory_gb,
        "card_bandwidth_gb_s": card.bandwidth_gb_s,
        "card_released": card.released.isoformat() if card.released else None,
    }


def survey_table(rows: list[Row], answering: Answering, locale: str | None, include_unfit: bool = False) -> str:
    """The rows as a table for a terminal; ``include_unfit`` says whether cards that cannot run the model were wanted too."""
    if not rows:
        return "no card matches" if include_unfit else "no card that matches can run it; --all lists those that cannot, too"
    formats = Formats(answering.locales.get(locale))
    lines = [["tok/s", "range", "card", "GB", "GB/s", "released", "need", "quant", "fit"]]
    for row in rows:
        fast = row["tok_s"] is not None
        lines.append(
            [
                formats.tok_s(row["tok_s"]) if fast else "-",
                formats.ends(row["low_tok_s"], row["high_tok_s"]) if fast else "-",
                row["card"],
                formats.number(row["card_memory_gb"], 0),
                formats.number(row["card_bandwidth_gb_s"], 0),
                (row["card_released"] or "-")[:7],
                formats.gb(row["need_gb"]),
                row["quant"] or "-",
                row["fit"],
            ]
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    left = {2, 7, 8}
    return "\n".join(
        "  ".join(f"{cell:<{widths[i]}}" if i in left else f"{cell:>{widths[i]}}" for i, cell in enumerate(line)).rstrip()
        for line in lines
    )


def model_question(answering: Answering, typed: str) -> Question:
    """The question that a model's typed name stands for: a record, or a size alone.

    Raises:
        UsageError: where the name is not on file, or means several models.
    """
    size = re.fullmatch(r"\s*(\d{1,6}(?:\.\d{1,3})?)\s*([bBmM])\s*", typed)
    if size and float(size[1]) > 0:
        return Question(intent=Intent.RANK_CARDS, parameters=float(size[1]) * (1e9 if size[2] in "bB" else 1e6))
    match = answering.catalogue.names.find_models(typed)
    if match.exact:
        return Question(intent=Intent.RANK_CARDS, models=match.names)
    if match.names:
        raise UsageError(f"{typed!r} means several models: {', '.join(match.names[:8])}")
    if answering.catalogue.names.find_cards(typed).exact:
        raise UsageError(f"{typed!r} is a card, and a survey is for a model; `rigcheck which-model` says what a card runs")
    near = f"; closest: {', '.join(match.nearest)}" if match.nearest else ""
    raise UsageError(f"{typed!r} is not on file{near}")


def read_quant(typed: str) -> str:
    """A quant's name in any capitals.

    Raises:
        UsageError: where it is not in the table.
    """
    return quant(typed.strip().upper().replace("-", "_")).name


def show(answering: Answering, name: str) -> dict[str, Any]:
    """The record of a model or a card, as it is on file.

    Raises:
        UsageError: where the name is not on file or means several records.
    """
    names = answering.catalogue.names
    models, cards = names.find_models(name), names.find_cards(name)
    found: list[dict[str, Any]] = []
    if models.exact:
        found.append({"model": answering.catalogue.model(models.names[0]).model_dump(mode="json")})
    if cards.exact:
        found.append({"card": answering.catalogue.card(cards.names[0]).model_dump(mode="json")})
    if found:
        return found[0]
    several = (*models.names, *cards.names)
    if several:
        raise UsageError(f"{name!r} means several records: {', '.join(several[:8])}")
    near = (*models.nearest[:3], *cards.nearest[:3])
    raise UsageError(f"{name!r} is not on file" + (f"; closest: {', '.join(near)}" if near else ""))
