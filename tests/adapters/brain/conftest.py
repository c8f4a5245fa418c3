"""Local servers that stand in for language models, and the classifier."""

from collections.abc import AsyncIterator

import pytest

from adapters.brain.classifier import Classifier
from tests.support.servers.llm import LlmServer, llm_server


@pytest.fixture(scope="session")
def classifier() -> Classifier:
    return Classifier.load()


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with llm_server() as running:
        yield running


@pytest.fixture
async def spare() -> AsyncIterator[LlmServer]:
    async with llm_server() as running:
        yield running
