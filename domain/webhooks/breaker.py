"""A circuit breaker for failures of the service's own resolver or network, not of the receivers.

Pure logic: it decides from the outcomes of POSTs and their times. The resolver and the network have
separate breakers, because one can fail while the other works. Decision 0036 gives the reasons.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address, ip_network
from typing import Final

from domain.webhooks.address_guard import forbidden
from domain.webhooks.delivery import DeliveryAttempt, FailureKind

VOICES: Final = 10
"""Number of latest outcomes considered, each from a different client and domain."""
LEAST: Final = 5
"""Minimum number of failures among these outcomes before the service's own network is blamed."""
SHARE: Final = 0.8
"""Minimum share of failures among these outcomes."""
FRESH_S: Final = 60.0
"""Seconds for which an outcome counts while the breaker is closed."""
KEPT_S: Final = 600.0
"""Seconds for which an outcome counts while the breaker is open. Deferred deliveries are retried
within this time."""
PROBE_S: Final = 15.0
"""Seconds between the POSTs of a client whose latest POST failed, while the breaker is open."""
_CLIENTS: Final = 1000
"""Number of clients whose latest outcome is stored."""


class OwnPart(StrEnum):
    """A part of the service's own path to receivers: the resolver, or the network."""

    NAMES = "names"
    NETWORK = "network"


@dataclass(frozen=True, slots=True)
class _Heard:
    """The outcome of a POST. `reached`: whether the part worked, so that a name was resolved or a
    connection was opened."""

    client_id: str
    domain: str
    reached: bool
    at: float


class Breaker:
    """The breaker for one part of the path, in one process. Times are in seconds of a single
    clock."""

    def __init__(self) -> None:
        # The latest outcome of each client, newest last.
        self._heard: dict[str, _Heard] = {}
        self._next_probe: dict[str, float] = {}
        self._canary_lost_at: float | None = None
        self._failing = False

    def heard(self, client_id: str, domain: str, now: float, *, reached: bool) -> None:
        """Record the outcome of a client's POST to a domain."""
        self._heard.pop(client_id, None)
        self._heard[client_id] = _Heard(client_id, domain, reached, now)
        if len(self._heard) > _CLIENTS:
            self._next_probe.pop(gone := next(iter(self._heard)), None)
            del self._heard[gone]
        if reached:
            self._canary_lost_at = None
            self._next_probe.pop(client_id, None)
        self._failing = self._most_fail(now)

    def canary(self, now: float, *, lives: bool) -> None:
        """Record the result of a self-check against a target that is known to work. `lives`:
        whether the check succeeded."""
        self._canary_lost_at = None if lives else now

    def is_open(self, now: float) -> bool:
        """Return whether failures are currently attributed to the service's own network."""
        lost = self._canary_lost_at
        if lost is not None and now - lost <= KEPT_S:
            return True
        self._failing = self._failing and self._most_fail(now)
        return self._failing

    def lets_through(self, client_id: str, now: float) -> bool:
        """Return whether a client's POST may be sent now. The call may use up the client's probe.

        While the breaker is open, a client whose latest POST did not fail is not delayed. Clients
        with dead receivers therefore cannot stop other clients.
        """
        if not self.is_open(now):
            return True
        latest = self._heard.get(client_id)
        if latest is None or latest.reached:
            return True
        if now < self._next_probe.get(client_id, latest.at + PROBE_S):
            return False
        self._next_probe[client_id] = now + PROBE_S
        return True

    def _most_fail(self, now: float) -> bool:
        voices = [*self._voices(now - (KEPT_S if self._failing else FRESH_S))]
        failed = sum(not voice.reached for voice in voices)
        return failed >= LEAST and failed >= SHARE * len(voices)

    def _voices(self, since: float) -> Iterator[_Heard]:
        """Yield the outcomes to consider. Each client and each domain counts only once."""
        domains: set[str] = set()
        for one in reversed(self._heard.values()):
            if one.at < since or len(domains) == VOICES:
                return
            if one.domain not in domains:
                domains.add(one.domain)
                yield one


def name_found(attempt: DeliveryAttempt) -> bool | None:
    """Return whether a POST shows that the resolver works, or None if it allows no conclusion."""
    if attempt.failure is FailureKind.DNS:
        return False
    return True if attempt.dns_ms is not None else None


def connected(attempt: DeliveryAttempt) -> bool | None:
    """Return whether a POST shows that the network works, or None if it allows no conclusion.

    A receiver in a private network allows no conclusion about the path to the Internet.
    """
    if attempt.remote_ip is None or forbidden(ip_address(attempt.remote_ip), False) is not None:
        return None
    if attempt.connect_ms is not None:
        return True
    return False if attempt.failure in {FailureKind.CONNECT, FailureKind.TIMEOUT} else None


def domain_of(host: str) -> str:
    """Return approximately the part of a host that has a single owner.

    This is the last two labels of a name, three below a suffix such as `co.uk`, or the network of
    an address.
    """
    try:
        address = ip_address(host)
    except ValueError:
        labels = host.lower().rstrip(".").split(".")
        short = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
        return ".".join(labels[-3 if short else -2 :])
    return str(ip_network((address, 24 if address.version == 4 else 48), strict=False))
