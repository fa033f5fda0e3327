"""Finds what a message names: models, cards and how many, memory, quants, contexts, sizes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from answers.catalogue.atoms import Atom, Span, Token, atoms, covered, number, parameters
from answers.catalogue.closed import find_closed
from answers.catalogue.names import Names
from answers.catalogue.records import Segment
from answers.questions.cues import BREAK
from answers.questions.hardware import bare_memories, impossible_count, read_cards, read_count, read_counts, read_memories, recount
from answers.questions.memory_speed import find_memory_speed
from answers.questions.processors import Processor, find_processors
from answers.questions.quants import QuantFound, find_quants
from answers.questions.question import Kv
from answers.questions.slots import Entities
from answers.questions.text import Text
from answers.questions.units import Amount, UnitPatterns, contexts, free, memory_amounts, outputs, powers, rates
from answers.questions.unspaced import plain_words
from answers.questions.vocabulary import Mark, Vocabulary

_ENDS = frozenset(".?!;\n。？！")
_ENDINGS = frozenset(("gguf", "ggml", "safetensors", "bin"))
"""Endings of a model's files."""
_ACTIVE = re.compile(r"[ae][0-9.]+b")
_KV: Mapping[str, Kv] = {"Q8_0": "q8_0", "Q4_0": "q4_0", "Q4_K_M": "q4_0", "F16": "f16", "BF16": "f16"}
"""What a quant means of the cache, which llama.cpp keeps in few types only."""
_WHOLE = frozenset(("F16", "BF16", "F32"))
_MOST_OF_A_CARD = 48.0
"""GB; who says "RAM" of more than this means the system's."""
_STOPS = _ENDS | frozenset(",:，、")


