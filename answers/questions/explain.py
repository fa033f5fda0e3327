"""Says why a message was read as it was: what it names, which cues stand in it, and what each intent came to."""

from __future__ import annotations

from collections.abc import Iterable

from answers.questions.cues import BREAK
from answers.questions.learned import learned
from answers.questions.question import Question
from answers.questions.read import Look, Reader
from answers.questions.text import prepare

_WIDTH = 11


def explain(reader: Reader, text: str, lang: str | None = None, previous: Question | None = None) -> str:
    """A few lines for a person, the message itself first."""
    look = reader.look(prepare(text), lang, previous)
    reading = reader.read(text, lang, previous)
    lines = [" ".join(text.split())]

    def say(what: str, said: str) -> None:
        lines.append(f"  {what:<{_WIDTH}} {said}")

    others = [language for language in look.ranked if language != look.language]
    say("language", look.language + (f" (or {', '.join(others)})" if others else ""))
    say("read as", " ".join("." if symbol == BREAK else symbol for symbol in look.found.symbols))
    for what, said in _named(look):
        say(what, said)
    for cue in sorted(look.decision.cues, key=lambda cue: (cue.topic, -cue.weight, cue.first)):
        say("cue", f"{cue.topic} {cue.weight:+g}  {' '.join(look.found.symbols[cue.first : cue.last])}  <- {cue.text!r}")
    scores = sorted(look.decision.scores.items(), key=lambda entry: -entry[1])
    say("scores", ", ".join(f"{intent} {score:.2f}" for intent, score in scores if score > 0) or "none")
    if look.decision.likely is not None:
        guess = learned().guess(look.found.symbols, look.facts, explain=True)
        say("learnt", f"{guess.intent} {guess.likely:.2f}  <- {', '.join(map(repr, guess.because))}")
    say("form", ", ".join(_form(look)))
    also = ", ".join(map(str, reading.question.also_intents))
    say("intent", f"{reading.question.intent}{f' (also {also})' if also else ''}, confidence {reading.confidence:.2f}")
    return "\n".join(lines)


def _named(look: Look) -> Iterable[tuple[str, str]]:
    """What was recognised, as typed, and what it was taken for."""
    found = look.found
    text = found.text
    for span in found.models:
        yield "model", f"{text.typed(span.first, span.last)} -> {_choice(span.names)}"
    for card in found.cards:
        count = f"{card.count} x " if card.count > 1 else ""
        yield "card", f"{card.typed} -> {count}{_choice(card.names)}"
    for name, _ in found.unknown_models:
        yield "model", f"{name} -> not on file"
    for name in found.unknown_cards:
        yield "card", f"{name} -> not on file"
    for memory in found.memories:
        yield "memory", f"{text.typed(memory.first, memory.last)} -> {memory.value:g} GB, {memory.role}"
    for quant in found.quants:
        yield "quant", f"{text.typed(quant.first, quant.last)} -> {quant.name}"
    for what, amounts in (("context", found.contexts), ("size", found.sizes), ("rate", found.rates)):
        for amount in amounts:
            yield what, f"{text.typed(amount.first, amount.last)} -> {amount.value:g}"


def _choice(names: tuple[str, ...]) -> str:
    return names[0] + (f" (or {len(names) - 1} others)" if len(names) > 1 else "")


def _form(look: Look) -> Iterable[str]:
    """What the wording says of whether a question was asked."""
    decision = look.decision
    yield "a question mark" if look.facts.asks else "no question mark"
    yield "worded as a question" if decision.asking else "not worded as a question"
    if decision.stating:
        yield "worded as a statement"
    if decision.follows:
        yield "goes on from something"
    if decision.against:
        yield f"against it {decision.against:g}"
