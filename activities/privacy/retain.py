"""Retain: remove what clients' records have become too old to be kept."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from temporalio import activity

from domain.core import names
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.privacy.contracts import RetentionInput, RetentionResult
from domain.privacy.retention import RecordClass, kept_from
from store.billing.usage_periods import client_page
from store.core.database import Database
from store.privacy.retention import Page, RetentionRepository

_CLIENTS: Final = 200

_Some = Callable[[RetentionRepository, datetime], Awaitable[int]]
_NextPage = Callable[[RetentionRepository, datetime, str], Awaitable[Page]]

# Conversations after their messages.
_PAGED: Final[tuple[tuple[RecordClass, _NextPage], ...]] = (
    (RecordClass.CONVERSATIONS, RetentionRepository.events),
    (RecordClass.CONVERSATIONS, RetentionRepository.conversations),
)
_SIMPLE: Final[tuple[tuple[RecordClass, _Some], ...]] = (
    (RecordClass.CONVERSATIONS, RetentionRepository.memories),
    (RecordClass.CONVERSATIONS, RetentionRepository.told),
    (RecordClass.CHURN, RetentionRepository.churn),
    (RecordClass.METRICS, RetentionRepository.metrics),
    (RecordClass.AUTOMATION_EVENTS, RetentionRepository.automation_events),
)

_log = structlog.get_logger(__name__)


class Retain:
    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    @activity.defn(name=names.RETAIN)
    async def retain(self, _: RetentionInput) -> RetentionResult:
        """Remove every client's records whose time is over, by class.

        Repeating it removes what is left. A retry goes on with the client that the last try was at,
        which its heartbeats say. A client that cannot be done is logged, and does not stop the
        others.
        """
        after, removed = _stopped_at()
        failed = 0
        while True:
            async with self._database.service() as connection:
                clients = await client_page(connection, after=after, limit=_CLIENTS)
            if not clients:
                return RetentionResult(removed=removed, failed=failed)
            for client_id in clients:
                try:
                    async for some in self._of_client(TenantId(client_id)):
                        removed += some
                        activity.heartbeat(after, removed)
                except (EngineUnavailable, SQLAlchemyError):
                    await self._database.ping()  # else it is nobody's fault but the database's
                    _log.error("records not removed", client_id=client_id)
                    failed += 1
                after = client_id
                activity.heartbeat(after, removed)

    async def _of_client(self, tenant: TenantId) -> AsyncIterator[int]:
        """How many rows each transaction has removed."""
        async with self._database.tenant(tenant) as connection:
            overrides = await RetentionRepository(connection, tenant).overrides()
        now = self._now()
        for record_class, next_page in _PAGED:
            before = kept_from(record_class, overrides, now)
            last: str | None = ""
            while before is not None and last is not None:
                async with self._database.tenant(tenant) as connection:
                    page = await next_page(RetentionRepository(connection, tenant), before, last)
                last = page.last
                yield page.removed
        for record_class, some in _SIMPLE:
            before = kept_from(record_class, overrides, now)
            removed = int(before is not None)
            while before is not None and removed:
                async with self._database.tenant(tenant) as connection:
                    removed = await some(RetentionRepository(connection, tenant), before)
                yield removed


def _stopped_at() -> tuple[str, int]:
    """The last client that was done with, and how many rows were removed by then."""
    told = activity.info().heartbeat_details
    return (str(told[0]), int(told[1])) if told else ("", 0)
