"""The outbox: webhook events for merchants' systems, written in the transaction of the change that
they report, exactly once.

The body is rendered here, with a delivery for each subscriber. Another process sends the
deliveries.
"""

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.core.ports import NewId
from domain.webhooks.delivery import DeliveryStatus, Trigger
from domain.webhooks.envelope import render
from domain.webhooks.outbound_event import OutboundEvent, TicketEvent, TicketResolved
from domain.webhooks.webhook import MAX_PENDING, pending_room, wants
from store.core.repository import TenantRepository
from store.tenants.accounts import subscription_of
from store.webhooks.tables import webhook_deliveries, webhook_misses

# One round trip stores the event and reads its webhooks. It returns no row for a stored event.
# Locking the ticket's row numbers concurrent resolutions. The share lock keeps webhooks until their
# deliveries are written. Pending deliveries are counted without a lock, so concurrent events may
# exceed the limit.
_ADD: Final = sa.text("""
    WITH added AS (
        INSERT INTO outbox (client_id, id, event, dedup_key, body, created_at)
        VALUES (:client_id, :id, :event, :dedup_key, :body, :now)
        ON CONFLICT (client_id, event, dedup_key) DO NOTHING
        RETURNING client_id
    ), numbered AS (
        INSERT INTO ticket_events (client_id, event, ticket_key, number, last_at)
        SELECT client_id, :event, CAST(:ticket_key AS text), 1, :now FROM added
        WHERE CAST(:ticket_key AS text) IS NOT NULL
        ON CONFLICT (client_id, event, ticket_key)
            DO UPDATE SET number = ticket_events.number + 1, last_at = excluded.last_at
        RETURNING number
    )
    SELECT coalesce((SELECT number FROM numbered), 1) AS number, webhook.*,
           client.plan, client.trial_ends_at, client.next_plan, client.next_plan_from
    FROM added
    JOIN clients AS client ON client.id = added.client_id
    LEFT JOIN LATERAL (
        SELECT subscription.id, subscription.url, subscription.events, subscription.is_active,
               subscription.once_per_ticket,
               (SELECT count(*) FROM (SELECT FROM webhook_deliveries AS delivery
                                      WHERE delivery.client_id = subscription.client_id
                                        AND delivery.webhook_id = subscription.id
                                        AND delivery.status = 'pending'
                                      LIMIT :most) AS counted) AS pending
        FROM webhook_subscriptions AS subscription
        WHERE subscription.client_id = added.client_id
        ORDER BY subscription.id
        FOR KEY SHARE OF subscription
    ) AS webhook ON true
    ORDER BY webhook.id
""")
# The body of a resolution contains its number. A number other than 1 is known only after the event
# was added.
_SET_BODY: Final = sa.text(
    "UPDATE outbox SET body = :body WHERE client_id = :client_id AND id = :id"
)


class Outbox(TenantRepository):
    async def add(
        self,
        event: OutboundEvent,
        *,
        dedup_key: str,
        now: datetime,
        new_id: NewId,
        run_id: str | None = None,
    ) -> tuple[str, ...]:
        """Add an event to the outbox, and return the ids of the deliveries to send.

        `dedup_key` identifies the cause of the event, such as a run's round. A repeated key stores
        nothing. The workflow of `run_id` sends the deliveries. Without a run, the caller
        (`Engine.send_webhooks`) or the sweeper sends them.
        """
        event_id = new_id()
        body = render(event, self._tenant, now)
        rows = (
            await self._connection.execute(
                _ADD,
                {
                    "client_id": self._tenant,
                    "id": event_id,
                    "event": event.event,
                    "dedup_key": dedup_key,
                    "body": body,
                    "ticket_key": event.ticket_key if isinstance(event, TicketEvent) else None,
                    "now": now,
                    "most": MAX_PENDING,
                },
            )
        ).all()
        if not rows:
            return ()
        number = rows[0].number
        # Most resolutions are the first of their ticket, which the stored body already contains.
        if isinstance(event, TicketResolved) and number != event.resolution:
            body = render(event.numbered(number), self._tenant, now)
            await self._connection.execute(
                _SET_BODY, {"client_id": self._tenant, "id": event_id, "body": body}
            )
        webhooks = [row for row in rows if row.id is not None]
        subscribed = [
            row
            for row in webhooks
            if _in_plan(row, now)
            and wants(row.events, event.event)
            and not (row.once_per_ticket and number > 1)
        ]
        room = pending_room(len(webhooks))
        sent = [row for row in subscribed if row.is_active and row.pending < room]
        missed = sorted({row.id for row in subscribed} - {row.id for row in sent})
        deliveries = [
            {
                "client_id": self._tenant,
                "id": new_id(),
                "webhook_id": row.id,
                "event": event.event,
                "event_id": event_id,
                "run_id": run_id,
                "trigger": Trigger.EVENT,
                "url": row.url,
                "status": DeliveryStatus.PENDING,
                "request_body": body,
                "created_at": now,
            }
            for row in sent
        ]
        if deliveries:
            await self._connection.execute(sa.insert(webhook_deliveries), deliveries)
        if missed:
            await self._connection.execute(
                sa.insert(webhook_misses),
                [
                    {
                        "client_id": self._tenant,
                        "webhook_id": webhook_id,
                        "event_id": event_id,
                        "created_at": now,
                    }
                    for webhook_id in missed
                ],
            )
        return tuple(str(delivery["id"]) for delivery in deliveries)


def _in_plan(row: "sa.Row[*tuple[Any, ...]]", now: datetime) -> bool:
    """Return True if the client's plan includes webhooks. On plans below pro, subscriptions are
    kept but not used."""
    return subscription_of(row).includes_webhooks(now)
