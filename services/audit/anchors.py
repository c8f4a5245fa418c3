"""The audit checkpoints of one day, read in pages. A checkpoint records the latest entry of an
audit chain."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Final

from domain.audit.chain import Anchor
from store.audit.chains import ChainRepository
from store.core.database import Database

ANCHORS_AT_ONCE: Final = 1_000


async def anchors_of_day(
    database: Database, day: date, *, at_once: int = ANCHORS_AT_ONCE
) -> AsyncIterator[tuple[Anchor, ...]]:
    """Yield the day's checkpoints in pages, sorted by client and sequence number, each page in its
    own transaction. Raises EngineUnavailable."""
    after = ("", 0)
    while True:
        async with database.reading_across() as connection:
            page = await ChainRepository(connection).anchors_of(day, after=after, limit=at_once)
        if not page:
            return
        yield page
        after = (page[-1].client_id, page[-1].seq)
