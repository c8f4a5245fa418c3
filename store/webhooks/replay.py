"""Deliveries on request: a redelivery, a replay of missed events, or a test. They are stored as
pending, and sent by the caller (`Engine.send_webhooks`) or the sweeper."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.ports import NewId
from domain.webhooks.delivery import DeliveryStatus, Trigger
from domain.webhooks.errors import (
    DeliveryNotFound,
    DeliveryPending,
    TooManyPending,
    WebhookDisabled,
    WebhookNotFound,
)
from domain.webhooks.outbound_event import OutboundEventId
from domain.webhooks.webhook import COUNTED_MISSES, MAX_PENDING, pending_room
from store.core.repository import TenantRepository
from store.webhooks.delivery_ending import lock_webhook
from store.webhooks.tables import webhook_deliveries

_TABLE: Final = webhook_deliveries.c

_AGAIN: Final = sa.text("""
    INSERT INTO webhook_deliveries (client_id, id, webhook_id, event, event_id, trigger, replay_of,
                                    url, status, request_body, created_at)
    SELECT first.client_id, :id, first.webhook_id, first.event, first.event_id, :trigger, first.id,
           webhook.url, 'pending', first.request_body, :now
    FROM webhook_deliveries AS first
    JOIN webhook_subscriptions AS webhook
      ON webhook.client_id = first.client_id AND webhook.id = first.webhook_id
    WHERE first.client_id = :client_id AND first.id = :delivery_id
""")
# The query selects the events that the webhook has missed and for which it has no pending delivery.
_MISSED: Final = sa.text("""
    SELECT event.id, event.created_at
    FROM webhook_misses AS miss
    JOIN outbox AS event ON event.client_id = miss.client_id AND event.id = miss.event_id
    WHERE miss.client_id = :client_id AND miss.webhook_id = :webhook_id
      AND miss.created_at >= :since AND event.body IS NOT NULL
      AND NOT EXISTS (
        SELECT FROM webhook_deliveries AS delivery
        WHERE delivery.client_id = :client_id AND delivery.webhook_id = :webhook_id
          AND delivery.event_id = miss.event_id AND delivery.status = 'pending'
      )
    ORDER BY miss.created_at, miss.event_id
    LIMIT :limit
""")
# The query selects all events to which the webhook is now subscribed and for which it has no
# pending delivery, not only missed events.
_ALL: Final = sa.text("""
    SELECT event.id, event.created_at
    FROM outbox AS event
    JOIN webhook_subscriptions AS webhook
      ON webhook.client_id = event.client_id AND webhook.id = :webhook_id
    WHERE event.client_id = :client_id AND event.created_at >= :since AND event.body IS NOT NULL
      AND webhook.events ?| ARRAY[event.event, '*']
      AND NOT EXISTS (
        SELECT FROM webhook_deliveries AS delivery
        WHERE delivery.client_id = :client_id AND delivery.webhook_id = :webhook_id
          AND delivery.event_id = event.id AND delivery.status = 'pending'
      )
    ORDER BY event.created_at, event.id
    LIMIT :limit
""")
_REPLAY: Final = sa.text("""
    INSERT INTO webhook_deliveries (client_id, id, webhook_id, event, event_id, trigger,
                                    url, status, request_body, created_at)
    SELECT event.client_id, wanted.id, webhook.id, event.event, event.id, 'replay',
           webhook.url, 'pending', event.body, :now
    FROM unnest(CAST(:ids AS text[]), CAST(:event_ids AS text[])) AS wanted (id, event_id)
    JOIN outbox AS event ON event.client_id = :client_id AND event.id = wanted.event_id
    JOIN webhook_subscriptions AS webhook
      ON webhook.client_id = :client_id AND webhook.id = :webhook_id
    WHERE event.body IS NOT NULL
    RETURNING id
""")
_PENDING: Final = sa.text("""
    SELECT (SELECT count(*) FROM webhook_subscriptions WHERE client_id = :client_id) AS webhooks,
           (SELECT count(*) FROM (SELECT FROM webhook_deliveries
                                  WHERE client_id = :client_id AND webhook_id = :webhook_id
                                    AND status = 'pending'
                                  LIMIT :most) AS counted) AS pending
""")
_TEST: Final = sa.text("""
    INSERT INTO webhook_deliveries (client_id, id, webhook_id, event, event_id, trigger,
                                    url, status, request_body, created_at)
    SELECT client_id, :id, id, :event, :event_id, 'test', url, 'pending', :body, :now
    FROM webhook_subscriptions
    WHERE client_id = :client_id AND id = :webhook_id
    FOR KEY SHARE
