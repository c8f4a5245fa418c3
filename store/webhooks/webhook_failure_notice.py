"""The data for notifying a webhook's owner of failures. The queries span clients because users do
not belong to a client."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.webhooks.delivery import FailureKind
from domain.webhooks.notice import TroubledWebhook
from store.tenants.tables import clients, users
from store.webhooks.tables import webhook_deliveries, webhook_subscriptions


async def webhook_failure_notice(
    connection: AsyncConnection, tenant: TenantId, delivery_id: str
) -> TroubledWebhook | None:
    """Return the webhook in its current state, and the failed delivery. Return None if either was
    deleted."""
    delivery, webhook = webhook_deliveries.c, webhook_subscriptions.c
    found = await connection.execute(
        sa.select(
            users.c.email,
            webhook.id,
            delivery.failure_count_after,
            delivery.failure_kind,
            delivery.response_status,
        )
        .join_from(
            webhook_deliveries,
            webhook_subscriptions,
            sa.and_(webhook.client_id == delivery.client_id, webhook.id == delivery.webhook_id),
        )
        .join(clients, clients.c.id == delivery.client_id)
        .join(users, users.c.id == clients.c.owner_user_id)
        .where(delivery.client_id == tenant, delivery.id == delivery_id)
    )
    row = found.one_or_none()
    if row is None:
        return None
    return TroubledWebhook(
        owner_email=row.email,
        webhook_id=row.id,
        failures=row.failure_count_after or 0,
        kind=FailureKind(row.failure_kind) if row.failure_kind else None,
        status=row.response_status,
    )
