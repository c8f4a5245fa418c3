"""Size limits of the texts that the agent reads."""

import asyncio
from typing import Final

READ_CHARS: Final = 8_000
"""Limit of the message, of one of the merchant's texts, and of an answer: two pages. Reading blocks
a worker, so the limit bounds how long a hostile text can do so. A longer message goes to a human:
its beginning is not enough to decide by."""

SKIMMED_CHARS: Final = 2_000
"""The part of a longer message that a brain sees: enough for its class. It is never answered."""

_LONG: Final = 1_000


async def others_turn(text: str) -> None:
    """Yield to other tasks between two steps of work on a long text."""
    if len(text) > _LONG:
        await asyncio.sleep(0)
