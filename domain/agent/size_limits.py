"""Size limits of the texts that the agent reads."""

import asyncio
from typing import Final

READ_CHARS: Final = 8_000
"""Maximum length, in characters, of a message, a merchant's text or an answer: two pages. Reading
blocks a worker, so the limit bounds how long a hostile text can block it. A longer message goes to
a human, because its beginning is not enough for a decision."""

SKIMMED_CHARS: Final = 2_000
"""Length, in characters, of the part of an overlong message that a brain sees: enough to classify
it. Such a message is never answered automatically."""

_LONG: Final = 1_000


async def others_turn(text: str) -> None:
    """Yield to other tasks between two processing steps of a long text."""
    if len(text) > _LONG:
        await asyncio.sleep(0)
