"""Deliveries: the requests sent to webhooks, their outcomes, and the effects of these outcomes on
the webhooks."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.webhooks.contracts import DeliverResult
from domain.webhooks.delivery import (
    RESPONSE_KEPT,
    Delivery,
    DeliveryAttempt,
    DeliveryStatus,
    DeliverySummary,
    Trigger,
)
from domain.webhooks.errors import DeliveryNotFound
from domain.webhooks.outbound_event import OutboundEventId
from domain.webhooks.retries import says_gone
from domain.webhooks.webhook import KEPT_DELIVERIES, RetryPolicy, notice_of
from store.core.repository import TenantRepository
from store.tenants.accounts import subscription_of
from store.webhooks.delivery_ending import END, RESULT, RETRY, SKIP, lock_webhook
from store.webhooks.subscriptions import WebhookRepository
from store.webhooks.tables import webhook_deliveries

_NOTHING_TO_SEND: Final = DeliverResult(status=DeliveryStatus.SKIPPED)

_BEGIN: Final = sa.text("""
    SELECT delivery.status, delivery.attempt, delivery.next_attempt_at,
           delivery.failure_count_after, delivery.disabled_webhook, delivery.webhook_id,
           delivery.event, delivery.event_id, delivery.trigger, delivery.request_body,
           webhook.url, webhook.retry_policy, webhook.is_active, webhook.secret_sealed,
           CASE WHEN webhook.previous_until > :now THEN webhook.previous_sealed END
             AS previous_sealed,
           client.plan, client.trial_ends_at, client.next_plan, client.next_plan_from
    FROM webhook_deliveries AS delivery
    JOIN webhook_subscriptions AS webhook
      ON webhook.client_id = delivery.client_id AND webhook.id = delivery.webhook_id
    JOIN clients AS client ON client.id = delivery.client_id
    WHERE delivery.client_id = :client_id AND delivery.id = :delivery_id
""")
_OF_RUN: Final = sa.text("""
    SELECT id FROM webhook_deliveries
    WHERE client_id = :client_id AND run_id = :run_id AND status = 'pending'
    ORDER BY id
""")
_PUT_OFF: Final = sa.text("""
    UPDATE webhook_deliveries SET next_attempt_at = :until
    WHERE client_id = :client_id AND id = :delivery_id AND status = 'pending'
      AND attempt < :attempt
""")

_TABLE: Final = webhook_deliveries.c
_OF_WEBHOOK: Final = sa.and_(
    _TABLE.client_id == sa.bindparam("tenant"), _TABLE.webhook_id == sa.bindparam("webhook")
)
_ONE: Final = sa.select(*(_TABLE[name] for name in Delivery.model_fields)).where(
    _OF_WEBHOOK, _TABLE.id == sa.bindparam("delivery")
)
_SUMMARY: Final = sa.select(*(_TABLE[name] for name in DeliverySummary.model_fields)).where(
    _OF_WEBHOOK
)
# The status is a literal, so that PostgreSQL can always use a partial index on pending deliveries.
_IS_PENDING: Final = _TABLE.status == sa.literal_column("'pending'")
_LATEST: Final = sa.union_all(
    *(
        _SUMMARY.where(state).order_by(sa.desc(latest), _TABLE.id.desc()).limit(KEPT_DELIVERIES)
        for state, latest in ((_IS_PENDING, _TABLE.id), (sa.not_(_IS_PENDING), _TABLE.finished_at))
    )
).order_by(sa.desc("id"))


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The request for a delivery attempt that is due now. `sealed_secrets` are the signing secrets,
    encrypted, newest first."""

    delivery_id: str
    webhook_id: str
    event: OutboundEventId
    event_id: str
    trigger: Trigger
    url: str
    retry_policy: RetryPolicy
    body: bytes = field(repr=False)
    sealed_secrets: tuple[str, ...] = field(repr=False)


