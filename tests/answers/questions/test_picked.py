"""What a message takes up of the choices that were offered."""

from __future__ import annotations

import pytest

from answers.answering import Answering
from answers.questions.followup import picked


@pytest.mark.parametrize(
    ("asked", "text", "name"),
    [
        ("how fast is llama 70b on a 3090", "3.3", "Llama 3.3 70B"),
        ("how fast is llama 70b on a 3090", "2", "Llama 3.3 70B"),
        ("how fast is llama 70b on a 3090", "llama 3.1", "Llama 3.1 70B"),
        ("how fast is llama 70b on a 3090", "the 3.1 one", "Llama 3.1 70B"),
        ("how fast is llama 70b on a 3090", "code", "Code Llama 70B"),
        ("how fast is llama 70b on a 3090", "llama", None),
        ("how fast is llama 70b on a 3090", "3.3 on a 4090", None),
        ("how fast is llama 70b on a 3090", "6", None),
        ("how fast is qwen3 14b on a 3060", "12gb", "GeForce RTX 3060 12 GB"),
        ("how fast is qwen3 14b on a 3060", "the 8 gb one", "GeForce RTX 3060 8 GB"),
        ("how fast is qwen3 14b on a 3060", "la de 12 gigas", "GeForce RTX 3060 12 GB"),
    ],
)
def test_a_choice_is_taken_by_its_number_or_by_what_tells_it_apart(
    answering: Answering, asked: str, text: str, name: str | None
) -> None:
    (answer,) = answering.ask(asked, "en")
    chosen = picked(text, answer.pending, None, answering.reader.wording)
    names = [*chosen.models, *(card.name for card in chosen.cards)] if chosen else []
    assert (name in names) if name else chosen is None
