"""Questions that the agent could not answer. The queries read the original rows, so an erased
question is no longer returned."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from domain.agent.escalation_reason import EscalationReason
from domain.analytics.gaps import QUESTION_CHARS, HumanAnswer, OpenQuestion
from domain.core.ids import first_ulid
from store.core.repository import TenantRepository

# Reviews are selected by id. A review opens after its run is received, so this margin is needed
# only if machines' clocks differ.
_MARGIN: Final = timedelta(hours=1)
_ANSWER_CHARS: Final = 20_000

# The newest reviews come first, in the order of the primary key. Runs whose order could not be
# found are excluded, because a missing order is not a knowledge gap.
_NEWEST: Final = sa.text(f"""
    SELECT run.id AS run_id, left(said.body, :chars) AS text, run.classification, run.language,
           run.received_at AS asked_at
    FROM escalation_tickets AS review
    CROSS JOIN LATERAL (
        SELECT * FROM engine_runs
        WHERE client_id = review.client_id AND id = review.run_id
          AND received_at >= :since
          AND (review.reason = '{EscalationReason.MISSING_KNOWLEDGE}' OR citations = '[]')
          AND coalesce(lookup ->> 'state', 'found') = 'found' OFFSET 0
    ) AS run
    CROSS JOIN LATERAL (
        SELECT body FROM engine_messages
        WHERE client_id = review.client_id AND event_id = run.event_id AND direction = 'inbound'
          AND body <> '' OFFSET 0
    ) AS said
    WHERE review.client_id = :client_id AND review.id >= :first_id AND review.round = 0
      AND review.reason IN
          ('{EscalationReason.MISSING_KNOWLEDGE}', '{EscalationReason.LOW_CONFIDENCE}')
    ORDER BY review.id DESC LIMIT :limit
""")  # noqa: S608 - our own names

# The query selects the answers that a human agent wrote or approved. `number`: the position of a
# gap in the list of gaps.
_ANSWERS: Final = sa.text("""
    SELECT DISTINCT ON (asked.number) asked.number, run.id AS run_id,
           left(answer.body, :chars) AS text, answer.created_at AS answered_at
    FROM unnest(CAST(:numbers AS int[]), CAST(:runs AS text[])) AS asked (number, run_id)
    CROSS JOIN LATERAL (
        SELECT id, event_id FROM engine_runs
        WHERE client_id = :client_id AND id = asked.run_id OFFSET 0
    ) AS run
    CROSS JOIN LATERAL (
        SELECT body, created_at, author FROM engine_messages
        WHERE client_id = :client_id AND event_id = run.event_id AND direction = 'outbound'
          AND body <> '' OFFSET 0
    ) AS answer
    WHERE answer.author = 'human' OR EXISTS (
        SELECT FROM escalation_tickets AS review
        WHERE review.client_id = :client_id AND review.run_id = run.id
          AND review.status IN ('approved', 'edited'))
    ORDER BY asked.number, answer.created_at DESC, run.id DESC
""")
_CHANGED: Final = sa.text("""
    SELECT id, coalesce(updated_at, created_at) AS at FROM knowledge_entries
    WHERE client_id = :client_id AND id = ANY(:entries)
""")


class OpenQuestions(TenantRepository):
    """The unanswered questions of one client."""

    async def newest(self, since: datetime, limit: int) -> list[OpenQuestion]:
        """Return the questions received since `since`, an aware time, newest first."""
        rows = await self._connection.execute(
            _NEWEST,
            {
                "client_id": self._tenant,
                "since": since,
                "first_id": first_ulid(since - _MARGIN),
                "chars": QUESTION_CHARS,
                "limit": limit,
            },
        )
        return [OpenQuestion(**row._asdict()) for row in rows]

    async def answers(self, gaps: Sequence[Sequence[str]]) -> dict[int, HumanAnswer]:
        """Return the newest human answer to any run in each gap, keyed by the gap's position. Gaps
        without such an answer are omitted."""
        asked = [(number, run) for number, runs in enumerate(gaps) for run in runs]
        rows = await self._connection.execute(
            _ANSWERS,
            {
                "client_id": self._tenant,
                "numbers": [number for number, _ in asked],
                "runs": [run for _, run in asked],
                "chars": _ANSWER_CHARS,
            },
        )
        return {
            row.number: HumanAnswer(run_id=row.run_id, text=row.text, answered_at=row.answered_at)
            for row in rows
        }

    async def written_at(self, entries: Sequence[str]) -> Mapping[str, datetime]:
        """Return the time of the latest change to each of these knowledge entries, keyed by id."""
        rows = await self._connection.execute(
            _CHANGED, {"client_id": self._tenant, "entries": list(entries)}
        )
        return {row.id: row.at for row in rows}
