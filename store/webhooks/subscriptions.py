"""A client's webhooks. Callers pass encrypted (sealed) secrets, which are stored unchanged."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.webhooks.errors import TooManyWebhooks, WebhookNotFound
from domain.webhooks.webhook import (
    COUNTED_MISSES,
    MAX_WEBHOOKS,
    DisabledReason,
    RetryPolicy,
    Webhook,
)
from store.core.repository import TenantRepository, owner_of
from store.tenants.accounts import AccountRepository
from store.webhooks.tables import outbox, webhook_misses, webhook_subscriptions

_WEBHOOKS: Final = webhook_subscriptions.c
# Missed events are included only while their body is stored, because events without a body cannot
# be replayed.
_MISSES: Final = (
    sa.select(webhook_misses.c.event_id)
    .join(
        outbox,
        sa.and_(
            outbox.c.client_id == webhook_misses.c.client_id,
            outbox.c.id == webhook_misses.c.event_id,
        ),
    )
    .where(
        webhook_misses.c.client_id == _WEBHOOKS.client_id,
        webhook_misses.c.webhook_id == _WEBHOOKS.id,
        outbox.c.body.is_not(None),
    )
    .correlate(webhook_subscriptions)
    .limit(COUNTED_MISSES)
    .subquery()
)
_MISSED: Final = sa.select(sa.func.count()).select_from(_MISSES).scalar_subquery()
_ALL: Final = (
    sa.select(
        _WEBHOOKS.id,
        _WEBHOOKS.label,
        _WEBHOOKS.url,
        _WEBHOOKS.events,
        _WEBHOOKS.retry_policy,
        _WEBHOOKS.once_per_ticket,
        _WEBHOOKS.is_active,
        _WEBHOOKS.failure_count,
        _WEBHOOKS.disabled_at,
        _WEBHOOKS.disabled_reason,
        _WEBHOOKS.previous_until.label("previous_secret_until"),
        _MISSED.label("missed"),
        _WEBHOOKS.created_at,
    )
    .where(_WEBHOOKS.client_id == sa.bindparam("tenant"))
    .order_by(_WEBHOOKS.created_at, _WEBHOOKS.id)
)
_ONE: Final = _ALL.where(_WEBHOOKS.id == sa.bindparam("webhook"))
_SECRETS: Final = sa.select(
    _WEBHOOKS.secret_sealed,
    sa.case((_WEBHOOKS.previous_until > sa.bindparam("now"), _WEBHOOKS.previous_sealed)).label(
        "previous_sealed"
    ),
).where(_WEBHOOKS.client_id == sa.bindparam("tenant"), _WEBHOOKS.id == sa.bindparam("webhook"))


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """The values for a new webhook. `domain/webhooks/webhook.py` and `url.py` have already
    validated them."""

    id: str
    label: str
    url: str
    events: tuple[str, ...]
    retry_policy: RetryPolicy
    secret_sealed: str = field(repr=False)
    once_per_ticket: bool = False


@dataclass(frozen=True, slots=True)
class WebhookChange:
    """The webhook values to change. None leaves a value unchanged. If `pause` is true, the webhook
    is disabled until `enable` is called."""

    label: str | None = None
    url: str | None = None
    events: tuple[str, ...] | None = None
    retry_policy: RetryPolicy | None = None
    once_per_ticket: bool | None = None
    pause: bool = False


class WebhookRepository(TenantRepository):
    async def create(self, webhook: NewWebhook, now: datetime) -> Webhook:
        """Create a webhook. Locks the account to enforce the limit. Raises TooManyWebhooks."""
        await AccountRepository(self._connection, self._tenant).lock()
        mine = _WEBHOOKS.client_id == self._tenant
        count = await self._connection.scalar(sa.select(sa.func.count()).where(mine))
        if count is not None and count >= MAX_WEBHOOKS:
            raise TooManyWebhooks(self._tenant)
        await self._connection.execute(
            sa.insert(webhook_subscriptions).values(
                client_id=self._tenant,
                id=webhook.id,
                label=webhook.label,
                url=webhook.url,
                events=webhook.events,
                retry_policy=webhook.retry_policy,
                once_per_ticket=webhook.once_per_ticket,
                secret_sealed=webhook.secret_sealed,
                created_at=now,
            )
        )
        return await self.read(webhook.id)

    async def all(self) -> tuple[Webhook, ...]:
        """Return all webhooks of the client, oldest first."""
        rows = await self._connection.execute(_ALL, {"tenant": self._tenant})
        return tuple(Webhook.model_validate(row, from_attributes=True) for row in rows)

    async def read(self, webhook_id: str) -> Webhook:
        """Return a webhook. Like the methods below, raises WebhookNotFound."""
        this = {"tenant": self._tenant, "webhook": webhook_id}
        row = await self._one(_ONE, this, WebhookNotFound(webhook_id))
        return Webhook.model_validate(row, from_attributes=True)

    async def change(self, webhook_id: str, change: WebhookChange, now: datetime) -> Webhook:
        wanted = {
            "label": change.label,
            "url": change.url,
            "events": change.events,
            "retry_policy": change.retry_policy,
            "once_per_ticket": change.once_per_ticket,
        }
        values = {name: value for name, value in wanted.items() if value is not None}
        paused = {
            "is_active": False,
            # If a webhook is already disabled, the reason for which it was first disabled is kept.
            "disabled_at": sa.func.coalesce(_WEBHOOKS.disabled_at, now),
            "disabled_reason": sa.func.coalesce(
                _WEBHOOKS.disabled_reason, DisabledReason.MANUAL.value
            ),
        }
        return await self._set(webhook_id, **values, **(paused if change.pause else {}))

    async def delete(self, webhook_id: str) -> None:
        """Delete a webhook and its deliveries. The outcome of a delivery in progress is not
        recorded."""
        deleted = await self._connection.execute(
            sa.delete(webhook_subscriptions).where(*self._this(webhook_id))
        )
        if not deleted.rowcount:
            raise WebhookNotFound(webhook_id)

    async def rotate(
        self, webhook_id: str, sealed: str, *, previous_until: datetime | None
    ) -> None:
        """Replace the signing secret of a webhook. The previous one also signs until
        `previous_until`, or is removed now if None. Older secrets are removed."""
        kept = None if previous_until is None else _WEBHOOKS.secret_sealed
        await self._set(
            webhook_id, secret_sealed=sealed, previous_sealed=kept, previous_until=previous_until
        )

    async def enable(self, webhook_id: str) -> Webhook:
        """Enable a webhook and reset its failure count."""
        return await self._set(
            webhook_id, is_active=True, failure_count=0, disabled_at=None, disabled_reason=None
        )

    async def sealed_secrets(self, webhook_id: str, now: datetime) -> tuple[str, ...]:
        """Return the sealed secrets with which deliveries are currently signed, newest first."""
        this = {"tenant": self._tenant, "webhook": webhook_id, "now": now}
        row = await self._one(_SECRETS, this, WebhookNotFound(webhook_id))
        return tuple(secret for secret in row if secret is not None)

    def _this(self, webhook_id: str) -> tuple["sa.ColumnElement[bool]", ...]:
        return _WEBHOOKS.client_id == self._tenant, _WEBHOOKS.id == webhook_id

    async def _set(self, webhook_id: str, **values: Any) -> Webhook:
        if values:
            await self._connection.execute(
                sa.update(webhook_subscriptions).where(*self._this(webhook_id)).values(**values)
            )
        return await self.read(webhook_id)


client_of: Final = owner_of(webhook_subscriptions, WebhookNotFound)
