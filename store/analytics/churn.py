"""Churn prediction data: customers' contact histories, and the stored predictions."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.analytics.churn import (
    LOOKS_BACK,
    RECENT,
    ChurnLevel,
    ChurnPrediction,
    History,
    Prediction,
)
from domain.analytics.insight import ChurnRisk
from domain.core.ports import NewId
from store.analytics.tables import churn_predictions
from store.core.repository import TenantRepository

_CUSTOMERS: Final = sa.text("""
    SELECT customer_key FROM engine_messages
    WHERE client_id = :client_id AND direction = 'inbound' AND customer_key > :after
      AND created_at >= :since AND created_at < :at
    GROUP BY customer_key ORDER BY customer_key LIMIT :limit
""")

# OFFSET 0 forces row-by-row joins on unique keys. Without it, the planner may choose to read all of
# a client's runs for each customer.
_HISTORIES: Final = sa.text("""
    SELECT customer.key, past.*, again.*
    FROM unnest(CAST(:customers AS text[])) AS customer(key)
    CROSS JOIN LATERAL (
        SELECT min(message.created_at) AS first_contact, max(message.created_at) AS last_contact,
               count(DISTINCT message.created_at::date) AS contact_days,
               avg(log.score) FILTER (WHERE message.created_at >= :recent) AS mood_recent,
               avg(log.score) FILTER (WHERE message.created_at < :recent) AS mood_before,
               (array_agg(log.score ORDER BY message.created_at DESC, message.id DESC)
                   FILTER (WHERE log.score IS NOT NULL))[1] AS mood_last,
               count(*) FILTER (WHERE run.unresolved) AS unresolved,
               coalesce((array_agg(run.unresolved
                   ORDER BY message.created_at DESC, message.id DESC)
                   FILTER (WHERE run.unresolved IS NOT NULL))[1], false) AS last_unresolved
        FROM engine_messages AS message
        LEFT JOIN LATERAL (
            SELECT score FROM sentiment_logs
            WHERE client_id = :client_id AND event_id = message.event_id OFFSET 0
        ) AS log ON true
        LEFT JOIN LATERAL (
            SELECT status IN ('failed', 'needs_review') AS unresolved FROM engine_runs
            WHERE client_id = :client_id AND event_id = message.event_id OFFSET 0
        ) AS run ON true
        WHERE message.client_id = :client_id AND message.direction = 'inbound'
          AND message.customer_key = customer.key
          AND message.created_at >= :since AND message.created_at < :at
    ) AS past
    CROSS JOIN LATERAL (
        SELECT coalesce(max(tickets), 0) AS same_matter FROM (
            SELECT count(*) AS tickets
            FROM engine_messages AS message
            CROSS JOIN LATERAL (
                SELECT classification FROM engine_runs
                WHERE client_id = :client_id AND event_id = message.event_id
                  AND classification IS NOT NULL OFFSET 0
            ) AS run
            WHERE message.client_id = :client_id AND message.direction = 'inbound'
              AND message.customer_key = customer.key
              AND message.created_at >= :recent AND message.created_at < :at
            GROUP BY run.classification
        ) AS matters
    ) AS again
    WHERE past.last_contact IS NOT NULL
    ORDER BY customer.key
