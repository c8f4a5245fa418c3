"""Ports of webhooks: sending and monitoring deliveries."""

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
        """Send one POST within 10 s, after waiting for a DNS lookup thread.

        Never raises for the receiver's behaviour or for a URL that is no longer allowed. Raises
        EngineUnavailable if this machine has no free connection, and Deferred if too many lookups
        are running, for this client or for all. `client_id`: the owner, so that one client's
        unresponsive names do not occupy the threads for another client's lookups.
        """

    async def finds(self, name: str) -> bool:
        """Return whether one of the service's own names resolves now."""


@dataclass(frozen=True, slots=True, eq=False)
class TakenPlace:
    """A slot taken for a delivery. `keys`: the keys under which the slot is counted; empty if slots
    cannot be counted."""

    keys: tuple[int, ...]


class Places(Protocol):
    """Limits on concurrent deliveries per endpoint and per client, shared by all workers."""

    async def take(self, client_id: str, webhook_id: str) -> TakenPlace | None:
        """Acquire a slot, or return None if all slots are in use. Never raises, and never waits
        long."""

    def give_back(self, place: TakenPlace) -> None:
        """Release a slot. Call once per slot."""


class WatchDeliveries(Protocol):
    """Monitors the outcomes of deliveries."""

    def tried(self, status: DeliveryStatus, attempt: DeliveryAttempt | None) -> None:
        """Record the end of an attempt, including a repeated attempt.

        `pending`: another attempt follows. `attempt`: None if nothing was sent.
        """

    def part_failing(self, part: OwnPart, *, failing: bool) -> None:
        """Record that a part of the service's own path to receivers has started to fail, or has
        recovered."""
