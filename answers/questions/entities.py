"""Finds what a message names: models, cards and how many, memory, quants, contexts, sizes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from answers.catalogue.atoms import Atom, Span, atoms, parameters
from answers.catalogue.names import Names
from answers.catalogue.records import Segment
from answers.questions.cues import BREAK
from answers.questions.hardware import bare_memories, read_cards, read_count, read_counts, read_memories, recount
from answers.questions.quants import QuantFound, find_quants
from answers.questions.slots import Entities
from answers.questions.text import Text
from answers.questions.units import Amount, UnitPatterns, contexts, free, memory_amounts, rates
from answers.questions.unspaced import plain_words
from answers.questions.vocabulary import Mark, Vocabulary

_ENDS = frozenset(".?!;\n。？！")
_ENDINGS = frozenset(("gguf", "ggml", "safetensors", "bin"))
"""Endings of a model's files."""
_STOPS = _ENDS | frozenset(",:，、")


def find_entities(text: Text, names: Names, vocabulary: Vocabulary, patterns: UnitPatterns) -> Entities:
    """Read every slot of a text; what is found first keeps its tokens."""
    text = replace(text, tokens=vocabulary.respelled(text.tokens, names.models.begins))
    tokens = text.tokens
    found = Entities(text)
    marks = vocabulary.marks(tokens)
    found.marks = frozenset(mark.kind for mark in marks)
    taken = {index for mark in marks if mark.kind == "software" for index in range(mark.first, mark.last)}
    said = {token.text for token in tokens}
    found.quants = find_quants(text.folded, tokens, patterns.bits if said & patterns.bit_words else None)
    found.quants += [QuantFound("F16", mark.first, mark.last) for mark in marks if mark.kind == "unquantised"]
    _take(taken, found.quants)
    if said & patterns.rate_words:
        found.rates = free(rates(text.folded, tokens, patterns), taken)
        _take(taken, found.rates)
    if said & patterns.context_words or "context" in found.marks:
        found.contexts = free(contexts(text.folded, tokens, patterns, marks), taken)
        _take(taken, found.contexts)
    amounts = free(memory_amounts(text.folded, tokens, patterns), taken) if said & patterns.memory_words else []
    _take(taken, amounts)
    words = vocabulary.words
    pieces = atoms(tokens)
    spans = names.spans(tokens, pieces, taken, vocabulary.ordinary, vocabulary.known, words["links"], vocabulary.between)
    spans = [
        span
        for span in spans
        if _accepted(span, found, amounts, spans, marks, text)
        or not (span.weak or (span.kind == "card" and span.names and names.card_segment(span.names[0]) is Segment.CONSOLE))
    ]
    _take(taken, spans)
    found.named = frozenset(taken)
    found.models = [span for span in spans if span.kind == "model" and span.names]
    for span in spans:
        if not span.names and span.kind == "model":
            found.unknown_models.append((text.typed(span.first, span.last), span.size))
        elif not span.names:
            found.unknown_cards.append(text.typed(span.first, span.last))
    _read_sizes(found, pieces, taken, vocabulary, marks)
    card_spans = [span for span in spans if span.kind == "card" and span.names]
    amounts += bare_memories(text, card_spans, names, taken, vocabulary, marks)
    amounts.sort(key=lambda amount: amount.first)
    counts = read_counts(text, marks, taken, vocabulary)
    read_memories(found, amounts, marks, counts, card_spans, vocabulary, names)
    read_cards(found, card_spans, marks, counts, names, vocabulary)
    if len(found.cards) == 1 and found.cards[0].count == 1:
        recount(found, counts, vocabulary)
    read_count(found, counts, marks)
    vendors = _vendors(found, marks)
    found.symbols = _symbols(found, spans, words["joins"], vendors)
    found.plain_words = plain_words(found.symbols, vocabulary.small)
    return found


def _take(taken: set[int], items: Sequence[QuantFound] | Sequence[Amount] | Sequence[Span]) -> None:
    for item in items:
        taken.update(range(item.first, item.last))


def _accepted(
    span: Span, found: Entities, amounts: Sequence[Amount], spans: Sequence[Span], marks: Sequence[Mark], text: Text
) -> bool:
    """Whether a word that may be a name is one here: the message must speak of models or hardware besides."""
    others = any(other is not span and not other.weak for other in spans)
    said = {mark.kind for mark in marks}
    if not span.weak:
        # A console is played with; it counts where models are spoken of.
        return others or bool(amounts or said & {"model_words", "vram"})
    if span.kind == "card":
        before = {mark.kind for mark in marks if mark.last == span.first}
        beside = any(0 <= amount.first - span.last <= 1 or amount.last == span.first for amount in amounts)
        return beside or bool(before & {"articles", "count", "card_words"})
    return bool(others or amounts or found.quants or found.contexts or found.rates or said & {"vram", "model_words"})


def _read_sizes(found: Entities, pieces: Sequence[Atom], taken: set[int], vocabulary: Vocabulary, marks: Sequence[Mark]) -> None:
    """Sizes without a name ("a 70b") and names that are not on file ("Foo 27B")."""
    text = found.text
    tokens = text.tokens
    for atom in pieces:
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


def _vendors(found: Entities, marks: Sequence[Mark]) -> dict[int, tuple[str, int]]:
    """Vendors that stand for their cards ("which nvidia is fastest"); one beside a word for cards only describes it."""
    words = {index for mark in marks if mark.kind == "card_words" for index in range(mark.first, mark.last)}
    alone: dict[int, tuple[str, int]] = {}
    for mark in marks:
        if mark.kind.startswith("vendor:"):
            if mark.last in words or mark.first - 1 in words:
                found.attached.add(mark.first)
            else:
                alone[mark.first] = ("<vendor>", mark.last)
    return alone


def _symbols(found: Entities, spans: Sequence[Span], joins: Collection[str], vendors: Mapping[int, tuple[str, int]]) -> list[str]:
    """The message as the cues see it: words, and a symbol for whatever was recognised."""
    tokens = found.text.tokens
    starts: dict[int, tuple[str, int]] = dict(vendors)
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
    clause = index = 0
    while index < len(tokens):
        text = tokens[index].text
        if index in starts:
            symbol, last = starts[index]
            if index not in found.attached:
                symbols.append(symbol)
            index = max(last, index + 1)
        else:
            if text in joins or text in _STOPS:
                clause += 1
            if text == "." and index + 1 < len(tokens) and tokens[index + 1].text in _ENDINGS and tokens[index + 1].glued:
                # The ending of a file's name is no end of a sentence, and asks for no download.
                index += 2
                continue
            if text[0].isalnum():
                if index not in found.attached:
                    symbols.append(text)
            elif text in _ENDS and symbols and symbols[-1] != BREAK:
                symbols.append(BREAK)
            index += 1
        if len(found.clauses) < len(symbols):
            found.clauses.append(clause)
    return symbols
