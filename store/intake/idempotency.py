"""Idempotency keys. For 24 hours, a repeated request with the same key gets the same response."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.intake.errors import IdempotencyKeyReused
from store.intake.tables import idempotency_keys

IDEMPOTENCY_WINDOW: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """An idempotency key, as sent with a request. `body_digest` is the SHA-256 digest of the raw
    request body."""

    key: str
    body_digest: bytes


async def is_kept(connection: AsyncConnection, tenant: TenantId, key: str, now: datetime) -> bool:
    """Return True if the idempotency key already belongs to an event."""
    found = await connection.scalar(
        sa.select(idempotency_keys.c.event_id).where(
            idempotency_keys.c.client_id == tenant,
            idempotency_keys.c.key == key,
            idempotency_keys.c.created_at >= now - IDEMPOTENCY_WINDOW,
        )
    )
    return found is not None


async def claim(
    connection: AsyncConnection,
    tenant: TenantId,
    idempotency: IdempotencyKey,
    event_id: str,
    now: datetime,
) -> str:
    """Assign an idempotency key to an event, and return the id of the event that owns the key. This
    is `event_id` for a new or expired key. Raises IdempotencyKeyReused.

    A second request waits on the unique constraint for the first to commit.
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
            set_={"body_digest": idempotency.body_digest, "event_id": event_id, "created_at": now},
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
