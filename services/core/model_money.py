"""Budgets for language models. Money is reserved before each call, and the actual cost is charged
after it."""

from contextlib import suppress
from typing import Final

import structlog

from domain.agent.model_fault import CallHealth, ModelFault
from domain.billing.model_money import (
    BudgetRefusal,
    BudgetReservation,
    ModelBudget,
    SpendingScope,
    scopes_of,
)
from domain.core.ids import TenantId
from domain.core.period import day_of, period_of
from domain.core.ports import Clock
from domain.tenants.errors import ClientNotFound
from store.agent.model_alarms import ModelAlarms
from store.core.database import Database
from store.runs.brain_costs import BrainCosts
from store.runs.model_spending import ModelSpending
from store.tenants.accounts import AccountRepository
from store.tenants.clients import ClientRepository

_log = structlog.get_logger(__name__)
_UNKNOWN: Final = CallHealth()


class ModelMoney:
    """The budgets for language models: monthly for each client, and daily for clients together.

    All calls to a language model for a client reserve and charge their cost here, in millionths of
    a US dollar.
    """

    def __init__(self, database: Database, budget: ModelBudget, now: Clock) -> None:
        self._database = database
        self._budget = budget
        self._now = now

    async def reserve(
        self, tenant: TenantId, reserve_micros: int
    ) -> BudgetReservation | BudgetRefusal:
        """Reserve money for one call to a language model, and return the reservation. If a budget
        would be exceeded, start the client's alarm and return that budget.

        The reservation is committed on return, and counts as spent if the process exits before
        `book`. Call this outside any transaction. Raises EngineUnavailable.
        """
        now = self._now()
        period, day = period_of(now), day_of(now)
        async with self._database.tenant(tenant) as connection:
            own = await ClientRepository(connection).brain_budget(tenant)
            is_unpaid = True  # A client that is being erased has no plan.
            with suppress(ClientNotFound):
                subscription = await AccountRepository(connection, tenant).subscription()
                is_unpaid = subscription.is_unpaid(now)
            month_micros = self._budget.month(own, is_unpaid=is_unpaid)
            costs = BrainCosts(connection, tenant)
            if not await costs.reserve(period, reserve_micros, month_micros):
                await ModelAlarms(connection, tenant).start(ModelFault.BUDGET, now)
                return BudgetRefusal.MONTH
        reservation = BudgetReservation(period, day, scopes_of(is_unpaid=is_unpaid))
        refused_by = await self._reserve_day(reservation, reserve_micros)
        if refused_by is None:
            return reservation
        _log.warning("model ceiling reached", scope=refused_by, client_id=tenant)
        async with self._database.tenant(tenant) as connection:
            await BrainCosts(connection, tenant).give_back(period, reserve_micros)
            await ModelAlarms(connection, tenant).start(ModelFault.BUDGET, now)
        return BudgetRefusal.DAY

    async def book(
        self,
        tenant: TenantId,
        reservation: BudgetReservation,
        *,
        tokens_in: int,
        tokens_out: int,
        cost_micros: int,
        reserved_micros: int,
        health: CallHealth = _UNKNOWN,
    ) -> None:
        """Replace a reservation with the actual cost, in its month and day. `health` starts and
        ends the client's alarms.

        Committed separately from the caller's transaction because the money is spent even if the
        answer is not stored.
        """
        async with self._database.tenant(tenant) as connection:
            await BrainCosts(connection, tenant).add(
                reservation.period,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                cost_micros=cost_micros,
                reserved_micros=reserved_micros,
            )
            alarms, now = ModelAlarms(connection, tenant), self._now()
            if health.raised is not None:
                await alarms.start(health.raised, now)
            if health.ended:
                await alarms.end(health.ended, now)
        async with self._database.unscoped() as connection:
            spending = ModelSpending(connection)
            for scope in reservation.scopes:
                await spending.add(scope, reservation.day, cost_micros - reserved_micros)

    async def _reserve_day(
        self, reservation: BudgetReservation, micros: int
    ) -> SpendingScope | None:
        """Reserve the amount in the daily budget of each scope, and return None. If a budget would
        be exceeded, reserve nothing and return the scope of that budget."""
        async with self._database.unscoped() as connection:
            spending, added = ModelSpending(connection), list[SpendingScope]()
            for scope in reservation.scopes:
                ceiling = self._budget.ceiling(scope)
                if not await spending.add(scope, reservation.day, micros, ceiling=ceiling):
                    for earlier in added:
                        await spending.add(earlier, reservation.day, -micros)
                    return scope
                added.append(scope)
        return None
