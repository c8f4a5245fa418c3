"""The sizes of the PostgreSQL connection pools of each process."""

from collections.abc import Mapping
from typing import Final

WORK: Final = 10
"""Number of connections for requests in an API process, and for run steps in a worker."""

REPORTS: Final = 1
"""Number of connections reserved for error reports. Errors can therefore be reported even while all
other connections are in use."""

EXPORTS: Final = 4
"""Number of connections reserved for exports. An export holds its connection until the caller has
read the whole export."""

PLACES: Final = 1
"""Number of connections reserved for delivery slots. The session of this connection holds the
advisory locks that webhook workers share (`store/webhooks/places.py`)."""

WIDGET: Final = 1
"""Number of connections reserved for PostgreSQL's notifications about widget sessions."""

OF_A_PROCESS: Final[Mapping[str, int]] = {
    "api": WORK + REPORTS + EXPORTS + WIDGET,
    "engine worker": WORK + REPORTS,
    "webhook worker": WORK + REPORTS + PLACES,
    "command": 1,
}


def of_a_client(pool_size: int) -> int:
    """Return the maximum number of a pool's connections that one client may hold: 70% of the pool.
    The remaining connections stay available to other clients even while all requests from one
    client wait for a locked row."""
    return max(1, pool_size * 7 // 10)
