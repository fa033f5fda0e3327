"""Prepares a message for reading: Discord's markup goes, the words stay."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from answers.catalogue.atoms import Token, clean, fold, tokenise

LONGEST = 8_000
"""Characters of a message that are looked at; twice the longest message that Discord sends."""
MOST_TOKENS = 240
"""Tokens that are read. A longer message is read at both ends, where people put the setting and the question."""

_MENTION = re.compile(r"<(?:[@#][!&]?|a?:\w{1,40}:|t:)[0-9]{1,24}(?::[a-zA-Z])?>")
_URL = re.compile(r"https?://(\S{1,2000})")
_NAMES_A_MODEL = re.compile(r"(?:www\.)?(?:huggingface\.co|hf\.co|ollama\.com/library)/([\w./-]{1,200})")
# "8xA100" and "A100x8": the sign of the count would stick to the name.
_COUNT_BEFORE = re.compile(r"(?<![0-9A-Za-z.])([0-9]{1,2})[xX](?=[A-Za-z])")
# In "codegeex4" it belongs to the name.
_COUNT_BEHIND = re.compile(
    r"(?:(?<=[0-9])[xX]|(?<=[0-9][gG])[xX]|(?<=[gG][bB])[xX]|(?<=[tT][iI])[xX]|(?<=[rRtT])[xX](?=[0-9](?![0-9]))"
    r"|(?<=[0-9A-Za-z])\*)([0-9]{1,2})(?![0-9A-Za-z.])"
)
# "unsloth/Qwen3-30B-A3B-GGUF", "hf.co/bartowski/Llama-3.2-3B": who published a file says nothing about the model.
_OWNER = re.compile(
    r"(?<![\w/.-])(?:[A-Za-z][\w.-]{0,60}/){1,3}(?=[A-Za-z][A-Za-z.]{0,30}[\w.]{0,30}-[\w.-]{0,80}\d|[A-Za-z]+\d[\w.]*:\d)"
)
# "7b's", "70bs", "3090's": English plurals of sizes and cards.
_PLURAL = re.compile(r"(?<=[0-9])([bB]?)'[sS](?![A-Za-z])|(?<=[0-9])([bB])s(?![A-Za-z])")
_FENCE = re.compile(r"```[a-zA-Z]{0,12}\n")
# Who types Cyrillic leaves its letters in numbers and names: "32к", "2х3090", "8б"; "а100", "р40", "м1", and "р1" for R1.
_CYRILLIC = re.compile(
    r"(?<=[0-9])(?:[кбтх]|(?<![0-9]{4})г)(?![^\W0-9_])|(?<![^\W_])(?:[акнлмрт](?=[0-9])|в(?=100))", re.IGNORECASE
)
_LATIN = str.maketrans("абвгкнлмртхАБВГКНЛМРТХ", "abvgkhlmptxABVGKHLMPTX")
_R1 = re.compile(r"(?<![^\W_])[рР](?=1(?![0-9]))")


@dataclass(frozen=True, slots=True)
class Text:
    """A message as it is read."""

    cleaned: str
    folded: str
    """In lower case without accents; offsets are those of ``cleaned``."""
    tokens: tuple[Token, ...]

    def typed(self, first: int, last: int) -> str:
        """What was typed for tokens ``first`` to ``last`` (exclusive)."""
        if first >= last:
            return ""
        return self.cleaned[self.tokens[first].start : self.tokens[last - 1].end]

    @property
    def asks(self) -> bool:
        """Whether a question mark stands in it."""
        return not _QUESTION_MARKS.isdisjoint(self.cleaned) and any(token.text in _QUESTION_MARKS for token in self.tokens)

    @property
    def addressed(self) -> bool:
        """Whether it is said to somebody by name: "@bob did you try it", "hey @bob"."""
        if "@" not in self.cleaned:
            return False
        first = self.tokens[:3]
        return any(
            sign.text == "@" and name.glued and not (place and sign.glued) and name.text.isalpha()
            for place, (sign, name) in enumerate(pairwise(first))
        )


_QUESTION_MARKS = frozenset("?¿؟？")


def prepare(raw: str) -> Text:
    """The text without mentions, links, quoted lines and markup; total work is linear in its length."""
    text = raw if len(raw) <= LONGEST else raw[: LONGEST // 2] + "\n" + raw[-LONGEST // 2 :]
    if ">" in text:
        text = _MENTION.sub(" ", text)
        own = [line for line in text.split("\n") if not line.lstrip().startswith(("> ", ">>> "))]
        text = "\n".join(own) if any(line.strip() for line in own) else text
    if "://" in text:
        text = _URL.sub(_link, text)
    if "/" in text:
        text = _OWNER.sub(" ", text)
    if "```" in text:
        text = _FENCE.sub("\n", text)
    cleaned = clean(text)[: 2 * LONGEST]
    if not cleaned.isascii():
        cleaned = _CYRILLIC.sub(lambda match: match[0].translate(_LATIN), _R1.sub("r", cleaned))
    if "s" in cleaned:
        cleaned = _PLURAL.sub(r"\1\2", cleaned)
    if "x" in cleaned or "X" in cleaned or "*" in cleaned:
        cleaned = _COUNT_BEHIND.sub(r" x\1", _COUNT_BEFORE.sub(r"\1 x ", cleaned))
    tokens = tokenise(cleaned)
    if len(tokens) > MOST_TOKENS:
        half = MOST_TOKENS // 2
        cleaned = cleaned[: tokens[half - 1].end] + "\n" + cleaned[tokens[-half].start :]
        tokens = tokenise(cleaned)
    return Text(cleaned, fold(cleaned), tuple(tokens))


def _link(match: re.Match[str]) -> str:
    """A link says nothing, except one to a model's page, which names it."""
    page = _NAMES_A_MODEL.match(match[1])
    return f" {page[1].rstrip('/').rpartition('/')[2]} " if page else " "
