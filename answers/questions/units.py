"""Amounts of memory, contexts, rates and parameter counts as people write them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from answers.catalogue.atoms import UNSPACED, Token, covered, number
from answers.catalogue.cardnames import MONEY
from answers.questions.vocabulary import Mark, Vocabulary

K = 1024
_PRICE_K = 4
"""Thousands that a bound on a price may name; so short a context is hardly ever one."""
_MOST_K = 4096
"""The longest context that is stated in thousands: more is said in millions."""
_MOST_GB_IN_FRENCH = 1024
"""A French gigaoctet is an English verb: "will a 4090 go well with it" states no memory."""
_NUMBER = r"(?<![0-9.,])(-?[0-9]{1,12}(?:[.,][0-9]{1,12})?(?:e[0-9]{1,3})?)"
_LOGGED_BEFORE = re.compile(r"(?:allocat(?:e|ing|ion of)|of which|process has|allocated memory|buffer of size|and) +$")
_LOGGED_BEHIND = re.compile(
    r" *(?:already allocated|allocated|free|is free|reserved|cached|is reserved|memory in use|is allocated)(?![a-z])"
)
CARD_SIZES_GB = frozenset((2, 3, 4, 5, 6, 8, 10, 11, 12, 16, 20, 22, 24, 32, 40, 48, 64, 80, 94, 96, 128, 141, 192, 256, 512))
"""Memory sizes that cards and machines come with: a bare "2x24" or "3060 da 12" is one of these."""


class Amount(NamedTuple):
    """A number with a unit, and the tokens that state it."""

    value: float
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class UnitPatterns:
    """The patterns of all units, built once from the vocabulary."""

    memory: re.Pattern[str]
    bits: re.Pattern[str]
    context: re.Pattern[str]
    rate: re.Pattern[str]
    power: re.Pattern[str]
    scale: dict[str, float]
    """Unit of memory -> GB."""
    rate_words: frozenset[str]
    context_words: frozenset[str]
    memory_words: frozenset[str]
    bit_words: frozenset[str]
    power_words: frozenset[str]
    """Words without one of which a pattern need not be tried."""

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> UnitPatterns:
        """Patterns for the unit words of every language."""
        scale = dict.fromkeys(vocabulary.words["gigabytes"], 1.0)
        scale |= dict.fromkeys(vocabulary.words["megabytes"], 0.001) | dict.fromkeys(vocabulary.words["terabytes"], 1000.0)
        units = _one_of(word for word in scale if len(word) > 1) or "gb"
        short = _one_of(word for word in scale if len(word) == 1) or "gb"
        watts = _one_of(word for word in vocabulary.words["watts"] if len(word) > 1 or not word.isascii()) or "watt"
        tokens = _one_of(vocabulary.words["tokens"]) or "tokens"
        lengths = _one_of(vocabulary.words["tokens"] | vocabulary.words["context"]) or "tokens"
        bits = _one_of(vocabulary.words["bits"]) or "bit"
        count = r"[0-9]{1,9}(?:[.,][0-9]{1,3})*(?:e[0-9]{1,3})?"
        spaced = r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9])"
        # A single letter must touch its number, and the number no letter: "A10G" and "L4 g" are no memory.
        whole = r"(?<![a-z][0-9])(?<![a-z][0-9]{2})(?<![a-z][0-9]{3})"
        cards = f"(?:{_one_of(vocabulary.words['counters'])})" if vocabulary.words["counters"] else "$^"
        thousands = _one_of(vocabulary.words["thousands"]) or "thousand"
        second = r"(?:/|per|por|al|a|p|pro|par) ?s(?:ec|ecs|econds?|egundos?|econdo)?"
        second = rf"(?:{second}|{_one_of(vocabulary.per_second)})" if vocabulary.per_second else second
        return cls(
            # "80GB1枚": a number of cards may touch.
            memory=re.compile(rf"{_NUMBER}(?: ?({units})|{whole}({short}))(?![a-zа-я]|[0-9]+(?!{cards}|[0-9]))"),
            bits=re.compile(rf"(?<![0-9.,])([1-9][0-9]?)[\- ]?(?:{bits})(?![a-zа-я])"),
            context=re.compile(
                rf"(?<![0-9.,a-z])(?:({count}) ?(k)(?![a-z0-9])"
                rf"|({spaced}|{count}) ?(?:({thousands}) |(m)? ?)(?:{lengths})(?![a-zа-я]))"
            ),
            # "3090 tps" is a card's speed, "2000 tok/s" a speed.
            rate=re.compile(
                rf"(?:(?<![0-9.,a-z])([0-9]{{1,3}}(?:[.,][0-9]{{1,3}})?|[0-9]{{1,2}}[05]00) ?)?"
                rf"(?<![a-z])(?:t|т|tok|toks|{tokens}) ?{second}(?![a-zа-я])"
            ),
            # A single letter must touch its number: "w" is Polish for "in".
            power=re.compile(rf"(?<![0-9.,a-z])([1-9][0-9]{{1,3}})(?: ?(?:{watts})|w)(?![a-zа-я0-9])"),
            scale=scale,
            power_words=_openings(vocabulary.words["watts"]),
            memory_words=_openings(scale),
            rate_words=_openings(vocabulary.words["tokens"]) | {"t", "tps", "tok", "toks"},
            context_words=_openings(vocabulary.words["tokens"]) | {"k"},
            bit_words=_openings(vocabulary.words["bits"]) or frozenset(("bit",)),
        )


def _openings(words: Iterable[str]) -> frozenset[str]:
    """The tokens that these words begin with."""
    return frozenset(word[0] if UNSPACED.match(word) else word for word in words)


def _one_of(words: Iterable[str]) -> str:
    """Alternatives of a pattern, longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def memory_amounts(folded: str, tokens: Sequence[Token], patterns: UnitPatterns) -> list[Amount]:
    """Amounts of memory in GB, in order; a sign is kept, so that an answer can say what is wrong with it."""
    found: list[Amount] = []
    for match in patterns.memory.finditer(folded):
        value = _finite(match[1])
        if value is None or (match[2] == "go" and value > _MOST_GB_IN_FRENCH):
            continue
        start = match.start()
        if value < 0 and start > 0 and not folded[start - 1].isspace():
            value, start = -value, start + 1
        span = _span(tokens, start, match.end())
        if span and not _is_logged(folded, *match.span()):
            found.append(Amount(value * patterns.scale.get(match[2] or match[3], 1.0), *span))
    return found


