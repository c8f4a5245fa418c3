"""Events from the payment provider, each stored once. The queries span clients because some events
do not belong to a client."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.billing.payment import EventState, PaymentEvent, PaymentProblem, Settlement
from domain.core.money import Money
from store.billing.tables import payment_events


@dataclass(frozen=True, slots=True)
class PaymentForPeople:
    """A payment event that had no effect and that an operator must check. `id`, `type`: as in the
    payment provider's event."""

    id: str
    type: str
    problem: PaymentProblem
    client_id: str | None
    checkout_id: str | None
    amount: Money | None
    received_at: datetime


class PaymentEventRepository:
    """The stored payment events. Requires a transaction that spans clients."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def is_known(self, event_id: str) -> bool:
        known = sa.select(sa.exists().where(payment_events.c.id == event_id))
        return bool(await self._connection.scalar(known))

    async def add(
        self, event: PaymentEvent, settlement: Settlement, *, client_id: str | None, now: datetime
    ) -> bool:
        """Store a payment event with its outcome. Return False if the event is already stored."""
        added = await self._connection.scalar(
            insert(payment_events)
            .values(
                id=event.id,
                type=event.type,
                client_id=client_id,
                checkout_id=event.checkout_id,
                amount=event.amount and event.amount.minor,
                currency=event.amount and event.amount.currency,
                state=settlement.state,
                problem=settlement.problem,
                created_at=event.created_at,
                received_at=now,
            )
            .on_conflict_do_nothing()
            .returning(payment_events.c.id)
        )
        return added is not None

    async def for_people(self, *, limit: int) -> Sequence[PaymentForPeople]:
        """Return the latest payment events that an operator must check, newest first."""
        table = payment_events.c
        rows = await self._connection.execute(
            sa.select(payment_events)
            .where(table.state == EventState.PEOPLE)
            .order_by(table.received_at.desc(), table.id.desc())
            .limit(limit)
        )
        return [
            PaymentForPeople(
                id=row.id,
                type=row.type,
                problem=PaymentProblem(row.problem),
                client_id=row.client_id,
                checkout_id=row.checkout_id,
                amount=None
                if row.amount is None
                else Money(minor=row.amount, currency=row.currency),
                received_at=row.received_at,
            )
            for row in rows
        ]
