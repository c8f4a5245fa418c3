"""A client's monthly spending on language models, including the amounts reserved for calls in
progress."""

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from domain.core.period import Period
from store.core.repository import TenantRepository
from store.runs.tables import brain_costs

# One statement locks the row, so that concurrent runs see each other's reservations and cannot
# exceed the budget together.
_RESERVE: Final = sa.text("""
    INSERT INTO brain_costs AS costs
        (client_id, period, calls, tokens_in, tokens_out, cost_micros)
    SELECT :client_id, :period, 0, 0, 0, CAST(:reserve AS bigint)
    WHERE CAST(:reserve AS bigint) <= CAST(:budget AS bigint)
    ON CONFLICT (client_id, period) DO UPDATE SET cost_micros = costs.cost_micros + :reserve
    WHERE costs.cost_micros + :reserve <= :budget
    RETURNING cost_micros
""")

_ADD: Final = sa.text("""
    INSERT INTO brain_costs AS costs
        (client_id, period, calls, tokens_in, tokens_out, cost_micros)
    VALUES (:client_id, :period, 1, :tokens_in, :tokens_out, CAST(:cost AS bigint) - :reserved)
    ON CONFLICT (client_id, period) DO UPDATE SET
        calls = costs.calls + 1,
        tokens_in = costs.tokens_in + excluded.tokens_in,
        tokens_out = costs.tokens_out + excluded.tokens_out,
        cost_micros = costs.cost_micros + excluded.cost_micros
""")


@dataclass(frozen=True, slots=True)
class BrainCost:
    """A client's spending on language models in one month. `cost_micros`: millionths of a US
    dollar, including open reservations."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0


class BrainCosts(TenantRepository):
    async def spent(self, period: Period) -> BrainCost:
        """Return the spending on language models in a month, including open reservations."""
        row = (
            await self._connection.execute(
                sa.select(
                    brain_costs.c.calls,
                    brain_costs.c.tokens_in,
                    brain_costs.c.tokens_out,
                    brain_costs.c.cost_micros,
                ).where(brain_costs.c.client_id == self._tenant, brain_costs.c.period == period)
            )
        ).one_or_none()
        return BrainCost(*row) if row else BrainCost()

    async def reserve(self, period: Period, reserve_micros: int, budget_micros: int) -> bool:
        """Reserve money for one call to a language model. Return False beyond the monthly budget.

        Commit before the call. `add` replaces the reservation with the cost. After a crash, an open
        reservation counts as spent.
        """
        row = await self._connection.execute(
            _RESERVE,
            {
                "client_id": self._tenant,
                "period": period,
                "reserve": reserve_micros,
                "budget": budget_micros,
            },
        )
        return row.one_or_none() is not None

    async def give_back(self, period: Period, reserved_micros: int) -> None:
        """Release the reservation for a call that was not made."""
        await self._connection.execute(
            sa.update(brain_costs)
            .where(brain_costs.c.client_id == self._tenant, brain_costs.c.period == period)
            .values(cost_micros=brain_costs.c.cost_micros - reserved_micros)
        )

    async def add(
        self,
        period: Period,
        *,
        tokens_in: int,
        tokens_out: int,
        cost_micros: int,
        reserved_micros: int,
    ) -> None:
        """Record the cost of one call to a language model. The cost replaces the reservation for
        that call."""
        await self._connection.execute(
            _ADD,
            {
                "client_id": self._tenant,
                "period": period,
                "tokens_in": tokens_in,
                "tokens_out": tokens_out,
                "cost": cost_micros,
                "reserved": reserved_micros,
            },
        )
