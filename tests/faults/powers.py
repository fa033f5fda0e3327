"""Runs things as somebody to whom a read-only file is read-only, also where the tests are run by root."""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE = 24, 1
"""From Linux's prctl.h and capability.h: what root passes by the permissions of files with."""


def give_up_override() -> None:
    """For the rest of this process's programs: root may write only what its owner may."""
    if os.geteuid() == 0 and ctypes.CDLL(None, use_errno=True).prctl(_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the capability to pass by permissions cannot be given up")


LAUNCHER = (sys.executable, "-m", "tests.faults.powers")
"""Before a command: runs it without that power."""


async def without_override(script: str, *arguments: str, fails: bool = False) -> tuple[str, str]:
    """What a Python script writes on its outputs when it is run without that power."""
    words = (*LAUNCHER, sys.executable, "-c", script, *arguments)
    process = await asyncio.create_subprocess_exec(*words, cwd=ROOT, stdout=PIPE, stderr=PIPE)
    said, errors = await process.communicate()
    assert (process.returncode != 0) == fails, errors.decode()
    return said.decode(), errors.decode()


if __name__ == "__main__":
    give_up_override()
    os.execv(sys.argv[1], sys.argv[1:])
