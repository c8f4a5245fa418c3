"""Erase one customer's data. Events are first marked as erased, then removed or cleared.

Rows of events and runs remain without customer data, because usage and metrics are computed from
them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.policy_context import CUSTOMER_WINDOW
from domain.core.ids import TenantId
from domain.privacy.erased_customer import is_pseudonym
from store.dashboard.tables import page_drafts
from store.intake.attachment_bytes import AttachmentBytes
from store.privacy.erasure_subject import Subject
from store.runs.conversations import ConversationRepository
from store.runs.tables import customer_memories

PAGE: Final = 200

_MARK: Final = sa.text("""
    UPDATE engine_events SET erased_at = :mark
    WHERE client_id = :client_id AND id = ANY(:events) AND erased_at IS NULL
""")
# Closing a run's review ends the run's wait. A decision is kept because an approved run may already
# be executing a step and is counted as under way.
_CLOSE_REVIEWS: Final = sa.text("""
    UPDATE escalation_tickets AS review
    SET status = CASE WHEN review.decision IS NULL THEN 'expired' ELSE review.status END,
        decision = coalesce(review.decision, 'expire'),
        decided_at = coalesce(review.decided_at, :now), taken_up_at = :now
    FROM engine_runs AS run
    WHERE run.client_id = :client_id AND run.event_id = ANY(:events)
      AND review.client_id = run.client_id AND review.run_id = run.id
      AND review.taken_up_at IS NULL
""")
_END_RUNS: Final = sa.text("""
    UPDATE engine_runs
    SET status = 'failed', error_code = 'erased', finished_at = :now,
        answered_at = coalesce(answered_at, :now),
        answer = coalesce(answer, jsonb_build_object(
            'event_id', event_id, 'run_id', id, 'status', 'failed',
            'classification', coalesce(classification, 'unclassified'),
            'confidence', coalesce(confidence, 0), 'response', '', 'steps_executed', 0,
            'duration_ms', 0))
    WHERE client_id = :client_id AND event_id = ANY(:events) AND status = 'received'
""")
# `_END_RUNS` has already ended the runs without an answer.
_COUNT_UNDER_WAY: Final = sa.text("""
    SELECT count(*) FROM engine_events AS event
    JOIN engine_runs AS run ON run.client_id = event.client_id AND run.event_id = event.id
    WHERE event.client_id = :client_id AND event.erased_at = :mark
      AND (run.error_code = 'erased' OR (run.status = 'needs_review' AND EXISTS (
          SELECT FROM escalation_tickets AS review
          WHERE review.client_id = run.client_id AND review.run_id = run.id
            AND review.decision IN ('approve', 'edit'))))
""")
_MARKED: Final = sa.text("""
    SELECT event.id, run.id AS run_id
    FROM engine_events AS event
    LEFT JOIN engine_runs AS run ON run.client_id = event.client_id AND run.event_id = event.id
    WHERE event.client_id = :client_id AND event.erased_at = :mark AND event.id > :after
    ORDER BY event.id LIMIT :limit
""")
_CONVERSATIONS: Final = sa.text("""
    SELECT conversation.id, conversation.key, conversation.customer_email, conversation.memory_key,
           min(message.created_at) FILTER (WHERE message.event_id = ANY(:events))
               = min(message.created_at) AS began_it,
           min(message.event_id) FILTER (WHERE message.event_id <> ALL(:events)) AS left_event
    FROM ai_conversations AS conversation
    JOIN engine_messages AS message
      ON message.client_id = conversation.client_id
     AND message.conversation_id = conversation.id
    WHERE conversation.client_id = :client_id AND conversation.id IN (
        SELECT conversation_id FROM engine_messages
        WHERE client_id = :client_id AND event_id = ANY(:events))
    GROUP BY conversation.client_id, conversation.id
""")
# The deduplication key of an outgoing webhook event contains the id of an event, run, conversation
# or reply, or a run's id and round.
_OUTBOX_IDS: Final = sa.text("""
    SELECT id FROM outbox
    WHERE client_id = :client_id
      AND event IN ('ticket.resolved', 'ticket.escalated', 'ticket.response_failed',
                    'conversation.created', 'conversation.sentiment_negative')
      AND dedup_key = ANY(
        CAST(:events AS text[]) || CAST(:runs AS text[]) || CAST(:begun_runs AS text[]) || ARRAY(
            SELECT run_id || ':' || round FROM escalation_tickets
            WHERE client_id = :client_id AND run_id = ANY(:runs)
            UNION ALL
            SELECT id FROM conversation_replies
            WHERE client_id = :client_id AND event_id = ANY(:events)))
