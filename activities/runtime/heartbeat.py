"""The heartbeat of an activity that waits for others: a worker that dies is missed in seconds."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from temporalio import activity

_EVERY_S: Final = 1.0


@asynccontextmanager
async def beating(*details: object) -> AsyncIterator[None]:
    """Heartbeat for as long as the block runs; its beginning counts as one. Local activities have
    none and need none. `details`: what a retry is told of how far this one was."""
    if activity.info().is_local:
        yield
        return
    beat = asyncio.create_task(_beat(details))
    try:
        yield
    finally:
        beat.cancel()


async def _beat(details: tuple[object, ...]) -> None:
    while True:
        await asyncio.sleep(_EVERY_S)
        activity.heartbeat(*details)
