"""Every test that a page of the documentation names is there, and every line of its tables names one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


@pytest.mark.parametrize("page", ["security.md", "privacy.md"])
def test_the_tests_that_a_page_names_are_there(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    named = NAMED.findall(text)
    assert len(named) >= 7
    for file, name in named:
        assert re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), f"{file}::{name}"
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert [row for row in rows if not NAMED.search(row)] == []