""")
_REMOVE: Final = {
    "webhook_deliveries": "DELETE FROM webhook_deliveries WHERE {mine} AND event_id = ANY(:sent)",
    "webhook_misses": "DELETE FROM webhook_misses WHERE {mine} AND event_id = ANY(:sent)",
    "outbox, emptied": """
        UPDATE outbox SET body = NULL WHERE {mine} AND id = ANY(:sent) AND body IS NOT NULL""",
    # These rows are deleted before the events because the ticket ids are read from the events.
    "ticket_events": """
        DELETE FROM ticket_events WHERE {mine} AND ticket_key IN (
            SELECT encode(sha256(convert_to(coalesce(unified ->> 'ticket_id', id), 'UTF8')), 'hex')
            FROM engine_events WHERE {mine} AND id = ANY(:events))""",
    "replay_changes": "DELETE FROM replay_changes WHERE {mine} AND event_id = ANY(:events)",
    # Corrections are deleted before the content created from them. The deletion waits for a
    # transaction that accepts a correction, so its content is removed below.
    "corrections": "DELETE FROM corrections WHERE {mine} AND run_id = ANY(:runs)",
    "saved_cases": "DELETE FROM saved_cases WHERE {mine} AND run_id = ANY(:runs)",
    "attachments": "DELETE FROM attachments WHERE {mine} AND event_id = ANY(:events)",
    "labelled_examples": "DELETE FROM labelled_examples WHERE {mine} AND run_id = ANY(:runs)",
    "ratings": "DELETE FROM ratings WHERE {mine} AND run_id = ANY(:runs)",
    "sentiment_logs": "DELETE FROM sentiment_logs WHERE {mine} AND event_id = ANY(:events)",
    "engine_messages": """
        DELETE FROM engine_messages
        WHERE {mine} AND (event_id = ANY(:events) OR reply_id = ANY(ARRAY(
            SELECT id FROM conversation_replies WHERE {mine} AND event_id = ANY(:events))))""",
    "conversation_replies": """
        DELETE FROM conversation_replies WHERE {mine} AND event_id = ANY(:events)""",
    # A note may concern any author in its conversation.
    "conversation_notes": """
        DELETE FROM conversation_notes
        WHERE {mine} AND (event_id = ANY(:events) OR conversation_id = ANY(:conversations))""",
    "escalation_tickets, emptied": """
        UPDATE escalation_tickets SET draft = '', plan = '[]', edited_text = NULL, note = NULL
        WHERE {mine} AND run_id = ANY(:runs) AND (
            (draft, plan) <> ('', '[]'::jsonb) OR num_nonnulls(edited_text, note) > 0)""",
    "model_calls": """
        DELETE FROM model_calls WHERE {mine} AND run_id = ANY(:runs)""",
    "shadow_drafts, emptied": """
        UPDATE shadow_drafts SET draft = '', plan = '[]', sent = NULL
        WHERE {mine} AND run_id = ANY(:runs) AND (
            (draft, plan) <> ('', '[]'::jsonb) OR sent IS NOT NULL)""",
    "engine_runs, emptied": """
        UPDATE engine_runs
        SET draft = NULL, response = NULL, plan = '[]', citations = '[]', findings = '[]',
            guard_findings = '[]', lookup = NULL, thread_after = NULL, proposal = NULL,
            answer = jsonb_set(answer, '{{response}}', '""') - 'acknowledgement'
        WHERE {mine} AND id = ANY(:runs) AND (
            num_nonnulls(draft, response, lookup, thread_after, proposal) > 0
            OR answer ->> 'response' <> '' OR answer ->> 'acknowledgement' IS NOT NULL
            OR (plan, citations, findings, guard_findings)
                <> ('[]'::jsonb, '[]'::jsonb, '[]'::jsonb, '[]'::jsonb))""",
    "engine_events, emptied": """
        UPDATE engine_events
        SET customer_email = NULL, message = NULL, subject = NULL, text = NULL, payload = '{{}}',
            unified = NULL, merchant_request = NULL
        WHERE {mine} AND id = ANY(:events) AND (
            num_nonnulls(customer_email, message, subject, text, unified, merchant_request) > 0
            OR payload <> '{{}}')""",
    # This statement runs after the statements above. If a concurrent fit has locked the same rows,
    # those statements wait for it, so the classifier head that the fit creates is visible here.
    "own_heads": """
        DELETE FROM own_heads WHERE {mine} AND EXISTS (
            SELECT FROM escalation_tickets WHERE {mine} AND run_id = ANY(:runs))""",
    "ai_conversations": """
        DELETE FROM ai_conversations AS conversation
        WHERE {mine} AND id = ANY(:conversations) AND NOT EXISTS (
            SELECT FROM engine_messages
            WHERE {mine} AND conversation_id = conversation.id)""",
}
_STATEMENTS: Final = {
    name: sa.text(statement.format(mine="client_id = :client_id"))
    for name, statement in _REMOVE.items()
}
_REFUNDED: Final = sa.text("""
    SELECT DISTINCT customer_key FROM action_ledger
    WHERE client_id = :client_id AND run_id = ANY(:runs) AND customer_key IS NOT NULL
