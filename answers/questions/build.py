"""Builds a question from what was recognised and what is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from answers.questions.hardware import MOST_CARDS
from answers.questions.intents import COMPARING, RECORD, Decision
from answers.questions.question import Cards, Intent, Order, Question, Use
from answers.questions.slots import CardNamed, Entities, Memory

_TOGETHER = 5
"""Different cards that one message may use together."""


_CHOOSING = frozenset((Intent.RANK_CARDS, Intent.GPU_NEEDED, Intent.CHOOSE_GPU, Intent.NONE))
"""Intents that a vendor narrows; what asks nothing by itself may go on from one of them ("and amd?")."""


_BY_SPEED = frozenset((Intent.RANK_CARDS, Intent.GPU_NEEDED, Intent.CHOOSE_GPU))
"""Intents that a speed narrows to the cards that reach it."""


_ON_MEMORY = frozenset((Intent.CAN_RUN, Intent.SPEED, Intent.MAX_CONTEXT, Intent.FITS_NOT, Intent.WHAT_CAN_CARD_RUN))
"""Intents that are answered for each of several amounts of memory by itself."""
_NAMES_CARDS = 2.0
"""What the cues for which card to take must come to beside those for a speed."""
_SIZES = 4
"""So many of them."""
_COPIES = 6
"""So many copies of a model are added up."""
_QUANTS = 4
"""So many quants are compared."""


def build_question(found: Entities, decision: Decision, is_unified: Callable[[str], bool]) -> Question:
    """The question, its cards as if used together wherever the intent does not set them against each other."""
    intent = _settled(found, decision)
    models = tuple(dict.fromkeys(span.names[0] for span in found.models))
    candidates = {found.text.typed(span.first, span.last): span.names for span in found.models if len(span.names) > 1}
    about_hardware = intent not in RECORD
    cards: tuple[Cards, ...] = ()
    n_cards = 1
    memory: Memory | None = None
    if about_hardware:
        cards = _cards(found.cards)
        candidates |= {card.typed: card.names for card in found.cards if len(card.names) > 1}
        memory = _memory(found, intent)
        if not cards:
            # "top 10 cards" are not ten cards used together.
            n_cards = (found.count if intent not in COMPARING else None) or (memory.count if memory else 1)
        elif intent is Intent.TWO_GPUS and not _weighed(found, decision):
            # Whether "my old 1080 Ti next to it" helps is asked of both, however far apart they stand.
            n_cards = min(sum(card.count for card in cards), MOST_CARDS)
        elif intent not in COMPARING and intent is not Intent.TWO_GPUS and not any(card.alternative for card in found.cards):
            n_cards = min(sum(card.count for card in cards), MOST_CARDS)
        elif intent not in COMPARING:
            n_cards = cards[0].count
        if intent is Intent.TWO_GPUS and n_cards == 1 and len(cards) < 2:
            # "would another one help", "do amd and nvidia work together"
            n_cards = 2
            cards = tuple(card.model_copy(update={"count": 2}) for card in cards)
    copied = intent is Intent.CAN_RUN and len(models) == 1 and 1 < found.copies <= _COPIES
    if copied:
        models *= found.copies
    unknown, kind, parameters = _unknown(found, models)
    quant, at_least = _quant(found)
    ram = next((item.value for item in found.memories if item.role == "ram"), None)
    unified = ("unified" in found.marks and not cards) or any(is_unified(card.name) for card in cards)
    question = Question(
        intent=intent,
        also_intents=decision.also,
        models=models,
        cards=cards,
        apart=intent is Intent.TWO_GPUS and len(cards) > 1 and any(card.instead for card in found.cards),
        cards_stated=found.cards_stated if about_hardware else None,
        n_cards=max(n_cards, 1),
        memory_gb=memory.value if memory else None,
        memory_at_most=bool(memory and memory.at_most) and intent in _CHOOSING,
        memory_usable=bool(memory and memory.usable),
        unified=unified and about_hardware,
        cpu_only=found.cpu_only and about_hardware,
        ram_gb=ram if about_hardware else None,
        ram_gb_s=found.ram_gb_s if about_hardware else None,
        # "FP16 on a P40, supported?" asks about a number format, not for a quant.
        quant=None if at_least or intent is Intent.SPEC else quant,
        quants=_compared(found) if intent is Intent.QUANT_DIFFERS else (),
        min_quality=quant if at_least else None,
        context=_context(found, intent),
        kv=found.kv,
        about_cache=found.asks_cache and intent is Intent.VRAM_NEEDED and bool(models),
        reported_tok_s=next((rate.value for rate in found.rates if rate.value > 0), None) if intent is Intent.SPEED else None,
        output_tokens=found.outputs[0].value if found.outputs and intent is Intent.SPEED else None,
        parameters=parameters,
        min_speed=next((rate.value for rate in found.rates if rate.value > 0), None) if intent in _BY_SPEED else None,
        max_power_w=found.powers[0].value if found.powers and intent in _CHOOSING else None,
        vendor=_marked(found, "vendor") if intent in _CHOOSING else None,
        order=_order(found, intent),
        use=_use(found),
        commercial=intent is Intent.OPEN_SOURCE and "commercial" in found.marks,
        at_once=copied or (intent is Intent.CAN_RUN and "at_once" in found.marks and len(models) > 1),
        candidates=candidates,
        unknown=unknown,
        unknown_kind=kind,
    )
    # Which slots were passed is of no use to anybody, and noting it takes as much memory as the slots, in every talk remembered.
    object.__setattr__(question, "__pydantic_fields_set__", set())
    return question


def _settled(found: Entities, decision: Decision) -> Intent:
    """The intent by what is named: "which gpu gives me 50 t/s on qwen3 32b" asks for a card, and not how fast it is."""
    of_cards = max(decision.scores.get(intent, 0.0) for intent in _BY_SPEED)
    hardware = found.cards or found.memories or found.cpu_only
    if decision.intent is Intent.QUANT_DIFFERS and len(found.sizes) + len(found.models) > 1 and len(found.quants) > 1:
        # "is a q2 70b better than a q8 14b" weighs models, of which nothing is on file.
        return Intent.NONE
    if decision.intent is Intent.COMPARE_MODELS and hardware and "at_once" in found.marks:
        # Models that are to run at the same time are not set against each other.
        return Intent.CAN_RUN
    if decision.intent is Intent.SPEED and found.rates and not hardware and of_cards >= _NAMES_CARDS:
        return Intent.RANK_CARDS
    return decision.intent


def _weighed(found: Entities, decision: Decision) -> bool:
    """Whether cards are set against each other in a question of how many to use: "two 4060 Ti or one 3090"."""
    counted = any(card.count > 1 for card in found.cards)
    return any(card.instead for card in found.cards) or (counted and Intent.COMPARE_CARDS in decision.also)


def split_alternatives(question: Question, found: Entities) -> list[Question]:
    """One question per card or amount of memory, where they are named one instead of the other; else the question itself."""
    memories = [item for item in found.memories if item.role in {"card", "stated"} and not item.usable]
    sizes = list(dict.fromkeys(item.value for item in memories))
    if not question.cards and question.intent in _ON_MEMORY and len(sizes) > 1 and all(item.alternative for item in memories[1:]):
        # "does it fit in 16 or 24 GB"
        return [
            question.model_copy(update={"memory_gb": size} | ({"also_intents": ()} if place else {}))
            for place, size in enumerate(sizes[:_SIZES])
        ]
    alternatives = [card.names[0] for card in found.cards if card.alternative and card.names]
    if not alternatives or question.intent in COMPARING or question.intent is Intent.TWO_GPUS:
        return [question]
    first = tuple(card for card in question.cards if card.name not in alternatives) or question.cards[:1]
    rest = [card for card in question.cards if card not in first]
    count = min(sum(card.count for card in first), MOST_CARDS)
    own = question.model_copy(update={"cards": first, "n_cards": count})
    return [
        own,
        *(question.model_copy(update={"cards": (card,), "n_cards": card.count, "also_intents": ()}) for card in rest),
    ]


def _cards(named: list[CardNamed]) -> tuple[Cards, ...]:
    counts: dict[str, int] = {}
    for card in named:
        if card.names:
            counts[card.names[0]] = max(counts.get(card.names[0], 0), card.count)
    return tuple(Cards(name=name, count=min(max(count, 1), MOST_CARDS)) for name, count in list(counts.items())[:_TOGETHER])


def _memory(found: Entities, intent: Intent) -> Memory | None:
    """The memory that is asked about: what is usable before what the card has, and of several the first."""
    suits = [item for item in found.memories if item.role in {"card", "stated"}]
    if intent in {Intent.VRAM_NEEDED, Intent.ACCURACY} and not found.cards:
        # "was it 92 GB or more like 120?" names what is asked for, not what there is.
        suits = [item for item in suits if item.role == "card"]
    for wanted in (
        [item for item in suits if item.usable],
        [item for item in suits if item.count > 1],
        [item for item in suits if item.role == "card"],
        suits,
    ):
        if wanted:
            return wanted[0]
    return None


def _unknown(found: Entities, models: tuple[str, ...]) -> tuple[tuple[str, ...], Literal["model", "card"] | None, float | None]:
    size = found.sizes[0].value if found.sizes else None
    if found.unknown_models:
        names = tuple(dict.fromkeys(name for name, _ in found.unknown_models))
        stated = next((value for _, value in found.unknown_models if value), None)
        return names, "model", None if models else stated
    if found.unknown_cards:
        return tuple(dict.fromkeys(found.unknown_cards)), "card", None if models else size
    return (), None, None if models else size


def _quant(found: Entities) -> tuple[str | None, bool]:
    """The first quant named, and whether it is the least that is accepted."""
    if not found.quants:
        return None, False
    return found.quants[0].name, "at_least" in found.marks


def _compared(found: Entities) -> tuple[str, ...]:
    """The quants of a question about what they cost. Why one is shown here and another there asks about cards instead."""
    if found.asks_why:
        return ()
    return tuple(dict.fromkeys(quant.name for quant in found.quants))[:_QUANTS]


def _context(found: Entities, intent: Intent) -> int | None:
    values = [amount.value for amount in found.contexts]
    if not values:
        return None
    if intent is Intent.CHOOSE_GPU and "context" not in found.marks:
        # "3k to spend, what do i build"
        return None
    if intent is Intent.MAX_CONTEXT and len(set(values)) > 1:
        # "supports 8k, not 16k": the figures are what is asked about, not a wish.
        return None
    return int(max(values))


def _marked(found: Entities, kind: str) -> str | None:
    return next((mark.partition(":")[2] for mark in sorted(found.marks) if mark.startswith(kind + ":")), None)


def _order(found: Entities, intent: Intent) -> Order | None:
    order = _marked(found, "order")
    if (intent in _CHOOSING - {Intent.CHOOSE_GPU} or found.powers) and order in {"fastest", "smallest", "slowest"}:
        return order  # type: ignore[return-value]
    return None


def _use(found: Entities) -> Use | None:
    use = _marked(found, "use")
    return use if use in {"general", "code", "reasoning", "vision", "base"} else None  # type: ignore[return-value]
