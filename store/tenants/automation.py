"""Stops of all automation, and the check whether a stop applies to a run.

A step that answers or acts calls `holds` in its transaction, which takes a shared lock. A stop
takes the lock exclusively, so that no such transaction is in progress and later ones see the stop.
"""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.tenants.automation import AutomationState, AutomationStop
from domain.tenants.errors import ClientNotFound
from store.core.repository import TenantRepository
from store.tenants.tables import client_settings, installation_stops


class AutomationStops(TenantRepository):
    async def holds(self, run_id: str) -> bool:
        """Return True if a stop prevents the run from answering and acting automatically, valid
        until the transaction ends.

        A plan approved by a human is never stopped. Call this before any row except the account's
        is locked.
        """
        return bool(await self._connection.scalar(_HOLDS, {"tenant": self._tenant, "run": run_id}))

    async def read(self) -> AutomationState:
        """Return the client's stop and the installation's stop."""
        row = (await self._connection.execute(_STATE, {"tenant": self._tenant})).one()
        stop = None if row.at is None else AutomationStop(at=row.at, by=row.by)
        return AutomationState(stopped=stop, installation_stopped=row.installation)

    async def stop(self, by: str, now: datetime) -> bool:
        """Stop the client's automation once every step in progress is recorded. Return False if it
        was already stopped. Raises ClientNotFound, also during an erasure."""
        await self._connection.execute(_LOCK_CLIENT, {"tenant": self._tenant})
        row = (
            await self._connection.execute(_STOP, {"tenant": self._tenant, "by": by, "now": now})
        ).one_or_none()
        if row is not None:
            return True
        if (await self.read()).stopped is None:
            raise ClientNotFound(self._tenant)
        return False

    async def resume(self, now: datetime) -> None:
        await self._connection.execute(
            sa.update(client_settings)
            .where(client_settings.c.client_id == self._tenant)
            .values(stopped_at=None, stopped_by=None, updated_at=now)
        )


class InstallationStops:
    """The stop that applies to all clients' automation. Requires transactions that span clients."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def read(self) -> AutomationStop | None:
        row = (await self._connection.execute(sa.select(installation_stops))).one_or_none()
        return None if row is None else AutomationStop(at=row.stopped_at, by=row.stopped_by)

    async def stop(self, by: str, now: datetime) -> bool:
        """Stop the automation of all clients once every step in progress is recorded. Return False
        if it was already stopped."""
        await self._connection.execute(_LOCK_ALL)
        made = await self._connection.execute(_STOP_ALL, {"by": by, "now": now})
        return made.rowcount == 1

    async def resume(self) -> bool:
        """End the stop that applies to all clients. Return False if there was no such stop."""
        gone = await self._connection.execute(sa.delete(installation_stops))
        return gone.rowcount == 1


_HOLDS: Final = sa.text("""
    SELECT NOT EXISTS (
        SELECT FROM escalation_tickets
        WHERE client_id = :tenant AND run_id = :run AND status IN ('approved', 'edited')
    ) AND automation_stopped(:tenant)
""")
_STATE: Final = sa.text("""
    SELECT own.stopped_at AS at, own.stopped_by AS by, installation_stopped_at() AS installation
    FROM (SELECT) AS one LEFT JOIN client_settings AS own ON own.client_id = :tenant
""")
_LOCK_CLIENT: Final = sa.text(
    "SELECT pg_advisory_xact_lock(hashtextextended('automation/' || CAST(:tenant AS text), 0))"
)
_LOCK_ALL: Final = sa.text("SELECT pg_advisory_xact_lock(hashtextextended('automation', 0))")
_STOP: Final = sa.text("""
    INSERT INTO client_settings AS own (client_id, updated_at, stopped_at, stopped_by)
    SELECT id, :now, :now, :by FROM clients WHERE id = :tenant AND closed_at IS NULL
    ON CONFLICT (client_id) DO UPDATE
    SET stopped_at = excluded.stopped_at, stopped_by = excluded.stopped_by,
        updated_at = excluded.updated_at
    WHERE own.stopped_at IS NULL
    RETURNING client_id
""")
_STOP_ALL: Final = sa.text("""
    INSERT INTO installation_stops (id, stopped_at, stopped_by) VALUES (true, :now, :by)
    ON CONFLICT DO NOTHING
""")