""")


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of replaying events. `left` counts the events that remain, up to 1000, and
    `next_since` is the time of the first, or None."""

    delivery_ids: tuple[str, ...]
    left: int
    next_since: datetime | None


class DeliveryReplay(TenantRepository):
    """Redeliveries, replays and tests for one client."""

    async def replay(self, webhook_id: str, delivery_id: str, new_id: NewId, now: datetime) -> str:
        """Add a redelivery with the same body and event id to the webhook's current URL. Return its
        id.

        A test's redelivery is a test. Raises DeliveryNotFound, DeliveryPending, WebhookDisabled,
        TooManyPending.
        """
        # While the webhook is locked, none of its deliveries can end, so none can be pruned either.
        is_active = await lock_webhook(self._connection, self._tenant, webhook_id)
        first = await self._one(
            sa.select(_TABLE.status, _TABLE.trigger).where(
                _TABLE.client_id == self._tenant,
                _TABLE.webhook_id == webhook_id,
                _TABLE.id == delivery_id,
            ),
            {},
            DeliveryNotFound(delivery_id),
        )
        if first.status == DeliveryStatus.PENDING:
            raise DeliveryPending(delivery_id)
        if not is_active:
            raise WebhookDisabled(webhook_id)
        await self._check_room(webhook_id)
        again = Trigger.TEST if first.trigger == Trigger.TEST else Trigger.REPLAY
        replay_id = new_id()
        await self._connection.execute(
            _AGAIN,
            {
                "client_id": self._tenant,
                "id": replay_id,
                "delivery_id": delivery_id,
                "trigger": again.value,
                "now": now,
            },
        )
        return replay_id

    async def replay_since(
        self,
        webhook_id: str,
        since: datetime,
        *,
        everything: bool = False,
        limit: int,
        new_id: NewId,
        now: datetime,
    ) -> Replayed:
        """Add deliveries for the events since `since` that the webhook has missed and that are not
        pending.

        At most `limit`, oldest first, within the limit on pending deliveries. If `everything` is
        true, received events are included. The webhook is locked. Raises WebhookNotFound,
        WebhookDisabled.
        """
        is_active = await lock_webhook(self._connection, self._tenant, webhook_id)
        if is_active is None:
            raise WebhookNotFound(webhook_id)
        if not is_active:
            raise WebhookDisabled(webhook_id)
        mine = {"client_id": self._tenant, "webhook_id": webhook_id}
        found = await self._connection.execute(
            _ALL if everything else _MISSED,
            {**mine, "since": since, "limit": limit + COUNTED_MISSES},
        )
        events = found.all()
        limit = min(limit, max(0, await self._room(webhook_id)))
        ids = [new_id() for _ in events[:limit]]
        event_ids = [event.id for event in events[:limit]]
        added = set(
            await self._connection.scalars(
                _REPLAY, {**mine, "ids": ids, "event_ids": event_ids, "now": now}
            )
        )
        left = events[limit:]
        return Replayed(
            delivery_ids=tuple(delivery_id for delivery_id in ids if delivery_id in added),
            left=len(left),
            next_since=left[0].created_at if left else None,
        )

    async def waiting(
        self, webhook_id: str, since: datetime, *, everything: bool = False, limit: int
    ) -> int:
        """Return the number of events that `replay_since` would replay now, up to `limit`."""
        found = await self._connection.execute(
            _ALL if everything else _MISSED,
            {"client_id": self._tenant, "webhook_id": webhook_id, "since": since, "limit": limit},
        )
        return len(found.all())

    async def test(
        self, webhook_id: str, event: OutboundEventId, body: bytes, new_id: NewId, now: datetime
    ) -> str:
        """Add a test delivery with a sample event, even for a disabled webhook, and return its id.
        Raises WebhookNotFound, TooManyPending."""
        await self._check_room(webhook_id)
        delivery_id = new_id()
        added = await self._connection.execute(
            _TEST,
            {
                "client_id": self._tenant,
                "id": delivery_id,
                "webhook_id": webhook_id,
                "event": event,
                "event_id": new_id(),
                "body": body,
                "now": now,
            },
        )
        if not added.rowcount:
            raise WebhookNotFound(webhook_id)
        return delivery_id

    async def _check_room(self, webhook_id: str) -> None:
        """Raise TooManyPending if the webhook has reached the limit on pending deliveries."""
        if await self._room(webhook_id) <= 0:
            raise TooManyPending(webhook_id)

    async def _room(self, webhook_id: str) -> int:
        """Return the number of additional deliveries that the webhook may have pending."""
        found = await self._connection.execute(
            _PENDING, {"client_id": self._tenant, "webhook_id": webhook_id, "most": MAX_PENDING}
        )
        row = found.one()
        return pending_room(row.webhooks) - int(row.pending)
