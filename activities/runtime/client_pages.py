"""Clients page by page: no transaction is long, and no lock is held for long."""

from collections.abc import AsyncIterator

from store.billing.usage_periods import client_page
from store.core.database import Database


async def client_pages(
    database: Database, client_id: str, *, after: str, size: int
) -> AsyncIterator[list[str]]:
    """The ids of all clients after one, in their order; or that of `client_id` alone, if it is not
    empty and not done."""
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
