"""Erasure certificates. The queries span clients because a certificate outlives its client."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.privacy.erasure import Certificate, ErasureScope
from domain.privacy.errors import ErasureNotFound
from store.privacy.tables import erasures

_CERTIFICATE: Final = sa.select(*(erasures.c[name] for name in Certificate.model_fields))
# The counts are updated in the transaction that removes the rows. The certificate therefore matches
# the committed removals, even after a crash.
_ADD: Final = sa.text("""
    UPDATE erasures SET removed = removed || (
        SELECT coalesce(jsonb_object_agg(
            key, value::bigint + coalesce((removed ->> key)::bigint, 0)), '{}')
        FROM jsonb_each_text(:more) WHERE value::bigint > 0
    )
    WHERE id = :id
""").bindparams(sa.bindparam("more", type_=erasures.c.removed.type))


class Certificates:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def open(
        self,
        erasure_id: str,
        *,
        client_id: str,
        scope: ErasureScope,
        subject_digest: bytes | None,
        requested_by: str,
        now: datetime,
    ) -> datetime:
        """Create the certificate for an erasure unless it exists, and return the erasure's start
        time. Idempotent by certificate id."""
        await self._connection.execute(
            insert(erasures)
            .values(
                id=erasure_id,
                client_id=client_id,
                scope=scope,
                subject_digest=subject_digest,
                requested_by=requested_by,
                started_at=now,
            )
            .on_conflict_do_nothing()
        )
        return (await self.read(erasure_id)).started_at

    async def add(self, erasure_id: str, removed: Mapping[str, int]) -> None:
        """Add the numbers of rows removed by this transaction to a certificate, by record class."""
        if any(removed.values()):
            # SQLAlchemy's table names are not plain strings.
            more = {str(name): number for name, number in removed.items()}
            await self._connection.execute(_ADD, {"id": erasure_id, "more": more})

    async def finish(self, erasure_id: str, now: datetime) -> None:
        """Set the end time of an erasure. Idempotent: the first end time is kept."""
        await self._connection.execute(
            sa.update(erasures)
            .where(erasures.c.id == erasure_id, erasures.c.finished_at.is_(None))
            .values(finished_at=now)
        )

    async def read(self, erasure_id: str) -> Certificate:
        """Return a certificate. Raises ErasureNotFound."""
        found = await self.find(erasure_id)
        if found is None:
            raise ErasureNotFound(erasure_id)
        return found

    async def find(self, erasure_id: str) -> Certificate | None:
        """Return the certificate of an erasure, or None if the erasure has not started."""
        query = _CERTIFICATE.where(erasures.c.id == erasure_id)
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else _certificate(row)

    async def under_way(
        self, client_id: str, subject_digests: Collection[bytes]
    ) -> Certificate | None:
        """Return the unfinished erasure of the customer with one of these digests, or of the client
        without digests, or None."""
        query = _CERTIFICATE.where(
            erasures.c.client_id == client_id,
            erasures.c.subject_digest.in_(subject_digests)
            if subject_digests
            else erasures.c.subject_digest.is_(None),
            erasures.c.finished_at.is_(None),
        )
        row = (await self._connection.execute(query.order_by(erasures.c.id).limit(1))).one_or_none()
        return None if row is None else _certificate(row)

    async def latest(
        self,
        *,
        client_id: str | None = None,
        subject_digests: Collection[bytes] = (),
        limit: int,
    ) -> tuple[Certificate, ...]:
        """Return the latest certificates, newest first. `client_id` and `subject_digests` limit
        them to one client or to one customer."""
        query = _CERTIFICATE.order_by(erasures.c.id.desc()).limit(limit)
        if client_id is not None:
            query = query.where(erasures.c.client_id == client_id)
        if subject_digests:
            query = query.where(erasures.c.subject_digest.in_(subject_digests))
        return tuple(_certificate(row) for row in await self._connection.execute(query))


def _certificate(row: "sa.Row[*tuple[Any, ...]]") -> Certificate:
    return Certificate.model_validate(row, from_attributes=True)