class DeliveryRepository(TenantRepository):
    """The deliveries of one client. The outcome of an attempt is stored once for each (delivery,
    attempt)."""

    async def begin(
        self, delivery_id: str, attempt: int, now: datetime
    ) -> Outgoing | DeliverResult:
        """Return the request to send in this attempt to the webhook's current URL, or a result if
        there is none.

        For a finished attempt, return its first result. If the webhook is disabled or not in the
        plan, the delivery is skipped and recorded as missed. Tests are sent to disabled webhooks
        too. A deleted delivery is reported as skipped.
        """
        this: dict[str, object] = {"client_id": self._tenant, "delivery_id": delivery_id}
        row = await self._look(this, now)
        if row is not None and _waits(row, attempt) and not _may_be_sent(row, now):
            # The row is read again under the lock because a concurrent transaction may enable the
            # webhook and replay its missed events.
            await lock_webhook(self._connection, self._tenant, row.webhook_id)
            row = await self._look(this, now)
        if row is None:
            return _NOTHING_TO_SEND
        if not _waits(row, attempt):
            return _result(row, attempt, now)
        if not _may_be_sent(row, now):
            return await self._end(SKIP, row.webhook_id, this, attempt, now)
        secrets = (row.secret_sealed, row.previous_sealed)
        return Outgoing(
            delivery_id=delivery_id,
            webhook_id=row.webhook_id,
            event=row.event,
            event_id=row.event_id,
            trigger=Trigger(row.trigger),
            url=row.url,
            retry_policy=RetryPolicy(row.retry_policy),
            body=row.request_body,
            sealed_secrets=tuple(secret for secret in secrets if secret is not None),
        )

    async def finish(
        self,
        outgoing: Outgoing,
        attempt: int,
        done: DeliveryAttempt,
        headers: dict[str, str],
        *,
        retry_in_s: float | None,
        now: datetime,
    ) -> DeliverResult:
        """Write the outcome of an attempt once, and return the result. Idempotent.

        With `retry_in_s`, the delivery stays pending. Otherwise it ends, and one statement under
        the webhook's lock also updates the failure count. A 2xx response resets the count.
        `DISABLED_AT` failures disable the webhook, or one 410 response if the webhook retries.
        Tests and disabled webhooks are not counted.

        A failure is recorded as missed, and a success removes that record. The last
        `KEPT_DELIVERIES` ended deliveries are kept, and for a day those about which the owner is
        notified. `headers` are as sent, with masked signatures. `now` is the end of the attempt.
        """
        record: dict[str, object] = {
            "client_id": self._tenant,
            "delivery_id": outgoing.delivery_id,
            "url": outgoing.url,
            "request_headers": headers,
            "sent_at": now - timedelta(milliseconds=done.duration_ms),
            **_found(done),
        }
        if retry_in_s is not None:
            record["next_attempt_at"] = now + timedelta(seconds=retry_in_s)
            return await self._write(RETRY, record, attempt, now)
        succeeded = done.failure is None
        record |= {
            "status": (DeliveryStatus.SUCCESS if succeeded else DeliveryStatus.FAILED).value,
            "succeeded": succeeded,
            "gone": says_gone(done, outgoing.retry_policy),
            "counts": outgoing.trigger is not Trigger.TEST,
        }
        return await self._end(END, outgoing.webhook_id, record, attempt, now)

    async def _look(
        self, this: dict[str, object], now: datetime
    ) -> "sa.Row[*tuple[Any, ...]] | None":
        return (await self._connection.execute(_BEGIN, {**this, "now": now})).one_or_none()

    async def _end(
        self,
        statement: sa.TextClause,
        webhook_id: str,
        record: dict[str, object],
        attempt: int,
        now: datetime,
    ) -> DeliverResult:
        if await lock_webhook(self._connection, self._tenant, webhook_id) is None:
            return _NOTHING_TO_SEND
        ending = {**record, "webhook_id": webhook_id, "now": now}
        return await self._write(statement, ending, attempt, now)

    async def _write(
        self, statement: sa.TextClause, record: dict[str, object], attempt: int, now: datetime
    ) -> DeliverResult:
        """Execute the statement that ends an attempt, and return the result. If the attempt has
        already ended, return the stored result."""
        values = {**record, "attempt": attempt}
        row = (await self._connection.execute(statement, values)).one_or_none()
        if row is None:
            row = (await self._connection.execute(RESULT, values)).one_or_none()
        return _NOTHING_TO_SEND if row is None else _result(row, attempt, now)

    async def put_off(self, delivery_id: str, attempt: int, until: datetime) -> None:
        """Postpone an attempt that did not get a free slot, so that the sweeper skips the delivery.
        If the activity is repeated and the attempt has already ended, the time of the next attempt
        stays unchanged."""
        this = {"client_id": self._tenant, "delivery_id": delivery_id, "attempt": attempt}
        await self._connection.execute(_PUT_OFF, {**this, "until": until})

    async def pending_of_run(self, run_id: str) -> tuple[str, ...]:
        """Return the ids of a run's pending deliveries, oldest first."""
        mine = {"client_id": self._tenant, "run_id": run_id}
        return tuple(await self._connection.scalars(_OF_RUN, mine))

    async def latest(self, webhook_id: str) -> tuple[DeliverySummary, ...]:
        """Return a webhook's ended and pending deliveries, newest first, at most `KEPT_DELIVERIES`
        of each. Raises WebhookNotFound."""
        await WebhookRepository(self._connection, self._tenant).read(webhook_id)
        this = {"tenant": self._tenant, "webhook": webhook_id}
        rows = await self._connection.execute(_LATEST, this)
        return tuple(DeliverySummary.model_validate(row, from_attributes=True) for row in rows)

    async def read(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Return a delivery. Raises DeliveryNotFound."""
        this = {"tenant": self._tenant, "webhook": webhook_id, "delivery": delivery_id}
        row = await self._one(_ONE, this, DeliveryNotFound(delivery_id))
        return Delivery.model_validate(row, from_attributes=True)


def _found(done: DeliveryAttempt) -> dict[str, object]:
    """Return the columns for the outcome of an attempt. NUL characters are removed because
    PostgreSQL cannot store them."""
    answer = done.response_body[:RESPONSE_KEPT].decode("utf-8", "replace").replace("\0", "")
    return {
        "failure_kind": None if done.failure is None else done.failure.value,
        "error": done.error,
        "response_status": done.response_status,
        "response_body": None if done.response_status is None else answer,
        "remote_ip": done.remote_ip,
        "duration_ms": done.duration_ms,
        "dns_ms": done.dns_ms,
        "connect_ms": done.connect_ms,
        "first_byte_ms": done.first_byte_ms,
    }


def _waits(row: "sa.Row[*tuple[Any, ...]]", attempt: int) -> bool:
    """Return True if this attempt of the delivery is still unfinished."""
    return bool(row.status == DeliveryStatus.PENDING and row.attempt < attempt)


def _may_be_sent(row: "sa.Row[*tuple[Any, ...]]", now: datetime) -> bool:
    """Return whether the delivery may be sent. Tests are also sent to disabled webhooks."""
    in_plan = subscription_of(row).includes_webhooks(now)
    return in_plan and bool(row.is_active or row.trigger == Trigger.TEST)


def _result(row: "sa.Row[*tuple[Any, ...]]", attempt: int, now: datetime) -> DeliverResult:
    """Return the result of a finished attempt from the delivery's row.

    After a lost workflow, `attempt` may be older than the delivery's last. The caller then
    continues without waiting.
    """
    status = DeliveryStatus(row.status)
    if status is DeliveryStatus.PENDING:
        left = (row.next_attempt_at - now).total_seconds() if row.attempt == attempt else 0
        return DeliverResult(status=status, retry_in_s=max(0, left))
    counted = row.failure_count_after
    notice = None if counted is None else notice_of(counted, disabled=row.disabled_webhook)
    return DeliverResult(status=status, notice=notice)


async def webhook_of(connection: AsyncConnection, delivery_id: str) -> tuple[TenantId, str]:
    """Return the client and the webhook of a delivery, for operators. Scans the whole table, which
    has about fifty rows per webhook. Raises DeliveryNotFound."""
    table = webhook_deliveries.c
    query = sa.select(table.client_id, table.webhook_id).where(table.id == delivery_id)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise DeliveryNotFound(delivery_id)
    return TenantId(row.client_id), row.webhook_id
