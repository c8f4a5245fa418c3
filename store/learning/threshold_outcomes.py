"""The outcomes and confidence scores of a playbook's latest runs, on which threshold advice is
based."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from domain.learning.threshold_advice import MAX_HISTORY, PastOutcome, Seen
from store.core.repository import TenantRepository
from store.reviews.answered_elsewhere import REPLIED

# Ids are generated on arrival, so the latest runs are at the end of the primary key. A run counts
# as held for another reason in three cases. It has a `hold`, it was reviewed despite a sufficient
# confidence, or its review has no draft. A review closed by a member's reply is approved if the
# reply is the draft, else edited. In shadow mode, the comparison determines the outcome.
_LAST: Final = sa.text("""
    SELECT run.confidence, tried.run_id IS NOT NULL AS in_shadow,
        CASE
            WHEN tried.run_id IS NOT NULL THEN tried.reason IS NOT NULL
            WHEN review.id IS NULL THEN false
            ELSE run.hold IS NOT NULL OR review.draft = ''
                OR run.confidence >= version.threshold
        END AS is_held,
        CASE
            WHEN tried.run_id IS NOT NULL THEN CASE tried.comparison ->> 'agrees'
                WHEN 'true' THEN 'approved' WHEN 'false' THEN 'edited' ELSE 'unknown' END
            WHEN review.id IS NULL THEN 'alone'
            WHEN review.status IN ('approved', 'edited') AND review.edited_text IS NOT NULL
                THEN 'edited'
            WHEN review.status = 'rejected' AND review.note = :replied THEN coalesce((
                SELECT CASE
                    WHEN btrim(reply.body, E' \\n\\r\\t') = btrim(review.draft, E' \\n\\r\\t')
                    THEN 'approved' ELSE 'edited' END
                FROM engine_messages AS inbound
                JOIN conversation_replies AS reply
                  ON reply.client_id = inbound.client_id
                 AND reply.conversation_id = inbound.conversation_id
                WHERE inbound.client_id = run.client_id AND inbound.event_id = run.event_id
                  AND inbound.direction = 'inbound' AND reply.author = review.decided_by
                  AND reply.created_at < review.decided_at
                ORDER BY reply.created_at DESC, reply.id DESC LIMIT 1), 'rejected')
            WHEN review.status IN ('approved', 'rejected') THEN review.status
            ELSE 'unknown'
        END AS seen
    FROM engine_runs AS run
    JOIN playbook_versions AS version
      ON version.client_id = run.client_id AND version.playbook_id = run.playbook_id
     AND version.version = run.playbook_version
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    LEFT JOIN escalation_tickets AS review
      ON review.client_id = run.client_id AND review.run_id = run.id AND review.round = 0
    LEFT JOIN shadow_drafts AS tried
      ON tried.client_id = run.client_id AND tried.run_id = run.id
    WHERE run.client_id = :client_id AND run.playbook_id = :playbook_id
      AND run.classification IS NOT NULL AND run.status <> 'received'
      AND run.joined_review IS NULL AND event.erased_at IS NULL
      AND (run.plan <> '[]' OR review.id IS NOT NULL)
      AND (CAST(:class AS text) IS NULL OR run.classification = :class)
    ORDER BY run.id DESC
    LIMIT :limit
""")


class ThresholdOutcomes(TenantRepository):
    async def last(
        self, playbook_id: str, classification: str | None, *, limit: int = MAX_HISTORY
    ) -> Sequence[PastOutcome]:
        """Return the latest runs of all versions of a playbook, for one category or for all. Runs
        that needed no answer and runs of erased customers are omitted."""
        rows = await self._connection.execute(
            _LAST,
            {
                "client_id": self._tenant,
                "playbook_id": playbook_id,
                "class": classification,
                "replied": REPLIED,
                "limit": limit,
            },
        )
        return [
            PastOutcome(row.confidence, Seen(row.seen), row.is_held, row.in_shadow) for row in rows
        ]