def find_entities(text: Text, names: Names, vocabulary: Vocabulary, patterns: UnitPatterns, trusting: bool = False) -> Entities:
    """Read every slot of a text; what is found first keeps its tokens.

    ``trusting`` takes a word that may be a model's name for one without any company ("who is behind granite").
    """
    tokens = vocabulary.respelled(text.tokens, names.models.begins)
    if tokens != text.tokens:
        text = replace(text, tokens=tokens)
    found = Entities(text)
    marks = vocabulary.marks(tokens)
    # Most kinds of words are in no message: what is done about one begins with whether it is there.
    kinds = {mark.kind for mark in marks}
    if "asks_last" in kinds and any(
        mark.kind == "asks_last" and (mark.last == len(tokens) or tokens[mark.last].text in _STOPS) for mark in marks
    ):
        # "能跑不" asks, "不错" does not.
        kinds.add("asks")
    found.marks = frozenset(kinds)
    taken: set[int] = set()
    if "software" in kinds:
        taken.update(index for mark in marks if mark.kind == "software" for index in range(mark.first, mark.last))
    said = {token.text for token in tokens}
    found.quants = find_quants(text.folded, tokens, patterns.bits if said & patterns.bit_words else None)
    if "unquantised" in kinds and not any(quant.name in _WHOLE for quant in found.quants):
        # "unquantized mixtral in bf16" says itself which.
        found.quants += [QuantFound("F16", mark.first, mark.last) for mark in marks if mark.kind == "unquantised"]
    if kinds & vocabulary.quants_in_words:
        # "в четвёртом кванте"
        told = [mark for mark in marks if mark.kind.startswith("quant:")]
        found.quants += [QuantFound(find_quants(mark.kind[6:].lower(), (), None)[0].name, mark.first, mark.last) for mark in told]
    if found.quants:
        _take(taken, found.quants)
        found.quants.sort(key=lambda quant: quant.first)
    if "kv_cache" in kinds:
        _read_kv(found, marks, vocabulary.words["links"])
    found.asks_why = "why" in kinds and not _either(found.quants, marks)
    # "core ultra 9 285k" has no context in it.
    processors = find_processors(text.folded, tokens, said)
    _take(taken, processors)
    if said & patterns.rate_words:
        found.rates = free(rates(text.folded, tokens, patterns), taken)
        _take(taken, found.rates)
    if said & patterns.context_words or "context" in found.marks:
        if "output" in kinds:
            found.outputs = free(outputs(text.folded, tokens, patterns, marks), taken)
            _take(taken, found.outputs)
        found.contexts = free(contexts(text.folded, tokens, patterns, marks), taken)
        _take(taken, found.contexts)
    if said & patterns.power_words:
        watts = free(powers(text.folded, tokens, patterns), taken)
        _take(taken, watts)
        bounds = {mark.last for mark in marks if mark.kind == "at_most"}
        # "with a 650w psu" bounds no card.
        found.powers = [amount for amount in watts if amount.first in bounds]
    told_speed = find_memory_speed(text.folded, tokens, said, processors, marks)
    if told_speed:
        found.ram_gb_s = told_speed.gb_s
        for span in told_speed.spans:
            taken.update(range(*span))
    amounts = free(memory_amounts(text.folded, tokens, patterns), taken) if said & patterns.memory_words else []
    _take(taken, amounts)
    closed = _closed(text, said)
    _take(taken, closed)
    words = vocabulary.words
    pieces = atoms(tokens)
    spans = names.spans(tokens, pieces, taken, vocabulary.ordinary, vocabulary.known, words["links"], vocabulary.between)
    named = [
        span
        for span in spans
        if not (span.weak or (span.kind == "card" and span.names and names.card_segment(span.names[0]) is Segment.CONSOLE))
        or _accepted(span, found, amounts, spans, marks)
        or (trusting and span.kind == "model" and not _described(span, marks))
    ]
    found.doubtful = any(span.kind == "model" and span not in named for span in spans)
    spans = named
    _take(taken, spans)
    found.named = frozenset(taken)
    found.models = [span for span in spans if span.kind == "model" and span.names]
    for span in spans:
        if not span.names and span.kind == "model":
            found.unknown_models.append((text.typed(span.first, span.last), span.size))
        elif not span.names:
            found.unknown_cards.append(text.typed(span.first, span.last))
    if not (found.models or found.unknown_models):
        # Beside a model that can be run, and behind "as good as", one that cannot is a yardstick.
        beside = {mark.last for mark in marks if mark.kind == "yardstick"}
        found.unknown_models += [(text.typed(span.first, span.last), None) for span in closed if span.first not in beside]
    _read_sizes(found, pieces, taken, vocabulary, marks)
    if len(found.sizes) == len(found.models) == 1:
        _size_apart(found, names)
    card_spans = [span for span in spans if span.kind == "card" and span.names]
    amounts += bare_memories(text, card_spans, names, taken, vocabulary, marks, amounts)
    amounts.sort(key=lambda amount: amount.first)
    counts = read_counts(text, marks, taken, vocabulary)
    if "copies" in kinds:
        # "can 3 copies of qwen3 8b run on a 4090?"
        copies = [counts[mark.first][0] for mark in marks if mark.kind == "copies" and mark.first in counts]
        found.copies = copies[0] if copies else 1
    alone = bool(processors) or "cpu_only" in found.marks or _is_systems(amounts, marks, tokens)
    found.cpu_only = alone and not card_spans and "offload" not in found.marks
    found.cards_stated = impossible_count(text, card_spans, marks, taken)
    read_memories(found, amounts, marks, counts, card_spans, processors, vocabulary, names)
    read_cards(found, card_spans, marks, counts, names, vocabulary)
    if found.cards and all(card.names == found.cards[0].names and card.count == 1 for card in found.cards):
        recount(found, counts, marks, vocabulary)
    read_count(found, counts, marks)
    vendors = _vendors(found, marks) if kinds & vocabulary.vendors else {}
    attached = _attach_kind(found, marks, words["links"], vocabulary.unified_memory) if found.memories else set[int]()
    found.asks_vram = "vram" in kinds and any(mark.kind == "vram" and mark.first not in attached for mark in marks)
    if card_spans and "unified" in found.marks:
        # "mac mini m4": what the machine is called belongs to the name of its chip.
        ends = {span.first for span in card_spans} | {span.last for span in card_spans}
        machines = [mark for mark in marks if mark.kind == "unified" and ends & {mark.first, mark.last}]
        found.attached.update(index for mark in machines for index in range(mark.first, mark.last))
    if found.cards or found.memories:
        # Beside what is asked about a processor says nothing more.
        found.attached.update(processor.first for processor in processors)
    if told_speed:
        # "with ddr5-6000 in 8 channels", "at 80 GB/s": how fast memory is asks for nothing.
        for first, last in told_speed.spans:
            found.attached.update(range(first - (first > 0 and tokens[first - 1].text in words["links"]), last))
    found.symbols = _symbols(found, spans, closed, processors, words["joins"], vendors, _breaks(marks))
    found.plain_words = plain_words(found.symbols, vocabulary.small)
    return found


def _closed(text: Text, said: Collection[str]) -> list[Span]:
    """The models named that nobody can run at home; ``said`` are the words of the text."""
    spans = find_closed(text.folded, said)
    return [Span("model", *covered(text.tokens, start, end), (), ()) for start, end in spans]


