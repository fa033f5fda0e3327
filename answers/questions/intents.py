"""Decides what is asked, from the cues of the language and from what was recognised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from answers.questions.cues import Cue
from answers.questions.question import Intent
from answers.questions.slots import Entities

RECORD = frozenset(
    (
        Intent.CREATOR,
        Intent.RELEASED,
        Intent.PURPOSE,
        Intent.DOWNLOAD,
        Intent.OPEN_SOURCE,
        Intent.TRAINING_COMPUTE,
        Intent.PARAMETERS,
    )
)
"""Intents that are answered from a model's record alone: whatever hardware is named does not matter to them."""
COMPARING = frozenset((Intent.COMPARE_CARDS, Intent.CHOOSE_GPU, Intent.ACCURACY, Intent.SPEC, Intent.RANK_CARDS))
"""Intents for which each card stands for itself."""
_INTENTS = {str(intent): intent for intent in Intent if intent is not Intent.NONE}
_ORDER = {intent: place for place, intent in enumerate((*tuple(Intent)[1:], Intent.CAN_RUN))}
"""Of two intents that are equally likely the narrower one is meant; "does it run" is the widest."""
_NAMED = frozenset(("<model>", "<size>", "<card>", "<memory>"))
_ASSUMED = 1.9
"""What "does it run" counts for where nothing but the names of a model and of hardware speaks for it."""
_LEAST_ASKED = 1.0
"""The least that is enough behind a question mark."""
_LEAST = 1.5
_CLEAR = 2.0
"""What is enough where a model is named and nothing makes a question of it: a cue of medium strength."""
_ALSO = 3.0
_BARE = 1
"""Words besides names, amounts and small words in a message that only lists them."""
_GENERAL = 3.9
"""What "does it run" counts for at most, since almost every question is worded so; a clear cue for something narrower wins."""
_NEAR = ({Intent.CHOOSE_GPU, Intent.GPU_NEEDED}, {Intent.RANK_CARDS, Intent.GPU_NEEDED})
"""Intents whose cues overlap by nature: one of them is not a further question beside the other."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is asked, and how clearly."""

    intent: Intent
    score: float
    also: tuple[Intent, ...] = ()
    against: float = 0.0
    """The weight of the cues for something that is not for us."""
    asking: bool = False
    """Whether the form is that of a question."""
    stating: bool = False
    """Whether the form is that of a report or an opinion."""
    follows: bool = False
    """Whether it is worded as going on from what was said before."""
    matched: tuple[str, ...] = ()
    strong: bool = False
    """Whether a strong cue speaks for the intent, and none against it."""
    likely: float | None = None
    """How likely the intent is where it was not the cues that decided, but what was learnt from lines."""
    cues: Sequence[Cue] = ()
    """Every cue that was found."""
    scores: Mapping[Intent, float] = field(default_factory=dict[Intent, float])
    """What each intent came to, given what was recognised."""

    @property
    def clear(self) -> bool:
        """Whether the cues leave little doubt."""
        return self.intent is not Intent.NONE and self.score >= 3.0

    @property
    def worth(self) -> float:
        """How much of a message is explained by this decision."""
        return (self.score if self.intent is not Intent.NONE else 0.0) + self.follows + 0.5 * self.asking + 0.5 * self.stating


@dataclass(frozen=True, slots=True)
class Facts:
    """What a decision looks at, besides the cues."""

    models: int
    llm: bool
    cards: int
    clauses: tuple[int, ...]
    together: int
    rig: bool
    memory: bool
    quants: int
    asks: bool
    plain_words: int
    refers: bool
    """Whether an "it" or "that" stands for what was spoken of."""
    asks_vram: bool
    """Whether the word for card memory is said."""
    says_models: bool
    """Whether a word for models, or for what runs them, is said."""
    use: bool
    """Whether it is said what a model is wanted for."""
    named: tuple[int, ...]
    """The symbols that stand for models and hardware."""
    apart: bool
    """Whether cards are named one instead of the other."""
    context: bool = False
    """Whether a context length is stated."""
    mac: bool = False
    """Whether a machine with shared memory is spoken of, by whatever name."""

    @classmethod
    def of(cls, found: Entities) -> Facts:
        """The facts of a message."""
        distinct = {card.names[0] for card in found.cards if card.names}
        memory = any(item.role in {"card", "stated"} for item in found.memories)
        return cls(
            models=len(found.models) + len(found.unknown_models),
            llm=bool(found.models or found.unknown_models or found.sizes),
            cards=len(distinct) + len(found.unknown_cards),
            clauses=tuple(found.clauses),
            together=sum(card.count for card in found.cards)
            or found.count
            or max((item.count for item in found.memories), default=0),
            rig=bool(found.cards or found.unknown_cards or found.count or memory or found.cpu_only),
            memory=memory,
            quants=len({quant.name for quant in found.quants}),
            asks=found.text.asks or "asks" in found.marks,
            plain_words=found.plain_words,
            refers="it" in found.marks,
            asks_vram=found.asks_vram,
            says_models=bool(found.marks & {"model_words", "software"}),
            use=any(mark.startswith("use:") for mark in found.marks),
            named=tuple(place for place, symbol in enumerate(found.symbols) if symbol in _NAMED),
            apart=any(card.alternative for card in found.cards),
            context=bool(found.contexts),
            mac="unified" in found.marks,
        )


