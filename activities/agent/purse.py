"""The purse: who thinks, by what a client's month has left for a language model."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.brain import Brain, BrainAnswer
from domain.agent.brain_choice import Brains
from domain.agent.errors import BrainFailed
from domain.agent.thinking import ThinkingResult
from domain.core.ids import TenantId
from domain.core.period import Period
from domain.core.ports import Clock
from services.core.model_money import ModelMoney
from store.core.database import Database
from store.tenants.clients import ClientRepository


@dataclass(frozen=True, slots=True)
class Grant:
    """Who thinks. `period`: the month that pays; None where it costs nothing."""

    brain: Brain
    period: Period | None = None


class Purse:
    def __init__(self, database: Database, brains: Brains, now: Clock) -> None:
        self._database = database
        self._money = ModelMoney(database, now)
        self._brains = brains

    @property
    def sees_images(self) -> bool:
        """Whether a brain that may be chosen can look at images."""
        return self._brains.sees_images

    @property
    def embedded(self) -> Grant:
        """The embedded brain, whatever is left."""
        return Grant(self._brains.embedded)

    @property
    def has_model(self) -> bool:
        """Whether a language model is configured."""
        return self._brains.model is not None

    async def grant(self, tenant: TenantId) -> Grant:
        """As `choose`, by the client's own budget, in a transaction of its own if it writes."""
        if not self.has_model:
            return self.embedded
        async with self._database.tenant(tenant) as connection:
            budget = await ClientRepository(connection).brain_budget(tenant)
            return await self.choose(connection, tenant, budget)

    async def choose(
        self, connection: AsyncConnection, tenant: TenantId, budget_micros: int | None
    ) -> Grant:
        """The model, with money set aside for one question; the embedded brain if none is left.

        `budget_micros`: of the client, None for the configured one.
        """
        if self._brains.model is None:
            return self.embedded
        period = await self._money.reserve(
            connection,
            tenant,
            reserve_micros=self._brains.reserve_micros,
            budget_micros=self._brains.budget(budget_micros),
        )
        if period is None:
            return self.embedded
        return Grant(self._brains.model, period)

    async def spend(
        self, tenant: TenantId, grant: Grant, think: Callable[[Brain], Awaitable[ThinkingResult]]
    ) -> ThinkingResult:
        """Think with what `choose` gave, and book what it cost in place of what was set aside.

        In a transaction of its own: it is spent, whatever becomes of the thought.
        """
        if grant.period is None:
            return await think(grant.brain)
        cost: BrainAnswer | BrainFailed = BrainFailed()
        try:
            thought = await think(grant.brain)
            cost = thought.answer
        except BrainFailed as failure:
            cost = failure
            raise
        finally:
            await self._money.book(
                tenant,
                grant.period,
                tokens_in=cost.tokens_in,
                tokens_out=cost.tokens_out,
                cost_micros=cost.cost_micros,
                reserved_micros=self._brains.reserve_micros,
            )
        return thought
