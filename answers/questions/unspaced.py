"""Chinese, Japanese and Korean, where no space says that a word ends: each character is a token, a word is a run of them.

What elsewhere is counted in words ("a memory within three words of the card") is counted here in parts of a word, and names written
in these scripts are spelled as they are on file before anything looks for them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate

from answers.catalogue.atoms import UNSPACED, Token, number, tokenise

Runs = Mapping[str, Sequence[tuple[str, str]]]
"""The first character of a spelling -> the spelling and the name that it stands for, longest first."""

HAN_WORD = 1 / 2
SYLLABLE_WORD = 5 / 16
"""Parts of a word: a Chinese word has about two characters, one in Kana or Hangul three. Sums of these are exact."""
_FIRST = "\u3005"
"""The first of their characters."""
_HUNDRED_MILLIONS = frozenset("亿億억")


def is_unspaced(token: Token) -> bool:
    """Whether a token is a character of one of these scripts."""
    return token.text >= _FIRST and UNSPACED.match(token.text) is not None


def _has_unspaced(tokens: Sequence[Token]) -> bool:
    """Whether one of the tokens is such a character; most messages hold none, which the greatest of them tells."""
    return max([token.text for token in tokens], default="") >= _FIRST and any(map(is_unspaced, tokens))


def places(tokens: Sequence[Token]) -> Sequence[float]:
    """How many words stand before each token, and before the end."""
    if not _has_unspaced(tokens):
        return range(len(tokens) + 1)
    sizes = (1.0 if not is_unspaced(token) else HAN_WORD if "㐀" <= token.text[0] <= "鿿" else SYLLABLE_WORD for token in tokens)
    return list(accumulate(sizes, initial=0.0))


def runs_of(spelled: Mapping[str, str]) -> Runs:
    """The spellings in these scripts, as ``respelled`` looks them up."""
    runs: dict[str, list[tuple[str, str]]] = {}
    for spelling in sorted(spelled, key=len, reverse=True):
        if UNSPACED.match(spelling):
            runs.setdefault(spelling[0], []).append((spelling, spelled[spelling]))
    return runs


def respelled(tokens: Sequence[Token], runs: Runs) -> Sequence[Token]:
    """The tokens with "千问" as qwen and "70亿" (70 times a hundred million) as 7b."""
    if not _has_unspaced(tokens):
        return tokens
    said = "".join(token.text if is_unspaced(token) else "\0" for token in tokens)
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        name = next((entry for entry in runs.get(token.text, ()) if said.startswith(entry[0], index)), None)
        value = number(kept[-1].text) if kept and token.text in _HUNDRED_MILLIONS else None
        if name is not None:
            end = tokens[index + len(name[0]) - 1].end
            kept.extend(
                Token(part.text, token.start, end, part.glued if place else token.glued)
                for place, part in enumerate(tokenise(name[1]))
            )
            index += len(name[0])
            continue
        if value is not None:
            kept[-1] = kept[-1]._replace(text=f"{value / 10:g}")
            token = token._replace(text="b", glued=True)
        kept.append(token)
        index += 1
    return kept


def count_behind(tokens: Sequence[Token], last: int, counts: Mapping[int, tuple[int, int]], starts: Collection[int]) -> int | None:
    """How many, where that is said behind the name: "3090两张", "3090を2枚", "3090 두 장".

    Args:
        tokens: the message.
        last: the token behind the name.
        counts: the token behind a count -> how many, and where the count starts.
        starts: first tokens of the names of the message: what stands right before one of them counts that one.
    """
    for end, (count, first) in counts.items():
        beside = first == last or (first == last + 1 and is_unspaced(tokens[last]))
        if count > 1 and beside and end not in starts and is_unspaced(tokens[end - 1]):
            return count
    return None


def plain_words(symbols: Sequence[str], small: Collection[str]) -> int:
    """Words besides names, amounts and the small words between them; two characters make a word."""
    plain = [symbol for symbol in symbols if symbol.isalpha() and symbol not in small]
    characters = sum(UNSPACED.match(symbol) is not None for symbol in plain)
    return len(plain) - characters + (characters + 1) // 2
