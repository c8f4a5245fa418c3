"""Admission: the one transaction that turns a request into a stored event and a run to do.

Whatever it refuses is rolled back whole by the caller's transaction: a refused message leaves no
row and is not counted.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.billing.errors import QuotaExhausted
from domain.billing.quota import TICKETS, QuotaStanding, Threshold
from domain.core.contracts import RunRef
from domain.core.ids import TenantId
from domain.core.period import period_of
from domain.core.ports import Clock, NewId
from domain.intake.customer_email import customer_key
from domain.intake.errors import ClientRateLimited, CustomerRateLimited
from domain.intake.event import InboundEvent
from domain.intake.gateway_limits import PER_CLIENT, PER_CUSTOMER
from domain.playbooks.playbook import Playbook, match
from domain.runs.run import EventOutcome, RunStatus
from domain.tenants.errors import ClientNotFound, Unauthenticated
from store.billing.usage_ledger import UsageLedger
from store.intake.idempotency import IdempotencyKey, claim
from store.intake.recent_use import RecentUse, recent_use
from store.intake.tables import engine_events
from store.playbooks.playbooks import PlaybookRepository
from store.runs.tables import engine_messages, engine_runs
from store.tenants.accounts import Account, AccountRepository
from store.tenants.tables import clients


@dataclass(frozen=True, slots=True)
class Arrival:
    """One event at the door. The ids are those of the rows to be, drawn by the caller.

    `key_id`: the API key it came with, which must still be active. `request_id`: for the logs of
    the run.
    """

    event: InboundEvent
    event_id: str
    run_id: str
    message_id: str
    received_at: datetime
    key_id: str | None = None
    idempotency: IdempotencyKey | None = None
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A run was stored and waits to be done."""

    ref: RunRef
    playbook: Playbook

    @property
    def event_id(self) -> str:
        return self.ref.event_id


@dataclass(frozen=True, slots=True)
class Unmatched:
    """No playbook is active for the event's type. The event is stored with that outcome."""

    event_id: str
    event_type: str


@dataclass(frozen=True, slots=True)
class Repeated:
    """The idempotency key was seen before with the same body, for this event."""

    event_id: str


async def find_playbook(
    connection: AsyncConnection, tenant: TenantId, event_type: str
) -> Playbook | None:
    """The playbook an event of this type would run by. Raises ClientNotFound."""
    known = await connection.scalar(_KNOWN_CLIENT, {"tenant": tenant})
    if known is None:
        raise ClientNotFound(tenant)
    return match(await PlaybookRepository(connection, tenant).active(), event_type)


async def admit(
    connection: AsyncConnection, tenant: TenantId, arrival: Arrival, now: Clock, new_id: NewId
) -> Admitted | Unmatched | Repeated:
    """Store the event, its message and its run, and count its ticket; the run has sent what is
    told of a threshold that it reaches.

    Everything is decided behind the account's lock, by the time when the lock was got, so that of
    many at once exactly as many get in as there is room for. Raises Unauthenticated,
    ClientNotFound, IdempotencyKeyReused, CustomerRateLimited, ClientRateLimited, QuotaExhausted.
    """
    account = await AccountRepository(connection, tenant).lock()
    at, email = now(), arrival.event.customer_email
    recent = await recent_use(connection, tenant, email, key_id=arrival.key_id, now=at)
    if arrival.key_id is not None and not recent.key_is_active:
        raise Unauthenticated
    if arrival.idempotency is not None:
        first = await claim(connection, tenant, arrival.idempotency, arrival.event_id, at)
        if first != arrival.event_id:
            return Repeated(first)
    _check_messages(arrival.event, recent, at)
    standing = _standing(account, recent, at)
    paid_by = standing.payment()
    if paid_by is None:
        raise QuotaExhausted(standing, thresholds_untold=bool(_untold(standing, recent)))
    active = await PlaybookRepository(connection, tenant).active()
    playbook = match(active, arrival.event.event_type)
    if playbook is None:
        await connection.execute(_STORE_MESSAGE, _event_values(tenant, arrival, at))
        return Unmatched(arrival.event_id, arrival.event.event_type)
    await connection.execute(_STORE_RUN, _run_values(tenant, arrival, playbook, at))
    ledger = UsageLedger(connection, tenant)
    await ledger.charge(arrival.event_id, standing, paid_by, entry_id=new_id(), now=at)
    after = standing.after(paid_by)
    await ledger.note_thresholds(
        after, _untold(after, recent), now=at, new_id=new_id, run_id=arrival.run_id
    )
    return Admitted(_ref(tenant, arrival), playbook)


