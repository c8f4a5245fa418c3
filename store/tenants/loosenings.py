"""Changes that loosen the agent's limits. Such a change takes effect after a second manager's
approval, or after a delay."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.tenants.errors import LooseningNotFound
from domain.tenants.loosening import Loosening, LooseningState
from store.core.place import Place, beyond
from store.core.repository import TenantRepository, owner_of
from store.tenants.tables import clients, loosenings

_ROWS: Final = loosenings.c
_SHOWN: Final = tuple(_ROWS[name] for name in Loosening.model_fields)


class LooseningRepository(TenantRepository):
    async def add(self, loosening: Loosening) -> None:
        await self._connection.execute(
            sa.insert(loosenings).values(
                client_id=self._tenant,
                **loosening.model_dump(exclude={"differences", "change"}),
                differences=[one.model_dump() for one in loosening.differences],
                change=loosening.change,
            )
        )

    async def pending(self) -> int:
        """Return the number of the client's pending changes."""
        found = await self._connection.scalar(
            sa.select(sa.func.count()).where(
                _ROWS.client_id == self._tenant, _ROWS.state == LooseningState.PENDING
            )
        )
        return int(found or 0)

    async def waits_for(self, use: str, record_id: str) -> bool:
        """Return True if a change that concerns this record is pending. `use`: as in HeldTrust."""
        wanted = {"use": use, "id": record_id}
        found = await self._connection.scalar(
            sa.select(
                sa.exists().where(
                    _ROWS.client_id == self._tenant,
                    _ROWS.state == LooseningState.PENDING,
                    _ROWS.change.contains(wanted),
                )
            )
        )
        return bool(found)

    async def page(self, *, before: str | None, limit: int) -> tuple[Loosening, ...]:
        """Return at most `limit` changes that precede the change `before`, newest first."""
        query = sa.select(*_SHOWN).where(_ROWS.client_id == self._tenant)
        if before is not None:
            query = query.where(_ROWS.id < before)
        rows = await self._connection.execute(query.order_by(_ROWS.id.desc()).limit(limit))
        return tuple(map(_loosening, rows))

    async def read(self, loosening_id: str) -> Loosening:
        """Return a change. Raises LooseningNotFound."""
        return await self._read(loosening_id, sa.select(*_SHOWN))

    async def lock(self, loosening_id: str) -> Loosening:
        """Lock a change, so that only this transaction can decide it, and return it. The caller
        must hold the account's lock. Raises LooseningNotFound."""
        return await self._read(loosening_id, sa.select(*_SHOWN).with_for_update())

    async def decide(
        self,
        loosening_id: str,
        state: LooseningState,
        *,
        by: str,
        now: datetime,
        error_code: str | None = None,
    ) -> None:
        await self._connection.execute(
            sa.update(loosenings)
            .where(_ROWS.client_id == self._tenant, _ROWS.id == loosening_id)
            .values(state=state, decided_by=by, decided_at=now, error_code=error_code)
        )

    async def notified(self, loosening_id: str, now: datetime) -> None:
        """Record that the managers were notified of a change."""
        await self._connection.execute(
            sa.update(loosenings)
            .where(_ROWS.client_id == self._tenant, _ROWS.id == loosening_id)
            .values(notified_at=now)
        )

    async def manager_left_at(self) -> datetime | None:
        """Return when the client last lost an owner or admin, or None if that has never
        happened."""
        found: datetime | None = await self._connection.scalar(
            sa.select(clients.c.manager_left_at).where(clients.c.id == self._tenant)
        )
        return found

    async def _read(self, loosening_id: str, query: "sa.Select[*tuple[Any, ...]]") -> Loosening:
        where = query.where(_ROWS.client_id == self._tenant, _ROWS.id == loosening_id)
        return _loosening(await self._one(where, {}, LooseningNotFound(loosening_id)))


client_of_loosening: Final = owner_of(loosenings, LooseningNotFound)


@dataclass(frozen=True, slots=True)
class LeftLoosening:
    """A change that the sweep processes. `place` is the position of the change in the list of all
    clients' changes."""

    tenant: TenantId
    id: str
    place: Place


async def due_loosenings(
    connection: AsyncConnection, *, now: datetime, after: Place | None, limit: int
) -> Sequence[LeftLoosening]:
    """Return a page of pending changes, across all clients, whose delay has passed by `now`, oldest
    first. `after`: the `place` of the last change on the previous page."""
    return await _left(
        connection,
        _ROWS.takes_effect_at,
        sa.and_(_ROWS.state == LooseningState.PENDING, _ROWS.takes_effect_at <= now),
        after,
        limit,
    )


async def unnotified_loosenings(
    connection: AsyncConnection, *, after: Place | None, limit: int
) -> Sequence[LeftLoosening]:
    """Return a page of changes, across all clients, about which managers have not been notified
    yet, oldest first. `after`: the `place` of the last change on the previous page."""
    return await _left(connection, _ROWS.created_at, _ROWS.notified_at.is_(None), after, limit)


async def _left(
    connection: AsyncConnection,
    time: "sa.ColumnElement[datetime]",
    which: "sa.ColumnElement[bool]",
    after: Place | None,
    limit: int,
) -> Sequence[LeftLoosening]:
    query = (
        sa.select(_ROWS.client_id, _ROWS.id, time.label("at"))
        .join(clients, clients.c.id == _ROWS.client_id)
        .where(which, clients.c.closed_at.is_(None), beyond(after, time, _ROWS.id))
        .order_by(time, _ROWS.id)
        .limit(limit)
    )
    rows = await connection.execute(query)
    return [LeftLoosening(TenantId(row.client_id), row.id, Place(row.at, row.id)) for row in rows]


def _loosening(row: "sa.Row[*tuple[Any, ...]]") -> Loosening:
    return Loosening.model_validate(row, from_attributes=True)
