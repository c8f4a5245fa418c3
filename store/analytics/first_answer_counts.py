"""Daily counts of first answers for a page of clients, computed by one statement.

Python passes each client's opening hours as a calendar, so that the rules of business time exist
only in `domain/tenants/business_hours.py`.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.analytics.latencies import COARSE, WIDTH
from domain.tenants.business_hours import BusinessCalendar, BusinessHours, calendar_of
from store.runs.first_answers import ANSWER_TIME, CALENDAR_LASTS, FIRST_ANSWER, IS_ANSWERED
from store.tenants.business_hours import hours_of

PartKey = tuple[str, str]
"""A breakdown and one of its values, such as `("channel", "email")`."""

_LEAST_MS: Final = 1_000
"""Minimum answer time in the histogram, in milliseconds. The histogram is logarithmic, and an
answer outside the opening hours takes no business time."""

_OPENINGS: Final = 20_000
"""Number of openings after which no further calendar is added to a statement."""

_COUNTED: Final = sa.text(f"""
    WITH calendar AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(:calendars) AS one (
            client_id text, opens timestamptz[], closes timestamptz[], before bigint[],
            target bigint)
    ), answered AS MATERIALIZED (
        SELECT run.client_id, coalesce(run.classification, '') AS classification,
               run.playbook_id, coalesce(inbound.channel, '') AS channel,
               calendar.target, {ANSWER_TIME} AS took
        FROM calendar
        CROSS JOIN LATERAL (
            SELECT * FROM engine_runs
            WHERE client_id = calendar.client_id AND id >= :first_id AND id < :end_id
              AND received_at >= :begins AND received_at < :ends OFFSET 0
        ) AS run
        {FIRST_ANSWER}
        WHERE {IS_ANSWERED}
    )
    SELECT client_id,
           CASE WHEN classification IS NOT NULL THEN 'classification'
                WHEN playbook_id IS NOT NULL THEN 'playbook_id' ELSE 'channel' END AS part,
           coalesce(classification, playbook_id, channel) AS value,
           bucket::text AS bucket, count(*) AS number,
           count(*) FILTER (WHERE target IS NOT NULL) AS targeted,
           count(*) FILTER (WHERE took <= target) AS in_target
    FROM (
        SELECT *, (step / {COARSE}) * {COARSE} + {COARSE // 2} AS bucket FROM (
            SELECT *, floor(ln(greatest(took / 1000, {_LEAST_MS})) / ln(:width))::int AS step
            FROM answered
        ) AS stepped
    ) AS bucketed
    GROUP BY GROUPING SETS ((client_id, classification, bucket), (client_id, playbook_id, bucket),
                            (client_id, channel, bucket))
""").bindparams(sa.bindparam("calendars", type_=JSONB))  # noqa: S608 - constants


async def count_first_answers(
    connection: AsyncConnection,
    client_ids: Sequence[str],
    given: Mapping[str, object],
    begins: datetime,
    now: datetime,
) -> dict[str, dict[PartKey, dict[str, Any]]]:
    """Return the values for the first-answer fields of `Slice`, keyed by client and then by
    (breakdown, value).

    `given` contains the query's parameters for the day (`first_id`, `end_id`, `begins`, `ends`),
    and `begins` is its start. The current business hours and target apply to past days too. Time
    beyond `CALENDAR_LASTS` does not count. Requires a transaction that spans clients.
    """
    hours = iter((await hours_of(connection, client_ids)).items())
    last = min(max(begins, now), begins + CALENDAR_LASTS)
    counted: dict[str, dict[PartKey, dict[str, Any]]] = {}
    # In a thread because the calendars of an old day take seconds to compute.
    while calendars := await asyncio.to_thread(_next_calendars, hours, begins, last):
        rows = await connection.execute(
            _COUNTED,
            {
                **{name: given[name] for name in ("first_id", "end_id", "begins", "ends")},
                "calendars": calendars,
                "width": WIDTH,
            },
        )
        for row in rows:
            parts = counted.setdefault(row.client_id, {})
            part = parts.setdefault(
                (row.part, row.value),
                {"answered": 0, "targeted": 0, "in_target": 0, "answer_times": {}},
            )
            part["answered"] += row.number
            part["targeted"] += row.targeted
            part["in_target"] += row.in_target
            part["answer_times"][row.bucket] = row.number
    return counted


def _next_calendars(
    hours: Iterator[tuple[str, BusinessHours]], first: datetime, last: datetime
) -> list[dict[str, object]]:
    """Take clients from the iterator until their calendars have `_OPENINGS` openings, and return
    the calendars."""
    taken: list[dict[str, object]] = []
    left = _OPENINGS
    for client_id, found in hours:
        calendar = calendar_of(found, first, last)
        taken.append(_values(client_id, calendar))
        left -= len(calendar.opens)
        if left <= 0:
            break
    return taken


def _values(client_id: str, calendar: BusinessCalendar) -> dict[str, object]:
    return {
        "client_id": client_id,
        "opens": [moment.isoformat() for moment in calendar.opens],
        "closes": [moment.isoformat() for moment in calendar.closes],
        "before": list(calendar.before),
        "target": calendar.target,
    }
