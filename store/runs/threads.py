"""Threads of one client: what each has settled, and the proposal that waits for a yes."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

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


class ThreadRepository(TenantRepository):
    async def lock(self, event_id: str) -> str | None:
        """The id of the thread that an event's message is in, locked until the transaction ends;
        None before it was normalized. What others did to it is seen by the next statement."""
        locked: str | None = await self._connection.scalar(
            _LOCK, {"client_id": self._tenant, "event_id": event_id}
        )
        return locked

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
                thread=thread.model_dump(mode="json", exclude={"proposal"}, exclude_defaults=True),
                proposal=sa.null()
                if proposal is None
                else sa.cast(proposal.model_dump(mode="json"), JSONB),
            )
        )

    def _one_thread(self, conversation_id: str) -> "sa.Update":
        return sa.update(threads).where(
            threads.c.client_id == self._tenant, threads.c.id == conversation_id
        )
