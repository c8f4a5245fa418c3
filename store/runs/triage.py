"""The status, assignee and tags of a client's conversations."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.runs.errors import ConversationNotFound
from domain.runs.triage import ConversationStatus, ConversationTriage
from store.core.repository import TenantRepository
from store.runs.tables import ai_conversations

STATUS: Final = """CASE WHEN closed_at IS NOT NULL THEN 'closed'
         WHEN snoozed_until > CAST(:now AS timestamptz) THEN 'snoozed' ELSE 'open' END"""
"""The SQL for a conversation's status at the time `:now`."""

_READ: Final = f"""
    SELECT id, {STATUS} AS status,
           CASE WHEN closed_at IS NULL AND snoozed_until > CAST(:now AS timestamptz)
           THEN snoozed_until END AS snoozed_until, assignee, tags
    FROM ai_conversations WHERE client_id = :client_id
"""  # noqa: S608 - our own SQL
_ONE: Final = sa.text(f"{_READ} AND id = :conversation_id")
# Two changes to the same conversations lock them in the same order, so they cannot deadlock.
_LOCK: Final = sa.text(f"{_READ} AND id = ANY(:chosen) ORDER BY id FOR NO KEY UPDATE")


class TriageRepository(TenantRepository):
    async def read(self, conversation_id: str, now: datetime) -> ConversationTriage:
        """Return the triage of a conversation at the time `now`. Raises ConversationNotFound."""
        row = await self._one(
            _ONE,
            {"client_id": self._tenant, "conversation_id": conversation_id, "now": now},
            ConversationNotFound(conversation_id),
        )
        return ConversationTriage.model_validate(row, from_attributes=True)

    async def lock(self, chosen: list[str], now: datetime) -> dict[str, ConversationTriage]:
        """Lock these conversations until the transaction ends, and return each conversation's
        triage by id. Raises ConversationNotFound if one of them does not exist."""
        rows = await self._connection.execute(
            _LOCK, {"client_id": self._tenant, "chosen": chosen, "now": now}
        )
        found = {
            row.id: ConversationTriage.model_validate(row, from_attributes=True) for row in rows
        }
        for conversation_id in chosen:
            if conversation_id not in found:
                raise ConversationNotFound(conversation_id)
        return found

    async def set(self, conversation_id: str, triage: ConversationTriage, now: datetime) -> None:
        """Store a conversation's triage. A closed conversation keeps the time at which it was first
        closed, and is no longer snoozed."""
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
