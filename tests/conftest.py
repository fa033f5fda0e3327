"""What every test may ask for: the real catalogue, the real locales, and what is built from them once."""

from __future__ import annotations

import asyncio

import pytest

from answers.answering import Answering
from answers.catalogue.load import load
from answers.catalogue.snapshot import Catalogue
from answers.locales import Locales
from answers.replies.desk import Desk


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return asyncio.run(load())


@pytest.fixture(scope="session")
def locales() -> Locales:
    return Locales.load()


@pytest.fixture(scope="session")
def answering(catalogue: Catalogue, locales: Locales) -> Answering:
    return Answering(catalogue, locales)


@pytest.fixture(scope="session")
def desk(answering: Answering) -> Desk:
    return answering.desk
