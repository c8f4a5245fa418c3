"""The activity that removes clients' records that are past their retention period."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import datetime
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from temporalio import activity

from activities.runtime.client_pages import client_pages
from domain.core import names
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.privacy.contracts import RetentionInput, RetentionResult
from domain.privacy.retention import RecordClass, kept_from
from store.core.database import Database
from store.privacy.retention import RetainedPage, RetentionRepository

_CLIENTS: Final = 200

_Some = Callable[[RetentionRepository, datetime], Awaitable[int]]
_NextPage = Callable[[RetentionRepository, datetime, str], Awaitable[RetainedPage]]

# Conversations are removed after their messages.
_PAGED: Final[tuple[tuple[RecordClass, _NextPage], ...]] = (
    (RecordClass.CONVERSATIONS, RetentionRepository.events),
    (RecordClass.CONVERSATIONS, RetentionRepository.conversations),
    (RecordClass.CONVERSATIONS, RetentionRepository.memories),
    (RecordClass.CONVERSATIONS, RetentionRepository.customers),
)
_SIMPLE: Final[tuple[tuple[RecordClass, _Some], ...]] = (
    (RecordClass.CONVERSATIONS, RetentionRepository.webhook_events),
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
        """Remove every client's records that are past their retention period, one record class
        after the other.

        A repetition removes the remaining records. A retry continues with the client in the last
        heartbeat. A failed class is logged and does not stop the others.
        """
        after, removed, failed = _stopped_at()
        async for page in client_pages(self._database, "", after=after, size=_CLIENTS):
            for client_id in page:
                whole = True
                for one in self._classes(TenantId(client_id)):
                    try:
                        async for some in one:
                            removed += some
                            activity.heartbeat(after, removed, failed)
                    except (EngineUnavailable, SQLAlchemyError):
                        # `ping` raises an error if the database is down.
                        await self._database.ping()
                        _log.error("failed to delete expired records", client_id=client_id)
                        whole = False
                failed += not whole
                after = client_id
                activity.heartbeat(after, removed, failed)
        return RetentionResult(removed=removed, failed=failed)

    def _classes(self, tenant: TenantId) -> Iterator[AsyncIterator[int]]:
        """Yield the record classes in order. For each class, yield an iterator over the number of
        rows removed by each transaction."""
        for record_class, next_page in _PAGED:
            yield self._paged(tenant, record_class, next_page)
        for record_class, some in _SIMPLE:
            yield self._simple(tenant, record_class, some)

    async def _paged(
        self, tenant: TenantId, record_class: RecordClass, next_page: _NextPage
    ) -> AsyncIterator[int]:
        before = await self._kept_from(tenant, record_class)
        last: str | None = ""
        while before is not None and last is not None:
            async with self._database.tenant(tenant) as connection:
                page = await next_page(RetentionRepository(connection, tenant), before, last)
            last = page.last
            yield page.removed

    async def _simple(
        self, tenant: TenantId, record_class: RecordClass, some: _Some
    ) -> AsyncIterator[int]:
        before = await self._kept_from(tenant, record_class)
        removed = int(before is not None)
        while before is not None and removed:
            async with self._database.tenant(tenant) as connection:
                removed = await some(RetentionRepository(connection, tenant), before)
            yield removed

    async def _kept_from(self, tenant: TenantId, record_class: RecordClass) -> datetime | None:
        async with self._database.tenant(tenant) as connection:
            overrides = await RetentionRepository(connection, tenant).overrides()
        return kept_from(record_class, overrides, self._now())


def _stopped_at() -> tuple[str, int, int]:
    """Return the previous attempt's progress: the last finished client, the number of removed rows,
    and the number of failed clients."""
    match activity.info().heartbeat_details:
        case [str(after), int(removed), int(failed)]:
            return after, removed, failed
    return "", 0, 0
