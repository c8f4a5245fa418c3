"""Test runs of saved cases, and their results."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.cases.case_run import KEPT_RUNS, CaseResult, CaseRun, CaseRunState
from domain.cases.errors import CaseRunNotFound
from domain.core.contracts import BackgroundRef
from store.cases.tables import case_results, case_runs, saved_cases
from store.core.place import Place, beyond
from store.core.repository import TenantRepository, owner_of

_UNFINISHED: Final = case_runs.c.state.in_((CaseRunState.QUEUED, CaseRunState.RUNNING))

# The cost is stored with the result, so a retried step does not count the cost twice.
_COUNT: Final = sa.text("""
    UPDATE case_runs AS run
    SET done = greatest(run.done, :done),
        passed = (SELECT count(*) FROM case_results
                  WHERE client_id = :client_id AND case_run_id = :run_id AND passed),
        cost_micros = (SELECT coalesce(sum((outcome ->> 'cost_micros')::bigint), 0)
                       FROM case_results
                       WHERE client_id = :client_id AND case_run_id = :run_id)
    WHERE run.client_id = :client_id AND run.id = :run_id
    RETURNING run.total, run.done, run.passed
""")

# Each client's latest runs are kept. Runs with a case's last result for a digest are kept until
# they are older than `before`, because the publish gate may need the result.
_PRUNE: Final = sa.text("""
    DELETE FROM case_runs AS run
    USING (
        SELECT client_id, id,
               row_number() OVER (PARTITION BY client_id ORDER BY created_at DESC, id DESC) AS place
        FROM case_runs
    ) AS counted
    WHERE run.client_id = counted.client_id AND run.id = counted.id AND counted.place > :kept
      AND run.state IN ('done', 'failed')
      AND (run.created_at < :before OR NOT EXISTS (
        SELECT FROM case_results AS mine
        WHERE mine.client_id = run.client_id AND mine.case_run_id = run.id
          AND NOT EXISTS (
            SELECT FROM case_results AS later
            WHERE later.client_id = mine.client_id AND later.case_id = mine.case_id
              AND later.digest = mine.digest
              AND (later.created_at, later.case_run_id) > (mine.created_at, mine.case_run_id))))
""")


@dataclass(frozen=True, slots=True)
class KeptResult:
    """A case's result, with the digest under which the publish gate looks it up."""

    result: CaseResult
    digest: bytes


