"""The agent's refunds before each past message. One statement covers a whole page of messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.agent.plan import ActionKind
from domain.agent.policy_context import CUSTOMER_WINDOW, Spent
from store.core.repository import TenantRepository

# The same as `ActionLedger.spent`, but as of the time of each run's message. Refunds before a
# customer's erasure do not count toward the customer's limit here.
_SPENT: Final = sa.text("""
    SELECT wanted.run_id, given.customer, given.day, given.on_order
    FROM unnest(CAST(:runs AS text[]), CAST(:customers AS text[]), CAST(:orders AS text[]),
                CAST(:currencies AS text[]), CAST(:times AS timestamptz[]))
         AS wanted (run_id, customer_key, order_key, currency, at)
    CROSS JOIN LATERAL (
        WITH moved AS (
            SELECT DISTINCT ON (run_id, step)
                   action, order_key, customer_key, amount, currency, planned_at
            FROM action_ledger
            WHERE client_id = :client_id AND order_key IS NOT NULL AND state <> 'failed'
              AND run_id <> wanted.run_id AND planned_at < wanted.at
              AND (planned_at > wanted.at - CAST(:window AS interval)
                   OR order_key = wanted.order_key)
            ORDER BY run_id, step, round DESC
        )
        SELECT coalesce(sum(amount) FILTER (
                   WHERE customer_key = wanted.customer_key AND currency = wanted.currency
                     AND planned_at > wanted.at - CAST(:window AS interval)), 0)::bigint
                   AS customer,
               coalesce(sum(amount) FILTER (
                   WHERE currency = wanted.currency AND planned_at >=
                         date_trunc('day', wanted.at, 'UTC')), 0)::bigint AS day,
               array_agg(DISTINCT action) FILTER (
                   WHERE order_key = wanted.order_key) AS on_order
        FROM moved
    ) AS given
""")


@dataclass(frozen=True, slots=True)
class SpentBefore:
    """Parameters for summing the refunds before one run. `customer` is a result of `customer_key`.
    Actions later than `at`, and the run's own actions, are excluded."""

    run_id: str
    order_key: str
    customer: str | None
    currency: str
    at: datetime


class PastSpending(TenantRepository):
    async def before(self, wanted: Sequence[SpentBefore]) -> dict[str, Spent]:
        """Return the refunds and other actions before each run's message, keyed by run id."""
        if not wanted:
            return {}
        found = await self._connection.execute(
            _SPENT,
            {
                "client_id": self._tenant,
                "window": CUSTOMER_WINDOW,
                "runs": [one.run_id for one in wanted],
                "customers": [one.customer for one in wanted],
                "orders": [one.order_key for one in wanted],
                "currencies": [one.currency for one in wanted],
                "times": [one.at for one in wanted],
            },
        )
        return {
            row.run_id: Spent(
                customer=row.customer,
                day=row.day,
                on_order=frozenset(ActionKind(kind) for kind in row.on_order or ()),
            )
            for row in found
        }
