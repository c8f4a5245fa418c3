"""The number of connections that each process may hold open at PostgreSQL."""

from collections.abc import Mapping
from typing import Final

WORK: Final = 10
"""For requests, or for the steps of runs."""

REPORTS: Final = 1
"""Separate, so that an error can be reported when all other connections are in use."""

EXPORTS: Final = 4
"""Separate, because an export holds a connection for as long as its caller reads."""

PLACES: Final = 1
"""Separate, because its session holds the locks that webhook workers share
(`store/webhooks/places.py`)."""

WIDGET: Final = 1
"""Separate, because it listens for PostgreSQL's notifications about widget sessions."""

OF_A_PROCESS: Final[Mapping[str, int]] = {
    "api": WORK + REPORTS + EXPORTS + WIDGET,
    "engine worker": WORK + REPORTS,
    "webhook worker": WORK + REPORTS + PLACES,
    "command": 1,
}


def of_a_client(pool_size: int) -> int:
    """Return the most connections of a pool that one client holds. That is seven of ten, so that a
    client whose requests wait for a locked row leaves some to others."""
    return max(1, pool_size * 7 // 10)
