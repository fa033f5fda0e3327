from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from answers.locales import Locales
from commands.texts import Texts
from tests.end_to_end.world import Discord, World


@pytest.fixture(scope="session")
def texts(locales: Locales) -> Texts:
    return Texts(locales)


@pytest_asyncio.fixture(loop_scope="module")
async def world(running: Discord) -> AsyncIterator[World]:
    """A new server with Alice in it, and the bot that a module's tests share: the module's own ``running``."""
    running.record.clear()
    yield running, running.add_guild("Local LLMs"), running.add_user("alice")
    await running.settle()
    running.check()
