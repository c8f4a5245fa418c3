"""Pool usage in the metrics."""

import asyncio

from prometheus_client import generate_latest

from adapters.observability.metrics import Metrics
from store.core.database import Database
from tests.support.core.waiting import eventually


async def test_who_has_a_connection_and_who_waits(database_url: str) -> None:
    database, metrics = Database(database_url, pool_size=1), Metrics()
    metrics.watch_pool("requests", database.use)

    async def somebody_waits() -> bool:
        return database.use.waiting == 1

    async with database.unscoped():
        late = asyncio.ensure_future(database.ping())
        await eventually(somebody_waits)
        shown = generate_latest(metrics.registry).decode()
    await late
    await database.close()

    assert 'engine_database_pool_size{pool="requests"} 1.0' in shown
    assert 'engine_database_pool_in_use{pool="requests"} 1.0' in shown
    assert 'engine_database_pool_waiting{pool="requests"} 1.0' in shown
    assert (database.use.in_use, database.use.waiting) == (0, 0)