def _is_systems(amounts: Sequence[Amount], marks: Sequence[Mark], tokens: Sequence[Token]) -> bool:
    """Whether the one amount that is named is the system's: many say RAM for a card's, but none has as much, or DDR5."""
    kinds = {mark.kind for mark in marks}
    beside = {"vram", "card_words", "unified"} | ({"count"} - ({"count"} if "channels" in kinds else set()))
    if len(amounts) != 1 or "ram" not in kinds or kinds & beside:
        return False
    return amounts[0].value > _MOST_OF_A_CARD or any(token.text == "ddr" for token in tokens)


def _either(quants: Sequence[QuantFound], marks: Sequence[Mark]) -> bool:
    """Whether one quant is set against another: "Q8 rather than Q6", "Q5 or Q4"."""
    between = range(quants[0].last, quants[-1].first) if quants else ()
    return any(mark.kind == "alternatives" and mark.first in between for mark in marks)


def _read_kv(found: Entities, marks: Sequence[Mark], links: Collection[str]) -> None:
    """A quant beside the word for the cache is that of the cache: "q8_0 kv cache", "with the kv cache at q8"."""
    # "24 GB including the KV cache" asks for all of it, "with q8 KV cache" says how it is kept.
    included = {mark.last for mark in marks if mark.kind == "including"}
    caches = [mark for mark in marks if mark.kind == "kv_cache"]
    found.asks_cache = bool(caches) and not any(mark.first in included for mark in caches)
    tokens = found.text.tokens
    for mark in marks:
        if mark.kind != "kv_cache":
            continue
        for quant in found.quants:
            between = range(mark.last, quant.first) if mark.last <= quant.first else range(quant.last, mark.first)
            beside = len(between) <= 2 and all(tokens[at].text in links or not tokens[at].text.isalnum() for at in between)
            if beside and quant.name in _KV:
                found.kv = _KV[quant.name]
                found.asks_cache = False
                found.quants.remove(quant)
                # How large the cache is, is not asked then.
                found.attached.update(range(quant.first, quant.last), range(mark.first, mark.last))
                break


def _take(taken: set[int], items: Sequence[QuantFound | Amount | Span | Processor]) -> None:
    for item in items:
        taken.update(range(item.first, item.last))


def _accepted(span: Span, found: Entities, amounts: Sequence[Amount], spans: Sequence[Span], marks: Sequence[Mark]) -> bool:
    """Whether a word that may be a name is one here: the message must speak of models or hardware besides."""
    others = any(other is not span and not other.weak for other in spans)
    said = {mark.kind for mark in marks}
    if not span.weak:
        # A console is played with; it counts where models are spoken of.
        return others or bool(amounts or said & {"model_words", "vram"})
    if span.kind == "card":
        before = {mark.kind for mark in marks if mark.last == span.first}
        beside = any(0 <= amount.first - span.last <= 1 or amount.last == span.first for amount in amounts)
        # "titan, llama 8b?": a word is a card's name beside a model; a number by itself may be anything.
        worded = any(text.isalpha() for text in span.said) and any(other.kind == "model" and not other.weak for other in spans)
        return beside or worded or bool(before & {"articles", "count", "card_words"})
    if any(other is not span and other.kind == "model" and not other.weak for other in spans) and _described(span, marks):
        return False
    about = said & {"vram", "model_words", "card_words"}
    return bool(others or amounts or found.quants or found.contexts or found.rates or about)


def _described(span: Span, marks: Sequence[Mark]) -> bool:
    """Whether a word stands behind an article, as an ordinary word does: "the command"."""
    return any(mark.last == span.first and mark.kind in {"articles", "it", "held"} for mark in marks)


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
        first, last = _unknown_name(tokens, atom, taken, vocabulary, marks), atom.last
        if first is None:
            first = atom.first
        else:
            if last + 2 < len(tokens) and tokens[last].text == "-" and _ACTIVE.fullmatch(_glued(tokens, last + 1)):
                # "80B-A3B": what it reads per token is part of its name.
                last += 1 + _glued_tokens(tokens, last + 1)
            found.unknown_models.append((text.typed(first, last), size))
        taken.update(range(first, last))
        found.sizes.append(Amount(size, first, last))


