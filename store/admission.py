"""Admission: the one transaction that turns a request into a stored event and a run to do.

Whatever it refuses is rolled back whole by the caller's transaction: a refused message leaves no
row and is not counted.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.contracts import RunRef
from domain.errors import ClientNotFound, IdempotencyKeyReused
from domain.event import InboundEvent
from domain.ids import TenantId
from domain.playbook import Playbook, match
from domain.run import EventOutcome, RunStatus
from store.playbook_repository import PlaybookRepository
from store.tables import clients, engine_events, engine_messages, engine_runs, idempotency_keys

IDEMPOTENCY_WINDOW: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """What the caller repeats to get the same answer. `body_digest`: SHA-256 of the raw body."""

    key: str
    body_digest: bytes


@dataclass(frozen=True, slots=True)
class Admitted:
    """A run was stored and waits to be done."""

    ref: RunRef
    playbook: Playbook


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
    connection: AsyncConnection,
    tenant: TenantId,
    event: InboundEvent,
    *,
    event_id: str,
    run_id: str,
    message_id: str,
    now: datetime,
    idempotency: IdempotencyKey | None = None,
) -> Admitted | Unmatched | Repeated:
    """Store the event and its run. Raises ClientNotFound, IdempotencyKeyReused."""
    playbook = await find_playbook(connection, tenant, event.event_type)
    if idempotency is not None:
        first = await _claim(connection, tenant, idempotency, event_id, now)
        if first != event_id:
            return Repeated(first)
    values = {
        "tenant": tenant,
        "event": event_id,
        "given_source": event.source,
        "given_type": event.event_type,
        "given_email": event.customer_email,
        "given_message": event.message,
        "given_payload": event.payload,
        "now": now,
    }
    if playbook is None:
        outcome = {"event_outcome": EventOutcome.NO_PLAYBOOK}
        await connection.execute(_STORE_EVENT, {**values, **outcome})
        return Unmatched(event_id, event.event_type)
    run = {
        "event_outcome": EventOutcome.RUN,
        "run": run_id,
        "run_status": RunStatus.RECEIVED,
        "playbook": playbook.id,
        "version": playbook.version,
        "message_key": message_id,
        "said": event.message or "",
    }
    await connection.execute(_STORE_RUN, {**values, **run})
    return Admitted(RunRef(client_id=tenant, event_id=event_id, run_id=run_id), playbook)


_KNOWN_CLIENT: Final = sa.select(clients.c.id).where(clients.c.id == sa.bindparam("tenant"))

_STORE_EVENT: Final = sa.insert(engine_events).values(
    client_id=sa.bindparam("tenant"),
    id=sa.bindparam("event"),
    source=sa.bindparam("given_source"),
    event_type=sa.bindparam("given_type"),
    customer_email=sa.bindparam("given_email"),
    message=sa.bindparam("given_message"),
    payload=sa.bindparam("given_payload"),
    outcome=sa.bindparam("event_outcome"),
    received_at=sa.bindparam("now"),
)

# One statement, three rows: foreign keys are checked when it ends. No parameter is named like a
# column: SQLAlchemy would set that column.
_STORE_RUN: Final = (
    sa.insert(engine_messages)
    .values(
        client_id=sa.bindparam("tenant"),
        id=sa.bindparam("message_key"),
        event_id=sa.bindparam("event"),
        direction="inbound",
        author="customer",
        body=sa.bindparam("said"),
        created_at=sa.bindparam("now"),
    )
    .add_cte(
        _STORE_EVENT.cte("stored_event"),
        sa.insert(engine_runs)
        .values(
            client_id=sa.bindparam("tenant"),
            id=sa.bindparam("run"),
            event_id=sa.bindparam("event"),
            playbook_id=sa.bindparam("playbook"),
            playbook_version=sa.bindparam("version"),
            status=sa.bindparam("run_status"),
            received_at=sa.bindparam("now"),
        )
        .cte("stored_run"),
    )
)


async def _claim(
    connection: AsyncConnection,
    tenant: TenantId,
    idempotency: IdempotencyKey,
    event_id: str,
    now: datetime,
) -> str:
    """The event this key belongs to: ours if it is new or lapsed, else the first one.

    A second request waits on the unique key until the first has committed, so two at once are
    one event.
    """
    claimed = await connection.scalar(
        insert(idempotency_keys)
        .values(
            client_id=tenant,
            key=idempotency.key,
            body_digest=idempotency.body_digest,
            event_id=event_id,
            created_at=now,
        )
        .on_conflict_do_update(
            index_elements=["client_id", "key"],
            set_={
                "body_digest": idempotency.body_digest,
                "event_id": event_id,
                "created_at": now,
            },
            where=idempotency_keys.c.created_at < now - IDEMPOTENCY_WINDOW,
        )
        .returning(idempotency_keys.c.event_id)
    )
    if claimed is not None:
        return str(claimed)
    first = (
        await connection.execute(
            sa.select(idempotency_keys.c.event_id, idempotency_keys.c.body_digest).where(
                idempotency_keys.c.client_id == tenant, idempotency_keys.c.key == idempotency.key
            )
        )
    ).one()
    if first.body_digest != idempotency.body_digest:
        raise IdempotencyKeyReused(idempotency.key)
    return str(first.event_id)
