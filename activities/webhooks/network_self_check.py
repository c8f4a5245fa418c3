"""The self-check of our own resolver and network. While either of them is failing, deliveries wait,
and failures do not count against receivers."""

import random
import time
from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import structlog

from domain.webhooks.breaker import Breaker, OwnPart, connected, domain_of, name_found
from domain.webhooks.delivery import DeliveryAttempt
from domain.webhooks.errors import Deferred
from domain.webhooks.ports import WatchDeliveries

FIRST_WAIT_S: Final = 15.0
_LONGEST_WAIT_S: Final = 300.0
"""The longest wait of a deferred delivery, in seconds. It is half of
`domain.webhooks.breaker.KEPT_S`, so that an open circuit breaker does not close during the wait."""
_SPREAD: Final = 0.5
WAITS_AT_MOST_S: Final = 24 * 3600.0
"""After this time, in seconds, a failure is always attributed to the receiver. Unreachable
receivers are therefore not retried forever."""

_log = structlog.get_logger(__name__)


class NetworkSelfCheck:
    """The network self-check of one worker and event loop. `canary` returns whether the configured
    host name resolves, or is None. `randomness`, from 0 to 1, spreads waiting deliveries over
    time."""

    def __init__(
        self,
        canary: Callable[[], Awaitable[bool]] | None,
        watch: WatchDeliveries,
        *,
        first_wait_s: float = FIRST_WAIT_S,
        clock: Callable[[], float] = time.monotonic,
        randomness: Callable[[], float] = random.random,
    ) -> None:
        self._canary = canary
        # The canary is used only after its name has resolved once. A misspelled name never
        # resolves, and must not be mistaken for a network failure.
        self._canary_known = False
        self._watch = watch
        self._first_wait_s = first_wait_s
        self._clock = clock
        self._chance = randomness
        self._parts = {part: Breaker() for part in OwnPart}
        self._failing = dict.fromkeys(OwnPart, False)

    async def begin(self) -> None:
        """Before the first delivery, check whether the canary's host name resolves."""
        if self._canary is not None:
            self._canary_known = await self._canary()
            if not self._canary_known:
                _log.warning("self-check host not found: its result is ignored until it resolves")

    def admit(self, client_id: str, url: str, *, tries: int) -> None:
        """Raise Deferred if a POST would most likely fail because of our own network. `tries` is
        the number of attempts made for this delivery, including deferred attempts."""
        host = urlsplit(url).hostname or ""
        for part, breaker in self._parts.items():
            if part is OwnPart.NAMES and _is_address(host):
                continue
            let_through = breaker.lets_through(client_id, self._clock())
            self._show(part)
            if not let_through:
                raise self._later(tries)

    async def judge(self, client_id: str, url: str, done: DeliveryAttempt, *, tries: int) -> None:
        """Record the outcome of a POST. Raises Deferred if the POST failed and our own network is
        the most likely cause."""
        domain = domain_of(urlsplit(url).hostname or "")
        found = name_found(done)
        if found is False:
            await self._ask_canary()
        ours = False
        for part, reached in ((OwnPart.NAMES, found), (OwnPart.NETWORK, connected(done))):
            ours |= self._hear(part, client_id, domain, reached)
        if ours:
            raise self._later(tries)

    def _hear(self, part: OwnPart, client_id: str, domain: str, reached: bool | None) -> bool:
        """Record whether a POST got past `part` (the resolver or the network), unless `reached` is
        None. Return True if the POST did not get past `part`, and `part` is failing."""
        if reached is not None:
            self._parts[part].heard(client_id, domain, self._clock(), reached=reached)
        return self._show(part) and reached is False

    def _show(self, part: OwnPart) -> bool:
        """Return whether `part` (the resolver or the network) is failing. If its state has changed,
        update the metrics and log the change."""
        failing = self._parts[part].is_open(self._clock())
        if failing is not self._failing[part]:
            self._failing[part] = failing
            self._watch.part_failing(part, failing=failing)
            if failing:
                _log.warning(
                    "own network or DNS resolver is failing: deliveries are deferred", part=part
                )
            else:
                _log.info("own network and DNS resolver are working again", part=part)
        return failing

    async def _ask_canary(self) -> None:
        if self._canary is None:
            return
        lives = await self._canary()
        if lives or self._canary_known:
            self._parts[OwnPart.NAMES].canary(self._clock(), lives=lives)
        self._canary_known |= lives

    def _later(self, tries: int) -> Deferred:
        wait = min(self._first_wait_s * 2 ** min(tries - 1, 10), _LONGEST_WAIT_S)
        return Deferred(wait * (1 - _SPREAD * self._chance()))


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