""")

_KEPT: Final = insert(churn_predictions)
# An existing prediction for the week keeps its id. An unchanged prediction is not written.
_KEEP: Final = _KEPT.on_conflict_do_update(
    index_elements=["client_id", "week", "customer_email"],
    set_={name: _KEPT.excluded[name] for name in ("score", "level", "factors", "created_at")},
    where=churn_predictions.c.factors.is_distinct_from(_KEPT.excluded.factors)
    | churn_predictions.c.score.is_distinct_from(_KEPT.excluded.score)
    | churn_predictions.c.level.is_distinct_from(_KEPT.excluded.level),
)


class ChurnRepository(TenantRepository):
    """The customers of one client and their churn predictions."""

    async def customers(self, at: datetime, *, after: str, limit: int) -> list[str]:
        """Return a page of addresses of customers who sent a message in the look-back period before
        `at`.

        The addresses are sorted results of `customer_key`. `after` is the last address on the
        previous page.
        """
        asked = {**self._times(at), "after": after, "limit": limit}
        return list(await self._connection.scalars(_CUSTOMERS, asked))

    async def histories(self, customers: Sequence[str], at: datetime) -> dict[str, History]:
        """Return the contact histories of these customers as of `at`, keyed by address. A single
        query reads all histories."""
        asked = {**self._times(at), "recent": at - RECENT, "customers": list(customers)}
        rows = await self._connection.execute(_HISTORIES, asked)
        found = (row._asdict() for row in rows)
        return {str(row.pop("key")): History(**row) for row in found}

    async def keep(
        self, predictions: Mapping[str, Prediction], week: date, *, now: datetime, new_id: NewId
    ) -> None:
        """Store the predictions for one week, keyed by customer address. Idempotency key: (client,
        week, customer)."""
        if not predictions:
            return
        rows = [
            {
                "client_id": self._tenant,
                "id": new_id(),
                "customer_email": customer,
                "week": week,
                "created_at": now,
                **prediction.model_dump(mode="json"),
            }
            for customer, prediction in predictions.items()
        ]
        await self._connection.execute(_KEEP, rows)

    async def id_of(self, week: date, customer: str) -> str | None:
        """Return the id of the customer's prediction for a week, or None if there is none."""
        t = churn_predictions
        found: str | None = await self._connection.scalar(
            sa.select(t.c.id).where(
                t.c.client_id == self._tenant, t.c.week == week, t.c.customer_email == customer
            )
        )
        return found

    async def customer_of(self, prediction_id: str) -> str | None:
        """Return the address of the customer to whom a prediction applies, or None if the
        prediction does not exist."""
        t = churn_predictions
        found: str | None = await self._connection.scalar(
            sa.select(t.c.customer_email).where(
                t.c.client_id == self._tenant, t.c.id == prediction_id
            )
        )
        return found

    async def of(self, customer: str) -> ChurnPrediction | None:
        """Return a customer's latest prediction, or None. `customer` is the address, as returned by
        `customer_key`."""
        t = churn_predictions
        row = (
            await self._connection.execute(
                sa.select(t)
                .where(t.c.client_id == self._tenant, t.c.customer_email == customer)
                .order_by(t.c.week.desc())
                .limit(1)
            )
        ).one_or_none()
        return None if row is None else _prediction(row._asdict())

    async def latest(
        self, *, limit: int, level: ChurnLevel | None = None, after: str | None = None
    ) -> list[ChurnPrediction]:
        """Return a page of predictions from the latest week that has any, highest score first.

        `after` is the id of the last prediction on the previous page, and determines the week.
        """
        t = churn_predictions
        mine = t.c.client_id == self._tenant
        query = sa.select(t).where(mine).order_by(t.c.score.desc(), t.c.id).limit(limit)
        if after is None:
            query = query.where(
                t.c.week == sa.select(sa.func.max(t.c.week)).where(mine).scalar_subquery()
            )
        else:
            last = t.alias("last")
            query = query.join(
                last, (last.c.client_id == t.c.client_id) & (last.c.week == t.c.week)
            ).where(
                last.c.id == after,
                (t.c.score < last.c.score) | ((t.c.score == last.c.score) & (t.c.id > last.c.id)),
            )
        if level is not None:
            query = query.where(t.c.level == level)
        rows = await self._connection.execute(query)
        return [_prediction(row._asdict()) for row in rows]

    async def risk(self, until: date) -> ChurnRisk | None:
        """Return the numbers of customers at medium and at high risk, or None if there are no
        predictions. The numbers are from the latest week that has predictions and starts on or
        before `until`."""
        t = churn_predictions
        mine = (t.c.client_id == self._tenant) & (t.c.week <= until)
        last = sa.select(sa.func.max(t.c.week)).where(mine).scalar_subquery()
        rows = await self._connection.execute(
            sa.select(t.c.week, t.c.level, sa.func.count().label("number"))
            .where(mine, t.c.week == last)
            .group_by(t.c.week, t.c.level)
        )
        found = rows.all()
        number = {row.level: row.number for row in found}
        return (
            ChurnRisk(
                week=found[0].week,
                medium=number.get(ChurnLevel.MEDIUM, 0),
                high=number.get(ChurnLevel.HIGH, 0),
            )
            if found
            else None
        )

    def _times(self, at: datetime) -> dict[str, object]:
        return {"client_id": self._tenant, "since": at - LOOKS_BACK, "at": at}


def _prediction(row: dict[str, object]) -> ChurnPrediction:
    return ChurnPrediction.model_validate(
        {name: row[name] for name in ChurnPrediction.model_fields}
    )
