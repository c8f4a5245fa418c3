"""A language model's responses to a run in progress. They are deleted once the result is stored."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from store.agent.tables import model_calls
from store.core.repository import TenantRepository

_CALLS: Final = model_calls.c


class ModelCallRepository(TenantRepository):
    """A client's recorded model calls."""

    async def read(self, run_id: str, key: str) -> str | None:
        """Return the recorded response to a call of the run, or None."""
        found: str | None = await self._connection.scalar(
            sa.select(_CALLS.response).where(
                _CALLS.client_id == self._tenant, _CALLS.run_id == run_id, _CALLS.key == key
            )
        )
        return found

    async def keep(self, run_id: str, key: str, response: str, now: datetime) -> None:
        """Record a response. An earlier record of the same call stays."""
        await self._connection.execute(
            insert(model_calls)
            .values(
                client_id=self._tenant, run_id=run_id, key=key, response=response, created_at=now
            )
            .on_conflict_do_nothing()
        )

    async def forget(self, run_id: str) -> None:
        """Delete the run's recorded calls, once its result is stored."""
        await self._connection.execute(
            sa.delete(model_calls).where(_CALLS.client_id == self._tenant, _CALLS.run_id == run_id)
        )
