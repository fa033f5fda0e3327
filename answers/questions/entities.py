"""Finds what a message names: models, cards and how many, memory, quants, contexts, sizes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from answers.catalogue.atoms import Span, atoms, parameters
from answers.catalogue.names import Names
from answers.catalogue.records import Segment
from answers.questions.quants import QuantFound, find_quants
from answers.questions.text import Text
from answers.questions.units import CARD_SIZES_GB, Amount, UnitPatterns, contexts, free, memory_amounts, rates
from answers.questions.vocabulary import Mark, Vocabulary

MOST_CARDS = 64
_SHORT = 6
"""Tokens of a message so short that a bare number in it can only be a number of cards."""


@dataclass(frozen=True, slots=True)
class CardNamed:
    """A card, how many of it, and how it stands to the card before it."""

    names: tuple[str, ...]
    typed: str
    count: int
    first: int
    last: int
    alternative: bool = False
    """Whether it is said instead of the card before ("a 3060 or a 4060") and not beside it."""


@dataclass(frozen=True, slots=True)
class Memory:
    """An amount of memory and the part it plays."""

    value: float
    first: int
    last: int
    role: str
    """``card`` (what a card has), ``ram``, ``used`` (what something takes up) or ``stated`` (anything else)."""
    count: int = 1
    usable: bool = False
    total: bool = False


@dataclass(slots=True)
class Entities:
    """Everything recognised in one message."""

    text: Text
    models: list[Span] = field(default_factory=list[Span])
    cards: list[CardNamed] = field(default_factory=list[CardNamed])
    memories: list[Memory] = field(default_factory=list[Memory])
    quants: list[QuantFound] = field(default_factory=list[QuantFound])
    contexts: list[Amount] = field(default_factory=list[Amount])
    rates: list[Amount] = field(default_factory=list[Amount])
    sizes: list[Amount] = field(default_factory=list[Amount])
    """Parameters stated without a name."""
    unknown_models: list[tuple[str, float | None]] = field(default_factory=list[tuple[str, float | None]])
    unknown_cards: list[str] = field(default_factory=list[str])
    marks: frozenset[str] = frozenset()
    """Kinds of vocabulary that occur."""
    count: int | None = None
    """Cards, where no card is named: "two gpus", "2 of them"."""
    symbols: list[str] = field(default_factory=list[str])


def find_entities(text: Text, names: Names, vocabulary: Vocabulary, patterns: UnitPatterns) -> Entities:
    """Read every slot of a text; what is found first keeps its tokens."""
    tokens = text.tokens
    found = Entities(text)
    marks = vocabulary.marks(tokens)
    found.marks = frozenset(mark.kind for mark in marks)
    taken: set[int] = set()
    found.quants = find_quants(text.folded, tokens, patterns.bits)
    found.quants += [QuantFound("F16", mark.first, mark.last) for mark in marks if mark.kind == "unquantised"]
    _take(taken, found.quants)
    found.rates = free(rates(text.folded, tokens, patterns), taken)
    _take(taken, found.rates)
    found.contexts = free(contexts(text.folded, tokens, patterns, marks), taken)
    _take(taken, found.contexts)
    amounts = free(memory_amounts(text.folded, tokens, patterns), taken)
    _take(taken, amounts)
    words = vocabulary.words
    spans = names.spans(
        tokens, taken, vocabulary.ordinary, vocabulary.known, words["links"], words["joins"] | words["alternatives"]
    )
    spans = [span for span in spans if not span.weak or _accepted(span, found, amounts, spans, marks, text)]
    _take(taken, spans)
    found.models = [span for span in spans if span.kind == "model" and span.names]
    for span in spans:
        if not span.names and span.kind == "model":
            found.unknown_models.append((text.typed(span.first, span.last), span.size))
        elif not span.names:
            found.unknown_cards.append(text.typed(span.first, span.last))
    _read_sizes(found, taken, vocabulary, marks)
    card_spans = [span for span in spans if span.kind == "card" and span.names]
    amounts += _bare_memories(text, card_spans, names, taken, vocabulary, marks)
    amounts.sort(key=lambda amount: amount.first)
    counts = _counts(text, marks, taken)
    _read_memories(found, amounts, marks, counts, card_spans, vocabulary, names)
    _read_cards(found, card_spans, marks, counts, names, vocabulary)
    _read_count(found, counts, marks)
    found.symbols = _symbols(found, spans)
    return found


def _take(taken: set[int], items: Sequence[QuantFound] | Sequence[Amount] | Sequence[Span]) -> None:
    for item in items:
        taken.update(range(item.first, item.last))


def _accepted(
    span: Span, found: Entities, amounts: Sequence[Amount], spans: Sequence[Span], marks: Sequence[Mark], text: Text
) -> bool:
    """Whether a word that may be a name is one here: the message must speak of models or hardware besides."""
    if span.kind == "card":
        before = {mark.kind for mark in marks if mark.last == span.first}
        beside = any(0 <= amount.first - span.last <= 2 or 0 <= span.first - amount.last <= 2 for amount in amounts)
        return beside or bool(before & {"articles", "count", "card_words", "held"})
    others = any(other is not span and not other.weak for other in spans)
    said = {mark.kind for mark in marks}
    return bool(others or amounts or found.quants or found.contexts or found.rates or said & {"vram", "model_words"})


def _read_sizes(found: Entities, taken: set[int], vocabulary: Vocabulary, marks: Sequence[Mark]) -> None:
    """Sizes without a name ("a 70b") and names that are not on file ("Foo 27B")."""
    text = found.text
    tokens = text.tokens
    for atom in atoms(tokens):
        if atom.first in taken or atom.text[-1] not in "bt":
            continue
        size = parameters(atom.text)
        if size is None or size < 1e8:
            continue
        before = atom.first - 1
        hyphen = before >= 1 and tokens[before].text == "-" and tokens[before].glued and tokens[atom.first].glued
        before -= hyphen
        word = tokens[before].text if before >= 0 else ""
        marked = any(mark.first <= before < mark.last for mark in marks)
        if (
            len(word) >= 3
            and word.isalpha()
            and word.isascii()
            and before not in taken
            and not marked
            and word not in vocabulary.known
            and tokens[before].end + 1 >= tokens[atom.first].start - hyphen
        ):
            found.unknown_models.append((text.typed(before, atom.last), size))
            taken.update(range(before, atom.last))
            found.sizes.append(Amount(size, before, atom.last))
            continue
        taken.update(range(atom.first, atom.last))
        found.sizes.append(Amount(size, atom.first, atom.last))


def _bare_memories(
    text: Text, cards: Sequence[Span], names: Names, taken: set[int], vocabulary: Vocabulary, marks: Sequence[Mark]
) -> list[Amount]:
    """Memory said without its unit behind a card that has a twin of that size: "una 3060 de 12", "3060 12"; and "2x24"."""
    tokens = text.tokens
    found: list[Amount] = []
    for span in cards:
        at = span.last
        if at < len(tokens) and tokens[at].text in vocabulary.words["links"]:
            at += 1
        if at >= len(tokens) or at in taken or not tokens[at].text.isdigit() or len(tokens[at].text) > 3:
            continue
        value = float(tokens[at].text)
        glued_behind = at + 1 < len(tokens) and tokens[at + 1].glued and tokens[at + 1].text[0].isalnum()
        fits = {names.card_memory(name) for name in names.cards.resolve(span.said, memory_gb=value)}
        if value in CARD_SIZES_GB and not glued_behind and any(abs(value - size) < 0.6 for size in fits):
            found.append(Amount(value, at, at + 1))
            taken.add(at)
    for mark in marks:
        # "due schede da 12"
        at = mark.last + 1
        if mark.kind == "card_words" and at < len(tokens) and at not in taken and tokens[at - 1].text in vocabulary.words["links"]:
            bare = tokens[at].text.isdigit() and not (at + 1 < len(tokens) and tokens[at + 1].glued and tokens[at + 1].text[0].isalnum())
            if bare and len(tokens[at].text) <= 3 and float(tokens[at].text) in CARD_SIZES_GB:
                found.append(Amount(float(tokens[at].text), at, at + 1))
                taken.add(at)
    for index in range(1, len(tokens) - 1):
        # "2x24": a count and a size of cards that are not named
        first, second = tokens[index - 1].text, tokens[index + 1].text
        if tokens[index].text == "x" and first.isdigit() and second.isdigit() and len(first) <= 2 and len(second) <= 3:
            free_tokens = index + 1 not in taken and index - 1 not in taken
            behind = index + 2 < len(tokens) and tokens[index + 2].glued and tokens[index + 2].text[0].isalnum()
            if free_tokens and not behind and float(second) in CARD_SIZES_GB:
                found.append(Amount(float(second), index + 1, index + 2))
                taken.add(index + 1)
    return found


def _counts(text: Text, marks: Sequence[Mark], taken: Collection[int]) -> dict[int, tuple[int, int]]:
    """Counts: the token behind the count -> (how many, where the count starts). "two 8xH100 boxes" multiplies."""
    tokens = text.tokens
    ends: dict[int, tuple[int, int]] = {}
    for mark in marks:
        if mark.kind == "count" and not any(index in taken for index in range(mark.first, mark.last)):
            ends[mark.last] = (int(mark.value), mark.first)
    for index, token in enumerate(tokens):
        if (
            index in taken
            or not token.text.isdigit()
            or len(token.text) > 2
            or (token.glued and index and tokens[index - 1].text != "(")
        ):
            continue
        count = int(token.text)
        if not 1 <= count <= MOST_CARDS:
            continue
        end = index + 1
        if end < len(tokens) and tokens[end].text in {"x", "*"}:
            end += 1
        factor, first = ends.get(index, (1, index))
        ends[end] = (min(count * max(factor, 1), MOST_CARDS), first)
    return ends


def _count_before(text: Text, first: int, counts: dict[int, tuple[int, int]], vocabulary: Vocabulary) -> int | None:
    if first in counts:
        return counts[first][0]
    # "two used 3090s", "a pair of 3090s"
    before = first - 1
    if before in counts and counts[before][0] > 1 and text.tokens[before].text.isalpha():
        word = text.tokens[before].text
        blocked = vocabulary.words["joins"] | vocabulary.words["alternatives"] | vocabulary.words["held"]
        return None if word in blocked else counts[before][0]
    return None


def _count_behind(text: Text, last: int) -> int | None:
    """The count in "3090 x2", "3090 (x2)"."""
    tokens = text.tokens
    at = last + (last < len(tokens) and tokens[last].text == "(")
    if at + 1 < len(tokens) and tokens[at].text in {"x", "*"} and tokens[at + 1].text.isdigit() and len(tokens[at + 1].text) <= 2:
        behind = at + 2 < len(tokens) and tokens[at + 2].glued and tokens[at + 2].text[0].isalnum()
        return None if behind else min(max(int(tokens[at + 1].text), 1), MOST_CARDS)
    return None


def _read_memories(
    found: Entities,
    amounts: Sequence[Amount],
    marks: Sequence[Mark],
    counts: dict[int, tuple[int, int]],
    cards: Sequence[Span],
    vocabulary: Vocabulary,
    names: Names,
) -> None:
    """Give every amount its part: a card's memory, system RAM, or what something takes up."""
    unified = "unified" in found.marks or any(names.card_segment(span.names[0]) is Segment.UNIFIED for span in cards)
    named = bool(cards) and not unified
    about_cpu = "cpu" in found.marks or "vram" in found.marks
    for place, amount in enumerate(amounts):
        before = amounts[place - 1].last if place else 0
        behind = amounts[place + 1].first if place + 1 < len(amounts) else len(found.text.tokens)
        near = {mark.kind for mark in marks if amount.last <= mark.first <= min(amount.last + 2, behind - 1)}
        ahead = {mark.kind for mark in marks if max(amount.first - 3, before) <= mark.first and mark.last <= amount.first}
        close = {mark.kind for mark in marks if max(amount.first - 2, before) <= mark.first and mark.last <= amount.first}
        role = "stated"
        if near & {"system_memory"} or ("system_memory" in close and not near & {"vram"}):
            role = "stated" if unified else "ram"
        elif "vram" in near:
            role = "card"
        elif ("ram" in near or ("ram" in close and "vram" not in close)) and not unified:
            role = "ram" if named or about_cpu or _has_other(amounts, amount) else "card"
        elif "taken" in ahead and "held" not in near:
            role = "used"
        elif near & {"card_words", "unified"} or ahead & {"held", "vram", "card_words", "count"} or amount.first in counts:
            role = "card"
        usable = bool(near & {"usable"} or close & {"usable"})
        total = "total" in ahead or "total" in near
        count = _count_before(found.text, amount.first, counts, vocabulary) or 1
        found.memories.append(Memory(amount.value, amount.first, amount.last, role, count, usable, total))


