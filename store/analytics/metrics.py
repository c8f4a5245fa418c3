"""Daily metrics: the counts of a day for a page of clients, and the rows that are kept of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.analytics.metrics import DayCounts, DayMetrics, midnight, rates
from domain.core.ids import first_ulid
from store.analytics.tables import metrics_daily
from store.core.repository import TenantRepository
from store.tenants.tables import clients

# An id is drawn on arrival, by the same clock as its time or, behind a lock, a little earlier.
_MARGIN: Final = timedelta(hours=1)
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class ClientDay:
    """`retention`: how long the client wants what kept (`domain/privacy/retention.py`)."""

    client_id: str
    retention: Mapping[str, object]
    counts: DayCounts


# Each table is read by its primary key, whose ids are in the order of time, or by the index of
# inbound messages: what a day costs grows with the day, not with what the client has. Who joins
# does so row by row, for a plan made for idle clients must do for a busy one too.
_COUNTED: Final = sa.text("""
    SELECT client.id AS client_id, coalesce(settings.retention, '{}') AS retention,
           event.*, run.*, sent.*, received.*, mood.*
    FROM clients AS client
    LEFT JOIN client_settings AS settings ON settings.client_id = client.id
    CROSS JOIN LATERAL (
        SELECT count(*) AS events, count(*) FILTER (WHERE outcome = 'no_playbook') AS no_playbook
        FROM engine_events
        WHERE client_id = client.id AND id >= :first_id AND id < :end_id
          AND received_at >= :begins AND received_at < :ends
    ) AS event
    CROSS JOIN LATERAL (
        SELECT count(*) AS runs,
               count(*) FILTER (WHERE status = 'completed') AS completed,
               count(*) FILTER (WHERE status = 'needs_review') AS needs_review,
               count(*) FILTER (WHERE status = 'failed') AS failed,
               count(*) FILTER (WHERE asked) AS escalated,
               count(*) FILTER (WHERE decided) AS reviewed,
               count(*) FILTER (WHERE status = 'completed' AND NOT asked) AS automated,
               count(*) FILTER (WHERE status = 'completed' AND NOT asked AND response = ''
                                AND plan = '[]' AND joined_review IS NULL) AS silent,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) AS latency_p50_ms,
               percentile_cont(0.95) WITHIN GROUP (ORDER BY duration_ms) AS latency_p95_ms
        FROM engine_runs
        CROSS JOIN LATERAL (
            SELECT count(*) > 0 AS asked,
                   coalesce(bool_or(ticket.status IN ('approved', 'edited', 'rejected')), false)
                       AS decided
            FROM escalation_tickets AS ticket
            WHERE ticket.client_id = client.id AND ticket.run_id = engine_runs.id
        ) AS human
        WHERE client_id = client.id AND id >= :first_id AND id < :end_id
          AND received_at >= :begins AND received_at < :ends
    ) AS run
    CROSS JOIN LATERAL (
        SELECT count(*) AS messages_out
        FROM engine_messages
        WHERE client_id = client.id AND id >= :first_id AND id < :end_id
          AND direction = 'outbound' AND created_at >= :begins AND created_at < :ends
    ) AS sent
    CROSS JOIN LATERAL (
        SELECT count(*) AS messages_in, count(DISTINCT customer_key) AS customers
        FROM engine_messages
        WHERE client_id = client.id AND direction = 'inbound'
          AND created_at >= :begins AND created_at < :ends
    ) AS received
    CROSS JOIN LATERAL (
        SELECT count(*) AS sentiment_count, avg(score) AS sentiment_mean
        FROM sentiment_logs
        WHERE client_id = client.id AND event_id >= :first_id AND event_id < :end_id
          AND created_at >= :begins AND created_at < :ends
    ) AS mood
    WHERE client.id = ANY(:client_ids) AND client.closed_at IS NULL
      AND (client.created_at < :ends OR events > 0 OR messages_in > 0 OR messages_out > 0)
    ORDER BY client.id
