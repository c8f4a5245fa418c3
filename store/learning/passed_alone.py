"""Counts of each playbook's recent answers that were sent without a review."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from domain.core.ids import first_ulid
from store.core.repository import TenantRepository

LATELY: Final = timedelta(days=7)
AT_MOST: Final = 1_000
"""Maximum number of a playbook's latest runs that are counted. Counting these runs takes only
milliseconds."""

# The query excludes messages that joined an open review. It also excludes automatic emails because
# they need no answer.
_COUNTS: Final = sa.text("""
    SELECT playbook.id AS playbook_id, count(run.id) AS asked,
           count(run.id) FILTER (
               WHERE run.status = 'completed' AND run.handoff_reason IS NULL) AS alone
    FROM playbooks AS playbook
    CROSS JOIN LATERAL (
        SELECT * FROM engine_runs
        WHERE client_id = playbook.client_id AND playbook_id = playbook.id AND id >= :since
        ORDER BY id DESC LIMIT :at_most
    ) AS run
    WHERE playbook.client_id = :tenant AND playbook.deleted_at IS NULL
      AND (CAST(:playbook_id AS text) IS NULL OR playbook.id = :playbook_id)
      AND run.status <> 'received' AND run.joined_review IS NULL
      AND NOT (run.status = 'completed' AND coalesce(run.response, '') = '' AND run.plan = '[]')
    GROUP BY playbook.id
""")


@dataclass(frozen=True, slots=True)
class AloneCount:
    """A playbook's recent runs that needed an answer (`asked`), and those answered without a review
    (`alone`)."""

    asked: int
    alone: int

    @property
    def share(self) -> float:
        return self.alone / self.asked


class PassedAlone(TenantRepository):
    async def lately(
        self, now: datetime, playbook_id: str | None = None
    ) -> Mapping[str, AloneCount]:
        """Return the counts for the last seven days by playbook id, or for one playbook. Playbooks
        without a run that needed an answer are omitted."""
        rows = await self._connection.execute(
            _COUNTS,
            {
                "tenant": self._tenant,
                "since": first_ulid(now - LATELY),
                "at_most": AT_MOST,
                "playbook_id": playbook_id,
            },
        )
        return {row.playbook_id: AloneCount(row.asked, row.alone) for row in rows}
