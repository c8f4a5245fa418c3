"""A fair queue for searches. A search reads all of a client's knowledge, or a thousand of the
client's conversations."""

from typing import Final

from services.core.fair_turns import FairTurns

_PATIENCE_S: Final = 10.0


def search_turns() -> FairTurns:
    """Return a queue that all searches in a process share. It admits one search per client at a
    time."""
    return FairTurns(patience_s=_PATIENCE_S, most_of_one=16, most=128)
