"""Recovery of webhook processing after a crash, for all clients. The queries find webhooks that
have no workflow, and queues that have no webhook in progress."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.inbound.contracts import WebhookRef
from domain.inbound.inbound_webhook import WebhookKind, WebhookState
from store.core.place import Place, beyond
from store.inbound.inbound_queues import IS_HEAD
from store.inbound.tables import inbound_webhooks

_ROW: Final = inbound_webhooks.c


@dataclass(frozen=True, slots=True)
class LeftWebhook:
    """A webhook that should have a workflow, but may have lost it."""

    ref: WebhookRef
    created_at: datetime

    @property
    def place(self) -> Place:
        return Place(self.created_at, self.ref.webhook_id)


@dataclass(frozen=True, slots=True)
class StoppedQueue:
    """A queue that contains webhooks but has no head. `kind`: one of the kinds of webhooks in the
    queue."""

    tenant: TenantId
    kind: WebhookKind


async def webhooks_left(
    connection: AsyncConnection, *, before: datetime, after: Place | None, limit: int
) -> list[LeftWebhook]:
    """Return a page of webhooks that should have a workflow, oldest first. Most of them still do.

    These arrived before `before` and are in progress, or wait and were due before it.
    """
    rows = await connection.execute(
        sa.select(_ROW.client_id, _ROW.id, _ROW.created_at)
        .where(
            sa.or_(
                sa.and_(_ROW.state == WebhookState.WORKING, _ROW.created_at < before),
                sa.and_(_ROW.state == WebhookState.WAITING, _ROW.not_before < before),
            ),
            beyond(after, _ROW.created_at, _ROW.id),
        )
        .order_by(_ROW.created_at, _ROW.id)
        .limit(limit)
    )
    return [
        LeftWebhook(WebhookRef(client_id=row.client_id, webhook_id=row.id), row.created_at)
        for row in rows
    ]


async def stopped_queues(connection: AsyncConnection, *, limit: int) -> list[StoppedQueue]:
    """Return at most `limit` queues that contain queued webhooks but have no head."""
    rows = await connection.execute(_STOPPED, {"limit": limit})
    return [StoppedQueue(TenantId(row.client_id), WebhookKind(row.kind)) for row in rows]


_STOPPED: Final = sa.text(f"""
    SELECT client_id, min(kind) AS kind
    FROM inbound_webhooks AS queued
    WHERE state = 'queued' AND NOT EXISTS (
        SELECT FROM inbound_webhooks AS head
        WHERE head.client_id = queued.client_id AND {IS_HEAD}
          AND (head.kind = 'ticket') = (queued.kind = 'ticket')
    )
    GROUP BY client_id, kind = 'ticket'
    LIMIT :limit
""")  # noqa: S608 - constants
