"""Remove one client's expired records in pages, each in a short transaction.

Ids of events and conversations are ULIDs, so old rows are at the start of the primary keys, and no
other index is needed.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from domain.core.ids import first_ulid
from store.analytics.tables import churn_predictions, metrics_daily
from store.core.repository import TenantRepository, some_of
from store.customers.tables import customers
from store.exports.tables import automation_events
from store.intake.attachment_bytes import AttachmentBytes
from store.runs.tables import ai_conversations, customer_memories, engine_messages, sentiment_logs
from store.tenants.tables import client_settings
from store.webhooks.tables import outbox, ticket_events, webhook_deliveries, webhook_misses

PAGE: Final = 1_000
# This margin allows for clock skew between machines. The timestamp in an id can also differ
# slightly from the timestamp in its row.
_MARGIN: Final = timedelta(days=1)

# Unfinished runs are kept, regardless of their age. A run is unfinished if it has no answer, if its
# review is open, or if no workflow has taken up its decision.
_EVENTS: Final = sa.text("""
    SELECT event.id, run.id AS run_id,
           event.received_at < :before AND run.status IS DISTINCT FROM 'received'
           AND NOT EXISTS (
               SELECT FROM escalation_tickets AS review
               WHERE review.client_id = run.client_id AND review.run_id = run.id
                 AND review.taken_up_at IS NULL
           )
           AND NOT EXISTS (
               SELECT FROM conversation_replies AS reply
               WHERE reply.client_id = event.client_id AND reply.event_id = event.id
                 AND reply.state IN ('scheduled', 'sending')
           ) AS is_over
    FROM engine_events AS event
    LEFT JOIN engine_runs AS run ON run.client_id = event.client_id AND run.event_id = event.id
    WHERE event.client_id = :client_id AND event.id > :after AND event.id < :bound
    ORDER BY event.id
    LIMIT :limit