def decide(cues: Sequence[Cue], facts: Facts, follows_up: bool = False) -> Decision:
    """The intent that the cues and the facts speak for; ``follows_up`` where a question came before that lends its slots."""
    by_topic: dict[str, list[Cue]] = {}
    for cue in cues:
        by_topic.setdefault(cue.topic, []).append(cue)
    reported = by_topic.get("reported", [])
    # What somebody is said to have said is not asked: "a friend says that it runs".
    said = {(cue.first, facts.clauses[cue.first]) for cue in reported}
    questions = [
        cue
        for cue in by_topic.get("question", ())
        if not any(first <= cue.first and clause == facts.clauses[cue.first] for first, clause in said)
    ]
    asking = facts.asks or bool(questions)
    stating = "statement" in by_topic or bool(reported)
    follows = "followup" in by_topic
    against = _sum(by_topic.get("none", ()))
    if against and max(cue.weight for cue in by_topic["none"]) > 3.0:
        against += 3.0
    scores = {
        intent: _fitted(intent, _sum(by_topic[topic]), facts, follows_up)
        for topic in by_topic
        if (intent := _INTENTS.get(topic)) is not None
    }
    for intent, cue_list in ((intent, by_topic[intent]) for intent in scores):
        if intent is Intent.CAN_RUN:
            most = max(cue.weight for cue in cue_list)
            scores[intent] = min(scores[intent], _GENERAL if most >= 3.0 else _ASSUMED) if most <= 3.0 else scores[intent]
        elif scores[intent] >= 2.5 and any(cue.weight >= 3.0 for cue in cue_list):
            scores[intent] += 3.0 if any(cue.weight > 3.0 for cue in cue_list) else 1.0
    if facts.llm and facts.rig and facts.context and all(cue.weight <= 2.0 for cue in by_topic.get("max_context", ())):
        # "phi-4, 4070 ti, 16k ctx. yes? no?": a context that is stated is a condition, unless it is asked about.
        scores.pop(Intent.MAX_CONTEXT, None)
    _assume(scores, facts, asking, stating, follows_up)
    best = max(scores, key=lambda intent: (round(scores[intent], 6), -_ORDER[intent]), default=Intent.NONE)
    score = scores.get(best, 0.0)
    matched = tuple(cue.text for cue in cues if cue.topic in {best, "none", "statement", "question"})
    weights = [cue.weight for cue in by_topic.get(best, ())]
    strong = max(weights, default=0.0) >= 3.0 and min(weights) > 0
    # What is not worded as a question needs a clear cue, or names alone, to count as one: most such messages are reports.
    # "best quant of gemma 3 27b for a 4090" is worded as one.
    # "anyone get phi-3 going on a 1070" names both and is worded clearly.
    most = max(weights, default=0.0)
    widest = best is Intent.CAN_RUN and most <= 3.0 and not (most == 3.0 and facts.llm and facts.rig and not against)
    unasked = not asking and (stating or widest or not (strong or (facts.llm and score >= _CLEAR))) and facts.plain_words > _BARE
    plainly = facts.asks or (asking and facts.llm and not stating)
    least = _LEAST_ASKED if plainly and not against else _LEAST
    if score < least or against >= score or unasked or (stating and not asking):
        return Decision(Intent.NONE, score, (), against, asking, stating, follows, matched, cues=cues, scores=scores)
    after: tuple[Intent, ...] = ()
    if _asked_first(by_topic, best, scores, facts):
        after, best, score = (best,), Intent.CAN_RUN, scores.get(Intent.CAN_RUN, _ASSUMED)
    also = tuple(dict.fromkeys((*after, *_also(scores, by_topic, best, facts))))
    return Decision(best, score, also, against, asking, stating, follows, matched, strong, cues=cues, scores=scores)


