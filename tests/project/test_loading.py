"""What belongs to the bot in Discord is loaded only where it runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASK = """
import sys
from bot.cli import main
assert main(["ask", "can I run StarCoder 2 15B on 12 GB?"]) == 0
print(sorted(name for name in ("discord", "aiohttp") if name in sys.modules), file=sys.stderr)
"""


def test_a_question_at_the_command_line_loads_nothing_of_discord() -> None:
    done = subprocess.run([sys.executable, "-c", ASK], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert "StarCoder 2 15B" in done.stdout
    assert done.stderr.strip() == "[]"
