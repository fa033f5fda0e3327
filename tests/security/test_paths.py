"""What names a language or a file leads nowhere but where the operator keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from answers.locales import Locales
from bot.cli import main

TRICKS = ("../../etc", "/etc/passwd", "en/../../..", "..", "en\x00", "C:\\", "~root", "file:///etc/passwd")


@pytest.mark.parametrize("name", TRICKS)
def test_a_locale_is_looked_up_and_never_opened(name: str, locales: Locales, capsys: pytest.CaptureFixture[str]) -> None:
    assert locales.get(name).code in locales.by_code
    assert main(["ask", "--locale", name, "can I run StarCoder 2 15B on 12 GB?"]) == 2
    assert "is no locale" in capsys.readouterr().err


def test_a_catalogue_is_opened_as_the_file_that_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Signs that would end the path of a URI, and begin options of SQLite's, are part of the name.
    for name in ("catalog.db?mode=rwc", "catalog.db#x", "%2e%2e"):
        target = tmp_path / name
        assert main(["catalogue", "build", "--to", str(target)]) == 0
        assert [file.name for file in tmp_path.iterdir()] == [name]
        target.unlink()
    capsys.readouterr()