def _sum(cues: Sequence[Cue]) -> float:
    """Cues of one topic support each other, each further one less."""
    if len(cues) == 1:
        return max(cues[0].weight, 0.0)
    weights = sorted((cue.weight for cue in cues), reverse=True)
    against = min(weights[-1], 0.0) if weights else 0.0
    return max(sum(weight / 2**place for place, weight in enumerate(weights[:3]) if weight > 0) + against, 0.0)


def _fitted(intent: Intent, score: float, facts: Facts, follows_up: bool) -> float:
    """The score of an intent, given whether the message has what that intent is about."""
    llm = facts.llm or follows_up
    rig = facts.rig or follows_up
    if intent in RECORD:
        if intent is Intent.PURPOSE and facts.rig:
            # "what context can it do on a 3060"
            score *= 0.6
        if intent is Intent.OPEN_SOURCE and facts.rig:
            # "is mixtral ok on an m3 max"
            score *= 0.9
        if intent is Intent.PARAMETERS and facts.says_models and not facts.models:
            # Nothing but a model has parameters, on file or not.
            return 0.6 * score
        return score if facts.models or follows_up else 0.0
    if intent is Intent.CAN_RUN:
        if facts.llm and facts.rig:
            return score + 1.0
        # A card by itself may be asked about for anything: "does a 4090 fit in this case".
        spoken = llm or (rig and (facts.refers or facts.says_models))
        return score if llm and rig else (0.7 if spoken else 0.45 if facts.refers else 0.3) * min(score, _GENERAL)
    if intent is Intent.COMPARE_CARDS:
        if facts.cards == 1 and follows_up:
            return score
        if not facts.cards and score < 3.0:
            # "why is moe faster than dense"
            return 0.2 * score
        return score + (1.5 if score >= 3.0 else 0.5) if facts.cards >= 2 else 0.4 * score
    if intent is Intent.COMPARE_MODELS:
        return score + 1.0 if facts.models >= 2 else 0.2 * score
    if intent is Intent.WHAT_CAN_CARD_RUN:
        return (0.4 if facts.models else 1.0 if rig else 0.7) * score
    if intent is Intent.SPEC:
        if facts.cards and facts.llm:
            return 0.4 * score
        return score if facts.cards or facts.models or follows_up else 0.0
    if intent is Intent.TWO_GPUS:
        return score + 1.0 if facts.together >= 2 and score >= 3.0 else score
    if intent is Intent.ACCURACY:
        # "answer", "math" and "value" are said of anything.
        return score if score >= 2.0 else 0.5 * score
    if intent is Intent.RANK_CARDS:
        # Of two cards that are named the faster one is found by comparing them.
        return 0.5 * score if facts.cards >= 2 else score
    if intent is Intent.QUANT_DIFFERS:
        # "why is moe faster than dense" names no quant, nor a word for one.
        return score + 1.0 if facts.quants >= 2 else score if facts.quants or score >= 2.0 else 0.3 * score
    if intent is Intent.VRAM_NEEDED and not (llm or rig or facts.asks_vram or facts.says_models or (facts.refers and facts.asks)):
        # "how much does your pc draw"
        return 0.3 * score
    if intent in {Intent.VRAM_NEEDED, Intent.MAX_CONTEXT, Intent.SPEED}:
        return score if llm or rig else 0.6 * score
    if intent is Intent.CHOOSE_GPU:
        if facts.quants >= 2 and not facts.cards:
            # "is q8 worth it over q6"
            return 0.3 * score
        # Who names the model asks what runs it; who names two cards, or speaks of buying, asks which to take.
        return score - 1.0 if facts.models and facts.cards < 2 and score < 5.0 else score
    if intent is Intent.GPU_NEEDED:
        return score if llm else 0.7 * score
    return score


def _assume(scores: dict[Intent, float], facts: Facts, asking: bool, stating: bool, follows_up: bool) -> None:
    """A model and hardware and a question mark ask whether it runs, whatever the words; so does a bare pair of names."""
    if facts.llm and facts.rig and not stating:
        bare = facts.plain_words <= _BARE
        if facts.asks or bare or asking:
            scores[Intent.CAN_RUN] = max(scores.get(Intent.CAN_RUN, 0.0), _ASSUMED if facts.asks else _LEAST)
    if not scores and not follows_up and facts.plain_words == 0 and facts.llm != facts.rig and facts.models < 2 and not stating:
        # Who says nothing but a name wants to know what it is good for here: "3090" what it runs, "qwen3" what runs it.
        scores[Intent.GPU_NEEDED if facts.llm else Intent.WHAT_CAN_CARD_RUN] = _LEAST
    if facts.rig and facts.use and asking and not facts.llm:
        # "what's good for coding on a 3090"
        scores[Intent.WHAT_CAN_CARD_RUN] = max(scores.get(Intent.WHAT_CAN_CARD_RUN, 0.0), 2.0)
    if facts.llm and not facts.rig and facts.asks and facts.asks_vram and max(scores.values(), default=0.0) < 3.0:
        # "qwen2.5 32b, 8 bit, 32k context. vram?"
        scores[Intent.VRAM_NEEDED] = max(scores.get(Intent.VRAM_NEEDED, 0.0), 3.0)
    if facts.cards and not facts.llm and Intent.VRAM_NEEDED in scores and not facts.memory:
        # "how much vram does a 3090 have"
        scores[Intent.SPEC] = max(scores.get(Intent.SPEC, 0.0), scores.pop(Intent.VRAM_NEEDED))


