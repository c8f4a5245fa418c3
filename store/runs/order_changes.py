"""The actions executed on a run's order since the order was looked up."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.order_changes import OrderChange

_MOST: Final = 100
# A reopened run repeats its order lookup, which may include the run's own actions. Earlier versions
# stored lookups without a time, so the message's time is used. After a revised draft, it is the
# time of the last message with `in_draft`.
_SINCE: Final = sa.text("""
    WITH looked AS (
        SELECT run.client_id, run.id,
               (run.lookup #>> '{order,provider}') || '/' || (run.lookup #>> '{order,id}')
               AS order_key,
               CAST(run.lookup ->> 'looked_up_at' AS timestamptz) AS looked_up_at,
               greatest(run.received_at, (
                   SELECT max(later.received_at) FROM escalation_tickets AS review
                   JOIN engine_runs AS later
                     ON later.client_id = review.client_id AND later.joined_review = review.id
                   WHERE review.client_id = run.client_id AND review.run_id = run.id
                     AND later.in_draft
               )) AS received_at
        FROM engine_runs AS run
        WHERE run.client_id = :client_id AND run.id = :run_id
    )
    SELECT entry.action,
           CASE WHEN entry.amount IS NOT NULL
           THEN jsonb_build_object('minor', entry.amount, 'currency', entry.currency) END AS amount
    FROM looked
    JOIN action_ledger AS entry
      ON entry.client_id = looked.client_id AND entry.order_key = looked.order_key
    WHERE entry.state = 'done'
      AND (entry.planned_at > coalesce(looked.looked_up_at, looked.received_at)
           OR looked.looked_up_at IS NULL AND entry.run_id = looked.id)
    ORDER BY entry.planned_at, entry.id
    LIMIT :most
""")


async def order_changes(
    connection: AsyncConnection, client_id: str, run_id: str
) -> tuple[OrderChange, ...]:
    """Return the actions executed on a run's order after the run looked it up, oldest first. Return
    an empty tuple if the run has no order."""
    rows = await connection.execute(
        _SINCE, {"client_id": client_id, "run_id": run_id, "most": _MOST}
    )
    return tuple(OrderChange.model_validate(row, from_attributes=True) for row in rows)
