"""Measure how the export time grows with the number of rows in one table, using the service's own
reader."""

import asyncio
import statistics
import time
from typing import Final

from adapters.system import utc_now
from bench.export_database import fill_conversations
from bench.export_figures import ROWS, Growth, Reading
from domain.core.ids import TenantId
from domain.exports.export import Section
from store.core.database import Database
from store.exports.export import Export
from store.exports.json_form import JsonRendering

# Number of repetitions by number of rows. Longer exports vary less, so they need fewer repetitions.
_TIMES: Final = {0: 15, 1_000: 15, 10_000: 9, 100_000: 5, 1_000_000: 1}
_STARTED_AT: Final = "2026-01-01T00:00:00.000Z"


async def growth(database_url: str, owner_url: str) -> Growth:
    """Fill tenants with conversations that have no messages, and measure the time for exporting
    them. Raises RuntimeError if a section cannot be read."""
    clients = await asyncio.to_thread(fill_conversations, owner_url, (0, *ROWS), now=utc_now())
    database = Database(database_url, pool_size=1)
    try:
        medians = {
            rows: statistics.median(
                [await _read(database, TenantId(client)) for _ in range(_TIMES[rows])]
            )
            for rows, client in zip((0, *ROWS), clients, strict=True)
        }
    finally:
        await database.close()
    return Growth(
        start_s=round(medians[0], 5),
        readings=tuple(Reading(rows=rows, seconds=round(medians[rows], 5)) for rows in ROWS),
    )


async def _read(database: Database, tenant: TenantId) -> float:
    """Return the duration of a complete JSON export in seconds. The exported bytes are
    discarded."""

    def skipped(section: Section, sqlstate: str, error: Exception) -> None:
        raise RuntimeError(f"{section} cannot be read: {sqlstate}") from error

    began = time.perf_counter()
    async with database.snapshot(tenant) as snapshot:
        async for _ in Export(snapshot, JsonRendering(), skipped=skipped).pieces(_STARTED_AT):
            pass
    return time.perf_counter() - began