def _has_other(amounts: Sequence[Amount], amount: Amount) -> bool:
    return any(other is not amount for other in amounts)


def _read_cards(
    found: Entities,
    spans: Sequence[Span],
    marks: Sequence[Mark],
    counts: dict[int, tuple[int, int]],
    names: Names,
    vocabulary: Vocabulary,
) -> None:
    tokens = found.text.tokens
    for place, span in enumerate(spans):
        before = spans[place - 1].last if place else 0
        behind = spans[place + 1].first if place + 1 < len(spans) else len(tokens)
        laptop = any(
            mark.kind == "laptop" and max(before, span.first - 5) <= mark.first < min(behind, span.last + 5) for mark in marks
        )
        memory = _memory_of(found, span, before, behind, place, spans)
        resolved = names.cards.resolve(span.said, memory_gb=memory.value if memory else None, mobile=laptop)
        count = _count_before(found.text, span.first, counts, vocabulary) or (memory.count if memory else 1)
        if count == 1:
            count = _count_behind(found.text, span.last) or (_count_behind(found.text, memory.last) if memory else None) or 1
        between = {mark.kind for mark in marks if before <= mark.first < span.first}
        apart = place > 0 and span.first - (memory_before.last if (memory_before := _last_amount(found, before, span.first)) else before) > 4
        alternative = place > 0 and ("alternatives" in between or apart)
        found.cards.append(CardNamed(resolved, found.text.typed(span.first, span.last), count, span.first, span.last, alternative))


