"""The SQL for the first answer to a customer's message, and for the business time until it.

The first answer is the agent's or a teammate's to the message. Without one, a later answer in the
conversation counts, unless the message is still in progress. An acknowledgement is not an answer.

The team's texts in a helpdesk are not stored, so the closing of the review counts instead. A review
closed at once has no known answer, because the team was already writing.

In each condition, the run's alias is `run`.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from domain.reviews.escalation import OPEN_STATUSES
from domain.runs.run import RunStatus
from domain.tenants.business_hours import BusinessCalendar
from store.core.repository import TenantRepository
from store.runs.outcomes import INBOUND, IS_ASKED

_OPEN: Final = ", ".join(f"'{status}'" for status in sorted(OPEN_STATUSES))
_IN_PROGRESS: Final = f"""(run.status = '{RunStatus.RECEIVED}' OR EXISTS (
    SELECT FROM escalation_tickets AS review
    WHERE review.client_id = run.client_id AND review.run_id = run.id
      AND review.status IN ({_OPEN}) OFFSET 0))"""
_IS_ANSWER: Final = "answer.direction = 'outbound' AND answer.body <> ''"
_IS_OWN: Final = "(answer.event_id = run.event_id OR answer.reply_id IS NOT NULL)"

DECIDED_IN_HELPDESK: Final = "helpdesk"
"""The decider of a review that was closed because a human agent answered in the helpdesk."""

_IN_HELPDESK: Final = f"""review.client_id = run.client_id AND review.run_id = run.id
    AND review.decided_by = '{DECIDED_IN_HELPDESK}'"""

FIRST_ANSWER: Final = f"""{INBOUND}
    LEFT JOIN LATERAL (
        SELECT least(
            coalesce(min(answer.created_at) FILTER (WHERE {_IS_OWN}),
                     CASE WHEN NOT {_IN_PROGRESS} THEN min(answer.created_at) END),
            (SELECT min(review.decided_at) FROM escalation_tickets AS review
             WHERE {_IN_HELPDESK} AND review.decided_at > review.created_at)) AS at
        FROM engine_messages AS answer
        WHERE answer.client_id = run.client_id
          AND answer.conversation_id = inbound.conversation_id
          AND answer.created_at >= run.received_at AND {_IS_ANSWER}
    ) AS first_answer ON true"""  # noqa: S608 - our own names
"""Joins a run with its first answer as `first_answer`. Contains `INBOUND`."""

IS_ANSWERED: Final = f"({IS_ASKED} AND first_answer.at IS NOT NULL)"


def _at(moment: str) -> str:
    """Return the SQL for the business time from the calendar's first instant, in microseconds."""
    place = f"width_bucket({moment}, calendar.opens)"
    return (
        f"(calendar.before[{place}] + (1000000 * extract(epoch FROM "
        f"least({moment}, calendar.closes[{place}]) - calendar.opens[{place}]))::bigint)"
    )


ANSWER_TIME: Final = f"({_at('first_answer.at')} - {_at('run.received_at')})"
"""The business time from a run's message to its first answer, in microseconds. Requires
`FIRST_ANSWER` and the client's calendar as `calendar`."""

CALENDAR_LASTS: Final = timedelta(days=3 * 365)
"""Maximum duration of a calendar, far above any target. An answer after its end is therefore never
within the target."""

CALENDAR: Final = """CROSS JOIN (
        SELECT CAST(CAST(:opens AS text) AS timestamptz[]) AS opens,
               CAST(CAST(:closes AS text) AS timestamptz[]) AS closes,
               CAST(CAST(:before_opening AS text) AS bigint[]) AS before,
               CAST(:target AS bigint) AS target
    ) AS calendar"""
"""Joins one client's calendar. `calendar_values` returns its parameters."""

IS_IN_TARGET: Final = f"({ANSWER_TIME} <= calendar.target)"


def calendar_values(calendar: BusinessCalendar) -> dict[str, object]:
    """Return the parameters of `CALENDAR`. The arrays are literals because the driver takes ten
    times longer to convert lists of datetimes."""
    return {
        "opens": _array(moment.isoformat() for moment in calendar.opens),
        "closes": _array(moment.isoformat() for moment in calendar.closes),
        "before_opening": _array(map(str, calendar.before)),
        "target": calendar.target,
    }


def _array(elements: Iterable[str]) -> str:
    return "{" + ",".join(elements) + "}"


_LOOKED_THROUGH: Final = 100
# A message without a run waits too: no playbook matched it.
_FIRST_UNANSWERED: Final = sa.text(f"""
    SELECT talk.id, first.at FROM ai_conversations AS talk
    CROSS JOIN LATERAL (
        SELECT min(said.created_at) AS at FROM (
            SELECT client_id, conversation_id, event_id, created_at, direction
            FROM engine_messages
            WHERE client_id = talk.client_id AND conversation_id = talk.id
            ORDER BY created_at DESC LIMIT {_LOOKED_THROUGH}
        ) AS said
        LEFT JOIN engine_runs AS run
          ON run.client_id = said.client_id AND run.event_id = said.event_id
        WHERE said.direction = 'inbound' AND (run.id IS NULL OR {IS_ASKED})
          AND NOT EXISTS (SELECT FROM escalation_tickets AS review WHERE {_IN_HELPDESK})
          AND NOT EXISTS (
            SELECT FROM engine_messages AS answer
            WHERE answer.client_id = said.client_id
              AND answer.conversation_id = said.conversation_id
              AND answer.created_at >= said.created_at AND {_IS_ANSWER}
              AND (run.id IS NULL OR {_IS_OWN} OR NOT {_IN_PROGRESS}))
    ) AS first
    WHERE talk.client_id = :client_id AND talk.id = ANY(:ids) AND talk.closed_at IS NULL
      AND first.at IS NOT NULL
""")  # noqa: S608 - our own names

_OF_RUNS: Final = sa.text("""
    SELECT run.id, message.conversation_id FROM engine_runs AS run
    JOIN engine_messages AS message
      ON message.client_id = run.client_id AND message.event_id = run.event_id
     AND message.direction = 'inbound'
    WHERE run.client_id = :client_id AND run.id = ANY(:runs)
      AND message.conversation_id IS NOT NULL
""")


class FirstUnanswered(TenantRepository):
    async def of(self, conversation_ids: Sequence[str]) -> dict[str, datetime]:
        """Return the time of each conversation's first unanswered message by conversation id, in
        one statement.

        Closed and answered conversations are omitted. Only the latest messages are examined.
        """
        if not conversation_ids:
            return {}
        rows = await self._connection.execute(
            _FIRST_UNANSWERED, {"client_id": self._tenant, "ids": list(conversation_ids)}
        )
        return {row.id: row.at for row in rows}

    async def of_runs(self, run_ids: Sequence[str]) -> dict[str, datetime]:
        """Return the time of the first unanswered message in each run's conversation, by run id.
        Omits the same conversations as `of`. Executes two statements."""
        rows = await self._connection.execute(
            _OF_RUNS, {"client_id": self._tenant, "runs": list(run_ids)}
        )
        talks = {row.id: row.conversation_id for row in rows}
        since = await self.of(sorted(set(talks.values())))
        return {run_id: since[talk] for run_id, talk in talks.items() if talk in since}
