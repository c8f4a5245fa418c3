"""Totals of the agent's refunds in a period, by topic."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.agent.plan import GIVING_BACK, StepState
from domain.core.money import Money
from store.core.repository import TenantRepository

COUNTED_TO: Final = 10_000
"""Maximum number of refunds included in the totals, newest first."""

_KINDS: Final = ", ".join(f"'{kind}'" for kind in sorted(GIVING_BACK))
EXECUTED_REFUND: Final = f"""action IN ({_KINDS}) AND state = '{StepState.DONE}'
          AND amount IS NOT NULL"""
"""The SQL condition on `action_ledger` for refunds that the agent executed."""

# The conditions on `order_key` and failed steps match the index.
_DONE: Final = f"""
    SELECT run_id, amount, currency, planned_at FROM action_ledger
    WHERE client_id = :client_id AND order_key IS NOT NULL AND state <> '{StepState.FAILED}'
      AND planned_at >= :since AND planned_at < :until AND {EXECUTED_REFUND}
    ORDER BY planned_at DESC LIMIT :counted
"""  # noqa: S608 - our own names
_TOTALS: Final = sa.text(f"""
    SELECT coalesce(run.classification, '') AS topic, done.currency, count(*) AS refunds,
           sum(done.amount)::bigint AS minor
    FROM ({_DONE}) AS done
    JOIN engine_runs AS run ON run.client_id = :client_id AND run.id = done.run_id
    GROUP BY 1, 2 ORDER BY minor DESC, topic
""")  # noqa: S608 - a constant is put in, no value
_LATEST: Final = sa.text(f"""
    SELECT done.run_id, done.amount AS minor, done.currency, done.planned_at AS at,
           run.lookup -> 'order' ->> 'number' AS order_number,
           CASE WHEN event.unified IS NULL THEN event.customer_email
                ELSE event.unified ->> 'customer_email' END AS customer_email
    FROM ({_DONE}) AS done
    JOIN engine_runs AS run ON run.client_id = :client_id AND run.id = done.run_id
    LEFT JOIN engine_events AS event
      ON event.client_id = :client_id AND event.id = run.event_id
    ORDER BY done.planned_at DESC, done.run_id LIMIT :limit
""")  # noqa: S608 - likewise


@dataclass(frozen=True, slots=True)
class RefundTotal:
    """The refunds in one currency for messages about one topic. `topic` is the category, or an
    empty string if there is none."""

    topic: str
    refunds: int
    total: Money


@dataclass(frozen=True, slots=True)
class RefundTotals:
    """A period's refunds. `is_partial` means that `COUNTED_TO` was reached, so there may be
    more."""

    topics: tuple[RefundTotal, ...]
    is_partial: bool


@dataclass(frozen=True, slots=True)
class DoneRefund:
    run_id: str
    amount: Money
    at: datetime
    order_number: str | None
    customer_email: str | None


class RefundRepository(TenantRepository):
    """The refunds that the agent executed. Cancellations are not included."""

    async def totals(self, since: datetime, until: datetime) -> RefundTotals:
        """Return the totals for the period from `since` (inclusive) to `until` (exclusive), by
        topic and currency, largest first. At most the latest `COUNTED_TO` refunds are included."""
        rows = await self._connection.execute(_TOTALS, self._period(since, until))
        topics = tuple(
            RefundTotal(row.topic, row.refunds, Money(minor=row.minor, currency=row.currency))
            for row in rows
        )
        return RefundTotals(topics, sum(one.refunds for one in topics) >= COUNTED_TO)

    async def latest(
        self, since: datetime, until: datetime, *, limit: int
    ) -> tuple[DoneRefund, ...]:
        """Return the period's latest refunds, newest first."""
        given = {**self._period(since, until), "limit": limit}
        return tuple(
            DoneRefund(
                run_id=row.run_id,
                amount=Money(minor=row.minor, currency=row.currency),
                at=row.at,
                order_number=row.order_number,
                customer_email=row.customer_email,
            )
            for row in await self._connection.execute(_LATEST, given)
        )

    def _period(self, since: datetime, until: datetime) -> dict[str, object]:
        return {
            "client_id": self._tenant,
            "since": since,
            "until": until,
            "counted": COUNTED_TO,
        }
