"""Checks what a bot sent, and what the stand-in answered, against Discord's published OpenAPI document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from .record import Exchange

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT.parent / "shared" / "data" / "discord-openapi.json"
ID_KEYS = re.compile(r"^(id|.*_id)$")


def available() -> bool:
    """Whether the document is there; where it is not, tests that need it are skipped."""
    return DOCUMENT.is_file()


def violations(exchanges: Iterable[Exchange]) -> list[str]:
    """What is wrong with the bodies that the bot sent and that were accepted, one line for each."""
    return [
        f"{exchange.route}: {problem}"
        for exchange in exchanges
        if exchange.body and not exchange.refused
        for problem in _problems(exchange.method, exchange.path, None, _with_text_ids(exchange.body))
    ]


def wrong_answers(exchanges: Iterable[Exchange]) -> list[str]:
    """What is wrong with the answers of the stand-in itself."""
    return [
        f"{exchange.route} {exchange.status}: {problem}"
        for exchange in exchanges
        if exchange.answer is not None
        for problem in _problems(exchange.method, exchange.path, exchange.status, exchange.answer)
    ]


def _problems(method: str, path: str, status: int | None, body: Any) -> list[str]:
    operation = _operation(method.lower(), path)
    if operation is None:
        return ["Discord has no such route"]
    validator = _validator(*operation, status)
    if validator is None:
        return [] if status is not None else ["Discord expects no body here"]
    error = best_match(validator.iter_errors(body))
    return [] if error is None else [_told(error)]


def _told(error: ValidationError) -> str:
    while error.context:
        # Of the alternatives that failed, the one that got furthest is the one that was meant.
        error = max(error.context, key=lambda inner: (len(inner.absolute_path), -len(inner.message)))
    return f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"


def _with_text_ids(value: Any, key: str = "", *, in_attachment: bool = False) -> Any:
    """The same body with ids as text: discord.py sends them as integers, which Discord takes and its document does not.

    The ids of components are numbers by right; they are small, while those of everything else, except the places of uploads,
    are large.
    """
    if isinstance(value, dict):
        return {name: _with_text_ids(inner, name, in_attachment=key == "attachments") for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_text_ids(inner, key) for inner in value]
    is_id = isinstance(value, int) and ID_KEYS.match(key) and (in_attachment or value > 1 << 32)
    return str(value) if is_id else value


@cache
def _document() -> dict[str, Any]:
    return json.loads(DOCUMENT.read_text(encoding="utf-8"))


@cache
def _paths() -> list[tuple[re.Pattern[str], str]]:
    """Paths with their patterns, those with the fewest placeholders first."""
    paths = sorted(_document()["paths"], key=lambda path: path.count("{"))
    return [(re.compile(re.sub(r"\\\{[^}]+\\\}", "[^/]+", re.escape(path.lstrip("/")))), path) for path in paths]


@cache
def _validator(path: str, method: str, status: int | None) -> Draft202012Validator | None:
    operation = _document()["paths"][path][method]
    if status is None:
        content = operation.get("requestBody", {}).get("content", {})
    else:
        responses = operation["responses"]
        content = responses.get(str(status), responses.get(f"{status // 100}XX", {})).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    return schema and Draft202012Validator({"components": _document()["components"], **schema})


def _operation(method: str, path: str) -> tuple[str, str] | None:
    for pattern, template in _paths():
        if method in _document()["paths"][template] and pattern.fullmatch(path):
            return template, method
    return None
