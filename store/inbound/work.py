"""Read and update webhook rows during processing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.contracts import RunRef
from domain.inbound.effect import Wait, WebhookEffect
from domain.inbound.inbound_webhook import (
    Identity,
    Outcome,
    WaitsFor,
    WebhookKind,
    WebhookState,
)
from domain.inbound.kept_bytes import CUT_TO
from domain.inbound.ports import EndpointFacts
from domain.intake.limit_key import LimitKey
from domain.integrations.integration import provider_of
from domain.integrations.providers import Provider
from domain.runs.run import RunStatus
from store.core.repository import TenantRepository
from store.inbound.tables import inbound_endpoints, inbound_webhooks
from store.integrations.tables import integrations
from store.playbooks.tables import playbook_versions
from store.runs.runs import VERSION_OF_RUN
from store.runs.tables import engine_runs


@dataclass(frozen=True, slots=True)
class WebhookStanding:
    """The state of a webhook. `kind` determines the webhook's queue."""

    id: str
    kind: WebhookKind
    state: WebhookState


@dataclass(frozen=True, slots=True)
class StoredWebhook:
    """A webhook without its body. `size` is the size of the body in bytes, or None if the body was
    erased."""

    id: str
    integration_id: str
    provider: Provider
    identity: Identity
    kind: WebhookKind
    state: WebhookState
    created_at: datetime
    size: int | None
    facts: EndpointFacts
    headers: Mapping[str, str] = field(repr=False)

    @property
    def standing(self) -> WebhookStanding:
        """Return the webhook's id, kind and state, at the time when this object was read."""
        return WebhookStanding(self.id, self.kind, self.state)


@dataclass(frozen=True, slots=True)
class UnstartedRun:
    """A webhook's run that has no answer yet. `threshold` is the confidence threshold of the run's
    playbook."""

    ref: RunRef
    threshold: float


@dataclass(frozen=True, slots=True)
class EarlierWait:
    """The wait of an earlier webhook: the limit that causes the wait, and the time at which the
    wait ends."""

    waits_for: WaitsFor
    not_before: datetime


class WorkRepository(TenantRepository):
    """The webhooks of one client, during their processing. Callers that write must hold the lock on
    the client's queues (`lock_queues`)."""

    async def serialize(self, webhook_id: str) -> None:
        """Lock a webhook until the transaction ends, so that only one processing attempt runs at a
        time. The lock is not on the row, because repeated deliveries write to the row."""
        await self._connection.execute(_SERIALIZE, {"name": f"inbound work/{webhook_id}"})

    async def read(self, webhook_id: str) -> StoredWebhook | None:
        """Return a webhook, or None if it has been erased. Raises UnknownProvider if another
        version of the service stored the webhook and this version does not support its provider."""
        row = (await self._connection.execute(_READ, self._key(webhook_id))).one_or_none()
        if row is None:
            return None
        return StoredWebhook(
            id=row.id,
            integration_id=row.integration_id,
            provider=provider_of(row.integration_id, row.provider),
            identity=Identity(dedup_key=row.dedup_key, topic=row.topic),
            kind=WebhookKind(row.kind),
            state=WebhookState(row.state),
            created_at=row.created_at,
            size=row.size,
            facts=EndpointFacts(
                row.integration_id,
                row.settings,
                row.mapping or {},
                received_at=row.created_at,
                is_signed=row.is_signed,
                # The endpoint must still be trusted, and must not have been deleted.
                vouches=row.vouches and row.still_vouches is True,
                was_trusted=row.vouches,
            ),
            headers=row.headers,
        )

    async def body(self, webhook_id: str) -> bytes | None:
        """Return the received body of a webhook, or None if it has been erased or truncated."""
        data: bytes | None = await self._connection.scalar(_BODY, self._key(webhook_id))
        return data

    async def standing(self, webhook_id: str) -> WebhookStanding | None:
        """Return the current state of a webhook, or None if it has been erased."""
        row = (await self._connection.execute(_STANDING, self._key(webhook_id))).one_or_none()
        return row and WebhookStanding(webhook_id, WebhookKind(row.kind), WebhookState(row.state))

    async def end(self, webhook_id: str, effect: WebhookEffect, now: datetime) -> None:
        # The body is dropped if the message is already stored with its event (KNOWN), or if the
        # message is discarded (NO_ROOM).
        is_let_go = effect.outcome in (Outcome.NO_ROOM, Outcome.KNOWN)
        await self._write(
            webhook_id,
            body=None if is_let_go else _CUT_BODY,
            cut_from=_CUT_FROM,
            state=WebhookState.DONE,
            waits_for=None,
            not_before=None,
            outcome=effect.outcome,
            reason=effect.reason,
            event_id=effect.event_id,
            reference=effect.reference,
            customer_key=effect.customer,
            finished_at=now,
        )

    async def fail(self, webhook_id: str, reason: str, now: datetime) -> None:
        """Mark a webhook as failed. `reason` is a stable code."""
        await self._write(
            webhook_id,
            state=WebhookState.FAILED,
            waits_for=None,
            not_before=None,
            reason=reason,
            finished_at=now,
        )

    async def wait(self, webhook_id: str, wait: Wait, now: datetime) -> None:
        await self._write(
            webhook_id,
            state=WebhookState.WAITING,
            waits_for=wait.waits_for,
            not_before=now + wait.lasts,
            customer_key=wait.customer and wait.customer.customer,
            is_claim=wait.customer is not None and wait.customer.is_claim,
        )

    async def restart(self, webhook_id: str, state: WebhookState) -> None:
        """Restart the processing of a failed webhook, as if the webhook had just arrived."""
        await self._write(webhook_id, state=state, reason=None, finished_at=None)

    async def unproved_waiting(self, at_most: int) -> int:
        """Return the number of tickets that are waiting because of the limit on unverified senders.
        Counting stops at `at_most`."""
        values = {"tenant": self._tenant, "at_most": at_most}
        return int(await self._connection.scalar(_UNPROVED, values) or 0)

    async def waits_behind(
        self, webhook_id: str, customer: LimitKey | None, *, is_unproved: bool
    ) -> EarlierWait | None:
        """Return the wait of an earlier ticket that this ticket must not overtake, or None.

        A ticket must not overtake one that waits for the client's limit or quota, or one from the
        same customer with an equally verified sender. A ticket from an unverified sender must not
        overtake one that waits for the limit on unverified senders. The queues are not locked, so a
        wait that ends meanwhile costs one more attempt.
        """
        row = (
            await self._connection.execute(
                _EARLIER,
                {
                    **self._key(webhook_id),
                    "customer": customer and customer.customer,
                    "is_claim": customer is not None and customer.is_claim,
                    "is_unproved": is_unproved,
                },
            )
        ).one_or_none()
        return row and EarlierWait(WaitsFor(row.waits_for), row.not_before)

    async def run_to_start(self, webhook_id: str) -> UnstartedRun | None:
        row = (await self._connection.execute(_RUN, self._key(webhook_id))).one_or_none()
        if row is None:
            return None
        ref = RunRef(client_id=self._tenant, event_id=row.event_id, run_id=row.id)
        return UnstartedRun(ref, row.threshold)

    async def _write(self, webhook_id: str, **values: object) -> None:
        await self._connection.execute(
            sa.update(inbound_webhooks)
            .where(_ROW.client_id == self._tenant, _ROW.id == webhook_id)
            .values(**values)
        )

    def _key(self, webhook_id: str) -> dict[str, object]:
        return {"tenant": self._tenant, "webhook": webhook_id}