def _size_apart(found: Entities, names: Names) -> None:
    """A size that stands apart from the one family named, before it: "they let us use llama, is the 3.1 70B version realistic?"."""
    span, size = found.models[0], found.sizes[0]
    tokens = found.text.tokens
    if size.first < span.last or any(parameters(text) for text in span.said) or found.unknown_models:
        return
    version = tokens[size.first - 1].text if not tokens[size.first].glued and number(tokens[size.first - 1].text) else ""
    family = [text for text in span.said if not (version and text[0].isdigit())]
    known = names.find_models(" ".join((*family, version, f"{size.value / 1e9:g}b")), near=False).names
    if known:
        found.models = [span._replace(names=known)]
        found.sizes = []


def _unknown_name(
    tokens: Sequence[Token], size: Atom, taken: Collection[int], vocabulary: Vocabulary, marks: Sequence[Mark]
) -> int | None:
    """Where a name that is not on file begins before its size: "Foo 27B", "New-Model-2.5 27B"; ``None`` where none does."""
    marked = {index for mark in marks for index in range(mark.first, mark.last)}
    first, strange, at = size.first, False, size.first - 1
    while at >= 0 and at not in taken and tokens[at + 1].start - tokens[at].end <= 1:
        text = tokens[at].text
        tied = tokens[at + 1].glued
        if text in "-_." and tied and tokens[at].glued:
            at -= 1
            continue
        # Another word belongs to the name where a mark ties it to it; a version may stand apart: "foo 2 27b".
        version = text[0].isdigit() and len(text) <= 3
        follows = first == size.first or tied or tokens[first].text[0].isdigit()
        if not follows or not text.isascii() or not (version or text.isalpha()):
            break
        chained = at > 0 and tokens[at].glued and tokens[at - 1].text in "-_."
        known = text in vocabulary.known or at in marked or len(text) < 3
        if known and not (tied or chained or version):
            break
        strange |= text.isalpha() and not known
        first = at
        at -= 1
    return first if strange else None


def _glued_tokens(tokens: Sequence[Token], first: int) -> int:
    """How many tokens stand together without a space or a mark between them."""
    last = first + 1
    while last < len(tokens) and tokens[last].glued and tokens[last].text[0].isalnum():
        last += 1
    return last - first


def _glued(tokens: Sequence[Token], first: int) -> str:
    """The word of letters and digits that begins at a token."""
    return "".join(token.text for token in tokens[first : first + _glued_tokens(tokens, first)])


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


def _attach_kind(found: Entities, marks: Sequence[Mark], links: Collection[str], unified: Collection[str]) -> set[int]:
    """The words that say what kind of memory an amount is ("8gb of vram"): they ask for nothing."""
    tokens = found.text.tokens
    kinds = {
        mark.first: mark.last
        for mark in marks
        if mark.kind in {"vram", "ram", "system_memory"}
        or (mark.kind == "unified" and " ".join(token.text for token in tokens[mark.first : mark.last]) in unified)
    }
    attached: set[int] = set()
    for memory in found.memories:
        at = memory.last
        if at < len(tokens) and tokens[at].text in links:
            at += 1
        if at in kinds:
            attached.update(range(memory.last, kinds[at]))
    found.attached |= attached
    return attached


def _breaks(marks: Sequence[Mark]) -> set[int]:
    """The tokens that begin a new clause although no mark stands before them: "能跑吗要多少显存", "되나요 속도는"."""
    ends = {mark.last for mark in marks if mark.kind == "clause_ends"}
    return ends | {mark.first for mark in marks if mark.kind == "joins" and mark.last > mark.first + 1}


def _symbols(
    found: Entities,
    spans: Sequence[Span],
    closed: Sequence[Span],
    processors: Sequence[Processor],
    joins: Collection[str],
    vendors: Mapping[int, tuple[str, int]],
    breaks: Collection[int],
) -> list[str]:
    """The message as the cues see it: words, and a symbol for whatever was recognised."""
    tokens = found.text.tokens
    starts: dict[int, tuple[str, int]] = dict(vendors)
    for kind, items in (
        ("<quant>", found.quants),
        ("<rate>", found.rates),
        ("<context>", found.contexts),
        ("<size>", found.sizes),
        ("<model>", closed),
    ):
        for item in items:
            starts[item.first] = kind, item.last
    # Without a card the system's memory is what a model has to fit in.
    ram = "<memory>" if found.cpu_only else "<ram>"
    for memory in found.memories:
        starts[memory.first] = ram if memory.role == "ram" else "<memory>", memory.last
    for processor in processors:
        starts[processor.first] = "<card>", processor.last
    for span in spans:
        starts[span.first] = f"<{span.kind}>", span.last
    symbols: list[str] = []
    clause = index = 0
    while index < len(tokens):
        text = tokens[index].text
        clause += index in breaks
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