def _check_messages(event: InboundEvent, recent: RecentUse, now: datetime) -> None:
    if recent.oldest_of_customer is not None:
        wait = PER_CUSTOMER.retry_after_s(recent.oldest_of_customer, now)
        raise CustomerRateLimited(event.customer_email or "", wait)
    if recent.oldest_of_client is not None:
        raise ClientRateLimited(PER_CLIENT.retry_after_s(recent.oldest_of_client, now))


def _standing(account: Account, recent: RecentUse, now: datetime) -> QuotaStanding:
    return QuotaStanding(
        period=period_of(now),
        tickets_used=recent.tickets_used,
        tickets_limit=TICKETS[account.subscription.plan_at(now)],
        credits_balance=account.credits_balance,
    )


def _untold(standing: QuotaStanding, recent: RecentUse) -> tuple[Threshold, ...]:
    """Thresholds that are reached and were not noted this month."""
    return tuple(t for t in standing.thresholds() if t > recent.threshold_noted)


def _ref(tenant: TenantId, arrival: Arrival) -> RunRef:
    return RunRef(
        client_id=tenant,
        event_id=arrival.event_id,
        run_id=arrival.run_id,
        request_id=arrival.request_id,
    )


def _event_values(tenant: TenantId, arrival: Arrival, at: datetime) -> dict[str, object]:
    event = arrival.event
    return {
        "tenant": tenant,
        "event": arrival.event_id,
        "given_source": event.source,
        "given_type": event.event_type,
        "given_email": event.customer_email,
        "given_message": event.message,
        "given_payload": event.payload,
        "event_outcome": EventOutcome.NO_PLAYBOOK,
        "received": arrival.received_at,
        "message_key": arrival.message_id,
        "customer": customer_key(event.customer_email),
        "said": event.message or "",
        "now": at,
    }


def _run_values(
    tenant: TenantId, arrival: Arrival, playbook: Playbook, at: datetime
) -> dict[str, object]:
    return {
        **_event_values(tenant, arrival, at),
        "event_outcome": EventOutcome.RUN,
        "run": arrival.run_id,
        "run_status": RunStatus.RECEIVED,
        "playbook": playbook.id,
        "version": playbook.version,
    }


_KNOWN_CLIENT: Final = sa.select(clients.c.id).where(
    clients.c.id == sa.bindparam("tenant"), clients.c.closed_at.is_(None)
)

_STORE_EVENT: Final = sa.insert(engine_events).values(
    client_id=sa.bindparam("tenant"),
    id=sa.bindparam("event"),
    source=sa.bindparam("given_source"),
    event_type=sa.bindparam("given_type"),
    customer_email=sa.bindparam("given_email"),
    message=sa.bindparam("given_message"),
    payload=sa.bindparam("given_payload"),
    outcome=sa.bindparam("event_outcome"),
    received_at=sa.bindparam("received"),
)

# One statement, two or three rows: foreign keys are checked when it ends. No parameter is named
# like a column: SQLAlchemy would set that column.
_STORE_MESSAGE: Final = (
    sa.insert(engine_messages)
    .values(
        client_id=sa.bindparam("tenant"),
        id=sa.bindparam("message_key"),
        event_id=sa.bindparam("event"),
        direction="inbound",
        customer_key=sa.bindparam("customer"),
        author="customer",
        body=sa.bindparam("said"),
        created_at=sa.bindparam("now"),
    )
    .add_cte(_STORE_EVENT.cte("stored_event"))
)

_STORE_RUN: Final = _STORE_MESSAGE.add_cte(
    sa.insert(engine_runs)
    .values(
        client_id=sa.bindparam("tenant"),
        id=sa.bindparam("run"),
        event_id=sa.bindparam("event"),
        playbook_id=sa.bindparam("playbook"),
        playbook_version=sa.bindparam("version"),
        status=sa.bindparam("run_status"),
        received_at=sa.bindparam("received"),
    )
    .cte("stored_run")
)
