"""The context shown with a review: the playbook's rules, the draft's sources, and the next and
previous reviews."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.rulebook import Rulebook
from domain.core.ids import TenantId
from domain.reviews.errors import EscalationNotFound
from domain.reviews.escalation import CLAIM_LASTS

_EXCERPT: Final = 600


class ReviewContext(BaseModel):
    """The context of a review. `excerpts` are the beginnings of the cited templates and entries, by
    id. `left_out` are the titles of entries withheld from the brain. `lookup` is the outcome of the
    order lookup, and `looked_for` its order number. `next_id` and `previous_id` are the nearest
    reviews in the queue that this user may decide now."""

    model_config = ConfigDict(frozen=True)

    playbook_id: str
    version: int
    playbook: str
    threshold: float
    rulebook: Rulebook
    language: str | None
    sentiment: float | None
    conversation_id: str | None
    lookup: str | None
    looked_for: str | None
    excerpts: Mapping[str, str]
    left_out: tuple[str, ...]
    correction_id: str | None
    next_id: str | None
    previous_id: str | None


_CONTEXT: Final = sa.text(f"""
    WITH this AS (
        SELECT * FROM escalation_tickets WHERE client_id = :client_id AND id = :review_id
    ), mine AS (
        SELECT other.id, NOT other.urgent AS waits, other.created_at
        FROM escalation_tickets AS other
        WHERE other.client_id = :client_id AND other.status IN ('pending', 'claimed')
          AND other.id <> :review_id
          AND other.first_approved_by IS DISTINCT FROM :user
          AND (other.claimed_by IS NULL OR other.claimed_by = :user OR other.claimed_at <= :stale)
    )
    SELECT run.playbook_id, run.playbook_version AS version, playbook.name AS playbook,
           playbook.threshold, playbook.rulebook, run.language, run.sentiment,
           run.lookup ->> 'state' AS lookup, run.lookup ->> 'number' AS looked_for,
           (SELECT conversation_id FROM engine_messages
            WHERE client_id = :client_id AND event_id = run.event_id AND direction = 'inbound'
            LIMIT 1) AS conversation_id,
           (SELECT coalesce(jsonb_object_agg(id, left(body, {_EXCERPT})), '{{}}') FROM (
                SELECT id, body FROM response_templates WHERE client_id = :client_id
                   AND id IN (SELECT one ->> 'id' FROM jsonb_array_elements(run.citations) AS one)
                UNION ALL
                SELECT id, body FROM knowledge_entries WHERE client_id = :client_id
                   AND id IN (SELECT one ->> 'id' FROM jsonb_array_elements(run.citations) AS one)
            ) AS cited) AS excerpts,
           (SELECT coalesce(jsonb_agg(one ->> 'title'), '[]')
            FROM jsonb_array_elements(run.findings) AS one
            WHERE (one ->> 'left_out')::boolean) AS left_out,
           (SELECT id FROM corrections
            WHERE client_id = :client_id AND review_id = :review_id) AS correction_id,
           (SELECT id FROM mine
            WHERE (waits, created_at, id) > (NOT this.urgent, this.created_at, this.id)
            ORDER BY waits, created_at, id LIMIT 1) AS next_id,
           (SELECT id FROM mine
            WHERE (waits, created_at, id) < (NOT this.urgent, this.created_at, this.id)
            ORDER BY waits DESC, created_at DESC, id DESC LIMIT 1) AS previous_id
    FROM this
    JOIN engine_runs AS run ON run.client_id = this.client_id AND run.id = this.run_id
    JOIN playbook_versions AS playbook
      ON playbook.client_id = run.client_id AND playbook.playbook_id = run.playbook_id
     AND playbook.version = run.playbook_version
""")  # noqa: S608 - our own number


async def review_context(
    connection: AsyncConnection, tenant: TenantId, review_id: str, user_id: str, now: datetime
) -> ReviewContext:
    """Return the context shown with a review to the user `user_id`. Raises EscalationNotFound."""
    rows = await connection.execute(
        _CONTEXT,
        {
            "client_id": tenant,
            "review_id": review_id,
            "user": user_id,
            "stale": now - CLAIM_LASTS,
        },
    )
    row = rows.one_or_none()
    if row is None:
        raise EscalationNotFound(review_id)
    return ReviewContext.model_validate(row, from_attributes=True)
