"""The unit of work: one client's transaction, and the collected work that starts after its commit.

Routes, commands and activities write only through it (`tests/services/test_writing.py`).
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.audit.chain import ALL
from domain.audit.entry import Note
from domain.core.contracts import BackgroundRef, RunRef
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.runs.ports import Starter
from domain.tenants.actor import Actor
from domain.tenants.errors import LooseningHeld
from store.audit.audit_log import AuditLog
from store.core.database import PATIENCE_S, Database

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class UnitOfWork:
    """The context of a use case.

    - `now`: the same throughout the use case.
    - `connection`: only for use cases and their repositories.
    - `woken`: after the commit, the reviews whose runs were notified.
    - `dry_run`: the transaction is rolled back.
    """

    connection: AsyncConnection
    tenant: TenantId
    now: datetime
    new_id: NewId
    dry_run: bool = False
    woken: set[str] = field(default_factory=set)
    _deliveries: list[str] = field(default_factory=list)
    _decisions: list[tuple[RunRef, str]] = field(default_factory=list)
    _started: list[tuple[str, BackgroundRef]] = field(default_factory=list)
    _notes: list[Note] = field(default_factory=list)
    _trials: int = 0

    def deliver(self, *delivery_ids: str) -> None:
        """Send these webhook deliveries after the commit."""
        self._deliveries += delivery_ids

    def wake(self, ref: RunRef, escalation_id: str) -> None:
        """After the commit, notify a waiting run that its review has been decided."""
        self._decisions.append((ref, escalation_id))

    def begin(self, workflow: str, work: BackgroundRef) -> None:
        """Start a workflow for a record after the commit."""
        self._started.append((workflow, work))

    def note(self, actor: Actor, what: str, **ids: str) -> None:
        """Add an audit entry with the actor, the action and the record ids. An audit entry never
        contains text that people wrote."""
        self._notes.append(Note(actor, what, ids))

    @asynccontextmanager
    async def trial(self) -> AsyncIterator["Trial"]:
        """Open a part of the unit of work that can be undone as a whole. The part includes its
        rows, its audit entries, and its work scheduled for after the commit."""
        self._trials += 1
        savepoint = f"trial_{self._trials}"
        await self.connection.exec_driver_sql(f"SAVEPOINT {savepoint}")
        yield Trial(self, savepoint, tuple(len(one) for one in self._lists))

    def forget_since(self, lengths: tuple[int, ...]) -> None:
        """Truncate the lists of collected work and audit entries to these lengths."""
        for one, length in zip(self._lists, lengths, strict=True):
            del one[length:]

    @property
    def _lists(self) -> tuple[list[Any], ...]:
        return (self._deliveries, self._decisions, self._started, self._notes)

    async def write_notes(self) -> None:
        """Append the audit entries to the audit log, in the same transaction as the changes that
        they describe. This must be the last step before the commit (`AuditLog.append`)."""
        if self._notes:
            log = AuditLog(self.connection, self.tenant)
            await log.append(self._notes, self.now, self.new_id)

    async def start(self, engine: Starter) -> None:
        """Start the collected work, after the commit. The sweeper later starts any work that cannot
        be started now."""
        for note in self._notes:
            ids = {**note.actor.noted, **note.ids}
            _log.info(note.what, client_id=self.tenant, **ids)
        for ref, escalation_id in self._decisions:
            try:
                if await engine.wake(ref, escalation_id):
                    self.woken.add(escalation_id)
            except EngineUnavailable as error:
                _log.warning("failed to signal a run", run_id=ref.run_id, code=error.code)
        for workflow, work in self._started:
            try:
                await engine.begin(workflow, work)
            except EngineUnavailable as error:
                _log.warning(
                    "failed to start background work", record_id=work.record_id, code=error.code
                )
        if not self._deliveries:
            return
        try:
            await engine.send_webhooks(self.tenant, self._deliveries)
        except EngineUnavailable as error:
            first = self._deliveries[0]
            _log.warning("failed to start webhook deliveries", delivery_id=first, code=error.code)


@dataclass(frozen=True, slots=True)
class Trial:
    """A part of a unit of work that can be undone. `lengths` are the lengths of the unit's lists
    before this part."""

    work: UnitOfWork
    savepoint: str
    lengths: tuple[int, ...]

    async def undo(self) -> None:
        """Undo this part. The rest of the unit of work continues."""
        await self.work.connection.exec_driver_sql(f"ROLLBACK TO SAVEPOINT {self.savepoint}")
        self.work.forget_since(self.lengths)


class _Undo(Exception):
    """The exception that rolls back the transaction of a dry run."""


class UnitsOfWork:
    """The factory for units of work. A unit is committed if its block ends normally or raises
    LooseningHeld, and rolled back otherwise."""

    def __init__(self, database: Database, engine: Starter, now: Clock, new_id: NewId) -> None:
        self.database = database
        self._engine = engine
        self._now = now
        self._new_id = new_id

    def now(self) -> datetime:
        """Return the current time, timezone-aware, in UTC."""
        return self._now()

    @asynccontextmanager
    async def of(
        self,
        tenant: TenantId,
        *,
        patience_s: float = PATIENCE_S,
        dry_run: bool = False,
        keeps_plans: bool = False,
    ) -> AsyncIterator[UnitOfWork]:
        """Open a unit of work for one client's rows, for at most `patience_s` seconds.

        A `dry_run` is rolled back and starts no work. `keeps_plans`: see `Database.tenant`. Raises
        EngineUnavailable, CommitUnknown.
        """
        transaction = self.database.tenant(tenant, patience_s=patience_s, keeps_plans=keeps_plans)
        async with self._opened(transaction, tenant, dry_run=dry_run) as work:
            yield work

    @asynccontextmanager
    async def spanning(self, tenant: TenantId) -> AsyncIterator[UnitOfWork]:
        """Open a unit of work that can also write the rows of users, and rows that do not belong to
        a client yet."""
        async with self._opened(self.database.service(), tenant) as work:
            yield work

    @asynccontextmanager
    async def everywhere(self) -> AsyncIterator[UnitOfWork]:
        """Open a unit of work that can read and write the rows of all clients, for
        installation-wide changes. Its audit entries form a separate chain."""
        async with self._opened(self.database.service(), ALL) as work:
            yield work

    @asynccontextmanager
    async def _opened(
        self,
        transaction: AbstractAsyncContextManager[AsyncConnection],
        tenant: TenantId,
        *,
        dry_run: bool = False,
    ) -> AsyncIterator[UnitOfWork]:
        with suppress(_Undo):
            async with transaction as connection:
                work = UnitOfWork(connection, tenant, self._now(), self._new_id, dry_run=dry_run)
                held: LooseningHeld | None = None
                try:
                    yield work
                except LooseningHeld as error:
                    held = error  # The transaction must commit, because it stores the held change.
                if dry_run:
                    raise _Undo
                await work.write_notes()
            await work.start(self._engine)
            if held is not None:
                raise held
