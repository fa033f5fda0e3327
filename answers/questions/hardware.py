"""Reads hardware: how many cards, how much memory, whose memory, which twin, laptop or desktop."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from answers.catalogue.atoms import Span, Token
from answers.catalogue.names import Names
from answers.catalogue.records import Segment
from answers.questions.processors import Processor
from answers.questions.slots import CardNamed, Entities, Memory
from answers.questions.text import Text
from answers.questions.units import CARD_SIZES_GB, Amount
from answers.questions.unspaced import count_behind, is_unspaced, places
from answers.questions.vocabulary import Mark, Vocabulary

MOST_CARDS = 64
_SHORT = 6
"""Tokens of a message so short that a bare number in it can only be a number of cards."""

_MOST_STATED = 1_000_000

_RAM_GB = frozenset(("8", "16", "24", "32", "48", "64", "96", "128", "192", "256", "512"))

_OF_MEMORY = frozenset(("ram", "vram", "system_memory"))

Counts = dict[int, tuple[int, int]]
"""The token behind a count -> how many, and the token where the count starts."""


def bare_memories(
    text: Text,
    cards: Sequence[Span],
    names: Names,
    taken: set[int],
    vocabulary: Vocabulary,
    marks: Sequence[Mark],
    amounts: Sequence[Amount],
) -> list[Amount]:
    """Memory said without its unit behind a card that has a twin of that size: "una 3060 de 12", "3060 12"; and "2x24".

    Likewise before ``amounts`` whose unit it shares: "16 or 24gb", "8/12/16 GB".
    """
    tokens = text.tokens
    found = _sharing_a_unit(tokens, amounts, taken, marks)
    for span in cards:
        at = span.last
        if at < len(tokens) and tokens[at].text in vocabulary.words["links"]:
            at += 1
        if at >= len(tokens) or at in taken or not tokens[at].text.isdigit() or len(tokens[at].text) > 3:
            continue
        value = float(tokens[at].text)
        glued_behind = _touched(tokens, at + 1)
        fits = {names.card_memory(name) for name in names.cards.resolve(span.said, memory_gb=value)}
        if value in CARD_SIZES_GB and not glued_behind and any(abs(value - size) < 0.6 for size in fits):
            found.append(Amount(value, at, at + 1))
            taken.add(at)
    for mark in marks:
        # "due schede da 12"
        at = mark.last + 1
        if mark.kind == "card_words" and at < len(tokens) and at not in taken and tokens[at - 1].text in vocabulary.words["links"]:
            bare = tokens[at].text.isdigit() and not _touched(tokens, at + 1)
            if bare and len(tokens[at].text) <= 3 and float(tokens[at].text) in CARD_SIZES_GB:
                found.append(Amount(float(tokens[at].text), at, at + 1))
                taken.add(at)
    for mark in marks:
        # "8gb de vram y 32 de ram": the unit was said before
        at = mark.first - 1
        if mark.kind == "ram" and at >= 0 and at not in taken and tokens[at].text in _RAM_GB and not tokens[at].glued:
            found.append(Amount(float(tokens[at].text), at, at + 1))
            taken.add(at)
    for index in range(1, len(tokens) - 1):
        # "2x24": a count and a size of cards that are not named
        first, second = tokens[index - 1].text, tokens[index + 1].text
        if tokens[index].text == "x" and first.isdigit() and second.isdigit() and len(first) <= 2 and len(second) <= 3:
            free_tokens = index + 1 not in taken and index - 1 not in taken
            behind = _touched(tokens, index + 2)
            if free_tokens and not behind and float(second) in CARD_SIZES_GB:
                found.append(Amount(float(second), index + 1, index + 2))
                taken.add(index + 1)
    return found


def _sharing_a_unit(tokens: Sequence[Token], amounts: Sequence[Amount], taken: set[int], marks: Sequence[Mark]) -> list[Amount]:
    """The sizes of cards that stand before an amount and are told one instead of the other: "16 or 24gb", "8, 12 or 16 GB"."""
    found: list[Amount] = []
    starts = [amount.first for amount in amounts]
    for place, start in enumerate(starts):
        at = _instead_of(tokens, start, marks)
        if at is None and place >= len(amounts) and tokens[start - 1].text == ",":
            # Further members of a list that ends with "or".
            at = start - 1
        if not at or at - 1 in taken:
            continue
        number = tokens[at - 1]
        touches = at > 1 and number.glued and tokens[at - 2].text != "/"
        if number.text.isdigit() and len(number.text) <= 3 and float(number.text) in CARD_SIZES_GB and not touches:
            found.append(Amount(float(number.text), at - 1, at))
            taken.add(at - 1)
            starts.append(at - 1)
    return found


def _instead_of(tokens: Sequence[Token], start: int, marks: Sequence[Mark]) -> int | None:
    """Where a word or sign begins that ends at ``start`` and says that one thing is meant instead of another."""
    if start and tokens[start - 1].text == "/":
        return start - 1
    return next((mark.first for mark in marks if mark.kind == "alternatives" and mark.last == start), None)


def _touched(tokens: Sequence[Token], at: int) -> bool:
    """Whether a letter or digit touches the token before ``at``: the 4 of "x4b" is no count. Chinese touches anything."""
    return at < len(tokens) and tokens[at].glued and tokens[at].text[0].isalnum() and not is_unspaced(tokens[at])


def read_counts(text: Text, marks: Sequence[Mark], taken: Collection[int], vocabulary: Vocabulary) -> Counts:
    """Counts: the token behind the count -> (how many, where the count starts). "two 8xH100 boxes" multiplies."""
    tokens = text.tokens
    ends: Counts = {}
    # "ich hab noch ne alte P40": what somebody has is not another one of it.
    held = {mark.last for mark in marks if mark.kind == "held"}
    owned = {mark.last for mark in marks if mark.kind == "further" and mark.first in held}
    marks = [mark for mark in marks if not (mark.last in owned and mark.value == 2)]
    for mark in marks:
        # "加一张" (one more) says more than "一张".
        longest = ends.get(mark.last, (0, mark.first))[1] >= mark.first
        if mark.kind == "count" and longest and not any(index in taken for index in range(mark.first, mark.last)):
            ends[mark.last] = (int(mark.value), mark.first)
    for index, token in enumerate(tokens):
        if (
            index in taken
            or not token.text.isdigit()
            or len(token.text) > 2
            or (token.glued and index and tokens[index - 1].text != "(" and not is_unspaced(tokens[index - 1]))
        ):
            continue
        count = int(token.text)
        if not 1 <= count <= MOST_CARDS:
            continue
        end = index + 1
        if end < len(tokens) and tokens[end].text in {"x", "*"}:
            end += 1
        elif end < len(tokens) and tokens[end].text in vocabulary.words["counters"]:
            # "2张3090", "2枚の3090"
            end += 2 if end + 1 < len(tokens) and tokens[end + 1].text in vocabulary.words["links"] else 1
        factor, first = ends.get(index, (1, index))
        ends[end] = (min(count * max(factor, 1), MOST_CARDS), first)
    return ends


def _count_before(text: Text, first: int, counts: Counts, vocabulary: Vocabulary) -> int | None:
    if first in counts:
        return counts[first][0]
    # "two used 3090s", "a pair of 3090s"
    before = first - 1
    if before in counts and counts[before][0] > 1 and text.tokens[before].text.isalpha():
        word = text.tokens[before].text
        blocked = vocabulary.words["joins"] | vocabulary.words["alternatives"] | vocabulary.words["held"]
        return None if word in blocked else counts[before][0]
    # "两张二手3090", "中古の3090" have a word of characters between.
    while before >= 0 and before > first - 5 and is_unspaced(text.tokens[before]) and before not in counts:
        before -= 1
    if before in counts and counts[before][0] > 1 and before < first - 1 and is_unspaced(text.tokens[before - 1]):
        blocked = vocabulary.words["joins"] | vocabulary.words["alternatives"]
        return None if any(text.tokens[index].text in blocked for index in range(before, first)) else counts[before][0]
    return None


def _count_behind(text: Text, last: int) -> int | None:
    """The count in "3090 x2", "3090 (x2)"."""
    tokens = text.tokens
    at = last + (last < len(tokens) and tokens[last].text == "(")
    if at + 1 < len(tokens) and tokens[at].text in {"x", "*"} and tokens[at + 1].text.isdigit() and len(tokens[at + 1].text) <= 2:
        return None if _touched(tokens, at + 2) else min(max(int(tokens[at + 1].text), 1), MOST_CARDS)
    return None


def read_memories(
    found: Entities,
    amounts: Sequence[Amount],
    marks: Sequence[Mark],
    counts: Counts,
    cards: Sequence[Span],
    processors: Sequence[Processor],
    vocabulary: Vocabulary,
    names: Names,
) -> None:
    """Give every amount its part: a card's memory, system RAM, or what something takes up."""
    unified = "unified" in found.marks or any(names.card_segment(span.names[0]) is Segment.UNIFIED for span in cards)
    named = bool(cards) and not unified
    about_cpu = "cpu" in found.marks or "vram" in found.marks
    # "64GB RAM, no gpu" names no card.
    absent = {index for mark in marks if mark.kind == "cpu_only" for index in range(mark.first, mark.last)}
    marks = [mark for mark in marks if mark.kind != "card_words" or mark.first not in absent]
    words = places(found.text.tokens)
    starts = {amount.first for amount in amounts}
    commas = {index for index, token in enumerate(found.text.tokens) if token.text == ","} if len(amounts) > 2 else set[int]()
    led = False
    for place, amount in enumerate(amounts):
        before = amounts[place - 1].last if place else 0
        behind = amounts[place + 1].first if place + 1 < len(amounts) else len(found.text.tokens)
        nearest = [mark for mark in marks if amount.last <= mark.first < behind and words[mark.first] <= words[amount.last] + 2]
        preceding = [mark for mark in marks if before <= mark.first and mark.last <= amount.first]
        led = any(
            mark.last == amount.first and mark.kind in _OF_MEMORY and (led or not before or mark.first > before)
            for mark in preceding
        )
        if led:
            # "显存8G内存16G", "vram 8gb ram 16gb": each amount is named before it.
            nearest = [mark for mark in nearest if not (mark.kind in _OF_MEMORY and mark.last in starts)]
        near = {mark.kind for mark in nearest}
        ahead = {mark.kind for mark in preceding if words[mark.first] >= words[amount.first] - 3}
        # "64gb ram + 12gb": a kind that follows the amount before is that one's.
        of_other = {mark.first for mark in preceding if before and mark.first - before <= 1 and mark.last < amount.first}
        close = {mark.kind for mark in preceding if words[mark.first] >= words[amount.first] - 2 and mark.first not in of_other}
        role = "stated"
        beside = any(0 <= words[amount.first] - words[processor.last - 1] <= 2 for processor in processors)
        if beside and not near & {"vram", "card_words"} and not unified:
            # "ryzen 7 5700g 32gb", "i5-13600k 32gb, 3060 12gb"
            role = "ram"
        elif near & {"system_memory"} or ("system_memory" in close and not near & {"vram"}):
            role = "stated" if unified else "ram"
        elif "vram" in near:
            role = "card"
        elif ("ram" in near or ("ram" in close and "vram" not in close)) and not unified:
            role = "ram" if named or about_cpu or _has_other(amounts, amount) else "card"
        elif "needed" in near or ("taken" in ahead and "held" not in near):
            role = "used"
        elif near & {"card_words", "unified"} or ahead & {"held", "vram", "card_words", "count"} or amount.first in counts:
            role = "card"
        if found.cpu_only and near & {"vram", "card_words"}:
            # "the experts on the cpu, 8gb card"
            found.cpu_only = False
        elif found.cpu_only and role in {"card", "stated"}:
            role = "ram"
        at_most = any(mark.kind == "at_most" and mark.last == amount.first for mark in preceding)
        usable = bool(near & {"usable"} or close & {"usable"})
        total = "total" in ahead or "total" in near
        count = _count_before(found.text, amount.first, counts, vocabulary)
        count = count or count_behind(found.text.tokens, amount.last, counts, starts) or 1
        said_ram = "ram" in near | close
        alternative = bool(place) and _instead_of(found.text.tokens, amount.first, marks) == before
        # "8, 12 or 16 GB"
        alternative = alternative or (amount.first - before == 1 and before in commas)
        found.memories.append(
            Memory(amount.value, amount.first, amount.last, role, count, said_ram, usable, total, at_most, alternative)
        )