def _last_amount(found: Entities, first: int, last: int) -> Memory | None:
    """The last amount of memory between two cards: it belongs to the first of them."""
    return next((item for item in reversed(found.memories) if first <= item.first and item.last <= last), None)


def _memory_of(found: Entities, span: Span, before: int, behind: int, place: int, spans: Sequence[Span]) -> Memory | None:
    """The amount that belongs to this card: behind it, else right before it."""
    suits = [memory for memory in found.memories if memory.role not in {"ram", "used"} and not memory.total]
    after = [memory for memory in suits if span.last <= memory.first < behind and memory.first - span.last <= 4]
    next_is_closer = place + 1 < len(spans) and after and spans[place + 1].first - after[0].last < after[0].first - span.last
    if after and not next_is_closer:
        return after[0]
    ahead = [memory for memory in suits if before <= memory.first and memory.last <= span.first and span.first - memory.last <= 3]
    return ahead[-1] if ahead else None


def _read_count(found: Entities, counts: dict[int, tuple[int, int]], marks: Sequence[Mark]) -> None:
    """A number of cards that are not named: "two gpus", "2 of them"."""
    if found.cards:
        return
    for mark in marks:
        if mark.kind == "card_words" and mark.first in counts and counts[mark.first][0] > 1:
            found.count = counts[mark.first][0]
            return
    if len(found.text.tokens) <= _SHORT and not found.memories:
        # "and with two?"
        found.count = next((count for count, _ in counts.values() if count > 1), None)
    for mark in marks:
        if mark.kind == "them" and mark.first in counts and counts[mark.first][0] > 1:
            found.count = counts[mark.first][0]
            return