""")
# Only actions that still count keep the number of their order, and a pseudonym of their customer.
# `forget_erased_customers` later finds both by the pseudonym.
_REPLACE_REFUNDED: Final = sa.text("""
    UPDATE action_ledger
    SET customer_key = CASE WHEN num_nonnulls(amount, order_number) > 0 AND planned_at > :since
                            THEN CAST(:pseudonym AS text) END,
        order_number = CASE WHEN planned_at > :since THEN order_number END
    WHERE client_id = :client_id AND run_id = ANY(:runs) AND customer_key = :customer
""")
# The statement unlinks a conversation from its owner, and therefore from the memory shared by all
# of the owner's threads.
_DISOWN: Final = sa.text("""
    UPDATE ai_conversations SET customer_email = NULL, memory_key = NULL
    WHERE client_id = :client_id AND id = ANY(:conversations)
""")
_UNSETTLE: Final = sa.text("""
    UPDATE ai_conversations SET thread = '{}', proposal = NULL, tags = '[]'
    WHERE client_id = :client_id AND id = ANY(:conversations)
""")
# The row of the session is kept, so that the numbering of its messages continues.
_FORGET_VISITORS: Final = sa.text("""
    UPDATE widget_sessions SET verified_email = NULL, verified_by = NULL, verified_at = NULL
    WHERE client_id = :client_id AND id = ANY(:sessions)
""")
_DELIVERIES: Final = sa.text("""
    SELECT id FROM webhook_deliveries WHERE client_id = :client_id AND event_id = ANY(:sent)
""")
_REPLIES: Final = sa.text("""
    SELECT id FROM conversation_replies WHERE client_id = :client_id AND event_id = ANY(:events)