class CaseRunRepository(TenantRepository):
    async def create(self, run: CaseRun) -> None:
        await self._connection.execute(
            sa.insert(case_runs).values(
                client_id=self._tenant,
                id=run.id,
                variant=run.variant.model_dump(mode="json"),
                state=run.state,
                total=run.total,
                started_by=run.started_by,
                created_at=run.created_at,
            )
        )

    async def is_one_under_way(self) -> bool:
        return bool(
            await self._connection.scalar(
                sa.select(sa.exists().where(case_runs.c.client_id == self._tenant, _UNFINISHED))
            )
        )

    async def read(self, run_id: str) -> CaseRun:
        """Return a case run. This method, `begin` and `count` raise CaseRunNotFound."""
        row = await self._one(
            self._mine().where(case_runs.c.id == run_id), {}, CaseRunNotFound(run_id)
        )
        return CaseRun.model_validate(row, from_attributes=True)

    async def page(self, *, before: str | None, limit: int) -> tuple[CaseRun, ...]:
        """Return a page of case runs, latest first. `before` is the last id on the previous
        page."""
        runs = self._mine().order_by(case_runs.c.id.desc()).limit(limit)
        if before is not None:
            runs = runs.where(case_runs.c.id < before)
        rows = await self._connection.execute(runs)
        return tuple(CaseRun.model_validate(row, from_attributes=True) for row in rows)

    async def begin(self, run_id: str, total: int) -> CaseRun:
        """Mark a case run as running, set the number of cases in it, and return the run. A finished
        run stays unchanged."""
        changed = (
            sa.update(case_runs)
            .where(self._is(run_id), _UNFINISHED)
            .values(state=CaseRunState.RUNNING, total=total)
        )
        await self._connection.execute(changed)
        return await self.read(run_id)

    async def keep(self, run_id: str, kept: KeptResult) -> None:
        """Store the first result of a case in a run. Do nothing if the case was deleted."""
        result = kept.result
        values: dict[str, object] = {
            **result.model_dump(mode="json", exclude={"name", "must", "created_at"}),
            "before": sa.null() if result.before is None else result.before.model_dump(mode="json"),
            "client_id": self._tenant,
            "case_run_id": run_id,
            "digest": kept.digest,
            "created_at": result.created_at,
        }
        # The row lock prevents the case from being deleted before the result that refers to it is
        # written.
        case = await self._connection.scalar(
            sa.select(saved_cases.c.id)
            .where(saved_cases.c.client_id == self._tenant, saved_cases.c.id == result.case_id)
            .with_for_update(key_share=True, read=True)
        )
        if case is not None:
            await self._connection.execute(
                insert(case_results).values(values).on_conflict_do_nothing()
            )

    async def tried(self, run_id: str) -> frozenset[str]:
        """Return the ids of the cases with a result in the run."""
        rows = await self._connection.scalars(
            sa.select(case_results.c.case_id).where(
                case_results.c.client_id == self._tenant, case_results.c.case_run_id == run_id
            )
        )
        return frozenset(rows)

    async def count(self, run_id: str, done: int) -> CaseRun:
        """Update the run's counts from its results, and return the run. `done` is the number of
        finished cases."""
        await self._connection.execute(
            _COUNT, {"client_id": self._tenant, "run_id": run_id, "done": done}
        )
        return await self.read(run_id)

    async def end(self, run_id: str, state: CaseRunState, error: str | None, now: datetime) -> None:
        """Finish a case run with its final state and error code. A run that is already finished
        stays unchanged."""
        await self._connection.execute(
            sa.update(case_runs)
            .where(self._is(run_id), _UNFINISHED)
            .values(state=state, error_code=error, finished_at=now)
        )

    async def results(self, run_id: str) -> tuple[CaseResult, ...]:
        """Return a run's results for the cases that still exist, ordered by case id."""
        rows = await self._connection.execute(
            sa.select(case_results, saved_cases.c.name, saved_cases.c.must)
            .join(
                saved_cases,
                sa.and_(
                    saved_cases.c.client_id == case_results.c.client_id,
                    saved_cases.c.id == case_results.c.case_id,
                ),
            )
            .where(case_results.c.client_id == self._tenant, case_results.c.case_run_id == run_id)
            .order_by(case_results.c.case_id)
        )
        return tuple(CaseResult.model_validate(row, from_attributes=True) for row in rows)

    def _mine(self) -> "sa.Select[*tuple[Any, ...]]":
        return sa.select(case_runs).where(case_runs.c.client_id == self._tenant)

    def _is(self, run_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(case_runs.c.client_id == self._tenant, case_runs.c.id == run_id)


@dataclass(frozen=True, slots=True)
class LeftCaseRun:
    """An unfinished case run that the sweep has found."""

    ref: BackgroundRef
    created_at: datetime

    @property
    def place(self) -> Place:
        return Place(self.created_at, self.ref.record_id)


async def case_runs_left(
    connection: AsyncConnection, *, before: datetime, after: Place | None, limit: int
) -> Sequence[LeftCaseRun]:
    """Return a page of all clients' unfinished runs that were created before `before`, oldest
    first. `after` is the position of the last run on the previous page."""
    rows = await connection.execute(
        sa.select(case_runs.c.client_id, case_runs.c.id, case_runs.c.created_at)
        .where(
            _UNFINISHED,
            case_runs.c.created_at < before,
            beyond(after, case_runs.c.created_at, case_runs.c.id),
        )
        .order_by(case_runs.c.created_at, case_runs.c.id)
        .limit(limit)
    )
    return [
        LeftCaseRun(BackgroundRef(client_id=row.client_id, record_id=row.id), row.created_at)
        for row in rows
    ]


async def prune_case_runs(connection: AsyncConnection, before: datetime) -> int:
    """Delete the case runs of all clients that are no longer needed, and return their number.

    A run with a case's last result is deleted only if it is older than `before`, because the
    publish gate may need it.
    """
    pruned = await connection.execute(_PRUNE, {"kept": KEPT_RUNS, "before": before})
    return pruned.rowcount


client_of_case_run: Final = owner_of(case_runs, CaseRunNotFound)
