"""Lists of runs, newest first, and their lengths."""

import asyncio
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.analytics.metrics import DURABLE_AFTER, midnight
from domain.core.ids import TenantId, first_ulid
from domain.intake.event import Channel
from domain.ratings.rating_link import LINK_LASTS
from domain.runs.run import RunStatus
from domain.runs.ticket_outcome import TicketOutcome
from domain.runs.trace import RunSummary
from domain.tenants.business_hours import BusinessHours, calendar_of
from store.core.repository import TenantRepository
from store.runs.first_answers import (
    CALENDAR,
    CALENDAR_LASTS,
    FIRST_ANSWER,
    IS_ANSWERED,
    IS_IN_TARGET,
    calendar_values,
)
from store.runs.outcomes import (
    CAME_BACK,
    INBOUND,
    IS_ASKED,
    IS_COMPLETED,
    IS_ESCALATED,
    IS_REFUNDED,
    IS_REQUEST,
)
from store.tenants.business_hours import BusinessHoursRepository

LOOKED_THROUGH: Final = 2_000
"""Maximum number of runs examined for one page of a filtered list. Some filters have no index."""

COUNTED_TO: Final = 5_000
"""Maximum number of runs examined to count a list."""

_FOLLOWED_THROUGH: Final = 500
"""Maximum number of runs examined for one page if a filter searches for the customer's later
messages."""

NONE: Final = "none"
"""The filter value for runs without a category or channel."""

# Ids are in the order of admission.
_SINCE: Final = sa.text("""
    SELECT statement_timestamp() AS now, (
        SELECT received_at FROM engine_runs WHERE client_id = :client_id ORDER BY id LIMIT 1
    ) AS first_run
""")
# A ULID starts with a digit from 0 to 7, so this text sorts after every ULID.
_BEYOND_ALL: Final = "8"
# An id is generated slightly earlier than the run's timestamp.
_MARGIN: Final = timedelta(hours=1)

# The lists are in primary key order. Ids are in the order of admission.
_LATEST: Final = """
    SELECT run.*, NULL::timestamptz AS rated_at, NULL::smallint AS score FROM engine_runs AS run
    WHERE run.client_id = :client_id AND run.id < :before {inner}
    ORDER BY run.id DESC LIMIT :looked_through
"""
_RATED: Final = """
    SELECT run.*, given.created_at AS rated_at, given.score FROM (
        SELECT run_id, created_at, score FROM ratings AS run
        WHERE run.client_id = :client_id AND run.run_id < :before {inner}
        ORDER BY run.run_id DESC LIMIT :looked_through
    ) AS given CROSS JOIN LATERAL (
        SELECT * FROM engine_runs WHERE client_id = :client_id AND id = given.run_id OFFSET 0
    ) AS run
"""
_PAGE: Final = """
    SELECT run.id AS run_id, run.event_id, run.status, event.event_type,
           CASE WHEN event.unified IS NULL THEN event.customer_email
                ELSE event.unified ->> 'customer_email' END AS customer_email,
           event.subject, coalesce(left(event.text, 280), '') AS preview,
           run.classification, run.confidence, run.sentiment, run.handoff_reason, run.error_code,
           run.duration_ms, run.received_at, run.finished_at
    FROM (
        SELECT run.* FROM ({examined}) AS run {joined}
        WHERE true {outer}
        ORDER BY run.id DESC LIMIT :limit
    ) AS run
    CROSS JOIN LATERAL (
        SELECT event_type, unified, customer_email, subject, text FROM engine_events
        WHERE client_id = run.client_id AND id = run.event_id OFFSET 0
    ) AS event
    ORDER BY run.id DESC
"""
_END: Final = """
    SELECT CASE WHEN count(*) >= :looked_through THEN min(id) END FROM ({examined}) AS run
"""
_COUNT: Final = """
    SELECT count(*) FILTER (WHERE true {outer}) AS found, count(*) AS examined
    FROM ({examined}) AS run {joined}
"""

# A day's number of durable resolutions is stored only once 7 days have passed for all of the day's
# runs.
_IS_FOLLOWED: Final = """EXISTS (
    SELECT FROM metrics_daily AS day
    WHERE day.client_id = run.client_id AND day.durable IS NOT NULL
      AND day.day = CAST(run.received_at AT TIME ZONE 'UTC' AS date) OFFSET 0)"""
