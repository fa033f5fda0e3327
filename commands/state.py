"""What a button or a select knows: all of it stands in its custom id, so that it outlives a restart of the bot.

``rig1b.c.<state>``: the version, ``b`` for a button or ``s`` for a select, what it does, and the state: who asked, in which
locale, the question and the page, as bytes in base64. Names are four-byte handles. An id has at most 100 characters; a question
that does not fit into one gets no buttons.
"""

from __future__ import annotations

import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite

from pydantic import ValidationError

from answers.catalogue.handles import LENGTH, Handles, handle
from answers.questions.question import Cards, Intent, Question
from commands.errors import Refusal

VERSION = 1
MOST = 100
"""Characters of a custom id."""
MOST_NAMES = 5
"""Readings of an ambiguous name that are kept."""

# The place of an intent or an order in these lists is what an id holds: new ones go to the end.
_INTENTS = (
    *(Intent.NONE, Intent.CAN_RUN, Intent.GPU_NEEDED, Intent.VRAM_NEEDED, Intent.SPEED, Intent.RANK_CARDS),
    *(Intent.WHAT_CAN_CARD_RUN, Intent.FITS_NOT, Intent.TWO_GPUS, Intent.QUANT_DIFFERS, Intent.ACCURACY, Intent.CHOOSE_GPU),
    *(Intent.PARAMETERS, Intent.CREATOR, Intent.RELEASED, Intent.PURPOSE, Intent.DOWNLOAD, Intent.OPEN_SOURCE),
    *(Intent.TRAINING_COMPUTE, Intent.SPEC, Intent.COMPARE_CARDS, Intent.COMPARE_MODELS, Intent.MAX_CONTEXT),
    Intent.WHICH_QUANT,
)
_ORDERS = (None, "fastest", "smallest", "slowest")
_USES = (None, "general", "code", "reasoning", "vision", "base")
_KINDS = (None, "model", "card")
_KVS = (None, "f16", "q8_0", "q4_0")
_METHODS = (None, "documented", "calibrated")
# The slots that are numbers or short texts, in the order of their bits.
_NUMBERS = ("memory_gb", "ram_gb", "context", "parameters")
_TEXTS = ("quant", "min_quality", "vendor", "search")
_WHOLE = frozenset(("context",))


class Stale(Refusal):
    """The id of a button that is of an older version, names what is no longer on file, or was made up."""

    def __init__(self) -> None:
        super().__init__("button.old")


