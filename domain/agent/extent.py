"""How much the agent reads of one text that others wrote."""

import asyncio
from typing import Final

READ_CHARS: Final = 8_000
"""The message, one of the merchant's texts, an answer: two pages. Each reading takes a worker's
whole attention, and no hostile text of this length has it for long. A longer message is not judged
by its beginning: a human sees it."""

SKIMMED_CHARS: Final = 2_000
"""What a brain is shown of a longer message: enough for its class, and no answer comes of it."""

_LONG: Final = 1_000


async def others_turn(text: str) -> None:
    """Let others have their turn between two steps of work on a long text."""
    if len(text) > _LONG:
        await asyncio.sleep(0)