def _is_logged(folded: str, start: int, end: int) -> bool:
    """Whether a program's error says an amount of its own use: "Tried to allocate 2.00 GiB", "9.3 GiB already allocated"."""
    if "alloc" not in folded:
        return False
    return bool(_LOGGED_BEFORE.search(folded, max(0, start - 40), start) or _LOGGED_BEHIND.match(folded, end))


def contexts(folded: str, tokens: Sequence[Token], patterns: UnitPatterns, marks: Sequence[Mark]) -> list[Amount]:
    """Context lengths in tokens: "32k", "8192 tokens", "ctx 8192", "1m context"."""
    found: list[Amount] = []
    for match in patterns.context.finditer(folded):
        in_k = match[2] or match[4]
        value = _finite((match[1] or match[3]).replace(" ", ""), thousands=not in_k)
        span = _span(tokens, match.start(), match.end())
        if value is None or not span:
            continue
        if in_k and span[1] < len(tokens) and tokens[span[1]].text in MONEY:
            # "50k euros" is a sum.
            continue
        if _is_output(marks, span[0]):
            continue
        spoken = any(mark.kind == "context" for mark in marks)
        bound = any(mark.kind == "at_most" and mark.last == span[0] for mark in marks)
        if in_k and not spoken and ((value <= _PRICE_K and bound) or value % 1):
            # "a card under 2k", "1.5k" are sums, too.
            continue
        if in_k and value > _MOST_K:
            # "i9-13900K" is a processor.
            continue
        if in_k or match[5]:
            value *= K if in_k else K * K
        elif value < 128:
            continue
        found.append(Amount(value, *span))
    covered = {index for amount in found for index in range(amount.first, amount.last)}
    for mark in marks:
        if mark.kind != "context":
            continue
        if covered & {mark.first - 1, mark.first - 2}:
            # "with 32k context on a 4090": the amount stands before its word.
            continue
        # "context of 8192", "ctx=16384"
        for index in range(mark.last, min(mark.last + 3, len(tokens))):
            value = number(tokens[index].text)
            if value is not None and value >= 256 and _is_length(value) and index not in covered:
                found.append(Amount(value, index, index + 1))
                covered.add(index)
                break
            if value is not None or len(tokens[index].text) > 3:
                break
    return sorted(found, key=lambda amount: amount.first)


def outputs(folded: str, tokens: Sequence[Token], patterns: UnitPatterns, marks: Sequence[Mark]) -> list[Amount]:
    """How long an answer is to be, in tokens: "to write 1000 tokens". It is as long whatever the context."""
    found: list[Amount] = []
    for match in patterns.context.finditer(folded):
        value = _finite((match[1] or match[3]).replace(" ", ""), thousands=not (match[2] or match[4]))
        span = _span(tokens, match.start(), match.end())
        if value and span and _is_output(marks, span[0]):
            found.append(Amount(value * (1000 if match[2] or match[4] else 1), *span))
    return found


def _is_output(marks: Sequence[Mark], first: int) -> bool:
    """Whether an amount that begins there is what is written."""
    return any(mark.kind == "output" and mark.last == first for mark in marks)


def _is_length(value: float) -> bool:
    """Whether people state a context by such a number: 8192 and 10000 yes, the 4090 of a card no."""
    return value % 256 == 0 or value % 1000 == 0


def powers(folded: str, tokens: Sequence[Token], patterns: UnitPatterns) -> list[Amount]:
    """Electrical power in watts: "under 300 W"."""
    found = ((float(match[1]), _span(tokens, match.start(), match.end())) for match in patterns.power.finditer(folded))
    return [Amount(value, *span) for value, span in found if span]


def rates(folded: str, tokens: Sequence[Token], patterns: UnitPatterns) -> list[Amount]:
    """Speeds: "2.5 tok/s", "t/s". The value is 0 where no number stands before the unit."""
    found: list[Amount] = []
    for match in patterns.rate.finditer(folded):
        span = _span(tokens, match.start(), match.end())
        if span:
            found.append(Amount(_finite(match[1]) or 0.0 if match[1] else 0.0, *span))
    return found


def free(amounts: Sequence[Amount], taken: Collection[int]) -> list[Amount]:
    """The amounts none of whose tokens already mean something else."""
    return [amount for amount in amounts if not any(index in taken for index in range(amount.first, amount.last))]


def _finite(text: str, thousands: bool = False) -> float | None:
    if thousands and re.fullmatch(r"[0-9]{1,3}(?:[.,][0-9]{3})+", text):
        text = re.sub(r"[.,]", "", text)
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) < 1e100 else None


def _span(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int] | None:
    first, last = covered(tokens, start, end)
    return (first, last) if first < last else None
