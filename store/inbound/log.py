"""The inbound log of one client: received webhooks with their outcomes, and rejected requests."""

from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from domain.inbound.errors import InboundWebhookNotFound
from domain.inbound.inbound_webhook import InboundWebhook, Outcome, WebhookState
from domain.inbound.logged_webhook import (
    SHOWN_BODY,
    LoggedWebhook,
    RefusalCount,
    masked_headers,
    shown_text,
)
from domain.integrations.providers import Provider
from store.core.repository import TenantRepository, owner_of
from store.inbound.tables import inbound_refusals, inbound_webhooks
from store.runs.tables import engine_runs

_TABLE: Final = inbound_webhooks.c
_SUMMARY: Final = sa.select(*(_TABLE[name] for name in InboundWebhook.model_fields)).where(
    _TABLE.client_id == sa.bindparam("tenant")
)
_ONE: Final = _SUMMARY.add_columns(
    _TABLE.headers,
    # Only the start of the body is read because the full body may be an email with photos.
    sa.func.substring(_TABLE.body, 1, SHOWN_BODY).label("beginning"),
    sa.case(
        (_TABLE.body.is_not(None), sa.func.coalesce(_TABLE.cut_from, sa.func.length(_TABLE.body)))
    ).label("body_bytes"),
    sa.select(engine_runs.c.id)
    .where(
        engine_runs.c.client_id == _TABLE.client_id,
        engine_runs.c.event_id == _TABLE.event_id,
    )
    .scalar_subquery()
    .label("run_id"),
).where(_TABLE.id == sa.bindparam("webhook"))
_REFUSALS: Final = (
    sa.select(
        *(inbound_refusals.c[name] for name in ("integration_id", "reason", "hour", "last_at")),
        inbound_refusals.c["count"].label("refused"),
    )
    .where(
        inbound_refusals.c.client_id == sa.bindparam("tenant"),
        inbound_refusals.c.hour > sa.bindparam("after"),
    )
    .order_by(
        inbound_refusals.c.hour.desc(),
        inbound_refusals.c.integration_id,
        inbound_refusals.c.reason,
    )
    .limit(sa.bindparam("limit"))
)
_MOST_REFUSALS: Final = 500


class InboundLogRepository(TenantRepository):
    async def page(
        self,
        *,
        limit: int,
        before: str | None = None,
        provider: Provider | None = None,
        state: WebhookState | None = None,
        outcome: Outcome | None = None,
    ) -> list[InboundWebhook]:
        """Return a page of webhooks, newest first. `before` is the last id on the previous page."""
        query = _SUMMARY.order_by(_TABLE.id.desc()).limit(limit)
        if before is not None:
            query = query.where(_TABLE.id < before)
        wanted = {_TABLE.provider: provider, _TABLE.state: state, _TABLE.outcome: outcome}
        for column, value in wanted.items():
            if value is not None:
                query = query.where(column == value.value)
        rows = await self._connection.execute(query, {"tenant": self._tenant})
        return [InboundWebhook.model_validate(row, from_attributes=True) for row in rows]

    async def one(self, webhook_id: str) -> LoggedWebhook:
        """Return a webhook with masked headers and the start of its body. Raises
        InboundWebhookNotFound."""
        this = {"tenant": self._tenant, "webhook": webhook_id}
        row = await self._one(_ONE, this, InboundWebhookNotFound(webhook_id))
        is_cut = (row.body_bytes or 0) > SHOWN_BODY
        beginning = None if row.beginning is None else bytes(row.beginning)
        return LoggedWebhook(
            **{name: getattr(row, name) for name in InboundWebhook.model_fields},
            headers=masked_headers(row.headers),
            body=None if beginning is None else shown_text(beginning, is_cut=is_cut),
            body_bytes=row.body_bytes,
            is_body_cut=is_cut,
            run_id=row.run_id,
        )

    async def refusals(self, hours: int, now: datetime) -> list[RefusalCount]:
        """Return hourly counts of rejected requests for the last `hours` hours, newest first, at
        most `_MOST_REFUSALS`."""
        rows = await self._connection.execute(
            _REFUSALS,
            {
                "tenant": self._tenant,
                "after": now - timedelta(hours=hours),
                "limit": _MOST_REFUSALS,
            },
        )
        return [
            RefusalCount(row.integration_id, row.reason, row.hour, row.refused, row.last_at)
            for row in rows
        ]


client_of_inbound: Final = owner_of(inbound_webhooks, InboundWebhookNotFound)
