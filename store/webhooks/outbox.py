"""The outbox: what a merchant's systems are to be told, written with what made it true.

The body is rendered here, once, and a delivery to each subscriber is written beside it; sending is
another process's work. Whatever is here will be told, and once.
"""

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.core.ports import NewId
from domain.webhooks.delivery import DeliveryStatus, Trigger
from domain.webhooks.envelope import render
from domain.webhooks.outbound_event import OutboundEvent
from domain.webhooks.webhook import wants
from store.core.repository import TenantRepository
from store.tenants.accounts import subscription_of
from store.webhooks.tables import webhook_deliveries, webhook_misses

# The row, and who may have to be told of it, in one round trip; nobody for a repetition. The share
# lock keeps them from being deleted before the deliveries that point to them are written.
_ADD: Final = sa.text("""
    WITH told AS (
        INSERT INTO outbox (client_id, id, event, dedup_key, body, created_at)
        VALUES (:client_id, :id, :event, :dedup_key, :body, :now)
        ON CONFLICT (client_id, event, dedup_key) DO NOTHING
        RETURNING client_id
    )
    SELECT webhook.id, webhook.url, webhook.events, webhook.is_active,
           client.plan, client.trial_ends_at, client.next_plan, client.next_plan_from
    FROM told
    JOIN clients AS client ON client.id = told.client_id
    JOIN webhook_subscriptions AS webhook ON webhook.client_id = told.client_id
    ORDER BY webhook.id
    FOR KEY SHARE OF webhook
""")


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
        """Tell of `event`; returns the ids of the deliveries that are to be sent.

        `dedup_key` names what happened (a run, a round of it): a repetition adds nothing.
        `run_id`: of the run that caused it, whose workflow sends the deliveries; without one, the
        caller has them sent (`Engine.send_webhooks`), or the sweeper does.
        """
        event_id, body = new_id(), render(event, self._tenant, now)
        rows = await self._connection.execute(
            _ADD,
            {
                "client_id": self._tenant,
                "id": event_id,
                "event": event.event,
                "dedup_key": dedup_key,
                "body": body,
                "now": now,
            },
        )
        told = [row for row in rows if _in_plan(row, now) and wants(row.events, event.event)]
        missed = [row.id for row in told if not row.is_active]
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
            for row in told
            if row.is_active
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
    """Below pro, subscriptions are kept and not sent."""
    return subscription_of(row).includes_webhooks(now)