""").columns(retention=JSONB)

_COUNTS: Final = tuple(field.name for field in fields(DayCounts))
_VALUES: Final = tuple(
    column.name
    for column in metrics_daily.columns
    if column.name not in {"client_id", "day", "computed_at"}
)


async def count_day(
    connection: AsyncConnection, client_ids: Sequence[str], day: date
) -> list[ClientDay]:
    """A day (UTC) of those of these clients that existed by its end, in one statement. For
    schedules: it spans clients. A client that has records of a day before it was made, imported
    ones, has that day too; one that is being erased has none."""
    begins = midnight(day)
    ends = begins + timedelta(days=1)
    rows = await connection.execute(
        _COUNTED,
        {
            "client_ids": list(client_ids),
            "begins": begins,
            "ends": ends,
            "first_id": first_ulid(begins - _MARGIN),
            "end_id": first_ulid(ends + _MARGIN),
        },
    )
    return [_client_day(row._asdict()) for row in rows]


def _client_day(row: dict[str, Any]) -> ClientDay:
    # Sums of floating-point numbers differ in their last digits with the order of the rows.
    values: dict[str, Any] = {
        name: round(value, _DIGITS) if isinstance(value := row[name], float) else value
        for name in _COUNTS
    }
    return ClientDay(row["client_id"], row["retention"], DayCounts(**values))


def _upsert() -> "sa.sql.dml.ReturningInsert[tuple[str]]":
    """One statement for all rows of a page; a row that would stay the same is not written."""
    names = [column.name for column in metrics_daily.columns]
    fresh = sa.func.jsonb_populate_recordset(
        sa.text("NULL::metrics_daily"), sa.bindparam("rows", type_=JSONB)
    ).table_valued(*metrics_daily.columns, name="fresh")
    # A scalar subquery is asked row by row, by the key; a join may read all clients for each row.
    is_open = (
        sa.select(clients.c.closed_at.is_(None))
        .where(clients.c.id == fresh.c.client_id)
        .scalar_subquery()
    )
    statement = insert(metrics_daily).from_select(
        names, sa.select(*(fresh.c[name] for name in names)).where(is_open)
    )
    given = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=["client_id", "day"],
        set_={name: given[name] for name in (*_VALUES, "computed_at")},
        # Events only ever go by retention, whose days a client may have changed since: whoever
        # finds fewer than there were no longer sees the whole day.
        where=(metrics_daily.c.events <= given.events)
        & sa.tuple_(*(metrics_daily.c[name] for name in _VALUES)).is_distinct_from(
            sa.tuple_(*(given[name] for name in _VALUES))
        ),
    ).returning(metrics_daily.c.client_id)


_UPSERT: Final = _upsert()


async def keep_day(
    connection: AsyncConnection, found: Iterable[ClientDay], day: date, now: datetime
) -> int:
    """Keep a day of these clients; how many rows are new or other than before.

    Idempotency key: (client, day). `computed_at` is the time when the values were first found.
    """
    rows = [
        {
            "client_id": one.client_id,
            "day": day.isoformat(),
            "computed_at": now.isoformat(),
            **asdict(one.counts),
            **asdict(rates(one.counts)),
        }
        for one in found
    ]
    if not rows:
        return 0
    return len((await connection.execute(_UPSERT, {"rows": rows})).all())


class MetricsRepository(TenantRepository):
    """One client's days."""

    async def between(self, first: date, last: date) -> list[DayMetrics]:
        """The days that were computed, oldest first."""
        rows = await self._connection.execute(
            sa.select(metrics_daily)
            .where(
                metrics_daily.c.client_id == self._tenant, metrics_daily.c.day.between(first, last)
            )
            .order_by(metrics_daily.c.day)
        )
        return [DayMetrics.model_validate(row._asdict()) for row in rows]
