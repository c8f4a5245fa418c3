"""A circuit breaker for failures of the service's own resolver or network, not of receivers.

Its decisions depend only on the outcomes and times of POSTs. The resolver and the network have
separate breakers (decision 0036).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address, ip_network
from typing import Final

from domain.webhooks.address_guard import forbidden
from domain.webhooks.delivery import DeliveryAttempt, FailureKind

VOICES: Final = 10
"""Maximum number of recent outcomes that are considered, each from a different client and domain.
"""
LEAST: Final = 5
"""Minimum number of failures among the considered outcomes for the breaker to open."""
SHARE: Final = 0.8
"""Minimum share of failures among the considered outcomes for the breaker to open, from 0 to 1."""
FRESH_S: Final = 60.0
"""Number of seconds for which an outcome is considered while the breaker is closed."""
KEPT_S: Final = 600.0
"""Number of seconds for which an outcome is considered while the breaker is open. Deferred
deliveries are retried within this period."""
PROBE_S: Final = 15.0
"""Minimum time in seconds between two POSTs for a client if the breaker is open and the client's
latest POST failed."""
_CLIENTS: Final = 1000
"""Maximum number of clients for which the latest outcome is stored."""


class OwnPart(StrEnum):
    """A part of the service's own network path to receivers. `names`: the resolver. `network`: the
    connections."""

    NAMES = "names"
    NETWORK = "network"


@dataclass(frozen=True, slots=True)
class _Heard:
    """The outcome of a client's POST. `reached` means that the resolver resolved the name, or that
    the network opened a connection. `at` is monotonic, in seconds."""

    client_id: str
    domain: str
    reached: bool
    at: float


class Breaker:
    """One process's circuit breaker for one part of the network path. All times are from the same
    monotonic clock, in seconds."""

    def __init__(self) -> None:
        # The latest outcome of each client, newest last.
        self._heard: dict[str, _Heard] = {}
        self._next_probe: dict[str, float] = {}
        self._canary_lost_at: float | None = None
        self._failing = False

    def heard(self, client_id: str, domain: str, now: float, *, reached: bool) -> None:
        """Record the outcome of a client's POST to a domain. `reached` means that the breaker's
        part of the path worked."""
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
        """Record a self-check against a target that is known to work. If `lives` is true, the
        self-check succeeded."""
        self._canary_lost_at = None if lives else now

    def is_open(self, now: float) -> bool:
        """Return True if the breaker is open. Failures are then attributed to the service's own
        network."""
        lost = self._canary_lost_at
        if lost is not None and now - lost <= KEPT_S:
            return True
        self._failing = self._failing and self._most_fail(now)
        return self._failing

    def lets_through(self, client_id: str, now: float) -> bool:
        """Return True if a client's POST may be sent now. After a probe, the client's next one is
        due after PROBE_S.

        While the breaker is open, a client whose latest POST did not fail is not delayed. Dead
        receivers of one client therefore do not stop other clients' deliveries.
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
        """Yield the latest outcomes since a time, newest first, at most one per client and one per
        domain."""
        domains: set[str] = set()
        for one in reversed(self._heard.values()):
            if one.at < since or len(domains) == VOICES:
                return
            if one.domain not in domains:
                domains.add(one.domain)
                yield one


def name_found(attempt: DeliveryAttempt) -> bool | None:
    """Return True if a POST shows that the service's resolver works, or False if it shows that the
    resolver fails. Return None if the POST does not show whether the resolver works."""
    if attempt.failure is FailureKind.DNS:
        return False
    return True if attempt.dns_ms is not None else None


def connected(attempt: DeliveryAttempt) -> bool | None:
    """Return whether a POST shows that the service's network works or fails, or None if it shows
    neither.

    A receiver in a private network shows nothing about the path to the Internet.
    """
    if attempt.remote_ip is None or forbidden(ip_address(attempt.remote_ip), False) is not None:
        return None
    if attempt.connect_ms is not None:
        return True
    return False if attempt.failure in {FailureKind.CONNECT, FailureKind.TIMEOUT} else None


def domain_of(host: str) -> str:
    """Return the part of a host that probably has a single owner.

    For a name, these are the last two labels, or three under a suffix such as `co.uk`. For an IP
    address, it is the network (/24 or /48).
    """
    try:
        address = ip_address(host)
    except ValueError:
        labels = host.lower().rstrip(".").split(".")
        short = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
        return ".".join(labels[-3 if short else -2 :])
    return str(ip_network((address, 24 if address.version == 4 else 48), strict=False))
