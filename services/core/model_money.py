"""The money of language models: set aside before a question, booked after it."""

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.period import Period, period_of
from domain.core.ports import Clock
from store.core.database import Database
from store.runs.brain_costs import BrainCosts


class ModelMoney:
    """Of each client a month's budget, shared by all that asks models in its name."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    async def reserve(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        *,
        reserve_micros: int,
        budget_micros: int,
    ) -> Period | None:
        """The month that pays for one question; None if its budget holds no more.

        The caller commits before it asks. In millionths of a US dollar.
        """
        period = period_of(self._now())
        left = await BrainCosts(connection, tenant).reserve(period, reserve_micros, budget_micros)
        return period if left else None

    async def book(
        self,
        tenant: TenantId,
        period: Period,
        *,
        tokens_in: int,
        tokens_out: int,
        cost_micros: int,
        reserved_micros: int,
    ) -> None:
        """Book what a question cost in place of what was set aside for it.

        In a transaction of its own: it is spent, whatever becomes of the answer.
        """
        async with self._database.tenant(tenant) as connection:
            await BrainCosts(connection, tenant).add(
                period,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                cost_micros=cost_micros,
                reserved_micros=reserved_micros,
            )
