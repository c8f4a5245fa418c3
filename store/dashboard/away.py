"""The agent's work since a given time. A single query uses an index and reads a limited number of
the latest records."""

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.plan import StepState
from domain.core.ids import TenantId, first_ulid
from domain.core.money import MAX_MINOR, Money
from domain.dashboard.home import AwayReport
from domain.runs.run import RunStatus
from store.runs.refunds import EXECUTED_REFUND

EXAMINED: Final = 2_000
"""Maximum number of the latest tickets, and of the latest order actions, examined for a report."""

# `answered` excludes messages that joined an open review, and automatic emails, which need no
# answer. The conditions on the ledger match its partial index.
_AWAY: Final = sa.text(f"""
    WITH came AS MATERIALIZED (
        SELECT status, handoff_reason, joined_review, response, plan FROM engine_runs
        WHERE client_id = :client_id AND id >= :first_id
        ORDER BY id DESC LIMIT :examined + 1
    ), acted AS MATERIALIZED (
        SELECT action, state, amount, currency FROM action_ledger
        WHERE client_id = :client_id AND planned_at >= :since
          AND order_key IS NOT NULL AND state <> '{StepState.FAILED}'
        ORDER BY planned_at DESC LIMIT :examined + 1
    ), refund AS (
        SELECT amount, currency FROM acted
        WHERE {EXECUTED_REFUND}
    )
    SELECT count(*) FILTER (WHERE status = '{RunStatus.COMPLETED}' AND handoff_reason IS NULL
                              AND joined_review IS NULL
                              AND (response <> '' OR plan <> '[]')) AS answered,
           count(*) FILTER (WHERE handoff_reason IS NOT NULL) AS escalated,
           count(*) FILTER (WHERE status = '{RunStatus.FAILED}') AS failed,
           greatest(count(*), (SELECT count(*) FROM acted)) > :examined AS is_partial,
           (SELECT count(*) FROM refund) AS refunds,
           (SELECT jsonb_object_agg(currency, minor) FROM (
                SELECT currency, sum(amount) AS minor FROM refund GROUP BY currency
           ) AS sums) AS refunded
    FROM came
""")  # noqa: S608 - our own names


async def read_away(connection: AsyncConnection, tenant: TenantId, since: datetime) -> AwayReport:
    """Return the agent's work on the tickets that arrived since `since`, an aware time."""
    given: dict[str, Any] = {
        "client_id": tenant,
        "since": since,
        "first_id": first_ulid(since),
        "examined": EXAMINED,
    }
    row = (await connection.execute(_AWAY, given)).one()
    return AwayReport(
        since=since,
        answered=row.answered,
        escalated=row.escalated,
        failed=row.failed,
        refunds=row.refunds,
        refunded=tuple(
            Money(minor=min(int(minor), MAX_MINOR), currency=currency)
            for currency, minor in sorted((row.refunded or {}).items())
        ),
        is_partial=row.is_partial,
    )
