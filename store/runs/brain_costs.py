"""What language models cost a client in a month, and what it may still spend."""

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from domain.core.period import Period
from store.core.repository import TenantRepository
from store.runs.tables import brain_costs

# One statement, and the row is locked while it looks: of many runs at once, those that would go
# over the budget find what the others set aside.
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
    """`cost_micros`: millionths of a US dollar, with what is set aside for questions under way."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0


class BrainCosts(TenantRepository):
    async def spent(self, period: Period) -> BrainCost:
        """What was spent, and is set aside, in a month."""
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
        """Set money aside for one question; False if the month's budget does not hold it.

        Must be committed before the question is asked. `add` gives it back. What a crash leaves set
        aside counts as spent.
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
        """Return what was set aside for a question that is not asked."""
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
        """Book what one question cost, in place of what was set aside for it."""
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