def _clauses(cues: Sequence[Cue], clauses: tuple[int, ...]) -> set[int]:
    """The clauses that strong cues stand in; one that reaches across clauses counts only where none stands in a single one."""
    strong = [cue for cue in cues if cue.weight >= 3.0]
    inside = [cue for cue in strong if clauses[cue.first] == clauses[cue.last - 1]]
    return {clauses[index] for cue in inside or strong for index in range(cue.first, cue.last)}


def _asked_first(by_topic: dict[str, list[Cue]], best: Intent, scores: dict[Intent, float], facts: Facts) -> bool:
    """Whether "does it run" is asked in a clause of its own before the narrower question: "can a 4060 run it, and how fast?"."""
    clauses = facts.clauses
    narrow = _clauses(by_topic.get(best, ()), clauses)
    if best is Intent.SPEED and facts.llm and facts.rig and narrow:
        # "yi 34b on two 2080 ti, and how fast?": what is named first asks whether it runs at all.
        added = {clauses[cue.first] for cue in by_topic.get("followup", ())}
        named = {clauses[index] for index in facts.named}
        if narrow <= added and max(named) < min(narrow):
            return True
    if best in {Intent.CAN_RUN, Intent.FITS_NOT} or scores.get(Intent.CAN_RUN, 0.0) < _GENERAL:
        return False
    own = _clauses(by_topic[Intent.CAN_RUN], clauses) - narrow
    asked = {clauses[cue.first] for cue in by_topic.get("question", ())}
    return bool(own and narrow and min(own) < min(narrow) and min(own) in asked and narrow & asked)


def _also(scores: dict[Intent, float], by_topic: dict[str, list[Cue]], best: Intent, facts: Facts) -> tuple[Intent, ...]:
    """Further questions: other intents with a clear cue of their own in another clause that is worded as a question."""
    if facts.cards < 2 and not facts.mac and sum(score >= _ALSO for score in scores.values()) < 2:
        return ()
    clauses = facts.clauses
    own = {clauses[place] for cue in by_topic.get(best, ()) if cue.weight >= 3.0 for place in range(cue.first, cue.last)}
    asked = {clauses[cue.first] for cue in by_topic.get("question", ())}
    # Which quant leaves room for a context weighs one against the other.
    sized = best is Intent.CAN_RUN and any(cue.weight > 3.0 for cue in by_topic.get("can_run", ()))
    found: list[tuple[int, Intent]] = []
    for intent, score in scores.items():
        implied = intent is Intent.CAN_RUN and best not in RECORD and (best is Intent.FITS_NOT or not (facts.llm and facts.rig))
        if intent is best or score < _ALSO or implied or any({intent, best} == pair for pair in _NEAR):
            continue
        places = [
            cue.first
            for cue in by_topic.get(intent, ())
            if cue.weight >= 3.0
            and ((sized and intent is Intent.MAX_CONTEXT) or own.isdisjoint(clauses[cue.first : cue.last]))
            # "it says there is not enough memory, shouldn't that fit" doubts what it says, without asking it.
            and (intent in {Intent.ACCURACY, Intent.MAX_CONTEXT} or clauses[cue.first] in asked)
        ]
        if places:
            found.append((min(places), intent))
    also = [intent for _, intent in sorted(found)]
    weighed = facts.cards >= 2 and any(cue.weight >= 3.0 for cue in by_topic.get("compare_cards", ()))
    # "a mac or a 5090" weighs two as well.
    two = facts.cards >= 2 or (facts.cards == 1 and facts.mac)
    # Two of one and one of another are weighed, one of each are put together.
    against = facts.apart or (weighed and facts.together > facts.cards)
    compared = two and (against if best is Intent.TWO_GPUS else best is Intent.CHOOSE_GPU)
    slower = best is Intent.SPEED and weighed
    if (compared or slower) and Intent.COMPARE_CARDS not in also:
        # Who weighs two cards compares them.
        also.append(Intent.COMPARE_CARDS)
    return tuple(also)