_ROW: Final = inbound_webhooks.c
_THIS: Final = (
    _ROW.client_id == sa.bindparam("tenant"),
    _ROW.id == sa.bindparam("webhook"),
)
_SERIALIZE: Final = sa.text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
_READ: Final = (
    sa.select(
        *(_ROW[name] for name in ("id", "integration_id", "provider", "dedup_key", "topic")),
        *(_ROW[name] for name in ("kind", "state", "created_at", "headers")),
        _ROW.is_signed,
        _ROW.vouches,
        sa.func.octet_length(_ROW.body).label("size"),
        integrations.c.settings,
        inbound_endpoints.c.mapping,
        inbound_endpoints.c.vouches.label("still_vouches"),
    )
    .join(
        integrations,
        sa.and_(
            integrations.c.client_id == _ROW.client_id, integrations.c.id == _ROW.integration_id
        ),
    )
    .outerjoin(
        inbound_endpoints,
        sa.and_(
            inbound_endpoints.c.client_id == _ROW.client_id,
            inbound_endpoints.c.integration_id == _ROW.integration_id,
        ),
    )
    .where(*_THIS)
)
_IS_LONG: Final = sa.func.octet_length(_ROW.body) > CUT_TO
_CUT_BODY: Final = sa.case((_IS_LONG, sa.func.substring(_ROW.body, 1, CUT_TO)), else_=_ROW.body)
_CUT_FROM: Final = sa.case((_IS_LONG, sa.func.octet_length(_ROW.body)), else_=_ROW.cut_from)
_BODY: Final = sa.select(_ROW.body).where(*_THIS, _ROW.cut_from.is_(None))
_STANDING: Final = sa.select(_ROW.kind, _ROW.state).where(*_THIS)
_RUN: Final = (
    sa.select(engine_runs.c.id, engine_runs.c.event_id, playbook_versions.c.threshold)
    .select_from(inbound_webhooks)
    .join(
        engine_runs,
        sa.and_(engine_runs.c.client_id == _ROW.client_id, engine_runs.c.event_id == _ROW.event_id),
    )
    .join(playbook_versions, VERSION_OF_RUN)
    .where(*_THIS, engine_runs.c.status == RunStatus.RECEIVED)
)
_UNPROVED: Final = sa.text("""
    SELECT count(*) FROM (SELECT FROM inbound_webhooks
                          WHERE client_id = :tenant AND kind = 'ticket' AND state = 'waiting'
                            AND waits_for = 'unproved_limit'
                          LIMIT :at_most) AS counted
""")
_EARLIER: Final = (
    sa.select(_ROW.waits_for, _ROW.not_before)
    .where(
        _ROW.client_id == sa.bindparam("tenant"),
        _ROW.kind == WebhookKind.TICKET,
        _ROW.state == WebhookState.WAITING,
        _ROW.id < sa.bindparam("webhook"),
        sa.or_(
            _ROW.waits_for.in_((WaitsFor.CLIENT_LIMIT, WaitsFor.QUOTA)),
            sa.and_(
                _ROW.waits_for == WaitsFor.UNPROVED_LIMIT,
                sa.bindparam("is_unproved", type_=sa.Boolean),
            ),
            sa.and_(
                _ROW.customer_key == sa.bindparam("customer", type_=sa.Text),
                _ROW.is_claim == sa.bindparam("is_claim", type_=sa.Boolean),
            ),
        ),
    )
    .order_by(_ROW.id.desc())
    .limit(1)
)
