"""The audit chains of all clients, with their checkpoints. A checkpoint ("anchor" in the code)
records a chain's head on a given day."""

from datetime import date
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.audit.chain import Anchor, ChainHead, ChainLink
from store.audit.audit_log import LINKS, link_of
from store.audit.tables import audit_anchors, audit_entries, audit_heads

# The query also searches entries and checkpoints, so that it finds a chain whose head row is
# missing. Each subquery reads only the first matching key of an index.
_NEXT: Final = sa.text("""
    SELECT least(
        (SELECT min(client_id) FROM audit_heads WHERE client_id > :after),
        (SELECT min(client_id) FROM audit_entries WHERE client_id > :after),
        (SELECT min(client_id) FROM audit_anchors WHERE client_id > :after))
""")
# A chain is skipped if its head already has a checkpoint, because it then has no newer entries.
_ANCHOR: Final = sa.text("""
    WITH moved AS (
        SELECT client_id, seq, hash FROM audit_heads AS head
        WHERE client_id > :after AND NOT EXISTS (
            SELECT FROM audit_anchors AS anchor
            WHERE anchor.client_id = head.client_id AND anchor.seq = head.seq)
        ORDER BY client_id LIMIT :limit
    ), added AS (
        INSERT INTO audit_anchors (client_id, seq, hash, day)
        SELECT client_id, seq, hash, :day FROM moved ON CONFLICT DO NOTHING
    )
    SELECT max(client_id) AS last, count(*) AS number FROM moved
""")


class ChainRepository:
    """The audit chains of all clients, and their checkpoints. Requires a connection that spans
    clients."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def next_chain(self, after: str) -> str | None:
        """Return the id of the first client after `after`, in the order of ids, that has an audit
        chain. Return None if there is none."""
        found: str | None = await self._connection.scalar(_NEXT, {"after": after})
        return found

    async def head(self, client_id: str) -> ChainHead | None:
        query = sa.select(audit_heads.c.seq, audit_heads.c.hash)
        row = (
            await self._connection.execute(query.where(audit_heads.c.client_id == client_id))
        ).one_or_none()
        return None if row is None else ChainHead(row.seq, bytes(row.hash))

    async def links(
        self, client_id: str, *, after: int | None, limit: int
    ) -> tuple[ChainLink, ...]:
        """Return the next entries of a chain, after the sequence number `after`. If `after` is
        None, start at the first existing entry, even if its sequence number is not 1."""
        query = LINKS.where(audit_entries.c.client_id == client_id)
        if after is not None:
            query = query.where(audit_entries.c.seq > after)
        rows = await self._connection.execute(query.order_by(audit_entries.c.seq).limit(limit))
        return tuple(link_of(row) for row in rows)

    async def anchors(self, client_id: str) -> tuple[Anchor, ...]:
        """Return the daily checkpoints of a client's chain, in order."""
        return await self._anchors(audit_anchors.c.client_id == client_id)

    async def anchors_of(
        self, day: date, *, after: tuple[str, int] = ("", 0), limit: int
    ) -> tuple[Anchor, ...]:
        """Return a page of a day's checkpoints, ordered by client and sequence number. `after` is
        the client id and sequence number of the last checkpoint on the previous page."""
        place = sa.tuple_(audit_anchors.c.client_id, audit_anchors.c.seq)
        return await self._anchors(
            sa.and_(audit_anchors.c.day == day, place > sa.tuple_(*map(sa.literal, after))), limit
        )

    async def latest_day(self) -> date | None:
        """Return the last day with checkpoints, or None."""
        latest = sa.select(sa.func.max(audit_anchors.c.day))
        found: date | None = await self._connection.scalar(latest)
        return found

    async def anchor_some(self, day: date, *, after: str, limit: int) -> tuple[str | None, int]:
        """Record checkpoints of up to `limit` chains with new entries, sorted by client id. `after`
        is the last client of the previous call. Idempotent.

        Return the id of the last client with a new checkpoint, or None, and the number of new
        checkpoints.
        """
        values = {"day": day, "after": after, "limit": limit}
        row = (await self._connection.execute(_ANCHOR, values)).one()
        return row.last, row.number

    async def _anchors(
        self, which: "sa.ColumnElement[bool]", limit: int | None = None
    ) -> tuple[Anchor, ...]:
        column = audit_anchors.c
        query = (
            sa.select(column.client_id, column.seq, column.hash)
            .where(which)
            .order_by(column.client_id, column.seq)
            .limit(limit)
        )
        rows = await self._connection.execute(query)
        return tuple(Anchor(row.client_id, row.seq, bytes(row.hash)) for row in rows)
