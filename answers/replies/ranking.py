"""Cards ranked for a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from answers.catalogue.records import Segment
from answers.estimator.estimate import common, need_gb
from answers.estimator.quants import quant
from answers.estimator.survey import Survey
from answers.questions.question import Question
from answers.replies.desk import COMMON, Desk
from answers.replies.parts import Rung
from answers.replies.reply import RankCards, RankRow

ROWS = 10
_BUILT_IN = frozenset((Segment.MOBILE, Segment.CONSOLE, Segment.EMBEDDED))
"""Who looks for a card by its power builds it in: these come with their machine."""


def ranked(desk: Desk, question: Question) -> tuple[Survey, NDArray[np.intp]]:
    """The survey of the question's model, and the indices of the cards in the order and under the filters that it asks for."""
    _, model, _ = desk.model(question)
    if question.min_speed and not question.quant:
        # The best quant that a card holds is its slowest: who wants a speed is served with the usual one.
        question = question.model_copy(update={"quant": common(model).name})
    found = desk.survey_of(question, model)
    indices = found.by_size if question.order == "smallest" else found.ranking
    if question.order == "slowest":
        indices = indices[::-1]
    return found, _filtered(question, found, indices)


def _unfit(question: Question, found: Survey) -> NDArray[np.intp]:
    """The indices of the cards that cannot run it, under the same filters: most memory first, then by name."""
    order = np.lexsort((found.table.by_name, -found.table.memory_gb))
    return _filtered(question, found, order[~found.runs[order]])


def _filtered(question: Question, found: Survey, indices: NDArray[np.intp]) -> NDArray[np.intp]:
    cards = found.table.cards
    if question.memory_gb is not None:
        sizes = found.table.memory_gb[indices]
        indices = indices[sizes <= question.memory_gb if question.memory_at_most else sizes == question.memory_gb]
    if question.vendor:
        wanted = question.vendor.lower()
        indices = np.array([i for i in indices if cards[int(i)].vendor.lower() == wanted], dtype=np.intp)
    if question.min_speed:
        reached = found.tok_s[indices]
        indices = indices[reached >= question.min_speed]
    if question.max_power_w:
        most = question.max_power_w
        drawing = [i for i in indices if 0 < (cards[int(i)].power_w or 0) <= most]
        indices = np.array([i for i in drawing if cards[int(i)].segment not in _BUILT_IN], dtype=np.intp)
    if question.search:
        wanted = question.search.lower()
        indices = np.array([i for i in indices if wanted in cards[int(i)].name.lower()], dtype=np.intp)
    return indices


def rank_cards(desk: Desk, question: Question, page: int = 0) -> RankCards:
    """Ten rows of the ranking table: fastest first, or smallest or slowest, then those that cannot where they are wanted.

    ``page`` counts from 0; one past the last is the last.
    """
    ref, model, _ = desk.model(question)
    found, runs = ranked(desk, question)
    listed = np.concatenate([runs, _unfit(question, found)]) if question.include_unfit and len(runs) else runs
    pages = max(1, -(-len(listed) // ROWS))
    page = min(max(page, 0), pages - 1)
    need_at_q4 = need_gb(model, quant(COMMON), found.context)
    rows: list[RankRow] = []
    for index in listed[page * ROWS : (page + 1) * ROWS]:
        shown = desk.card_at(found, int(index))
        card = shown.card if shown else desk.card(found.table.cards[int(index)])
        rows.append(RankRow(card=card, rung=shown.rung if shown else Rung(quant=COMMON, need_gb=need_at_q4, fit="no")))
    return RankCards(
        model=ref,
        order=question.order or "fastest",
        rows=tuple(rows),
        page=page,
        pages=pages,
        first=page * ROWS + 1,
        listed=len(listed),
        matching=len(runs),
        count=found.count,
        surveyed=len(found.table),
        min_quality=question.min_quality,
        vendor=question.vendor,
        min_speed=question.min_speed,
        max_power_w=question.max_power_w,
        memory_gb=None if question.memory_at_most else question.memory_gb,
        basis=desk.basis(question, model),
    )
