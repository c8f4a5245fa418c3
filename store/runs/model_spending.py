"""Total spending of all clients on language models, per UTC day."""

from datetime import date
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.billing.model_money import SpendingScope

_ADD: Final = sa.text("SELECT add_model_spending(:scope, :day, :micros, :ceiling)")


class ModelSpending:
    """Spending counters in rows that all clients share.

    With a connection from `Database.unscoped`, each call commits separately, so that clients do not
    wait for each other.
    """

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(
        self, scope: SpendingScope, day: date, micros: int, *, ceiling: int | None = None
    ) -> bool:
        """Add `micros`, millionths of a US dollar, to a day's spending, unless it would exceed the
        ceiling. The amount may be negative. Return whether it was added."""
        added = await self._connection.scalar(
            _ADD, {"scope": scope.value, "day": day, "micros": micros, "ceiling": ceiling}
        )
        return added is True
