"""The status, the assignee and the tags of a client's conversations."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.runs.errors import ConversationNotFound
from domain.runs.triage import ConversationStatus, ConversationTriage
from store.core.repository import TenantRepository
from store.runs.tables import ai_conversations

STATUS: Final = """CASE WHEN closed_at IS NOT NULL THEN 'closed'
         WHEN snoozed_until > CAST(:now AS timestamptz) THEN 'snoozed' ELSE 'open' END"""
"""SQL of a conversation's status at the time `:now`."""

_READ: Final = f"""
    SELECT {STATUS} AS status,
           CASE WHEN closed_at IS NULL AND snoozed_until > CAST(:now AS timestamptz)
           THEN snoozed_until END AS snoozed_until, assignee, tags
    FROM ai_conversations WHERE client_id = :client_id AND id = :conversation_id
"""  # noqa: S608 - our own SQL
_ONE: Final = sa.text(_READ)
_LOCK: Final = sa.text(f"{_READ} FOR NO KEY UPDATE")


class TriageRepository(TenantRepository):
    async def read(self, conversation_id: str, now: datetime) -> ConversationTriage:
        """Return the triage of a conversation at the time `now`. Raises ConversationNotFound."""
        return await self._read(_ONE, conversation_id, now)

    async def lock(self, conversation_id: str, now: datetime) -> ConversationTriage:
        """Lock a conversation until the transaction ends, and return its triage. Raises
        ConversationNotFound."""
        return await self._read(_LOCK, conversation_id, now)

    async def set(self, conversation_id: str, triage: ConversationTriage, now: datetime) -> None:
        """Store the triage of a conversation. A closed conversation keeps the time at which it was
        first closed, and is no longer snoozed."""
        table = ai_conversations.c
        is_closed = triage.status is ConversationStatus.CLOSED
        await self._connection.execute(
            sa.update(ai_conversations)
            .where(table.client_id == self._tenant, table.id == conversation_id)
            .values(
                closed_at=sa.func.coalesce(table.closed_at, now) if is_closed else None,
                snoozed_until=None if is_closed else triage.snoozed_until,
                assignee=triage.assignee,
                tags=list(triage.tags),
            )
        )

    async def _read(
        self, query: sa.TextClause, conversation_id: str, now: datetime
    ) -> ConversationTriage:
        row = await self._one(
            query,
            {"client_id": self._tenant, "conversation_id": conversation_id, "now": now},
            ConversationNotFound(conversation_id),
        )
        return ConversationTriage.model_validate(row, from_attributes=True)
