"""The sweep of background work. It starts work that has a committed row but no workflow: runs of
cases, replays, members' replies and imports from websites."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from activities.runtime.one_by_one import one_by_one
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.core.ports import Clock
from domain.runs.contracts import SweepInput, SweepResult
from domain.runs.ports import Starter
from store.cases.case_runs import case_runs_left
from store.content.site_imports import site_imports_left
from store.core.database import Database
from store.core.place import Place
from store.reviews.replies import unsent_replies
from store.simulation.replays import unfinished_replays

BATCH: Final = 200


class _Unfinished(Protocol):
    @property
    def ref(self) -> BackgroundRef: ...

    @property
    def place(self) -> Place: ...


class _Reads(Protocol):
    """A function that returns a page of unfinished work across all clients."""

    def __call__(
        self, connection: AsyncConnection, *, before: datetime, after: Place | None, limit: int
    ) -> Awaitable[Sequence[_Unfinished]]: ...


class SweepBackground:
    def __init__(self, database: Database, engine: Starter, now: Clock) -> None:
        self._database = database
        self._engine = engine
        self._now = now

    @activity.defn(name=names.SWEEP_BACKGROUND)
    async def begin_left(self, step: SweepInput) -> SweepResult:
        """Start the workflows of unfinished case runs, replays, replies and imports. Idempotency
        key: the workflow's id. `picked_up` excludes running workflows."""
        before = self._now() - timedelta(seconds=step.older_than_s)
        done = SweepResult(picked_up=0)
        for workflow, reads in _LEFT.items():
            done += await one_by_one(
                self._pages(reads, before),
                self._begins(workflow, step),
                what="failed to start background work",
            )
        return done

    def _pages(
        self, reads: _Reads, before: datetime
    ) -> Callable[[Place | None], Awaitable[Sequence[_Unfinished]]]:
        async def next_page(after: Place | None) -> Sequence[_Unfinished]:
            async with self._database.service() as connection:
                return await reads(connection, before=before, after=after, limit=BATCH)

        return next_page

    def _begins(self, workflow: str, step: SweepInput) -> Callable[[_Unfinished], Awaitable[bool]]:
        async def begin(left: _Unfinished) -> bool:
            ref = left.ref.model_copy(update={"remote_brain": step.remote_brain})
            return await self._engine.begin(workflow, ref)

        return begin


_LEFT: Final[dict[str, _Reads]] = {
    names.RUN_CASES: case_runs_left,
    names.REPLAY: unfinished_replays,
    names.SEND_REPLY: unsent_replies,
    names.IMPORT_SITE: site_imports_left,
}