def _symbols(found: Entities, spans: Sequence[Span]) -> list[str]:
    """The message as the cues see it: words, and a symbol for whatever was recognised."""
    tokens = found.text.tokens
    starts: dict[int, tuple[str, int]] = {}
    for kind, items in (
        ("<quant>", found.quants),
        ("<rate>", found.rates),
        ("<context>", found.contexts),
        ("<size>", found.sizes),
    ):
        starts |= {item.first: (kind, item.last) for item in items}
    starts |= {memory.first: ("<ram>" if memory.role == "ram" else "<memory>", memory.last) for memory in found.memories}
    starts |= {span.first: (f"<{span.kind}>", span.last) for span in spans}
    symbols: list[str] = []
    index = 0
    while index < len(tokens):
        if index in starts:
            symbol, last = starts[index]
            symbols.append(symbol)
            index = max(last, index + 1)
            continue
        text = tokens[index].text
        if text[0].isalnum():
            symbols.append(text)
        elif text in _ENDS and symbols and symbols[-1] != ".":
            symbols.append(".")
        index += 1
    return symbols


_ENDS = frozenset(".?!;\n。？！")


def without_alternatives(cards: Sequence[CardNamed]) -> list[CardNamed]:
    """The cards as if all were used together."""
    return [replace(card, alternative=False) for card in cards]
