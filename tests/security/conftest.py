from __future__ import annotations

import pytest

from answers.locales import Locales
from commands.texts import Texts


@pytest.fixture(scope="session")
def texts(locales: Locales) -> Texts:
    return Texts(locales)
