"""Cuts text into tokens and names into atoms, the pieces by which a typed name and a name on file are compared.

"RTX 4070 Ti SUPER", "rtx4070tisuper" and "4070 ti super" are the same atoms; so are "llama3.1:8b" and "Llama 3.1 8B". Names on
file and running text go through the same functions, so that whatever is done to one is done to the other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

# Marks are dropped from Latin letters only: in Japanese or Hindi a mark makes another letter.
_PLAIN = {
    code: plain
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))
    if len(plain := unicodedata.normalize("NFD", chr(code))[0]) == 1 and plain.isascii()
} | {ord("ё"): "е", ord("ß"): "s", ord("ø"): "o", ord("đ"): "d", ord("ł"): "l", ord("ı"): "i"}
# Traditional Chinese is compared as simplified, and so is Japanese, message and cue alike.
_SIMPLE = str.maketrans(
    "顯張兩嗎個麼記憶體夠裝載筆電腦錢價買賣誰開發訓練參數長實測準對還會為樣選換單雙專層來時後轉應點問請謝遊戲驅動圖畫聲風讓這說話機現從與過當給經驗類種條雖貴貨運網頁調適關閉軟臺號業學語鏈結許證協議權費術規頻寬億萬幾塊確總儲連線輸報錯設計較異難離觀約餘滿損質場併劃級進階腳據義極擴圍頂",
    "显张两吗个么记忆体够装载笔电脑钱价买卖谁开发训练参数长实测准对还会为样选换单双专层来时后转应点问请谢游戏驱动图画声风让这说话机现从与过当给经验类种条虽贵货运网页调适关闭软台号业学语链结许证协议权费术规频宽亿万几块确总储连线输报错设计较异难离观约余满损质场并划级进阶脚据义极扩围顶",
)
_FOLDED = _PLAIN | _SIMPLE
_INVISIBLE = dict.fromkeys(
    code for code in (0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF, *range(0xFE00, 0xFE10))
)
# The one letter whose lower case is longer than itself: left alone it would shift every offset behind it.
_CLEAN = _INVISIBLE | {0x130: "I", ord("’"): "'", ord("‘"): "'", ord("´"): "'", ord("×"): "x", ord("–"): "-", ord("—"): "-"}

_ALONE = r"\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
UNSPACED = re.compile(rf"[{_ALONE}]+")
"""A run of Chinese, Japanese or Korean, which puts no spaces where a word ends: each of its characters is a token."""
_TOKEN = re.compile(
    r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])"  # 32,768
    r"|[0-9]+,[0-9](?![0-9,])"  # 6,7 (a decimal comma)
    r"|[0-9]+(?:\.[0-9]+)*"
    rf"|[{_ALONE}]"  # scripts without spaces: a character is a token
    rf"|[^\W\d_{_ALONE}]+"
    r"|[^\w\s]|_|\n"
)
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_CLITIC = frozenset(("s", "t", "re", "ve", "ll", "d", "m"))

BRANDS = frozenset(("geforce", "rtx", "gtx", "gt", "gts", "radeon", "rx", "hd", "tesla", "quadro", "nvidia", "amd", "ati", "intel"))
"""Words before a card's number that people get wrong or leave out."""

_GLUED_SUFFIX = re.compile(r"(?:ti|super|xtx|xt|gre|laptop|mobile|max|pro|ultra|ada|oem)+")
_SUFFIX = re.compile(r"ti|super|xtx|xt|gre|laptop|mobile|max|pro|ultra|ada|oem")
GIGABYTES = frozenset(("gb", "g", "gib", "go", "gigs", "gig", "gigabytes", "gigabyte"))
_ALSO = {"laptop": "mobile", "tis": "ti", "xts": "xt", "xtxs": "xtx", "supers": "super"}
"""Words of a card's name that are said otherwise: "two 1080 Tis"."""
_BILLIONS = frozenset(("b", "bn"))


class Token(NamedTuple):
    """A word, a number or a mark of the cleaned text."""

    text: str
    """In lower case, without accents."""
    start: int
    end: int
    glued: bool
    """Whether nothing stands between it and the token before."""


class Atom(NamedTuple):
    """A piece of a name, and the tokens it covers."""

    text: str
    first: int
    last: int
    """Exclusive."""


def clean(text: str) -> str:
    """The text with compatibility forms unified and invisible characters gone, as its offsets are counted."""
    if text.isascii():
        return text
    if "，" in text:
        # Unified it would be the comma of a number: "1650，8G".
        text = text.replace("，", ", ")
    return unicodedata.normalize("NFKC", text).translate(_CLEAN)


