"""The erasure of one customer, page by page: find, mark, end and empty the customer's records."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock
from store.analytics.tables import churn_predictions
from store.content.tables import suggestions
from store.core.database import Database
from store.exports.tables import automation_events
from store.identity.tables import address_codes
from store.privacy.certificates import Certificates
from store.privacy.erasure_arrivals import CustomerArrivals
from store.privacy.erasure_subject import FoundRecords, Subject
from store.privacy.erasure_words import CustomerWords, Marked
from store.widget.tables import widget_codes

_NextPage = Callable[[Subject, str], Awaitable[FoundRecords]]

# Events with the customer's address come first, because they lead to the customer's other messages.
_EVENTS: Final[tuple[_NextPage, ...]] = (
    Subject.events,
    Subject.events_of_conversations,
    Subject.events_of_sessions,
)
_RECORDS: Final[tuple[tuple[sa.Table, _NextPage], ...]] = (
    (churn_predictions, Subject.churn),
    (automation_events, Subject.automation_events),
    (suggestions, Subject.suggestions),
    (widget_codes, Subject.widget_codes),
    (address_codes, Subject.address_codes),
)


class CustomerErasure:
    """Erases a customer. `mark`: the start of the erasure, with which the customer's events are
    marked."""

    def __init__(
        self,
        database: Database,
        tenant: TenantId,
        key: str,
        *,
        erasure_id: str,
        mark: datetime,
        now: Clock,
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._key = key
        self._erasure_id = erasure_id
        self._mark = mark
        self._now = now

    async def mark(self) -> int:
        """Find the customer's events, and prevent steps from starting on them. Returns the number
        of runs that may be in the middle of a step, including runs marked by earlier attempts."""
        for next_page in _EVENTS:
            last: str | None = ""
            while last is not None:
                async with self._database.service() as connection:
                    page = await next_page(self._subject(connection), last)
                    if page.ids:
                        await self._words(connection).mark(page.ids, self._now())
                last = page.last
        async with self._database.service() as connection:
            return await self._words(connection).under_way()

    async def workflow_ids(self) -> AsyncIterator[tuple[str, ...]]:
        """Yield the workflow ids of the marked events' runs, and of the deliveries about these
        events."""
        async for page in self._pages():
            async with self._database.service() as connection:
                deliveries = await self._words(connection).deliveries(page)
            yield tuple(names.process_event_id(self._tenant, one) for one in page.events)
            if deliveries:
                yield tuple(names.deliver_webhook_id(self._tenant, one) for one in deliveries)

    async def remove_rows(self) -> None:
        async for page in self._pages():
            await self._remove_files(page)
            async with self._database.service() as connection:
                removed = await self._words(connection).empty(
                    page, self._subject(connection), self._now()
                )
                await Certificates(connection).add(self._erasure_id, removed)
        for table, next_page in _RECORDS:
            await self._remove(table.name, next_page, _by_id(table))
        await self._remove_arrivals()
        await self._remove(
            "ai_conversations",
            Subject.conversations,
            lambda words, ids: words.remove_conversations(ids),
        )
        await self._remove(
            "widget_sessions, emptied",
            Subject.widget_sessions,
            lambda words, ids: words.forget_visitors(ids),
        )
        async with self._database.service() as connection:
            drafts = await self._words(connection).remove_drafts()
            await Certificates(connection).add(self._erasure_id, {"page_drafts": drafts})
        # Last, because after this no remaining record is linked to the customer.
        await self._remove(
            "customer_memories", Subject.memories, lambda words, keys: words.remove_memories(keys)
        )

    async def _remove_arrivals(self) -> None:
        """Remove everything that platforms sent about the customer, regardless of its outcome."""
        last: str | None = ""
        while last is not None:
            async with self._database.service() as connection:
                arrivals = CustomerArrivals(connection, self._tenant, self._key, self._mark)
                last, emptied = await arrivals.empty_webhooks(last)
                await Certificates(connection).add(self._erasure_id, emptied)
        async with self._database.service() as connection:
            arrivals = CustomerArrivals(connection, self._tenant, self._key, self._mark)
            await Certificates(connection).add(self._erasure_id, await arrivals.remove_told())

    async def _remove(self, record_class: str, next_page: _NextPage, remove: "_Remove") -> None:
        last: str | None = ""
        while last is not None:
            async with self._database.service() as connection:
                page = await next_page(self._subject(connection), last)
                if page.ids:
                    removed = await remove(self._words(connection), page.ids)
                    await Certificates(connection).add(self._erasure_id, {record_class: removed})
            last = page.last

    async def _remove_files(self, page: Marked) -> None:
        """Remove files before their rows, in small batches because files are large."""
        removed = 1
        while removed:
            async with self._database.service() as connection:
                removed = await self._words(connection).remove_files(page)
                await Certificates(connection).add(self._erasure_id, {"attachment_chunks": removed})

    async def _pages(self) -> AsyncIterator[Marked]:
        last = ""
        while True:
            async with self._database.service() as connection:
                page = await self._words(connection).marked(last)
            if not page.events:
                return
            yield page
            last = page.events[-1]

    def _subject(self, connection: AsyncConnection) -> Subject:
        return Subject(connection, self._tenant, self._key, self._mark)

    def _words(self, connection: AsyncConnection) -> CustomerWords:
        return CustomerWords(connection, self._tenant, self._mark)


_Remove = Callable[[CustomerWords, tuple[str, ...]], Awaitable[int]]


def _by_id(table: sa.Table) -> _Remove:
    return lambda words, ids: words.remove(table, ids)
