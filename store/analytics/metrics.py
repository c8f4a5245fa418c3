"""Daily metrics: store and retrieve the rows for each day."""

from collections.abc import Iterable
from dataclasses import asdict, fields
from datetime import date, datetime
from typing import Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.analytics.metrics import DayCounts, DayInsight, DayMetrics, rates
from store.analytics.day_counts import ClientDay
from store.analytics.tables import metrics_daily
from store.core.repository import TenantRepository
from store.playbooks.tables import playbook_versions, playbooks
from store.tenants.tables import clients

D = TypeVar("D", bound=DayMetrics)

_VALUES: Final = tuple(
    column.name
    for column in metrics_daily.columns
    if column.name not in {"client_id", "day", "computed_at"}
)


def _upsert() -> "sa.sql.dml.ReturningInsert[tuple[str]]":
    """Return one statement that writes the day's rows for a page of clients. Unchanged rows are not
    written."""
    names = [column.name for column in metrics_daily.columns]
    fresh = sa.func.jsonb_populate_recordset(
        sa.text("NULL::metrics_daily"), sa.bindparam("rows", type_=JSONB)
    ).table_valued(*metrics_daily.columns, name="fresh")
    # The scalar subquery looks up each row's client by key. With a join, the planner might choose
    # to read all clients for each row.
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
        # Only retention removes events. If the event count is below the stored count, part of the
        # day's data is gone, so the stored row is kept.
        where=(metrics_daily.c.events <= given.events)
        & sa.tuple_(*(metrics_daily.c[name] for name in _VALUES)).is_distinct_from(
            sa.tuple_(*(given[name] for name in _VALUES))
        ),
    ).returning(metrics_daily.c.client_id)


_UPSERT: Final = _upsert()


async def keep_day(
    connection: AsyncConnection, found: Iterable[ClientDay], day: date, now: datetime
) -> int:
    """Store the metrics for one day for these clients. Return the number of new or changed rows,
    which get `now` as `computed_at`. Idempotent by client and day."""
    rows = [
        {
            "client_id": one.client_id,
            "day": day.isoformat(),
            "computed_at": now.isoformat(),
            **_values(one.counts),
            **asdict(rates(one.counts)),
        }
        for one in found
    ]
    if not rows:
        return 0
    return len((await connection.execute(_UPSERT, {"rows": rows})).all())


def _values(counts: DayCounts) -> dict[str, object]:
    """Return the counts in a form that JSON can represent: numbers, objects and nulls."""
    found = {field.name: getattr(counts, field.name) for field in fields(counts)}
    return {**found, "breakdown": counts.breakdown.model_dump()}


class MetricsRepository(TenantRepository):
    """The daily metrics of one client."""

    async def between(self, first: date, last: date) -> list[DayMetrics]:
        """Return the metrics for the days from `first` to `last`, inclusive, oldest first. Days
        that have not been computed are omitted."""
        return await self._between(first, last, DayMetrics)

    async def insight(self, first: date, last: date) -> list[DayInsight]:
        """Return the metrics for these days, including the raw values from which the totals for a
        range are computed."""
        return await self._between(first, last, DayInsight)

    async def _between(self, first: date, last: date, shape: type[D]) -> list[D]:
        days = metrics_daily.c
        rows = await self._connection.execute(
            sa.select(*(days[name] for name in shape.model_fields))
            .where(days.client_id == self._tenant, days.day.between(first, last))
            .order_by(days.day)
        )
        return [shape.model_validate(row._asdict()) for row in rows]

    async def playbook_names(self) -> dict[str, str]:
        """Return the names of the client's playbooks by id. A deleted playbook is listed under the
        latest name that it had."""
        known, version = playbooks.c, playbook_versions.c
        rows = await self._connection.execute(
            sa.select(known.id, version.name)
            .join(
                playbook_versions,
                (version.client_id == known.client_id)
                & (version.playbook_id == known.id)
                & (version.version == known.version),
            )
            .where(known.client_id == self._tenant)
        )
        return {row.id: row.name for row in rows}
