"""The current state of threads, for read-only callers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from pydantic import TypeAdapter

from domain.agent.brain import Turn
from domain.agent.thread import Thread
from store.core.repository import TenantRepository

_STANDING: Final = sa.text("""
    SELECT thread.thread, thread.proposal, thread.turns,
           (SELECT summary FROM customer_memories
            WHERE client_id = :client_id AND key = CAST(:memory_key AS text)) AS summary
    FROM (SELECT 1) AS always
    LEFT JOIN ai_conversations AS thread
      ON thread.client_id = :client_id AND thread.key = :key AND thread.last_message_at > :since
""")
_TURNS: Final[TypeAdapter[tuple[Turn, ...]]] = TypeAdapter(tuple[Turn, ...])


@dataclass(frozen=True, slots=True)
class StandingThread:
    """The state of a thread before a message: its settled facts, its messages, and the customer's
    memory."""

    thread: Thread
    turns: tuple[Turn, ...]
    summary: str


class StandingThreads(TenantRepository):
    async def read(
        self, key: str, memory_key: str | None, *, started_after: datetime
    ) -> StandingThread:
        """Return the open thread with this key. Return an empty thread if there is no such thread,
        or if it has had no message since `started_after`."""
        given = {"client_id": self._tenant, "key": key, "memory_key": memory_key}
        row = (await self._connection.execute(_STANDING, {**given, "since": started_after})).one()
        return StandingThread(
            thread=Thread.model_validate({**(row.thread or {}), "proposal": row.proposal}),
            turns=_TURNS.validate_python(row.turns or []),
            summary=row.summary or "",
        )
