"""Threads of one client: what each has settled, and the proposal that waits for a yes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from pydantic import TypeAdapter
from sqlalchemy.dialects.postgresql import JSONB

from domain.agent.brain import Turn
from domain.agent.thread import Thread
from store.core.repository import TenantRepository
from store.runs.tables import ai_conversations as threads

_LOCK: Final = sa.text("""
    SELECT thread.id FROM ai_conversations AS thread
    JOIN engine_messages AS inbound
      ON inbound.client_id = thread.client_id AND inbound.conversation_id = thread.id
    WHERE inbound.client_id = :client_id AND inbound.event_id = :event_id
      AND inbound.direction = 'inbound'
    FOR NO KEY UPDATE OF thread
""")
# The oldest open one; a run's own review does not keep it from what was approved there.
_HELD: Final = sa.text("""
    SELECT thread.handed_over_at IS NOT NULL OR EXISTS (
        SELECT FROM engine_messages AS message
        JOIN engine_runs AS run
          ON run.client_id = message.client_id AND run.event_id = message.event_id
        JOIN escalation_tickets AS review
          ON review.client_id = run.client_id AND review.run_id = run.id
        WHERE message.client_id = thread.client_id AND message.conversation_id = thread.id
          AND message.direction = 'inbound' AND run.id <> :run_id
          AND review.status IN ('pending', 'claimed'))
    FROM ai_conversations AS thread
    WHERE thread.client_id = :client_id AND thread.id = :conversation_id
""")
_STANDING: Final = sa.text("""
    SELECT thread.thread, thread.proposal, thread.turns,
           (SELECT summary FROM customer_memories
            WHERE client_id = :client_id AND key = CAST(:memory_key AS text)) AS summary
    FROM (SELECT 1) AS always
    LEFT JOIN ai_conversations AS thread
      ON thread.client_id = :client_id AND thread.key = :key AND thread.last_message_at > :since
""")
_TURNS: TypeAdapter[tuple[Turn, ...]] = TypeAdapter(tuple[Turn, ...])


@dataclass(frozen=True, slots=True)
class StandingThread:
    """A thread as it stands before a message: what it settled, its turns, the customer's memory."""

    thread: Thread
    turns: tuple[Turn, ...]
    summary: str


class ThreadRepository(TenantRepository):
    async def standing(
        self, key: str, memory_key: str | None, *, begun_after: datetime
    ) -> StandingThread:
        """The open thread with this key, for who only reads; an empty one if there is none with a
        message since `begun_after`."""
        given = {"client_id": self._tenant, "key": key, "memory_key": memory_key}
        row = (await self._connection.execute(_STANDING, {**given, "since": begun_after})).one()
        return StandingThread(
            thread=Thread.model_validate({**(row.thread or {}), "proposal": row.proposal}),
            turns=_TURNS.validate_python(row.turns or []),
            summary=row.summary or "",
        )

    async def lock(self, event_id: str) -> str | None:
        """The id of the thread that an event's message is in, locked until the transaction ends;
        None before it was normalized. What others did to it is seen by the next statement."""
        locked: str | None = await self._connection.scalar(
            _LOCK, {"client_id": self._tenant, "event_id": event_id}
        )
        return locked

    async def is_held(self, conversation_id: str, *, not_by: str) -> bool:
        """Whether people have it: a review of it is open, but for those of this run, or they took
        it over."""
        given = {
            "client_id": self._tenant, "conversation_id": conversation_id, "run_id": not_by,
        }  # fmt: skip
        return bool(await self._connection.scalar(_HELD, given))

    async def take_proposal(self, conversation_id: str, proposal_id: str) -> bool:
        """Take the proposal that waits for a yes. Of several at once, one gets True."""
        taken = await self._connection.execute(
            self._one_thread(conversation_id)
            .where(threads.c.proposal["id"].astext == proposal_id)
            .values(proposal=sa.null())
        )
        return taken.rowcount == 1

    async def drop_proposal(self, conversation_id: str) -> None:
        """Whatever waits for a yes waits no more."""
        await self._connection.execute(
            self._one_thread(conversation_id)
            .where(threads.c.proposal.is_not(None))
            .values(proposal=sa.null())
        )

    async def keep(self, conversation_id: str, thread: Thread) -> None:
        """Write what the thread has settled, and its proposal in place of any before."""
        proposal = thread.proposal
        await self._connection.execute(
            self._one_thread(conversation_id).values(
                thread=thread.model_dump(mode="json", exclude={"proposal"}, exclude_none=True),
                proposal=sa.null()
                if proposal is None
                else sa.cast(proposal.model_dump(mode="json"), JSONB),
            )
        )

    def _one_thread(self, conversation_id: str) -> "sa.Update":
        return sa.update(threads).where(
            threads.c.client_id == self._tenant, threads.c.id == conversation_id
        )
