"""Whether our own resolver or network fails, and not the receivers.

A pure rule: what became of POSTs goes in with its time, a verdict comes out. Names and connections
have one breaker each, since one may fail while the other works. Decision 0036 has the reasons.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address, ip_network
from typing import Final

from domain.webhooks.address_guard import forbidden
from domain.webhooks.delivery import DeliveryAttempt, FailureKind

VOICES: Final = 10
"""The latest that are heard, each of another client and another domain."""
LEAST: Final = 5
"""So many of them fail at least, before it can be our fault."""
SHARE: Final = 0.8
"""So much of those that were heard fails."""
FRESH_S: Final = 60.0
"""How long an outcome speaks while the breaker is closed."""
KEPT_S: Final = 600.0
"""How long it speaks while the breaker is open: the deliveries that wait come back within it."""
PROBE_S: Final = 15.0
"""A client whose latest POST failed is let through so often while the breaker is open."""
_CLIENTS: Final = 1000
"""Of so many clients the latest outcome is kept."""


class OwnPart(StrEnum):
    """Of our own way to receivers: the resolver, and the way to addresses."""

    NAMES = "names"
    NETWORK = "network"


@dataclass(frozen=True, slots=True)
class _Heard:
    """`reached`: whether the part worked: a name was found, or a connection came about."""

    client_id: str
    domain: str
    reached: bool
    at: float


class Breaker:
    """Of one part of the way, in one process. Times in seconds, of one clock."""

    def __init__(self) -> None:
        # The latest outcome of each client; the newest last.
        self._heard: dict[str, _Heard] = {}
        self._next_probe: dict[str, float] = {}
        self._canary_lost_at: float | None = None
        self._failing = False

    def heard(self, client_id: str, domain: str, now: float, *, reached: bool) -> None:
        """What became of a POST of the client to that domain."""
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
        """What became of a probe of our own, at something that is known to work."""
        self._canary_lost_at = None if lives else now

    def is_open(self, now: float) -> bool:
        """Whether what fails now is thought to be our failure."""
        lost = self._canary_lost_at
        if lost is not None and now - lost <= KEPT_S:
            return True
        self._failing = self._failing and self._most_fail(now)
        return self._failing

    def lets_through(self, client_id: str, now: float) -> bool:
        """Whether a POST of the client is made now; asking takes its turn as a probe.

        While the breaker is open, a client whose latest POST came through, or of whom nothing was
        heard, is not held up: clients with dead receivers cannot stop anybody else.
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
        """One client with many domains has one voice, and so has one domain of many clients."""
        domains: set[str] = set()
        for one in reversed(self._heard.values()):
            if one.at < since or len(domains) == VOICES:
                return
            if one.domain not in domains:
                domains.add(one.domain)
                yield one


def name_found(attempt: DeliveryAttempt) -> bool | None:
    """What a POST says of our resolver; None: nothing."""
    if attempt.failure is FailureKind.DNS:
        return False
    return True if attempt.dns_ms is not None else None


def connected(attempt: DeliveryAttempt) -> bool | None:
    """What a POST says of our network; None: nothing. A receiver in a network of our own says
    nothing of the way to the Internet."""
    if attempt.remote_ip is None or forbidden(ip_address(attempt.remote_ip), False) is not None:
        return None
    if attempt.connect_ms is not None:
        return True
    return False if attempt.failure in {FailureKind.CONNECT, FailureKind.TIMEOUT} else None


def domain_of(host: str) -> str:
    """What one owner has, roughly: the last two labels of a name, three below a suffix like
    `co.uk`, and the network of an address."""
    try:
        address = ip_address(host)
    except ValueError:
        labels = host.lower().rstrip(".").split(".")
        short = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
        return ".".join(labels[-3 if short else -2 :])
    return str(ip_network((address, 24 if address.version == 4 else 48), strict=False))
