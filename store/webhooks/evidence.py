"""The data for checking a pasted signature: a client's signing secrets, and the deliveries that
were sent."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.webhooks.errors import WebhookNotFound
from domain.webhooks.explanation import Origin
from domain.webhooks.secret import SealedSecret
from domain.webhooks.signature import TIMESTAMP
from domain.webhooks.signature_verdict import Sent
from domain.webhooks.webhook import KEPT_DELIVERIES
from store.webhooks.tables import webhook_deliveries, webhook_subscriptions

_WEBHOOKS: Final = webhook_subscriptions.c
_DELIVERIES: Final = webhook_deliveries.c
# Expired previous secrets are included because a signature may still have been made with one. They
# are stored until the next rotation.
_SECRETS: Final = (
    sa.select(
        _WEBHOOKS.id, _WEBHOOKS.secret_sealed, _WEBHOOKS.previous_sealed, _WEBHOOKS.previous_until
    )
    .where(_WEBHOOKS.client_id == sa.bindparam("tenant"))
    .order_by(_WEBHOOKS.id != sa.bindparam("webhook"), _WEBHOOKS.id)
)
_SENT: Final = (
    sa.select(
        _DELIVERIES.id,
        _DELIVERIES.event_id,
        _DELIVERIES.request_headers[TIMESTAMP].astext.label("timestamp"),
        _DELIVERIES.request_body,
    )
    .where(
        _DELIVERIES.client_id == sa.bindparam("tenant"),
        _DELIVERIES.webhook_id == sa.bindparam("webhook"),
        _DELIVERIES.sent_at.is_not(None),
    )
    .order_by(_DELIVERIES.id.desc())
    .limit(KEPT_DELIVERIES)
)


class WebhookEvidence:
    """The data for checking a pasted signature from one webhook."""

    def __init__(self, connection: AsyncConnection, tenant: TenantId, webhook_id: str) -> None:
        self._connection = connection
        self._this = {"tenant": tenant, "webhook": webhook_id}

    async def sealed_secrets(self, now: datetime) -> tuple[SealedSecret, ...]:
        """Return the client's encrypted signing secrets, beginning with the secrets of this
        webhook. Raises WebhookNotFound."""
        rows = (await self._connection.execute(_SECRETS, self._this)).all()
        if not rows or rows[0].id != self._this["webhook"]:
            raise WebhookNotFound(self._this["webhook"])
        return tuple(secret for row in rows for secret in self._secrets_of(row, now))

    async def sent(self) -> tuple[Sent, ...]:
        """Return the stored deliveries that were sent to the webhook, newest first."""
        rows = await self._connection.execute(_SENT, self._this)
        return tuple(
            Sent(row.id, row.event_id, int(row.timestamp), bytes(row.request_body)) for row in rows
        )

    def _secrets_of(
        self, row: "sa.Row[str, str, str | None, datetime | None]", now: datetime
    ) -> Iterator[SealedSecret]:
        own = row.id == self._this["webhook"]
        yield SealedSecret(
            row.secret_sealed, Origin.NEWEST if own else Origin.OTHER_WEBHOOK, row.id
        )
        if row.previous_sealed is not None:
            signs = row.previous_until is not None and row.previous_until > now
            origin = Origin.PREVIOUS if signs else Origin.RETIRED
            yield SealedSecret(row.previous_sealed, origin if own else Origin.OTHER_WEBHOOK, row.id)
