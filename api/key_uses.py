"""A task that periodically writes API key usage to the database, and once more when the API
stops."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from services.tenants.key_uses import KeyUses


@asynccontextmanager
async def written(uses: KeyUses) -> AsyncIterator[None]:
    """While the block runs, write API key usage to the database periodically. Write the remaining
    usage when the block ends."""
    writing = asyncio.create_task(_write(uses))
    try:
        yield
    finally:
        writing.cancel()
        with suppress(asyncio.CancelledError):
            await writing
        await uses.write()


async def _write(uses: KeyUses) -> None:
    while True:
        await asyncio.sleep(uses.written_every_s)
        # With `shield`, a write in progress finishes even if the API stops.
        await asyncio.shield(asyncio.create_task(uses.write()))
