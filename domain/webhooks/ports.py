"""What sends webhooks, and what watches it."""

from collections.abc import Mapping
from typing import Protocol

from domain.webhooks.delivery import DeliveryAttempt, DeliveryStatus


class WebhookSender(Protocol):
    """The way to merchants' URLs."""

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, client_id: str
    ) -> DeliveryAttempt:
        """One POST, 10 s over everything. Never raises for what the other side does, or for what
        its URL is by now; EngineUnavailable if this machine has no connection to spare.
        `client_id`: whose it is, so that one client's names that hang do not take the threads of
        another's look-ups."""


class WatchDeliveries(Protocol):
    """Whoever counts what became of deliveries."""

    def tried(self, status: DeliveryStatus, attempt: DeliveryAttempt | None) -> None:
        """A try ended, a repeated one too; `pending`: there will be another. `attempt` None:
        nothing was sent."""
