"""The number of PostgreSQL connections that each process may hold open."""

from collections.abc import Mapping
from typing import Final

WORK: Final = 10
"""Connections for requests, or for the steps of runs."""

REPORTS: Final = 1
"""A separate connection, so that an error can be reported while all other connections are in
use."""

EXPORTS: Final = 4
"""Separate connections, because an export holds its connection for as long as the caller reads."""

PLACES: Final = 1
"""A separate connection, because its session holds the advisory locks that webhook workers share
(`store/webhooks/places.py`)."""

WIDGET: Final = 1
"""A separate connection, because it listens for PostgreSQL's notifications about widget
sessions."""

OF_A_PROCESS: Final[Mapping[str, int]] = {
    "api": WORK + REPORTS + EXPORTS + WIDGET,
    "engine worker": WORK + REPORTS,
    "webhook worker": WORK + REPORTS + PLACES,
    "command": 1,
}


def of_a_client(pool_size: int) -> int:
    """Return the maximum number of a pool's connections that one client may hold. It is 70 % of the
    pool, so that requests of one client that wait for a locked row leave connections for others."""
    return max(1, pool_size * 7 // 10)
