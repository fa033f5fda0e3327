"""The JSON that the command line prints, as JSON schemas: ``python -m bot.schemas docs/schemas`` writes them.

Every property is always there unless a schema says otherwise, and there are no others.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from answers.questions.question import Intent, Question
from answers.replies.parts import Confidence, Fit
from answers.replies.reply import Reply

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Printed(BaseModel):
    """Something that is printed as it is, with no properties but its own."""

    model_config = ConfigDict(extra="forbid")


class Answered(_Printed):
    """One question and its answer."""

    question: Question
    reply: Reply
    locale: str = Field(description="the locale that the text is in")
    text: str = Field(description="the answer as it is printed without --json")


class Ask(Answered):
    """What ``rigcheck ask --json`` prints."""

    more: list[Answered] = Field(description="the answers to further questions of the same text; left out where there are none")


class SurveyRow(_Printed):
    """One row of what ``rigcheck survey --json`` prints, a list in rank order. Figures are not rounded."""

    model: str
    card: str
    vendor: str
    card_memory_gb: float
    card_bandwidth_gb_s: float
    card_released: str | None = Field(json_schema_extra={"format": "date"})
    tok_s: float | None = Field(description="tokens a second; null where it does not fit, or what it reads a token is unknown")
    low_tok_s: float | None
    high_tok_s: float | None
    need_gb: float = Field(description="at the quant of the row; at Q4_K_M where the model does not fit")
    quant: str | None = Field(description="null where the model does not fit")
    fit: Fit
    confidence: Confidence
    method: Literal["documented", "calibrated"]


class Understood(_Printed):
    """One line of what ``rigcheck understand`` prints, for one line of its input."""

    text: str
    lang: str
    intent: Intent
    also_intents: list[Intent]
    models: list[str] = Field(description="names of the catalogue")
    cards: list[str] = Field(description="names of the catalogue")
    n_cards: int = Field(ge=1, description="cards used together; 1 where cards are compared or none is named")
    memory_gb: float | None
    quant: str | None
    context: int | None = Field(description="tokens")
    parameters: float | None = Field(description='a size given without a name: 7e10 for "a 70b"')
    candidates: dict[str, list[str]] = Field(description="what an ambiguous name, as typed, may mean, likeliest first")
    confidence: float = Field(ge=0, le=1)


class _AsPrinted(GenerateJsonSchema):
    """Requires every property, since none is left out for having its default value; adds no titles that repeat the names."""

    def field_is_required(self, *_: Any, **__: Any) -> bool:
        return True

    def field_title_should_be_set(self, *_: Any, **__: Any) -> bool:
        return False


def schemas() -> Mapping[str, dict[str, Any]]:
    """The schemas by the names of their files."""
    kinds: Mapping[str, tuple[str, TypeAdapter[Any]]] = {
        "ask": ("rigcheck ask --json", TypeAdapter(Ask)),
        "survey": ("rigcheck survey --json", TypeAdapter(list[SurveyRow])),
        "understand": ("rigcheck understand, one line", TypeAdapter(Understood)),
    }
    made: dict[str, dict[str, Any]] = {}
    for name, (title, kind) in kinds.items():
        made[name] = kind.json_schema(mode="serialization", schema_generator=_AsPrinted) | {"$schema": DIALECT, "title": title}
    made["ask"]["required"].remove("more")
    return made


def written(schema: Mapping[str, Any]) -> str:
    """A schema as the text of its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write every schema into the folder that is named."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m bot.schemas FOLDER\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        (folder / f"{name}.json").write_text(written(schema), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
