"""Erase one customer, page by page: find and mark the customer's records, stop the workflows, and
remove the content."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core import names
from domain.core.ids import TenantId, parse_ulid
from domain.core.ports import Clock, Sealer
from domain.privacy.erased_customer import pseudonyms
from store.analytics.tables import churn_predictions
from store.content.tables import suggestions
from store.core.database import Database
from store.customers.tables import customers
from store.exports.tables import automation_events
from store.identity.tables import address_codes
from store.privacy.certificates import Certificates
from store.privacy.customer_redaction import CustomerWords, Marked
from store.privacy.erasure_arrivals import CustomerArrivals
from store.privacy.erasure_subject import FoundRecords, Subject
from store.widget.tables import widget_codes

Reached = dict[str, str | None]
"""The progress of an erasure: for each stage, the id of the last processed row, or None if the
stage is complete."""

_NextPage = Callable[[Subject, str], Awaitable[FoundRecords]]

# Events with the customer's address come first because they identify the customer's other messages.
_EVENTS: Final[tuple[tuple[str, _NextPage], ...]] = (
    ("events", Subject.events),
    ("events of conversations", Subject.events_of_conversations),
    ("events of sessions", Subject.events_of_sessions),
)
_RECORDS: Final[tuple[tuple[sa.Table, _NextPage], ...]] = (
    (customers, Subject.customers),
    (churn_predictions, Subject.churn),
    (automation_events, Subject.automation_events),
    (suggestions, Subject.suggestions),
    (widget_codes, Subject.widget_codes),
    (address_codes, Subject.address_codes),
)


class CustomerErasure:
    """The erasure of a customer. `mark` is its start, stored on the customer's events. `reached` is
    the progress of an earlier attempt."""

    def __init__(
        self,
        database: Database,
        tenant: TenantId,
        key: str,
        *,
        erasure_id: str,
        mark: datetime,
        sealer: Sealer,
        now: Clock,
        reached: Reached | None = None,
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._key = key
        self._erasure_id = erasure_id
        self._mark = mark
        self._sealer = sealer
        self._now = now
        self._reached: Reached = {} if reached is None else reached

    async def mark(self) -> int:
        """Find and mark the customer's events, so that no step starts on them. Return the number of
        runs, including those marked by earlier attempts, that may be in the middle of a step."""
        for stage, next_page in _EVENTS:
            await self._each_page(stage, partial(self._mark_page, next_page))
        async with self._database.service() as connection:
            return await self._words(connection).under_way()

    async def workflow_ids(self) -> AsyncIterator[tuple[str, ...]]:
        """Yield the ids of all workflows for the events marked for erasure. The workflows are runs,
        members' replies and webhook deliveries."""
        async for page in self._pages():
            async with self._database.service() as connection:
                words = self._words(connection)
                deliveries, replies = await words.deliveries(page), await words.replies(page)
            yield tuple(names.process_event_id(self._tenant, one) for one in page.events)
            if replies:
                yield tuple(
                    names.background_id(names.SEND_REPLY, self._tenant, one) for one in replies
                )
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
        # Memories are removed last because they link the remaining records to the customer.
        await self._remove(
            "customer_memories", Subject.memories, lambda words, keys: words.remove_memories(keys)
        )

    async def _mark_page(self, next_page: _NextPage, after: str) -> str | None:
        page = await self._found(next_page, after)
        if page.ids:
            async with self._database.service() as connection:
                await self._words(connection).mark(page.ids, self._now())
        return page.last

    async def _remove_arrivals(self) -> None:
        """Remove everything that platforms sent about the customer by webhook, regardless of the
        webhooks' outcome."""
        await self._each_page("inbound_webhooks", self._empty_webhooks)
        async with self._database.service() as connection:
            arrivals = self._arrivals(connection)
            await Certificates(connection).add(
                self._erasure_id, await arrivals.remove_orders_and_requests()
            )

    async def _empty_webhooks(self, after: str) -> str | None:
        async with self._database.service() as connection:
            arrivals = self._arrivals(connection)
            page = await arrivals.webhooks(after)
        theirs = await asyncio.to_thread(arrivals.of_customer, page)
        async with self._database.service() as connection:
            emptied = await self._arrivals(connection).empty(theirs)
            await Certificates(connection).add(self._erasure_id, emptied)
        return page[-1].id if page else None

    async def _remove(self, record_class: str, next_page: _NextPage, remove: "_Remove") -> None:
        async def remove_page(after: str) -> str | None:
            page = await self._found(next_page, after)
            if page.ids:
                async with self._database.service() as connection:
                    removed = await remove(self._words(connection), page.ids)
                    await Certificates(connection).add(self._erasure_id, {record_class: removed})
            return page.last

        await self._each_page(record_class, remove_page)

    async def _each_page(self, stage: str, handle: Callable[[str], Awaitable[str | None]]) -> None:
        """Call `handle` with the last id of the previous page, until `handle` returns None. Start
        after the last page that an earlier attempt completed."""
        last = self._reached.get(stage, "")
        while last is not None:
            last = await handle(last)
            # Report only ULIDs. Memory keys and ids of imported events may contain email addresses,
            # which must not pass through Temporal.
            if last is None or parse_ulid(last) is not None:
                self._reached[stage] = last

    async def _found(self, next_page: _NextPage, after: str) -> FoundRecords:
        """Return the next page, and the customer's records on it.

        Texts are read in short transactions, and compared in a thread outside any transaction.
        Comparing long texts takes minutes.
        """
        async with self._database.service() as connection:
            page = await next_page(self._subject(connection), after)
        ids = page.ids
        for unread in page.unread:
            async with self._database.service() as connection:
                subject = self._subject(connection)
                rows = await subject.read(unread)
            # `owned` uses no database connection.
            ids += await asyncio.to_thread(subject.naming.owned, rows, or_unnamed=unread.or_unnamed)
        return FoundRecords(page.last, ids)

    async def _remove_files(self, page: Marked) -> None:
        """Remove the attachments of the records on the page, in small batches because attachments
        are large. Call this method before the records' own rows are removed."""
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

    def _arrivals(self, connection: AsyncConnection) -> CustomerArrivals:
        return CustomerArrivals(connection, self._tenant, self._key, self._mark)

    def _subject(self, connection: AsyncConnection) -> Subject:
        return Subject(connection, self._tenant, self._key, self._mark)

    def _words(self, connection: AsyncConnection) -> CustomerWords:
        return CustomerWords(connection, self._tenant, self._mark, self._pseudonym)

    def _pseudonym(self, customer: str) -> str:
        return pseudonyms(self._sealer, self._tenant, customer)[0]


_Remove = Callable[[CustomerWords, tuple[str, ...]], Awaitable[int]]


def _by_id(table: sa.Table) -> _Remove:
    return lambda words, ids: words.remove(table, ids)
