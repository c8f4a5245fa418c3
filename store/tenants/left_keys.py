"""Active API keys created by members who have since left. Managers are notified of these keys by
email."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.tenants.left_keys_mail import LeftKey
from store.core.place import Place, beyond
from store.core.repository import TenantRepository
from store.tenants.tables import api_keys, clients

_KEYS: Final = api_keys.c
_IS_DUE: Final = sa.and_(_KEYS.is_active, _KEYS.notice_due_at.is_not(None))
_FIRST: Final = sa.func.min(_KEYS.id)


@dataclass(frozen=True, slots=True)
class Departure:
    """The departure of a member who created API keys that are still active. `place` is the position
    of the departure in the list of all clients' departures."""

    tenant: TenantId
    left_at: datetime
    place: Place


class LeftKeyRepository(TenantRepository):
    async def leave(self, created_by: str, now: datetime) -> None:
        """Schedule the notification about the active API keys that a departing member created for
        the client's own systems. `created_by` is the member, in the form used by audit entries."""
        await self._connection.execute(
            sa.update(api_keys)
            .where(
                _KEYS.client_id == self._tenant,
                _KEYS.created_by == created_by,
                _KEYS.oauth_client_id.is_(None),
                _KEYS.is_active,
            )
            .values(notice_due_at=now)
        )

    async def due(self, left_at: datetime) -> tuple[LeftKey, ...]:
        """Return the departed member's API keys that are still active, oldest first."""
        rows = await self._connection.execute(
            sa.select(_KEYS.id, _KEYS.prefix, _KEYS.created_at, _KEYS.last_used_at)
            .where(_KEYS.client_id == self._tenant, _IS_DUE, _KEYS.notice_due_at == left_at)
            .order_by(_KEYS.created_at, _KEYS.id)
        )
        return tuple(LeftKey(*row) for row in rows)

    async def notified(self, left_at: datetime) -> None:
        """Record that the managers were notified of a member's departure."""
        await self._connection.execute(
            sa.update(api_keys)
            .where(_KEYS.client_id == self._tenant, _KEYS.notice_due_at == left_at)
            .values(notice_due_at=None)
        )


async def departures(
    connection: AsyncConnection, *, after: Place | None, limit: int
) -> Sequence[Departure]:
    """Return a page of departures, across all clients, about which managers have not been notified
    yet, oldest first. `after`: the `place` of the last departure on the previous page."""
    rows = await connection.execute(
        sa.select(_KEYS.client_id, _KEYS.notice_due_at.label("at"), _FIRST.label("first"))
        .join(clients, clients.c.id == _KEYS.client_id)
        .where(_IS_DUE, clients.c.closed_at.is_(None))
        .group_by(_KEYS.client_id, _KEYS.notice_due_at)
        .having(beyond(after, _KEYS.notice_due_at, _FIRST))
        .order_by(_KEYS.notice_due_at, _FIRST)
        .limit(limit)
    )
    return [Departure(TenantId(row.client_id), row.at, Place(row.at, row.first)) for row in rows]