def impossible_count(text: Text, cards: Sequence[Span], marks: Sequence[Mark], taken: Collection[int]) -> int | None:
    """A number of cards that nobody has, where it can be nothing else: "99 3090s", "0x 3090", "500 gpus"."""
    tokens = text.tokens
    counted = [(span.first, tokens[span.last - 1].text.endswith("s")) for span in cards]
    counted += [(mark.first, True) for mark in marks if mark.kind == "card_words"]
    for first, plural in counted:
        signed = first > 0 and tokens[first - 1].text in {"x", "*"}
        at = first - 1 - signed
        if at < 0 or at in taken or not tokens[at].text.isdecimal() or not (signed or plural):
            continue
        before = tokens[at - 1].text if at else ""
        if int(tokens[at].text) > MOST_CARDS or (not int(tokens[at].text) and before not in {".", ","}):
            return min(int(tokens[at].text), _MOST_STATED)
    return None


def _has_other(amounts: Sequence[Amount], amount: Amount) -> bool:
    return any(other is not amount for other in amounts)


def read_cards(
    found: Entities,
    spans: Sequence[Span],
    marks: Sequence[Mark],
    counts: Counts,
    names: Names,
    vocabulary: Vocabulary,
) -> None:
    """Give every card its count, its memory and its machine, and say which cards are named one instead of the other."""
    tokens = found.text.tokens
    words = places(tokens)
    starts = {span.first for span in spans} | {memory.first for memory in found.memories}
    further: set[int] = set()
    if "further" in found.marks and len(spans) > 1:
        further = {index for mark in marks if mark.kind == "further" for index in (mark.last, mark.last + 1)}
    for place, span in enumerate(spans):
        before = spans[place - 1].last if place else 0
        behind = spans[place + 1].first if place + 1 < len(spans) else len(tokens)
        laptop = any(
            mark.kind == "laptop"
            and before <= mark.first < behind
            and words[span.first] - 5 <= words[mark.first] < words[span.last] + 5
            for mark in marks
        )
        memory = _memory_of(found, span, before, behind, place, spans)
        if memory is not None and (memory.first >= span.last or memory.last == span.first):
            found.attached.add(memory.first)
        size = memory.value if memory else None
        # Who says "m4" and no more means Apple's, not the Tesla M4 of 2015.
        short = len(span.said) == 1 and span.said[0][0] == "m"
        apples = names.cards.resolve(("apple", *span.said), memory_gb=size) if short else ()
        resolved = apples or names.cards.resolve(span.said, memory_gb=size, mobile=laptop)
        count = _count_before(found.text, span.first, counts, vocabulary) or (memory.count if memory else 1)
        if span.first in further and any(other.names[:1] != span.names[:1] for other in spans):
            # "another 3060" is the second of two 3060, but the first one beside a 4090.
            count = 1
        if count == 1:
            count = _count_behind(found.text, span.last) or (_count_behind(found.text, memory.last) if memory else None) or 1
        if count == 1:
            count = count_behind(tokens, span.last, counts, starts) or 1
        between = {mark.kind for mark in marks if before <= mark.first < span.first}
        apart = (
            place > 0 and words[span.first] - words[last.last if (last := _last_amount(found, before, span.first)) else before] > 4
        )
        # "why q4 on the 3060 and q8 on the 3090"
        apart = apart or any(before <= quant.first < span.first for quant in found.quants)
        # "两张A100够不够，8张4090呢" asks twice.
        apart = apart or (place > 0 and "asks" in between)
        instead = place > 0 and "alternatives" in between
        alternative = instead or (place > 0 and apart)
        typed = found.text.typed(span.first, span.last)
        found.cards.append(CardNamed(resolved, typed, count, span.first, span.last, alternative, instead))


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
    # "48gb of unified memory on an m4 pro": a chip in several sizes is meant in the one that is named.
    far = 8 if "unified" in found.marks and len(spans) == len(suits) == 1 else 3
    ahead = [memory for memory in suits if before <= memory.first and memory.last <= span.first and span.first - memory.last <= far]
    return ahead[-1] if ahead else None


