"""Texts that come back with each message of a client or a thread, examined once."""

import asyncio
from hashlib import sha256
from typing import Final

from domain.agent.safety.detection import unsafe
from domain.core.recent import Recent

# By their hash: a customer's words are not kept here.
_VERDICTS: Final[Recent[bytes, bool]] = Recent(limit=50_000)


async def is_unsafe(text: str) -> bool:
    """Whether `text` tries to command whoever reads it. Others get their turn after each text that
    was examined anew."""
    if not text:
        return False
    key = sha256(text.encode("utf-8", "surrogatepass")).digest()
    known = _VERDICTS.get(key)
    if known is not None:
        return known
    verdict = _VERDICTS.keep(key, unsafe(text) is not None, 1)
    await asyncio.sleep(0)
    return verdict
