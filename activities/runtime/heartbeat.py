"""Heartbeats for an activity that waits for other systems. Temporal uses the heartbeats to detect a
crashed worker within seconds."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from temporalio import activity

_EVERY_S: Final = 1.0


@asynccontextmanager
async def beating(*details: object) -> AsyncIterator[None]:
    """Send heartbeats with `details`, the progress for a retry, while the block runs. The
    activity's start counts as a heartbeat. Local activities need none."""
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