_RESOLVED: Final = f"{IS_COMPLETED} AND {IS_ASKED}"
_OF_OUTCOME: Final = {
    TicketOutcome.ASKED: IS_ASKED,
    TicketOutcome.RESOLVED: _RESOLVED,
    TicketOutcome.AUTOMATED: f"{IS_COMPLETED} AND {IS_REQUEST} AND NOT {IS_ESCALATED}",
    TicketOutcome.WITH_TEAM: f"{IS_COMPLETED} AND {IS_ESCALATED}",
    TicketOutcome.OPEN: f"NOT {IS_COMPLETED} AND {IS_ASKED}",
    TicketOutcome.ESCALATED: IS_ESCALATED,
    TicketOutcome.TIMED: "run.duration_ms IS NOT NULL",
    TicketOutcome.DURABLE: f"{_RESOLVED} AND {_IS_FOLLOWED} AND NOT {CAME_BACK}",
    TicketOutcome.REOPENED: f"{_RESOLVED} AND {_IS_FOLLOWED} AND {CAME_BACK}",
    TicketOutcome.ANSWERED: IS_ANSWERED,
    TicketOutcome.IN_TARGET: f"{IS_ANSWERED} AND {IS_IN_TARGET}",
    TicketOutcome.LATE: f"{IS_ANSWERED} AND NOT {IS_IN_TARGET}",
    TicketOutcome.REFUNDED: f"{IS_ASKED} AND {IS_REFUNDED}",
    TicketOutcome.RATED: "true",
    TicketOutcome.SATISFIED: "run.score >= 4",
}
_FOLLOWED: Final = {TicketOutcome.DURABLE, TicketOutcome.REOPENED}
_OF_RATINGS: Final = {TicketOutcome.RATED, TicketOutcome.SATISFIED}
_OF_TARGET: Final = {TicketOutcome.IN_TARGET, TicketOutcome.LATE}


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Filters for a list of runs. `reason` is the first escalation reason. `NONE` selects runs
    without a `classification` or `channel`. `first` and `last` are UTC days of receipt or, for the
    outcomes `rated` and `satisfied`, of the rating."""

    status: RunStatus | None = None
    classification: Category | Literal["none"] | None = None
    reason: EscalationReason | None = None
    playbook_id: str | None = None
    channel: Channel | Literal["none"] | None = None
    outcome: TicketOutcome | None = None
    first: date | None = None
    last: date | None = None

    @property
    def is_set(self) -> bool:
        return self != RunFilter()

    @property
    def of_ratings(self) -> bool:
        return self.outcome in _OF_RATINGS

    @property
    def equals(self) -> dict[str, str]:
        """Return the filters on indexed columns, most selective column first. The values are
        SQL."""
        chosen = {
            "run.handoff_reason = :reason": self.reason,
            "run.classification = :classification": self.classification,
            "run.playbook_id = :playbook_id": self.playbook_id,
            "run.status = :status": self.status,
        }
        return {
            sql if value != NONE else "run.classification IS NULL": str(value)
            for sql, value in chosen.items()
            if value is not None
        }

    @property
    def inner(self) -> str:
        """Return the SQL for the filters that are applied to all runs.

        Only one index can be used at a time, so `outer` contains the other filters. A query with
        two rarely combined values would otherwise read all runs.
        """
        column = "run_id" if self.of_ratings else "id"
        days = "" if self.first is None else f"AND run.{column} >= :first_id "
        return days + ("" if self.of_ratings else "".join(f"AND {one} " for one in self._indexed))

    @property
    def outer(self) -> str:
        """Return the SQL for the filters that `inner` does not contain. They are applied only to a
        limited number of runs."""
        at = "rated_at" if self.of_ratings else "received_at"
        conditions = [one for one in self.equals if self.of_ratings or one not in self._indexed]
        if self.channel is not None:
            conditions.append("coalesce(inbound.channel, 'none') = :channel")
        if self.outcome is not None:
            conditions.append(_OF_OUTCOME[self.outcome])
        if self.first is not None:
            conditions.append(f"run.{at} >= :begins")
        if self.last is not None:
            conditions.append(f"run.{at} < :ends")
        return "".join(f"AND ({one}) " for one in conditions)

    @property
    def _indexed(self) -> tuple[str, ...]:
        return tuple(self.equals)[:1]

    @property
    def joined(self) -> str:
        if self.outcome in _OF_TARGET:
            return f"{FIRST_ANSWER} {CALENDAR}"
        if self.outcome is TicketOutcome.ANSWERED:
            return FIRST_ANSWER
        return INBOUND if self.channel is not None or self.outcome in _FOLLOWED else ""

    @property
    def most(self) -> int:
        return _FOLLOWED_THROUGH if self.outcome in _FOLLOWED else LOOKED_THROUGH

    def values(self, before: str | None) -> dict[str, object]:
        """Return the parameters for the SQL. `before` is the last id on the previous page."""
        beyond = before or _BEYOND_ALL
        values: dict[str, object] = {"durable": DURABLE_AFTER}
        if self.last is not None:
            ends = midnight(self.last) + timedelta(days=1)
            beyond = min(beyond, first_ulid(ends + _MARGIN))
            values["ends"] = ends
        if self.first is not None:
            begins = midnight(self.first)
            # A customer can rate a run until its link expires.
            earliest = begins - (LINK_LASTS if self.of_ratings else timedelta()) - _MARGIN
            values |= {"begins": begins, "first_id": first_ulid(earliest)}
        given = {
            "status": self.status,
            "classification": self.classification,
            "reason": self.reason,
            "playbook_id": self.playbook_id,
            "channel": self.channel,
        }
        values |= {name: str(value) for name, value in given.items() if value is not None}
        return {**values, "before": beyond}


@dataclass(frozen=True, slots=True)
class RunCount:
    """The length of a list of runs. `is_partial` means that only the latest `COUNTED_TO` runs were
    examined."""

    count: int
    is_partial: bool


class RunLists(TenantRepository):
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        super().__init__(connection, tenant)
        self._calendars: dict[date | None, dict[str, object]] = {}

    async def page(
        self, wanted: RunFilter, *, limit: int, before: str | None = None
    ) -> tuple[list[RunSummary], str | None]:
        """Return a page of runs, newest first, and the cursor for the next page, or None. `before`
        is the previous cursor.

        Filters without an index examine a limited number of runs, so a page can be short.
        """
        outer = wanted.outer
        given = {
            **wanted.values(before),
            **await self._calendar(wanted),
            "client_id": self._tenant,
            "limit": limit + 1,
            "looked_through": wanted.most if outer else limit + 1,
        }
        rows = await self._connection.execute(_sql(_PAGE, wanted), given)
        found = [RunSummary.model_validate(row, from_attributes=True) for row in rows]
        if len(found) > limit:
            return found[:limit], found[limit - 1].run_id
        if not outer:
            return found, None
        return found, await self._connection.scalar(_sql(_END, wanted), given)

    async def count(self, wanted: RunFilter) -> RunCount:
        """Return the number of runs in a list."""
        most = _FOLLOWED_THROUGH * 2 if wanted.outcome in _FOLLOWED else COUNTED_TO
        given = {
            **wanted.values(None),
            **await self._calendar(wanted),
            "client_id": self._tenant,
            "looked_through": most,
        }
        row = (await self._connection.execute(_sql(_COUNT, wanted), given)).one()
        return RunCount(row.found, is_partial=row.examined >= most)

    async def _calendar(self, wanted: RunFilter) -> dict[str, object]:
        """Return the parameters for filters by the target, which match no runs older than
        `CALENDAR_LASTS`.

        The calendar starts with the client's first run and is kept for the request, so its length
        does not depend on the requested days.
        """
        if wanted.outcome not in _OF_TARGET:
            return {}
        if self._calendars.get(wanted.first) is None:
            given = {"client_id": self._tenant}
            row = (await self._connection.execute(_SINCE, given)).one()
            first: datetime = max(row.now - CALENDAR_LASTS, (row.first_run or row.now) - _MARGIN)
            if wanted.first is not None:
                first = max(first, midnight(wanted.first))
            hours = await BusinessHoursRepository(self._connection, self._tenant).read()
            self._calendars[wanted.first] = await asyncio.to_thread(
                _calendar_values, hours, min(first, row.now), row.now
            )
        return self._calendars[wanted.first]


def _calendar_values(hours: BusinessHours, first: datetime, last: datetime) -> dict[str, object]:
    return calendar_values(calendar_of(hours, first, last))


def _sql(query: str, wanted: RunFilter) -> sa.TextClause:
    examined = (_RATED if wanted.of_ratings else _LATEST).format(inner=wanted.inner)
    return sa.text(query.format(examined=examined, joined=wanted.joined, outer=wanted.outer))
