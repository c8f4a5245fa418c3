"""A client's threads: their settled facts, and the proposals that await a customer's "yes"."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from domain.agent.thread import PROPOSAL_LASTS, PendingProposal, Thread
from store.core.repository import TenantRepository

_LOCK: Final = sa.text("""
    SELECT thread.id FROM ai_conversations AS thread
    JOIN engine_messages AS inbound
      ON inbound.client_id = thread.client_id AND inbound.conversation_id = thread.id
    WHERE inbound.client_id = :client_id AND inbound.event_id = :event_id
      AND inbound.direction = 'inbound'
    FOR NO KEY UPDATE OF thread
""")
_HAND_ON: Final = sa.text("""
    UPDATE engine_runs AS run SET proposal = thread.proposal
    FROM ai_conversations AS thread
    WHERE run.client_id = :client_id AND run.id = :run_id AND run.proposal IS NULL
      AND thread.client_id = :client_id AND thread.id = :conversation_id
      AND thread.proposal IS NOT NULL
""")
_DROP: Final = sa.text("""
    UPDATE ai_conversations SET proposal = NULL
    WHERE client_id = :client_id AND id = :conversation_id AND proposal IS NOT NULL
      AND EXISTS (SELECT FROM engine_runs AS run
                  WHERE run.client_id = :client_id AND run.id = :run_id
                    AND run.proposal ->> 'id' = ai_conversations.proposal ->> 'id')
""")
_ANSWERED: Final = sa.text("""
    SELECT proposal FROM engine_runs WHERE client_id = :client_id AND id = :run_id
""")

_KEEP: Final = sa.text("""
    UPDATE ai_conversations SET thread = :thread, proposal = :proposal
    WHERE client_id = :client_id AND id = :conversation_id AND NOT coalesce(
        (proposal ->> 'customer' IS DISTINCT FROM CAST(:sender AS text)
         AND CAST(proposal ->> 'asked_at' AS timestamptz) > :asked_after)
        OR (thread ->> 'asked_of' IS NOT NULL
            AND thread ->> 'asked_of' IS DISTINCT FROM CAST(:sender AS text)), false)
""").bindparams(
    sa.bindparam("thread", type_=JSONB), sa.bindparam("proposal", type_=JSONB(none_as_null=True))
)


class ThreadRepository(TenantRepository):
    async def lock(self, event_id: str) -> str | None:
        """Lock the thread of an event's message until the transaction ends. Return its id, or None
        before the event is normalized.

        The lock is a separate statement, so that the next one sees what earlier lock holders
        committed.
        """
        locked: str | None = await self._connection.scalar(
            _LOCK, {"client_id": self._tenant, "event_id": event_id}
        )
        return locked

    async def answered_by(self, conversation_id: str, run_id: str) -> PendingProposal | None:
        """Assign the thread's pending proposal, if any, to the newly arrived message's run, and
        return it. Idempotent by run.

        A message can therefore confirm only a proposal made before it arrived. The caller must have
        locked the thread.
        """
        given = {"client_id": self._tenant, "conversation_id": conversation_id, "run_id": run_id}
        await self._connection.execute(_HAND_ON, given)
        await self._connection.execute(_DROP, given)
        proposal = await self._connection.scalar(_ANSWERED, given)
        return None if proposal is None else PendingProposal.model_validate(proposal)

    async def keep(
        self, conversation_id: str, thread: Thread, *, sender: str | None, now: datetime
    ) -> None:
        """Store a thread's settled facts and proposal, which replace the earlier ones. Nothing is
        stored while a question still waits for another sender.

        `sender` is the sender's verified address, or None.
        """
        proposal = thread.proposal
        await self._connection.execute(
            _KEEP,
            {
                "client_id": self._tenant,
                "conversation_id": conversation_id,
                "thread": thread.model_dump(
                    mode="json", exclude={"proposal"}, exclude_defaults=True
                ),
                "proposal": None if proposal is None else proposal.model_dump(mode="json"),
                "sender": sender,
                "asked_after": now - PROPOSAL_LASTS,
            },
        )
