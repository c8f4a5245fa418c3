"""The size limits for texts that the agent reads, in characters."""

import asyncio
from typing import Final

READ_CHARS: Final = 8_000
"""Maximum length of a processed message, merchant text or answer, in characters: two pages. It
limits how long an adversarial text can block a worker. A longer message goes to a human."""

SKIMMED_CHARS: Final = 2_000
"""Number of characters of an overlong message that a brain sees, enough to classify it. The agent
never answers such a message automatically."""

WHOLE_KNOWLEDGE_CHARS: Final = 28_000
"""Maximum total length, in characters, of a client's knowledge if a language model receives all of
it: about 8,000 tokens. A model receives the search results of a larger knowledge base instead."""

_LONG: Final = 1_000


async def others_turn(text: str) -> None:
    """Yield to other asyncio tasks between two processing steps of a long text."""
    if len(text) > _LONG:
        await asyncio.sleep(0)