""")


@dataclass(frozen=True, slots=True)
class Marked:
    """A page of events that are marked for erasure, with their runs."""

    events: tuple[str, ...]
    runs: tuple[str, ...]


class CustomerWords:
    """The erasure of one customer's data. `mark` is its start, which marks the customer's events.
    `pseudonym` returns the text that replaces an address on actions that still count."""

    def __init__(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        mark: datetime,
        pseudonym: Callable[[str], str],
    ) -> None:
        self._connection = connection
        self._pseudonym = pseudonym
        self._tenant = tenant
        self._mark = mark

    async def mark(self, events: Sequence[str], now: datetime) -> None:
        """Mark events as erased, so that no further step starts on them. Their open reviews expire,
        and their unanswered runs fail."""
        given: dict[str, object] = {
            "client_id": self._tenant, "events": list(events), "mark": self._mark, "now": now,
        }  # fmt: skip
        for statement in (_MARK, _CLOSE_REVIEWS, _END_RUNS):
            await self._connection.execute(statement, given)

    async def under_way(self) -> int:
        """Return the number of marked runs that may have been executing a step when their events
        were marked."""
        given = {"client_id": self._tenant, "mark": self._mark}
        return int(await self._connection.scalar(_COUNT_UNDER_WAY, given) or 0)

    async def marked(self, after: str) -> Marked:
        """Return the next page of marked events, in order, starting after the event id `after`,
        with their runs."""
        rows = (
            await self._connection.execute(
                _MARKED,
                {"client_id": self._tenant, "mark": self._mark, "after": after, "limit": PAGE},
            )
        ).all()
        return Marked(
            tuple(row.id for row in rows),
            tuple(row.run_id for row in rows if row.run_id is not None),
        )

    async def deliveries(self, page: Marked) -> tuple[str, ...]:
        """Return the ids of the webhook deliveries about these events."""
        given, _ = await self._facts_of(page)
        return tuple(await self._connection.scalars(_DELIVERIES, given))

    async def replies(self, page: Marked) -> tuple[str, ...]:
        """Return the ids of members' replies to these events."""
        given = {"client_id": self._tenant, "events": list(page.events)}
        return tuple(await self._connection.scalars(_REPLIES, given))

    async def remove_files(self, page: Marked) -> int:
        """Remove a batch of chunks of these events' attachments. Return the number of chunks
        removed, or 0 if none is left."""
        return await AttachmentBytes(self._connection, self._tenant).remove_some(page.events)

    async def empty(self, page: Marked, subject: Subject, now: datetime) -> dict[str, int]:
        """Remove or clear the records of these events. Return the changed rows by record class.

        In a conversation with several authors, the others' messages are kept, and its memory is
        recomputed.
        """
        given, touched = await self._facts_of(page)
        given["conversations"] = [row.id for row in touched]
        changed = {
            name: (await self._connection.execute(statement, given)).rowcount
            for name, statement in _STATEMENTS.items()
        }
        changed["action_ledger, emptied"] = await self._replace_refunded(page, now)
        shared = [row for row in touched if row.left_event is not None]
        await self._execute(_UNSETTLE, [row.id for row in shared])
        theirs = [row.id for row in shared if subject.naming.owns_conversation(row)]
        await self._execute(_DISOWN, theirs)
        for row in shared:
            memory = ConversationRepository(self._connection, self._tenant)
            await memory.remember(row.left_event, now)
        return {**changed, "ai_conversations, emptied": len(shared)}

    async def _replace_refunded(self, page: Marked, now: datetime) -> int:
        """Replace the address on the actions of these runs. Return the number of actions
        changed."""
        given: dict[str, object] = {"client_id": self._tenant, "runs": list(page.runs)}
        changed = 0
        for customer in await self._connection.scalars(_REFUNDED, given):
            if is_pseudonym(customer):
                continue
            replaced = {
                **given, "customer": customer, "pseudonym": self._pseudonym(customer),
                "since": now - CUSTOMER_WINDOW,
            }  # fmt: skip
            changed += (await self._connection.execute(_REPLACE_REFUNDED, replaced)).rowcount
        return changed

    async def _facts_of(
        self, page: Marked
    ) -> "tuple[dict[str, object], Sequence[sa.Row[*tuple[Any, ...]]]]":
        """Return the parameters for erasing these events, and the conversations of the events. The
        parameters include the outgoing webhook events about these events."""
        given: dict[str, object] = {
            "client_id": self._tenant, "events": list(page.events), "runs": list(page.runs),
        }  # fmt: skip
        touched = (await self._connection.execute(_CONVERSATIONS, given)).all()
        given["begun_runs"] = [row.id for row in touched if row.began_it]
        given["sent"] = list(await self._connection.scalars(_OUTBOX_IDS, given))
        return given, touched

    async def remove(self, table: sa.Table, ids: Sequence[str]) -> int:
        """Remove the rows with these ids from a table. Return the number of rows removed."""
        removed = await self._connection.execute(
            sa.delete(table).where(table.c.client_id == self._tenant, table.c.id.in_(ids))
        )
        return removed.rowcount

    async def remove_drafts(self) -> int:
        """Remove all form drafts of the client, and return the number of drafts removed. A draft
        does not identify its customer, so all drafts are removed."""
        removed = await self._connection.execute(
            sa.delete(page_drafts).where(page_drafts.c.client_id == self._tenant)
        )
        return removed.rowcount

    async def forget_visitors(self, sessions: Sequence[str]) -> int:
        """Remove the verified addresses from these widget sessions. Return the number of sessions
        changed."""
        given = {"client_id": self._tenant, "sessions": list(sessions)}
        return (await self._connection.execute(_FORGET_VISITORS, given)).rowcount

    async def remove_conversations(self, ids: Sequence[str]) -> int:
        """Remove those of the given conversations that have no message, and unlink the others from
        the customer. Return the number of conversations removed."""
        await self._execute(_DISOWN, ids)
        return await self._execute(_STATEMENTS["ai_conversations"], ids)

    async def remove_memories(self, keys: Sequence[str]) -> int:
        """Remove the customer memories with these keys. Return the number of memories removed."""
        memories = customer_memories.c
        removed = await self._connection.execute(
            sa.delete(customer_memories).where(
                memories.client_id == self._tenant, memories.key.in_(keys)
            )
        )
        return removed.rowcount

    async def _execute(self, statement: sa.TextClause, conversations: Sequence[str]) -> int:
        given = {"client_id": self._tenant, "conversations": list(conversations)}
        return (await self._connection.execute(statement, given)).rowcount
