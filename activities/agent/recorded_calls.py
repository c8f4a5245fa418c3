"""The record of a run's model calls in PostgreSQL."""

from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from domain.core.ids import TenantId
from domain.core.ports import Clock
from store.agent.model_calls import ModelCallRepository
from store.core.database import Database

_log: Final = structlog.get_logger(__name__)


class RecordedCalls:
    """The model calls of one run, each read and recorded in its own transaction. If the database
    fails, a call is not recorded, and a repeated attempt pays for it again."""

    def __init__(self, database: Database, tenant: TenantId, run_id: str, now: Clock) -> None:
        self._database = database
        self._tenant = tenant
        self._run_id = run_id
        self._now = now

    async def read(self, key: str) -> str | None:
        try:
            async with self._database.reading(self._tenant) as connection:
                return await ModelCallRepository(connection, self._tenant).read(self._run_id, key)
        except (SQLAlchemyError, OSError) as error:
            _log.warning("failed to read model call", error=type(error).__name__)
            return None

    async def keep(self, key: str, response: str) -> None:
        try:
            async with self._database.tenant(self._tenant) as connection:
                calls = ModelCallRepository(connection, self._tenant)
                await calls.keep(self._run_id, key, response, self._now())
        except (SQLAlchemyError, OSError) as error:
            _log.warning("failed to record model call", error=type(error).__name__)