def recount(found: Entities, counts: Counts, marks: Sequence[Mark], vocabulary: Vocabulary) -> None:
    """A count said apart from the one card it is about: "i have a 4080, would a second one help"."""
    tokens = found.text.tokens
    words = vocabulary.words["card_words"] | vocabulary.words["pronouns"]
    if any(mark.kind == "one_more" for mark in marks):
        found.cards = [replace(found.cards[0], count=2)]
        return
    for end, (count, first) in counts.items():
        if count > 1 and end < len(tokens) and tokens[end].text in words and first >= found.cards[0].last:
            found.cards = [replace(found.cards[0], count=count)]
            return


def read_count(found: Entities, counts: Counts, marks: Sequence[Mark]) -> None:
    """A number of cards that are not named: "two gpus", "2 of them"."""
    if found.cards:
        return
    for mark in marks:
        # "two gpus", "3 different gpus"
        beside = mark.first - 1 if mark.first and found.text.tokens[mark.first - 1].text.isalpha() else mark.first
        at = mark.first if mark.first in counts else beside
        if mark.kind == "card_words" and at in counts and counts[at][0] > 1:
            found.count = counts[at][0]
            return
    if len(found.text.tokens) <= _SHORT and not found.memories:
        # "and with two?"
        found.count = next((count for count, _ in counts.values() if count > 1), None)
    for mark in marks:
        if mark.kind == "them" and mark.first in counts and counts[mark.first][0] > 1:
            found.count = counts[mark.first][0]
            return
