"""Paginated iteration over clients. It keeps transactions short and holds locks only briefly."""

from collections.abc import AsyncIterator

from store.billing.usage_periods import client_page
from store.core.database import Database


async def client_pages(
    database: Database, client_id: str, *, after: str, size: int
) -> AsyncIterator[list[str]]:
    """Yield pages of the ids of all clients after the id `after`, in order. If `client_id` is not
    empty, yield only this id, and only if it sorts after `after`."""
    if client_id:
        if client_id > after:
            yield [client_id]
        return
    last = after
    while True:
        async with database.service() as connection:
            page = await client_page(connection, after=last, limit=size)
        if not page:
            return
        yield page
        last = page[-1]
