"""Deliveries: what is to be sent to webhooks, what came of it, and what that does to them."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.contracts import DeliverResult
from domain.delivery import Attempt, Delivery, Trigger
from domain.ids import TenantId
from domain.outbound_event import OutboundEventId
from domain.ports import NewId
from domain.webhook import RetryPolicy


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A try that is to be made now. `sealed_secrets`: those that sign, the newest first."""

    delivery_id: str
    webhook_id: str
    event: OutboundEventId
    event_id: str
    trigger: Trigger
    url: str
    retry_policy: RetryPolicy
    body: bytes = field(repr=False)
    sealed_secrets: tuple[str, ...] = field(repr=False)


class DeliveryRepository:
    """Of one client. What a try does is written for (delivery, attempt) once."""

    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def begin(
        self, delivery_id: str, attempt: int, now: datetime
    ) -> Outgoing | DeliverResult:
        """What to send in this try, at the webhook's present URL; or the result, where there is
        nothing to send: this try has ended already (a repeated activity gets the very result of the
        first), the webhook is disabled or the plan too small (then the delivery is skipped, and the
        event missed), or the delivery is gone with its webhook (skipped). A test goes to a disabled
        webhook too."""
        raise NotImplementedError

    async def finish(
        self,
        outgoing: Outgoing,
        attempt: int,
        done: Attempt,
        headers: dict[str, str],
        *,
        retry_in_s: float | None,
        now: datetime,
    ) -> DeliverResult:
        """Write what came of a try, once; a repetition changes nothing and gets the first result.

        With `retry_in_s` the delivery stays pending. Without, it has ended: the webhook's row is
        locked, then one statement counts it (a 2xx resets the count, a failure adds one, the 20th
        disables; 410 with retries disables at once; nothing once disabled, nothing for a test),
        writes the record, keeps the webhook's newest 50 ended ones, and notes or clears the miss.
        `headers`: as sent, signatures masked.
        """
        raise NotImplementedError

    async def pending_of_run(self, run_id: str) -> tuple[str, ...]:
        """Ids of a run's deliveries that have not ended, the oldest first."""
        raise NotImplementedError

    async def latest(self, webhook_id: str) -> tuple[Delivery, ...]:
        """Those of a webhook that are kept, and the pending ones, the newest first; at most 50 of
        either. Raises WebhookNotFound."""
        raise NotImplementedError

    async def read(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Raises DeliveryNotFound."""
        raise NotImplementedError

    async def replay(self, webhook_id: str, delivery_id: str, new_id: NewId, now: datetime) -> str:
        """A new delivery of the same body and event id to the webhook's present URL; its id.

        Raises DeliveryNotFound, DeliveryPending, WebhookDisabled. A replay of a test is a test.
        """
        raise NotImplementedError

    async def replay_missed(
        self, webhook_id: str, since: datetime, *, limit: int, new_id: NewId, now: datetime
    ) -> tuple[str, ...]:
        """New deliveries of the events since then that the webhook has not got and that are not
        under way, the oldest first, at most `limit`. Raises WebhookNotFound, WebhookDisabled."""
        raise NotImplementedError

    async def test(
        self, webhook_id: str, event: OutboundEventId, body: bytes, new_id: NewId, now: datetime
    ) -> str:
        """A delivery of a sample. Raises WebhookNotFound."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class LeftPending:
    client_id: str
    delivery_id: str
    created_at: datetime


async def deliveries_left_pending(
    connection: AsyncConnection, *, before: datetime, after: LeftPending | None, limit: int
) -> list[LeftPending]:
    """Deliveries of all clients that were due before then and have not ended, page by page, the
    oldest first. Due: when made, or at their next try."""
    raise NotImplementedError