@dataclass(frozen=True, slots=True)
class State:
    """Everything that an answer's buttons need to give it again."""

    asker: int
    locale: str
    question: Question
    page: int = 0
    rig: bool = False
    """The hardware of the question is that of the asker's saved machine."""

    def custom_id(self, kind: str, action: str) -> str | None:
        """The id of a component (``b`` or ``s``) that does ``action``; ``None`` where the state is too long for one."""
        return custom_id(kind, action, self.code())

    def code(self) -> str:
        """The state as it stands in an id."""
        return self.anybodys().of(self.asker)

    def anybodys(self) -> Code:
        """The state without who asked."""
        question = self.question
        out = bytearray((_INTENTS.index(question.intent),))
        _put_text(out, self.locale)
        _put_whole(out, self.page)
        out.append(len(question.models) << 4 | len(question.cards))
        for name in question.models:
            out += handle(name)
        for card in question.cards:
            out += handle(card.name)
            out.append(card.count)
        out.append(question.n_cards)
        marks = [
            *(getattr(question, name) is not None for name in (*_NUMBERS, *_TEXTS)),
            *(question.memory_usable, question.unified, question.include_unfit, bool(question.candidates), bool(question.unknown)),
            # What came later goes to the end, so that the ids of older answers are still read.
            *(question.ram_gb_s is not None, bool(question.kv or question.method), self.rig),
            *(question.cpu_only, question.memory_at_most, question.min_speed is not None, question.reported_tok_s is not None),
            *(bool(question.quants), question.max_power_w is not None, question.about_cache, question.apart),
            *(question.commercial, question.at_once, question.output_tokens is not None),
        ]
        _put_whole(out, sum(1 << place for place, mark in enumerate(marks) if mark))
        for name in _NUMBERS:
            if getattr(question, name) is not None:
                _put_number(out, getattr(question, name))
        for name in _TEXTS:
            if getattr(question, name) is not None:
                _put_text(out, getattr(question, name))
        out.append(_ORDERS.index(question.order) << 4 | _USES.index(question.use))
        if question.candidates:
            cards = {entry.name for entry in question.cards}
            _put_whole(out, len(question.candidates))
            for typed, names in question.candidates.items():
                _put_typed(out, _Typed(typed, names[:MOST_NAMES], bool(cards & set(names))))
        if question.unknown:
            out.append(_KINDS.index(question.unknown_kind))
            _put_whole(out, len(question.unknown))
            for typed in question.unknown:
                _put_text(out, typed)
        if question.ram_gb_s is not None:
            _put_number(out, question.ram_gb_s)
        if question.kv or question.method:
            out.append(_KVS.index(question.kv) << 4 | _METHODS.index(question.method))
        if question.min_speed is not None:
            _put_number(out, question.min_speed)
        if question.reported_tok_s is not None:
            _put_number(out, question.reported_tok_s)
        if question.quants:
            _put_whole(out, len(question.quants))
            for name in question.quants:
                _put_text(out, name)
        if question.max_power_w is not None:
            _put_number(out, question.max_power_w)
        if question.output_tokens is not None:
            _put_number(out, question.output_tokens)
        return Code(bytes(out))


@dataclass(frozen=True, slots=True)
class Code:
    """A state without who asked: the same for everybody who gets an answer."""

    tail: bytes

    def of(self, asker: int) -> str:
        """The state as it stands in somebody's ids."""
        return urlsafe_b64encode(struct.pack(">Q", asker) + self.tail).decode().rstrip("=")

    def fits(self, action: str) -> bool:
        """Whether an id that does ``action`` has room for it."""
        return custom_id("b", action, "A" * ceil((8 + len(self.tail)) * 4 / 3)) is not None


def custom_id(kind: str, action: str, code: str) -> str | None:
    """The id of a component whose state is coded already; ``None`` where that is too long."""
    text = f"rig{VERSION}{kind}.{action}.{code}"
    return text if len(text) <= MOST else None


def read_state(text: str, version: str, handles: Handles) -> State:
    """The state of a custom id, against the catalogue of the moment.

    Raises:
        Stale: where it is of another version, names what is not on file, or cannot be read at all.
    """
    if version != str(VERSION):
        raise Stale
    try:
        return _read(_Bytes(urlsafe_b64decode(text + "=" * (-len(text) % 4))), handles)
    except (ValueError, IndexError, KeyError, struct.error, ValidationError, OverflowError) as error:
        raise Stale from error


