"""Cache the results of prompt injection checks because the same texts recur in a client's
messages."""

from hashlib import sha256
from typing import Final

from domain.agent.safety.detection import examination
from domain.agent.size_limits import READ_CHARS, others_turn
from domain.core.recent import Recent
from domain.intake.event import UnifiedEvent

# The keys are hashes, so that the cache contains no customer text.
_VERDICTS: Final[Recent[bytes, bool]] = Recent(limit=50_000)


async def is_unsafe(text: str) -> bool:
    """Return True if `text` contains a prompt injection. Yields to other asyncio tasks between the
    steps of the check."""
    if not text:
        return False
    key = sha256(text.encode("utf-8", "surrogatepass")).digest()
    known = _VERDICTS.get(key)
    if known is not None:
        await others_turn(text)
        return known
    steps = examination(text)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return _VERDICTS.keep(key, end.value is not None, 1)
        await others_turn(text)


async def commands(event: UnifiedEvent) -> bool:
    """Return True if the message, or a field sent with it, contains a prompt injection."""
    left = READ_CHARS
    beside = (event.subject, event.customer_name, *event.fields.values())
    for text in (event.text, *filter(None, beside)):
        if await is_unsafe(text):
            return True
        left -= 0 if text is event.text else len(text)
        if left < 0:
            return False
    return False
