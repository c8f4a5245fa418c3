"""The CPU time that one client's requests may use of an API process's event loop.

A request of usual cost is free. The time beyond it is charged to the client, and is paid back at a
fixed rate. A client whose content makes pages expensive therefore takes a small share of the loop
from the others, regardless of how many members request pages.

Rejected events are charged in full to their sender, because only accepted ones are limited.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

USUAL_S: Final = 0.06
"""CPU time of a request that is not charged, in seconds. Most pages take less."""
BURST_S: Final = 6.0
"""Charged CPU time after which a client must wait, in seconds."""
SHARE: Final = 0.1
"""The fraction of the elapsed time that is paid back."""

_MOST_CLIENTS: Final = 10_000


class CpuAllowance:
    """The charged CPU time of recently active clients. `monotonic` is a clock in seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        # The charged time of each client, and when it was computed. The oldest is first.
        self._charged: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def spend(self, client: str, used_s: float) -> None:
        """Charge the CPU time of a finished request to the client."""
        excess = used_s - USUAL_S
        if excess > 0:
            self.charge(client, excess)

    def charge(self, client: str, used_s: float) -> None:
        """Charge CPU time to the client in full."""
        self._charged[client] = (self._left(client) + used_s, self._monotonic())
        self._charged.move_to_end(client)
        if len(self._charged) > _MOST_CLIENTS:
            self._charged.popitem(last=False)

    def wait_s(self, client: str) -> float:
        """Return the seconds for which the client must wait, or 0."""
        return max(0.0, (self._left(client) - BURST_S) / SHARE)

    def _left(self, client: str) -> float:
        charged, at = self._charged.get(client, (0.0, 0.0))
        return max(0.0, charged - (self._monotonic() - at) * SHARE)