def _read(given: _Bytes, handles: Handles) -> State:
    asker, intent = struct.unpack(">QB", given.take(9))
    locale, page = given.text(), given.whole()
    counts = given.byte()
    slots: dict[str, object] = {
        "intent": _INTENTS[intent],
        "models": tuple(handles.model(given.take(LENGTH)) for _ in range(counts >> 4)),
        "cards": tuple(Cards(name=handles.card(given.take(LENGTH)), count=given.byte()) for _ in range(counts & 15)),
        "n_cards": given.byte(),
    }
    marks = given.whole()
    places = iter(range(32))
    numbers = [name for name in _NUMBERS if marks >> next(places) & 1]
    texts = [name for name in _TEXTS if marks >> next(places) & 1]
    flags = {name: bool(marks >> next(places) & 1) for name in ("memory_usable", "unified", "include_unfit")}
    has_candidates, has_unknown, has_rate, has_method, has_rig = (marks >> next(places) & 1 for _ in range(5))
    flags |= {name: bool(marks >> next(places) & 1) for name in ("cpu_only", "memory_at_most")}
    slots |= flags
    has_min_speed, has_reported, has_quants, has_power = (marks >> next(places) & 1 for _ in range(4))
    slots |= {name: bool(marks >> next(places) & 1) for name in ("about_cache", "apart", "commercial", "at_once")}
    has_output = marks >> next(places) & 1
    for name in numbers:
        number = given.number()
        slots[name] = int(number) if name in _WHOLE else number
    slots |= {name: given.text() for name in texts}
    order_use = given.byte()
    slots |= {"order": _ORDERS[order_use >> 4], "use": _USES[order_use & 15]}
    if has_candidates:
        found = [_read_typed(given, handles) for _ in range(given.whole())]
        slots["candidates"] = {entry.typed: entry.names for entry in found}
    if has_unknown:
        slots["unknown_kind"] = _KINDS[given.byte()]
        slots["unknown"] = tuple(given.text() for _ in range(given.whole()))
    if has_rate:
        slots["ram_gb_s"] = given.number()
    if has_method:
        kv_method = given.byte()
        slots |= {"kv": _KVS[kv_method >> 4], "method": _METHODS[kv_method & 15]}
    if has_min_speed:
        slots["min_speed"] = given.number()
    if has_reported:
        slots["reported_tok_s"] = given.number()
    if has_quants:
        slots["quants"] = tuple(given.text() for _ in range(given.whole()))
    if has_power:
        slots["max_power_w"] = given.number()
    if has_output:
        slots["output_tokens"] = given.number()
    if given.left:
        raise ValueError("more than a state")
    return State(asker, locale, Question.model_validate(slots), page, bool(has_rig))


# -- bytes ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Typed:
    """What an ambiguous name may mean."""

    typed: str
    names: Sequence[str]
    cards: bool


def _put_typed(out: bytearray, entry: _Typed) -> None:
    _put_text(out, entry.typed)
    out.append(len(entry.names) << 1 | entry.cards)
    for name in entry.names:
        out += handle(name)


def _read_typed(given: _Bytes, handles: Handles) -> _Typed:
    typed, mark = given.text(), given.byte()
    look_up = handles.card if mark & 1 else handles.model
    return _Typed(typed, tuple(look_up(given.take(LENGTH)) for _ in range(mark >> 1)), bool(mark & 1))


def _put_text(out: bytearray, text: str) -> None:
    encoded = text.encode("utf-8", "replace")
    _put_whole(out, len(encoded))
    out += encoded


def _put_whole(out: bytearray, value: int) -> None:
    """Seven bits a byte, the lowest first."""
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _put_number(out: bytearray, value: float) -> None:
    """Most numbers are whole or have up to three decimals and take few bytes; any other takes all of its own."""
    thousandths = round(value * 1000) if abs(value) < 1e15 else -1
    if thousandths >= 0 and thousandths / 1000 == value:
        _put_whole(out, thousandths << 1)
    else:
        _put_whole(out, 1)
        out += struct.pack(">d", value)


class _Bytes:
    """Bytes, read from their start."""

    def __init__(self, given: bytes) -> None:
        self._given = given
        self._at = 0

    @property
    def left(self) -> int:
        """Bytes not read yet."""
        return len(self._given) - self._at

    def take(self, length: int) -> bytes:
        """The next bytes.

        Raises:
            IndexError: where there are not as many.
        """
        if length > self.left:
            raise IndexError("too short")
        self._at += length
        return self._given[self._at - length : self._at]

    def byte(self) -> int:
        """One byte."""
        return self.take(1)[0]

    def whole(self) -> int:
        """A whole number."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def number(self) -> float:
        """Any number."""
        coded = self.whole()
        if not coded & 1:
            return (coded >> 1) / 1000
        value = struct.unpack(">d", self.take(8))[0]
        if not isfinite(value):
            raise ValueError("no number")
        return value

    def text(self) -> str:
        """A text."""
        return self.take(self.whole()).decode()
