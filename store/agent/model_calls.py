"""A language model's responses to a run in progress. They are deleted once the result is stored."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from store.agent.tables import model_calls
from store.core.repository import TenantRepository

_CALLS: Final = model_calls.c
# A late response of an attempt that was given up must not stay beside the result of another one.
_KEEP: Final = sa.text("""
    INSERT INTO model_calls (client_id, run_id, key, response, created_at)
    SELECT client_id, id, :key, :response, :now FROM engine_runs
    WHERE client_id = :client_id AND id = :run_id AND classification IS NULL
    ON CONFLICT DO NOTHING
""")


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
        """Record a response, unless the run has a result or is gone. An earlier record of the same
        call stays."""
        call = {"run_id": run_id, "key": key, "response": response, "now": now}
        await self._connection.execute(_KEEP, {"client_id": self._tenant, **call})

    async def forget(self, run_id: str) -> None:
        """Delete the run's recorded calls, once its result is stored."""
        await self._connection.execute(
            sa.delete(model_calls).where(_CALLS.client_id == self._tenant, _CALLS.run_id == run_id)
        )
