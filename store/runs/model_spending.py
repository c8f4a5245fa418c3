"""Total spending of all clients on language models, per UTC day."""

from datetime import date
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.billing.model_money import SpendingScope

_ADD: Final = sa.text("SELECT add_model_spending(:scope, :day, :micros, :ceiling)")


class ModelSpending:
    """Spending counters, stored in rows that all clients share.

    Take the connection from `Database.unscoped`. Each call then commits separately, so no client
    waits for another client's transaction.
    """

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(
        self, scope: SpendingScope, day: date, micros: int, *, ceiling: int | None = None
    ) -> bool:
        """Add an amount to a day's spending unless the sum would exceed the ceiling. Return whether
        the amount was added. `micros`: the amount in millionths of a US dollar, which may be
        negative."""
        added = await self._connection.scalar(
            _ADD, {"scope": scope.value, "day": day, "micros": micros, "ceiling": ceiling}
        )
        return added is True
