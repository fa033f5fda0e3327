"""The quants that people name, in their many spellings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from answers.catalogue.atoms import Token, covered

CANONICAL = (
    "F32", "F16", "BF16", "Q8_0", "Q6_K", "Q5_K_M", "Q5_K_S", "Q5_1", "Q5_0", "Q4_K_M", "Q4_K_S", "Q4_1", "Q4_0",
    "IQ4_NL", "IQ4_XS", "MXFP4", "Q3_K_L", "Q3_K_M", "Q3_K_S", "IQ3_M", "IQ3_S", "IQ3_XS", "IQ3_XXS", "Q2_K", "IQ2_M",
    "IQ2_S", "IQ2_XS", "IQ2_XXS", "IQ1_M", "IQ1_S", "FP8", "NF4", "NVFP4", "FP4", "GPTQ", "AWQ", "EXL2", "EXL3",
)  # fmt: skip
"""Names as llama.cpp spells them; GPTQ, AWQ, EXL2 and EXL3 may be followed by their bits: "GPTQ 3-bit", "EXL2 4.65bpw"."""

BY_BITS = {1: "IQ1_S", 2: "Q2_K", 3: "Q3_K_M", 4: "Q4_K_M", 5: "Q5_K_M", 6: "Q6_K", 8: "Q8_0", 16: "F16", 32: "F32"}
"""What a bare number of bits means, by convention."""

_GGUF = re.compile(
    r"(?<![a-z0-9])(?:ud[-_ ]?)?(i?q)([1-8])"
    r"(?:[_\- ]?k(?:[_\- ]?(xl|xs|s|m|l))?|[_\-. ]?([01])|[_\-]?(xxs|xs|nl|s|m))?(?![a-z0-9])"
)
_FLOAT = re.compile(r"(?<![a-z0-9])(mxfp|nvfp|nf|bf|fp|f|int)[\- ]?(4|8|16|32)(?![0-9a-z])")
_SCHEME = re.compile(r"(?<![a-z0-9])(gptq|awq|exl2|exl3|exllama2|exllamav2)(?![a-z0-9])")
_BPW = re.compile(r"(?<![0-9.,])([0-9](?:[.,][0-9]{1,3})?) ?bpw(?![a-z])")


class QuantFound(NamedTuple):
    """A quant and the tokens that name it."""

    name: str
    first: int
    last: int


def find_quants(folded: str, tokens: Sequence[Token], bits: re.Pattern[str] | None) -> list[QuantFound]:
    """The quants named in a text, in order; ``bits`` matches a bare number of bits ("4-bit", "8 bits"), where one is said."""
    found: list[tuple[int, int, str]] = []
    found.extend((match.start(), match.end(), _gguf(match)) for match in _GGUF.finditer(folded))
    found.extend((match.start(), match.end(), _float(match)) for match in _FLOAT.finditer(folded))
    scheme = None
    for match in _SCHEME.finditer(folded):
        scheme = {"exllama2": "EXL2", "exllamav2": "EXL2"}.get(match[1], match[1].upper())
        found.append((match.start(), match.end(), scheme))
    for match in _BPW.finditer(folded):
        value = match[1].replace(",", ".")
        found.append((match.start(), match.end(), f"{scheme if scheme in ('EXL2', 'EXL3') else 'EXL2'} {value}bpw"))
    for match in bits.finditer(folded) if bits else ():
        name = BY_BITS.get(int(match[1]))
        if name:
            found.append((match.start(), match.end(), f"{scheme} {match[1]}-bit" if scheme in {"GPTQ", "AWQ"} else name))
    if not found:
        return []
    found.sort()
    detailed = [name for _, _, name in found if " " in name]
    quants: list[QuantFound] = []
    for start, end, name in found:
        first, last = covered(tokens, start, end)
        # "gptq 4bit" is one quant, named in two places.
        full = next((other for other in detailed if other.startswith(name + " ")), name)
        quants.append(QuantFound(full, first, last))
    return quants


def _gguf(match: re.Match[str]) -> str:
    kind, bits, k_size, legacy, i_size = match.groups()
    has_k = "k" in match[0]
    if kind == "iq":
        size = (i_size or k_size or {"4": "xs", "3": "m", "2": "m", "1": "s"}.get(bits, "m")).upper()
        name = f"IQ{bits}_{size}"
    elif legacy and not has_k:
        name = f"Q{bits}_{legacy}"
    elif k_size and bits in "345":
        name = f"Q{bits}_K_{ {'XL': 'M' if bits != '3' else 'L', 'XS': 'S'}.get(k_size.upper(), k_size.upper()) }"
    elif i_size and bits in "345" and i_size in "sm":
        name = f"Q{bits}_K_{i_size.upper()}"
    else:
        name = BY_BITS.get(int(bits), "Q8_0")
    return name if name in CANONICAL else BY_BITS.get(int(bits), "Q8_0")


def _float(match: re.Match[str]) -> str:
    kind, bits = match.groups()
    if kind in {"mxfp", "nvfp", "nf"}:
        return {"mxfp": "MXFP4", "nvfp": "NVFP4", "nf": "NF4"}[kind]
    if kind == "bf" or bits == "16":
        return "BF16" if kind == "bf" else "F16"
    if kind == "int":
        return BY_BITS[int(bits)]
    return {"4": "FP4", "8": "FP8", "32": "F32"}[bits]
