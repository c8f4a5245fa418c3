"""The windows of short-term rate limits, which all processes and tenants share. The caller passes
the current time, so clock differences between machines shift the windows."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.intake.rate_limit import Limit, LimitDecision, judged, live
from store.intake.tables import rate_windows

_PURGED_AT_ONCE: Final = 1000

# The row lock serializes requests, and the condition sees the previous request's write. For a
# rejected request, the statement takes the lock, but writes nothing and returns no row.
_HIT: Final = sa.text(
    """
    INSERT INTO rate_windows AS kept (scope, key, hits, lapses_at)
    VALUES (:limited, :caller, ARRAY[:moment], :moment + :span)
    ON CONFLICT (scope, key) DO UPDATE
    SET hits = ARRAY(SELECT hit FROM unnest(kept.hits) AS hit WHERE hit > :moment - :span)
               || excluded.hits,
        lapses_at = greatest(kept.lapses_at, excluded.lapses_at)
    WHERE (SELECT count(*) FROM unnest(kept.hits) AS hit WHERE hit > :moment - :span) < :quota
    RETURNING hits
    """
).bindparams(
    sa.bindparam("moment", type_=sa.DateTime(timezone=True)),
    sa.bindparam("span", type_=sa.Interval),
    sa.bindparam("quota", type_=sa.Integer),
)

_READ: Final = sa.select(rate_windows.c.hits).where(
    rate_windows.c.scope == sa.bindparam("limited"), rate_windows.c.key == sa.bindparam("caller")
)

# Locked rows are left for the next call. A row is kept if a new request has updated it.
_PURGE: Final = sa.text(
    """
    DELETE FROM rate_windows WHERE lapses_at <= :moment AND (scope, key) IN (
        SELECT scope, key FROM rate_windows WHERE lapses_at <= :moment
        ORDER BY lapses_at LIMIT :at_most FOR UPDATE SKIP LOCKED
    )
    """
).bindparams(sa.bindparam("moment", type_=sa.DateTime(timezone=True)))


class RateWindowRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def hit(self, limit: Limit, key: str, now: datetime) -> LimitDecision:
        """Count one request for `key` unless its window is full, and return the decision.

        Other requests with the same key wait until this transaction ends, so the transaction must
        be short.
        """
        window = {"limited": limit.scope, "caller": key}
        hits = await self._connection.scalar(
            _HIT, {**window, "moment": now, "span": limit.window, "quota": limit.quota}
        )
        admitted = hits is not None
        if not admitted:
            # The row may be newer than the first statement's snapshot. A second statement gets a
            # new snapshot and therefore sees the row.
            hits = await self._connection.scalar(_READ, window)
        return judged(limit, live(limit, hits, now), now, admitted=admitted)

    async def purge(self, now: datetime) -> int:
        """Delete a batch of windows that no longer contain a request. Return the number of windows
        deleted."""
        values = {"moment": now, "at_most": _PURGED_AT_ONCE}
        return (await self._connection.execute(_PURGE, values)).rowcount