""")
# Tables that refer to other tables come first. Deleting a reply also deletes its message, through
# the foreign key.
_OF_RUNS: Final = ("escalation_tickets", "action_ledger")
_OF_EVENTS: Final = (
    "attachments", "sentiment_logs", "engine_messages", "conversation_replies",
    "conversation_notes", "usage_ledger", "engine_runs",
)  # fmt: skip
_REMOVE: Final = (
    *(
        sa.text(f"DELETE FROM {table} WHERE client_id = :client_id AND run_id = ANY(:runs)")  # noqa: S608
        for table in _OF_RUNS
    ),
    *(
        sa.text(f"DELETE FROM {table} WHERE client_id = :client_id AND event_id = ANY(:events)")  # noqa: S608
        for table in _OF_EVENTS
    ),
    sa.text("DELETE FROM engine_events WHERE client_id = :client_id AND id = ANY(:events)"),
)


@dataclass(frozen=True, slots=True)
class RetainedPage:
    """The result of removing one page. `last` is the id of the last row read, or None after the
    last page."""

    last: str | None
    removed: int = 0


class RetentionRepository(TenantRepository):
    """The expired records of one client. Each method that takes `before` removes a page of rows
    older than that time, and returns the number removed."""

    async def overrides(self) -> dict[str, object]:
        """Return the retention periods set by the client itself, in days, by record class."""
        found = await self._connection.scalar(
            sa.select(client_settings.c.retention).where(
                client_settings.c.client_id == self._tenant
            )
        )
        return found or {}

    async def events(self, before: datetime, after: str) -> RetainedPage:
        """Remove a page of events, starting after this id, together with the rows that depend on
        them. Events with unfinished runs or unsent replies are kept."""
        rows = (
            await self._connection.execute(
                _EVENTS,
                {
                    "client_id": self._tenant,
                    "before": before,
                    "after": after,
                    "bound": first_ulid(before + _MARGIN),
                    "limit": PAGE,
                },
            )
        ).all()
        if not rows:
            return RetainedPage(None)
        over = {
            "client_id": self._tenant,
            "events": [row.id for row in rows if row.is_over],
            "runs": [row.run_id for row in rows if row.is_over and row.run_id is not None],
        }
        files = AttachmentBytes(self._connection, self._tenant)
        removed = await files.remove_some(over["events"])
        if removed:
            return RetainedPage(
                after, removed
            )  # Read the same page again, because it may have more chunks.
        for statement in _REMOVE:
            removed += (await self._connection.execute(statement, over)).rowcount
        return RetainedPage(rows[-1].id, removed)

    async def conversations(self, before: datetime, after: str) -> RetainedPage:
        """Remove a page of conversations without messages, starting after this id. A conversation
        is kept while a message is being added to it."""
        table = ai_conversations.c
        ids = list(
            await self._connection.scalars(
                sa.select(table.id)
                .where(
                    table.client_id == self._tenant,
                    table.id > after,
                    table.id < first_ulid(before + _MARGIN),
                )
                .order_by(table.id)
                .limit(PAGE)
            )
        )
        if not ids:
            return RetainedPage(None)
        pointed_to = (
            sa.exists().where(
                other.c.client_id == table.client_id, other.c.conversation_id == table.id
            )
            for other in (engine_messages, sentiment_logs)
        )
        removed = await self._connection.execute(
            sa.delete(ai_conversations).where(
                table.client_id == self._tenant,
                table.id.in_(ids),
                table.last_message_at < before,
                *(sa.not_(one) for one in pointed_to),
            )
        )
        return RetainedPage(ids[-1], removed.rowcount)

    async def memories(self, before: datetime, after: str) -> RetainedPage:
        """Remove a page of customer memories, starting after this key. A memory is removed only if
        its customer has sent no message since `before`."""
        table = customer_memories.c
        keys = list(
            await self._connection.scalars(
                sa.select(table.key)
                .where(table.client_id == self._tenant, table.key > after)
                .order_by(table.key)
                .limit(PAGE)
            )
        )
        if not keys:
            return RetainedPage(None)
        removed = await self._connection.execute(
            sa.delete(customer_memories).where(
                table.client_id == self._tenant,
                table.key > after,
                table.key <= keys[-1],
                table.updated_at < before,
            )
        )
        return RetainedPage(keys[-1], removed.rowcount)

    async def customers(self, before: datetime, after: str) -> RetainedPage:
        """Remove a page of the customer index, starting after this id. A customer is removed only
        if the customer has sent no message since `before`."""
        table = customers.c
        ids = list(
            await self._connection.scalars(
                sa.select(table.id)
                .where(table.client_id == self._tenant, table.id > after)
                .order_by(table.id)
                .limit(PAGE)
            )
        )
        if not ids:
            return RetainedPage(None)
        removed = await self._connection.execute(
            sa.delete(customers).where(
                table.client_id == self._tenant,
                table.id.in_(ids),
                table.last_contact_at < before,
            )
        )
        return RetainedPage(ids[-1], removed.rowcount)

    async def webhook_events(self, before: datetime) -> int:
        """Remove outgoing webhook events and their deliveries. Losing the deduplication keys is
        safe because the runs are removed too."""
        deliveries, events = webhook_deliveries.c, outbox.c
        # A delivery's id is generated before the delivery ends, so the primary key can bound the
        # search.
        started = deliveries.id < first_ulid(before + _MARGIN)
        removed = await self._some(webhook_deliveries, started, deliveries.finished_at < before)
        missed = sa.exists().where(
            webhook_misses.c.client_id == events.client_id, webhook_misses.c.event_id == events.id
        )
        removed += await self._some(ticket_events, ticket_events.c.last_at < before)
        return removed + await self._some(outbox, events.created_at < before, sa.not_(missed))

    async def churn(self, before: datetime) -> int:
        return await self._some(churn_predictions, churn_predictions.c.week < before.date())

    async def metrics(self, before: datetime) -> int:
        return await self._some(metrics_daily, metrics_daily.c.day < before.date())

    async def automation_events(self, before: datetime) -> int:
        return await self._some(automation_events, automation_events.c.created_at < before)

    async def _some(self, table: sa.Table, *over: "sa.ColumnElement[bool]") -> int:
        some = some_of(table, PAGE, table.c.client_id == self._tenant, *over)
        return (await self._connection.execute(sa.delete(table).where(some))).rowcount
