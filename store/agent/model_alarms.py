"""Alarms about language models that a client cannot use, and the emails about them that are due."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.model_fault import ModelFault
from domain.core.ids import TenantId
from store.agent.tables import model_alarms
from store.core.place import Place, beyond
from store.core.repository import TenantRepository
from store.tenants.tables import clients

MAIL_INTERVAL: Final = timedelta(hours=24)
"""Minimum time between two emails about the same kind of problem."""

_ALARMS: Final = model_alarms.c
_IS_OPEN: Final = _ALARMS.ended_at.is_(None)
_START: Final = insert(model_alarms).values(
    client_id=sa.bindparam("client_id"),
    fault=sa.bindparam("fault"),
    since=sa.bindparam("now"),
)
_START_OR_GO_ON: Final = _START.on_conflict_do_update(
    index_elements=["client_id", "fault"],
    set_={"since": _START.excluded.since, "ended_at": None},
    where=~_IS_OPEN,
)


@dataclass(frozen=True, slots=True)
class DueAlarm:
    """An open alarm about which the owner has not been notified. `place` is the position of the
    alarm in the list of all clients' alarms."""

    tenant: TenantId
    fault: ModelFault
    since: datetime
    place: Place


class ModelAlarms(TenantRepository):
    async def start(self, fault: ModelFault, now: datetime) -> None:
        """Start the alarm. An open alarm stays unchanged."""
        await self._connection.execute(
            _START_OR_GO_ON, {"client_id": self._tenant, "fault": fault.value, "now": now}
        )

    async def end(self, faults: Collection[ModelFault], now: datetime) -> None:
        """End the open alarms about these faults."""
        await self._connection.execute(
            sa.update(model_alarms)
            .where(_ALARMS.client_id == self._tenant, _ALARMS.fault.in_(sorted(faults)), _IS_OPEN)
            .values(ended_at=now)
        )

    async def mailed(self, fault: ModelFault, now: datetime) -> None:
        """Record that the owner was notified of the alarm."""
        await self._connection.execute(
            sa.update(model_alarms)
            .where(_ALARMS.client_id == self._tenant, _ALARMS.fault == fault)
            .values(mailed_at=now)
        )


async def due_alarms(
    connection: AsyncConnection, *, now: datetime, after: Place | None, limit: int
) -> Sequence[DueAlarm]:
    """Return a page of all clients' open alarms for which an email is due, oldest first. `after`:
    the `place` of the last alarm on the previous page."""
    key = sa.func.concat(_ALARMS.client_id, "/", _ALARMS.fault)
    rows = await connection.execute(
        sa.select(_ALARMS.client_id, _ALARMS.fault, _ALARMS.since, key.label("key"))
        .join(clients, clients.c.id == _ALARMS.client_id)
        .where(
            _IS_OPEN,
            sa.or_(
                _ALARMS.mailed_at.is_(None),
                sa.and_(_ALARMS.mailed_at < _ALARMS.since, _ALARMS.mailed_at < now - MAIL_INTERVAL),
            ),
            clients.c.closed_at.is_(None),
            beyond(after, _ALARMS.since, key),
        )
        .order_by(_ALARMS.since, key)
        .limit(limit)
    )
    return [
        DueAlarm(
            TenantId(row.client_id), ModelFault(row.fault), row.since, Place(row.since, row.key)
        )
        for row in rows
    ]
