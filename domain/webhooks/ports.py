"""Ports for sending webhook deliveries and for monitoring them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from domain.webhooks.breaker import OwnPart
from domain.webhooks.delivery import DeliveryAttempt, DeliveryStatus


class WebhookSender(Protocol):
    """A sender of HTTP requests to merchants' URLs."""

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, client_id: str
    ) -> DeliveryAttempt:
        """Send one POST to a URL and return the result, also for a failing receiver or a forbidden
        URL.

        Takes at most 10 s once a thread for the DNS lookup is free. Lookup threads are limited per
        `client_id`, the URL's owner. Raises EngineUnavailable without a free connection on this
        machine, and Deferred if too many lookups are running.
        """

    async def finds(self, name: str) -> bool:
        """Return True if the DNS lookup of `name`, one of the service's own host names, succeeds
        now."""


@dataclass(frozen=True, slots=True, eq=False)
class TakenPlace:
    """A concurrency slot held by a delivery. `keys` are the keys under which the slot is counted,
    or empty if slots cannot be counted at the moment."""

    keys: tuple[int, ...]


class Places(Protocol):
    """Limits on concurrent deliveries per endpoint and per client, shared by all workers."""

    async def take(self, client_id: str, webhook_id: str) -> TakenPlace | None:
        """Acquire a slot for a delivery, or return None if all slots are in use. Never raises, and
        never waits long."""

    def give_back(self, place: TakenPlace) -> None:
        """Release a slot that `take` returned. Call this method once per slot."""


class WatchDeliveries(Protocol):
    """A monitor of the outcomes of webhook deliveries, for metrics and alerts."""

    def tried(self, status: DeliveryStatus, attempt: DeliveryAttempt | None) -> None:
        """Record the outcome of a delivery attempt, possibly repeated after a crash.

        `status` is the delivery's state, where `pending` announces another attempt. `attempt` is
        None if nothing was sent.
        """

    def part_failing(self, part: OwnPart, *, failing: bool) -> None:
        """Record that a part of the service's own network path to receivers has started to fail
        (`failing`) or has recovered."""
