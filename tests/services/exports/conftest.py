"""Another installation, into which an export is imported."""

from collections.abc import AsyncIterator

import pytest

from store.core.database import Database
from tests.support.core.postgres import PostgresServer


@pytest.fixture
async def elsewhere(postgres: PostgresServer) -> AsyncIterator[Database]:
    """Another installation."""
    with postgres.database() as url:
        other = Database(url)
        yield other
        await other.close()
