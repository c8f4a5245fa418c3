"""Ports of webhooks: sending, and monitoring of deliveries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from domain.webhooks.breaker import OwnPart
from domain.webhooks.delivery import DeliveryAttempt, DeliveryStatus


class WebhookSender(Protocol):
    """Sends requests to merchants' URLs."""

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, client_id: str
    ) -> DeliveryAttempt:
        """Send one POST within 10 s, after waiting for a look-up thread.

        Never raises for the receiver's behaviour or for a URL that is no longer allowed. Raises
        EngineUnavailable if this machine has no free connection, and Deferred if too many look-ups
        are running, of the client or of all. `client_id`: the owner, so that one client's hanging
        names do not take the threads of another's look-ups.
        """

    async def finds(self, name: str) -> bool:
        """Return whether a name of the service's own resolves now."""


@dataclass(frozen=True, slots=True, eq=False)
class TakenPlace:
    """`keys`: the keys that count the place; empty if places cannot be counted."""

    keys: tuple[int, ...]


class Places(Protocol):
    """Limits on concurrent deliveries per endpoint and per client, shared by all workers."""

    async def take(self, client_id: str, webhook_id: str) -> TakenPlace | None:
        """Take a place, or return None if all are taken. Never raises, and never waits long."""

    def give_back(self, place: TakenPlace) -> None:
        """Release a place. Call once per place."""


class WatchDeliveries(Protocol):
    """Monitors the outcomes of deliveries."""

    def tried(self, status: DeliveryStatus, attempt: DeliveryAttempt | None) -> None:
        """Record the end of an attempt, including a repeated one. `pending`: another attempt
        follows. `attempt`: None if nothing was sent."""

    def part_failing(self, part: OwnPart, *, failing: bool) -> None:
        """Record that a part of the service's own path to receivers began to fail, or recovered."""
