"""What sends webhooks, and what watches it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from domain.webhooks.breaker import OwnPart
from domain.webhooks.delivery import DeliveryAttempt, DeliveryStatus


class WebhookSender(Protocol):
    """The way to merchants' URLs."""

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, client_id: str
    ) -> DeliveryAttempt:
        """One POST, 10 s over everything. Never raises for what the other side does, or for what
        its URL is by now; EngineUnavailable if this machine has no connection to spare, and
        Deferred if too many look-ups go on, of the client or of all. `client_id`: whose it is, so
        that one client's names that hang do not take the threads of another's look-ups. The wait
        for a thread comes before the 10 s."""

    async def finds(self, name: str) -> bool:
        """Whether a name of ours is found now."""


@dataclass(frozen=True, slots=True, eq=False)
class TakenPlace:
    """`keys`: what it is counted under; empty where nobody counts."""

    keys: tuple[int, ...]


class Places(Protocol):
    """The places of endpoints and of clients that all workers share."""

    async def take(self, client_id: str, webhook_id: str) -> TakenPlace | None:
        """None: others have all of them. Never raises, and never waits long."""

    def give_back(self, place: TakenPlace) -> None:
        """Once for each place."""


class WatchDeliveries(Protocol):
    """Whoever counts what became of deliveries."""

    def tried(self, status: DeliveryStatus, attempt: DeliveryAttempt | None) -> None:
        """A try ended, a repeated one too; `pending`: there will be another. `attempt` None:
        nothing was sent."""

    def part_failing(self, part: OwnPart, *, failing: bool) -> None:
        """A part of our own way to receivers began to fail, or ceased to."""
