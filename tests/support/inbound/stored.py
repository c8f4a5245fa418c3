"""Webhooks as the endpoint stores them, without their platforms."""

from datetime import datetime
from hashlib import sha256
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from domain.core.ids import TenantId
from domain.inbound.inbound_webhook import WebhookKind, WebhookState
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider
from store.inbound.inbound_queues import InboundQueues, lock_queues
from store.inbound.tables import (
    data_requests,
    inbound_endpoints,
    inbound_messages,
    inbound_refusals,
    inbound_webhooks,
    poll_cursors,
)
from store.intake.tables import attachment_chunks, attachments
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import helpdesk_pauses, order_facts

_SIGNS: Final = inbound_endpoints.c.sealed_secret.is_not(None)


async def listen_to(
    connection: AsyncConnection, tenant: TenantId, provider: Provider = Provider.GENERIC
) -> str:
    """Create an integration that only receives webhooks, and return its id."""
    integration_id = new_ulid()
    await IntegrationRepository(connection, tenant).connect(
        Integration(id=integration_id, provider=provider, sealed="sealed"), utc_now(), new_ulid
    )
    return integration_id


async def store_webhook(
    connection: AsyncConnection,
    tenant: TenantId,
    integration_id: str,
    body: bytes,
    *,
    kind: WebhookKind = WebhookKind.TICKET,
    provider: Provider = Provider.GENERIC,
    topic: str = "ticket",
    dedup_key: str | None = None,
    created_at: datetime | None = None,
) -> str:
    """Store a webhook as the endpoint does, and return its id. If its queue is idle, the webhook is
    started immediately."""
    webhook_id = new_ulid()
    await lock_queues(connection, tenant)
    idle = await InboundQueues(connection, tenant).is_idle(kind)
    await connection.execute(
        sa.insert(inbound_webhooks).values(
            client_id=tenant,
            id=webhook_id,
            integration_id=integration_id,
            provider=provider,
            dedup_key=dedup_key or webhook_id,
            body_digest=sha256(body).digest(),
            topic=topic,
            kind=kind,
            body=body,
            is_signed=sa.func.coalesce(_of_endpoint(tenant, integration_id, _SIGNS), sa.false()),
            vouches=sa.func.coalesce(
                _of_endpoint(tenant, integration_id, inbound_endpoints.c.vouches), sa.false()
            ),
            state=WebhookState.WORKING if idle else WebhookState.QUEUED,
            created_at=created_at or utc_now(),
        )
    )
    return webhook_id


def _of_endpoint(
    tenant: TenantId, integration_id: str, value: sa.ColumnElement[bool]
) -> sa.ScalarSelect[bool]:
    """Return a property of the integration's endpoint as it is read on arrival, or null without an
    endpoint."""
    here = inbound_endpoints.c
    mine = here.client_id == tenant, here.integration_id == integration_id
    return sa.select(value).where(*mine).scalar_subquery()


async def fill_the_hub(
    connection: AsyncConnection, tenant: TenantId, integration_id: str, event_id: str
) -> None:
    """Insert a row in each inbound table. `event_id` is the id of a stored event."""
    now, file_id = utc_now(), new_ulid()
    webhook_id = await store_webhook(connection, tenant, integration_id, b"{}")
    of_integration = {"integration_id": integration_id}
    for table, values in (
        (inbound_endpoints, {**of_integration, "token_digest": file_id.encode(), "opened_at": now}),
        (
            inbound_refusals,
            {
                **of_integration, "reason": "signature_wrong", "hour": now, "created_at": now,
                "last_at": now,
            },
        ),
        (
            inbound_messages,
            {**of_integration, "message_key": "m", "webhook_id": webhook_id, "created_at": now},
        ),
        (order_facts, {**of_integration, "order_id": "1", "version": now, "updated_at": now}),
        (
            helpdesk_pauses,
            {
                **of_integration, "ticket_id": "1", "message_id": "1", "paused_at": now,
                "until": now,
            },
        ),
        (
            data_requests,
            {**of_integration, "id": new_ulid(), "created_at": now, "due_at": now},
        ),
        (poll_cursors, {**of_integration, "polled_at": now}),
        (
            attachments,
            {
                "id": file_id, "event_id": event_id, "position": 0, "name": "photo.jpg",
                "claimed_type": "image/jpeg", "size": 1, "digest": b"d", "state": "stored",
                "created_at": now,
            },
        ),
        (attachment_chunks, {"attachment_id": file_id, "seq": 0, "data": b"x"}),
    ):  # fmt: skip
        await connection.execute(sa.insert(table).values({"client_id": tenant, **values}))
