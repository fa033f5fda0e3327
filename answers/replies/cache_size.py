"""How large the cache of keys and values is: by context and by the precision that it is kept in."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from answers.estimator.calibrated.memory import cache_gb
from answers.estimator.estimate import need_gb
from answers.questions.question import Kv, Question
from answers.replies.desk import Desk, wanted_quant
from answers.replies.reply import CacheRow, CacheSize

CONTEXTS = (4_096, 32_768, 131_072)
"""Tokens; shown beside the context asked about, as far as the model takes them."""


def cache_size(desk: Desk, question: Question) -> CacheSize | None:
    """The cache of the question's model; ``None`` where its layout is not on file."""
    ref, model, _ = desk.model(question)
    layout = model.layout
    if layout is None:
        return None
    context = model.context(question.context)
    longest = model.max_context or context
    kv: Kv = question.kv or "f16"
    sizes = sorted({context, *(tokens for tokens in CONTEXTS if tokens <= longest)})
    more = cache_gb(layout, context + 1, kv) - cache_gb(layout, context, kv)
    at = wanted_quant(question, model)
    rows = [{f"{each}_gb": cache_gb(layout, tokens, each) for each in get_args(Kv)} for tokens in sizes]
    return CacheSize(
        model=ref,
        kv=kv,
        cache_gb=cache_gb(layout, context, kv),
        token_kb=more * 1e6 if more > 0 else None,
        rows=tuple(CacheRow(context=tokens, **row) for tokens, row in zip(sizes, rows, strict=True)),
        quant=at.name,
        need_gb=need_gb(replace(model, kv=kv), at, context),
        basis=desk.basis(question, model),
    )
