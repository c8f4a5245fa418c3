"""The messages that this service wrote in a helpdesk ticket, from the action ledger: the agent's
messages and members' replies."""

from typing import Any, Final

import sqlalchemy as sa

from domain.agent.plan import ActionKind
from domain.inbound.sent_by_us import AgentMessage
from domain.runs.action_key import action_key
from domain.tenants.disclosure import disclosed, disclosure_line
from store.core.repository import TenantRepository

# Only the latest messages are read. A ticket contains few messages from the service, and webhooks
# report recent ones.
_LATEST: Final = 50
_KINDS: Final = ", ".join(f"'{kind}'" for kind in (ActionKind.REPLY_IN_HELPDESK, ActionKind.NOTE))
# All connections to the same platform are included because a new connection has the same tickets.
_WRITTEN: Final = sa.text(f"""
    SELECT entry.run_id, entry.step, entry.state, entry.reference, entry.planned_at, entry.action,
           run.draft, run.language, settings.disclosure, settings.disclosure_status,
           run.plan -> entry.step ->> 'text' AS note, reply.body AS reply,
           (SELECT review.edited_text FROM escalation_tickets AS review
            WHERE review.client_id = run.client_id AND review.run_id = run.id
              AND review.edited_text IS NOT NULL
            ORDER BY review.round DESC LIMIT 1) AS human_text
    FROM action_ledger AS entry
    JOIN engine_runs AS run ON run.client_id = entry.client_id AND run.id = entry.run_id
    LEFT JOIN client_settings AS settings ON settings.client_id = entry.client_id
    LEFT JOIN conversation_replies AS reply
      ON reply.client_id = entry.client_id AND reply.run_id = entry.run_id
     AND reply.step = entry.step
    WHERE entry.client_id = :client_id AND entry.ticket_id = :ticket_id
      AND entry.action IN ({_KINDS})
      AND entry.integration_id IN (
          SELECT same.id FROM integrations AS this
          JOIN integrations AS same
            ON same.client_id = this.client_id AND same.provider = this.provider
          WHERE this.client_id = :client_id AND this.id = :integration_id)
    ORDER BY entry.planned_at DESC, entry.id DESC
    LIMIT {_LATEST}
""")  # noqa: S608 - our own names


class TicketMessages(TenantRepository):
    async def written(self, integration_id: str, ticket_id: str) -> tuple[AgentMessage, ...]:
        """Return the messages from this service in a ticket, newest first. Messages whose sending
        is unfinished are included."""
        rows = await self._connection.execute(
            _WRITTEN,
            {
                "client_id": self._tenant,
                "integration_id": integration_id,
                "ticket_id": ticket_id,
            },
        )
        return tuple(
            AgentMessage(
                reference=row.reference,
                keys=frozenset(
                    action_key(row.run_id, row.step, words) for words in (None, row.human_text)
                ),
                text=_human_or_note(row) or _answer(row),
                started_at=row.planned_at,
                is_settled=row.state != "planned",
                bare="" if _human_or_note(row) else row.draft or "",
            )
            for row in rows
        )


def _human_or_note(row: sa.Row[*tuple[Any, ...]]) -> str:
    return row.reply or row.note or row.human_text or ""


def _answer(row: sa.Row[*tuple[Any, ...]]) -> str:
    """Return the agent's answer as it was sent. A reply contains the AI disclosure, and a note does
    not."""
    if row.action != ActionKind.REPLY_IN_HELPDESK:
        return row.draft or ""
    line = disclosure_line(row.disclosure_status, row.disclosure, row.language or "en")
    return disclosed(row.draft or "", line)