def fold(text: str) -> str:
    """Lower case without accents, Chinese characters in their simple form; as long as the cleaned text."""
    low = text.lower()
    return low if low.isascii() else low.translate(_FOLDED)


def tokenise(cleaned: str) -> list[Token]:
    """The tokens of a cleaned text, in time linear in its length."""
    tokens: list[Token] = []
    before = -1
    for match in _TOKEN.finditer(fold(cleaned)):
        start, end = match.span()
        tokens.append(Token(match[0], start, end, start == before))
        before = end
    return _join_clitics(tokens) if "'" in cleaned else tokens


def covered(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """The first token that a piece of the text covers, and the one behind its last; the same where it covers none."""
    first = next((index for index, token in enumerate(tokens) if token.end > start), len(tokens))
    return first, next((index for index in range(first, len(tokens)) if tokens[index].start >= end), len(tokens))


def texts(cleaned: str) -> list[str]:
    """The texts of the tokens of a cleaned text, where nobody asks where they stand."""
    if "'" in cleaned:
        return [token.text for token in tokenise(cleaned)]
    return _TOKEN.findall(fold(cleaned))


def _join_clitics(tokens: Sequence[Token]) -> list[Token]:
    """English drops its apostrophes as often as not: "what's" and "whats" are one token, "l'hai" stays two."""
    joined: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if (
            token.text == "'"
            and joined
            and index + 1 < len(tokens)
            and token.glued
            and tokens[index + 1].glued
            and tokens[index + 1].text in _CLITIC
            and joined[-1].text.isalpha()
        ):
            before = joined.pop()
            after = tokens[index + 1]
            joined.append(Token(before.text + after.text, before.start, after.end, before.glued))
            index += 2
            continue
        joined.append(token)
        index += 1
    return joined


def number(text: str) -> float | None:
    """The value of a number token, ``None`` for any other token."""
    if not text[:1].isdigit():
        return None
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    text = text.replace(",", ".")
    if text.count(".") > 1 or len(text) > 40:
        return None
    return float(text)


def plain_number(text: str) -> str:
    """A number as it is compared: 4.0 is 4."""
    return text.replace(",", ".").removesuffix(".0")


def atoms(tokens: Sequence[Token]) -> list[Atom]:
    """The atoms of a token list; marks are left out."""
    found: list[Atom] = []
    index, count = 0, len(tokens)
    while index < count:
        text = tokens[index].text
        if text[0] in "0123456789":
            index = _number_atoms(tokens, index, found)
        elif text[0].isalpha():
            index = _word_atoms(tokens, index, found)
        else:
            if text == "+" and tokens[index].glued and found and found[-1].last == index:
                # "command-r+" and "codet5+" are other models than those without.
                found.append(Atom("plus", index, index + 1))
            index += 1
    return found


_SEPARATORS = re.compile(r"[\s:/_\-()]+")


def name_atoms(name: str) -> list[str]:
    """The atoms of a name on file: what ``atoms`` finds in it, worked out once for each of its words."""
    found: list[str] = []
    for word in _SEPARATORS.split(name):
        if word == "GB" and found and found[-1].isdigit():
            found[-1] += "gb"
        elif word:
            found.extend(_of_word(word))
    return found


@lru_cache(8192)
def _of_word(word: str) -> tuple[str, ...]:
    if word.isascii() and (word.isdigit() or (word.isalpha() and word.lower() != "laptop")):
        return (word.lower(),)
    return tuple(atom.text for atom in atoms(tokenise(clean(word))))


def glued_word(tokens: Sequence[Token], index: int) -> str:
    """The word that touches the token before it, or nothing."""
    if index < len(tokens) and tokens[index].glued and tokens[index].text[0].isalpha():
        # "r1推理", "3090은": what is written without spaces belongs to no name that it touches.
        return "" if UNSPACED.match(tokens[index].text) else tokens[index].text
    return ""


def glued_number(tokens: Sequence[Token], index: int) -> str:
    """The number that touches the token before it, or nothing."""
    if index < len(tokens) and tokens[index].glued and tokens[index].text[0] in "0123456789":
        return tokens[index].text
    return ""


def _number_atoms(tokens: Sequence[Token], index: int, found: list[Atom]) -> int:
    text = plain_number(tokens[index].text)
    word = glued_word(tokens, index + 1)
    if not word:
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if after in {"billion", "bn"}:
            found.append(Atom(text + "b", index, index + 2))
            return index + 2
        if after == "gb":
            found.append(Atom(text + "gb", index, index + 2))
            return index + 2
        found.append(Atom(text, index, index + 1))
        return index + 1
    more = glued_number(tokens, index + 2)
    if word == "x" and more and glued_word(tokens, index + 3) in _BILLIONS:
        found.append(Atom(f"{text}x{plain_number(more)}b", index, index + 4))
        return index + 4
    if not more:
        if word in _BILLIONS:
            found.append(Atom(text + "b", index, index + 2))
            return index + 2
        if word in GIGABYTES:
            found.append(Atom(text + "gb", index, index + 2))
            return index + 2
        if word == "m" and len(text) >= 4:
            found.append(Atom(text, index, index + 1))
            found.append(Atom("mobile", index + 1, index + 2))
            return index + 2
        if word in {"m", "t"} or (word == "d" and len(text) >= 4):
            if word == "d":
                found.append(Atom(text, index, index + 1))
                found.append(Atom("d", index + 1, index + 2))
            else:
                found.append(Atom(text + word, index, index + 2))
            return index + 2
        if len(text) >= 3 and _GLUED_SUFFIX.fullmatch(word):
            found.append(Atom(text, index, index + 1))
            found.extend(Atom(_same(part), index + 1, index + 2) for part in _SUFFIX.findall(word))
            return index + 2
    found.append(Atom(text, index, index + 1))
    return index + 1


def _same(word: str) -> str:
    return _ALSO.get(word, word)


def _word_atoms(tokens: Sequence[Token], index: int, found: list[Atom]) -> int:
    word = tokens[index].text
    digits = glued_number(tokens, index + 1)
    between = word == "x" and index > 0 and tokens[index].glued and tokens[index - 1].text[0] in "0123456789"
    if not digits or between or word in BRANDS or (len(word) > 2 and word != "sxm") or UNSPACED.match(word):
        found.append(Atom(_same(word), index, index + 1))
        return index + 1
    value = number(digits)
    if word == "v" and value is not None and value < 10:
        found.append(Atom(plain_number(digits), index, index + 2))
        return index + 2
    suffix = glued_word(tokens, index + 2)
    text = word + plain_number(digits)
    if suffix and _GLUED_SUFFIX.fullmatch(suffix):
        found.append(Atom(text, index, index + 2))
        found.extend(Atom(_same(part), index + 2, index + 3) for part in _SUFFIX.findall(suffix))
        return index + 3
    if suffix and suffix not in GIGABYTES - {"g"}:
        found.append(Atom(text + suffix, index, index + 3))
        return index + 3
    found.append(Atom(text, index, index + 2))
    return index + 2


class Span(NamedTuple):
    """A name found in running text."""

    kind: Literal["model", "card"]
    first: int
    last: int
    """Tokens ``first`` to ``last``, exclusive."""
    said: tuple[str, ...]
    """The atoms of the name, as said."""
    names: tuple[str, ...]
    """Names on file, likeliest first; empty where it looks like a model or a card and is not on file."""
    weak: bool = False
    """Whether it is also an ordinary word or number, which needs company to count as a name."""
    size: float | None = None
    """For a model that is not on file: the parameters that its name states."""


def adjacent(tokens: Sequence[Token], before: int, after: int) -> bool:
    """Whether nothing but a mark or two stands between token ``before`` (exclusive) and token ``after``."""
    if after - before > 2:
        return False
    return all(tokens[index].text in MARKS for index in range(before, after))


def tied(tokens: Sequence[Token], piece: Atom) -> bool:
    """Whether a piece is tied to the one before it by a mark: "8B-Instruct", "7b.gguf"."""
    first = piece.first
    return first > 1 and tokens[first].glued and tokens[first - 1].glued and tokens[first - 1].text in "-_.:"


def holding(posting: Mapping[str, set[int]], said: Iterable[str]) -> set[int]:
    """The records that hold all these atoms; not to be changed by the caller."""
    found: set[int] | None = None
    for text in said:
        having = posting.get(text)
        if not having:
            return set()
        found = having if found is None else found & having
    return found or set()


MARKS = frozenset("-_:/.,()[]'\"*`")


_SIZE = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,4})?)(?:x([0-9]{1,4}(?:\.[0-9]{1,4})?))?([bmt])")
_UNITS = {"b": 1e9, "m": 1e6, "t": 1e12}


@lru_cache(4096)
def parameters(size: str) -> float | None:
    """The parameters that a size atom states: "8b" 8e9, "125m" 125e6, "1t" 1e12, "8x7b" 56e9; ``None`` for another atom."""
    match = _SIZE.fullmatch(size)
    if match is None:
        return None
    return float(match[1]) * float(match[2] or 1) * _UNITS[match[3]]
