"""The results of a client's saved cases, and the publish gate's decisions based on them."""

from collections.abc import Mapping, Sequence
from typing import Final

import sqlalchemy as sa

from domain.cases.case import SavedCase
from domain.cases.digest import NamesModel
from domain.cases.gate import GateStanding, digests, falling_to, standing
from domain.playbooks.playbook import PlaybookEntry
from store.cases.content_digest import content_digest
from store.cases.saved_cases import SavedCaseRepository
from store.core.repository import TenantRepository
from store.playbooks.live_versions import LiveVersions
from store.playbooks.playbooks import PlaybookRepository

# If a case has several results with the same digest, the latest result is used.
_LATEST: Final = sa.text("""
    SELECT DISTINCT ON (r.case_id) r.case_id, r.passed
    FROM unnest(CAST(:cases AS text[]), CAST(:digests AS bytea[])) AS wanted (case_id, digest)
    JOIN case_results AS r
        ON r.client_id = :tenant AND r.case_id = wanted.case_id AND r.digest = wanted.digest
    ORDER BY r.case_id, r.created_at DESC, r.case_run_id DESC
""")


class CaseOutcomes(TenantRepository):
    async def latest(self, wanted: Mapping[str, bytes]) -> dict[str, bool]:
        """Return whether each case passed its latest run with the digest in `wanted`, keyed by case
        id. Cases that were not run with that digest are omitted."""
        if not wanted:
            return {}
        rows = await self._connection.execute(
            _LATEST,
            {"tenant": self._tenant, "cases": list(wanted), "digests": list(wanted.values())},
        )
        return {row.case_id: row.passed for row in rows}

    async def gate(
        self, entries: Sequence[PlaybookEntry], playbook_ids: Sequence[str], model: NamesModel
    ) -> dict[str, GateStanding]:
        """Return the publish gate's decision on each of these playbooks, keyed by id. `entries`:
        all of the client's playbooks, oldest first, in the state in which the gate checks them."""
        cases = await SavedCaseRepository(self._connection, self._tenant).all()
        pairs = [
            (case, entry)
            for case, entry in falling_to(cases, entries)
            if entry.playbook.id in playbook_ids
        ]
        verdicts: dict[str, bool] = {}
        if pairs:
            content = await content_digest(self._connection, self._tenant)
            verdicts = await self.latest(digests(pairs, content, model()))
        live = LiveVersions(self._connection, self._tenant)
        return {
            entry.playbook.id: standing(
                [case for case, fallen_to in pairs if fallen_to is entry],
                verdicts,
                was_live=await live.had(entry),
            )
            for entry in entries
            if entry.playbook.id in playbook_ids
        }

    async def live(self, model: NamesModel) -> dict[str, bool]:
        """Return whether each case passed its latest run with the live content, keyed by case id.
        Cases that were not run with this content are omitted."""
        cases = await SavedCaseRepository(self._connection, self._tenant).all()
        return await self._live(cases, model)

    async def _live(self, cases: Sequence[SavedCase], model: NamesModel) -> dict[str, bool]:
        if not any(case.must for case in cases):
            return {}
        entries = await PlaybookRepository(self._connection, self._tenant).all()
        content = await content_digest(self._connection, self._tenant)
        return await self.latest(digests(falling_to(cases, entries), content, model()))

    async def green(self, model: NamesModel) -> frozenset[str]:
        """Return the ids of the cases that passed with the live content. Return an empty set if
        none of the client's cases must pass."""
        cases = await SavedCaseRepository(self._connection, self._tenant).all()
        passed = await self._live(cases, model)
        return frozenset(case_id for case_id, is_passed in passed.items() if is_passed)
