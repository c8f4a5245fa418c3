"""How many connections each process may hold open at PostgreSQL."""

from collections.abc import Mapping
from typing import Final

WORK: Final = 10
"""For requests, or for the steps of runs."""

REPORTS: Final = 1
"""Apart, so that an error is reported where all others are taken."""

EXPORTS: Final = 4
"""Apart, for an export holds one for as long as its caller reads."""

PLACES: Final = 1
"""Apart, for its session holds what webhook workers share (`store/webhooks/places.py`)."""

WIDGET: Final = 1
"""Apart, for it listens to what PostgreSQL tells of widgets' sessions."""

OF_A_PROCESS: Final[Mapping[str, int]] = {
    "api": WORK + REPORTS + EXPORTS + WIDGET,
    "engine worker": WORK + REPORTS,
    "webhook worker": WORK + REPORTS + PLACES,
    "command": 1,
}


def of_a_client(pool_size: int) -> int:
    """Return how many of a pool's connections one client holds at most: seven of ten, so that one
    whose requests wait for a locked row leaves some to others."""
    return max(1, pool_size * 7 // 10)
