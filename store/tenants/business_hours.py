"""Clients' business hours."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.tenants.business_hours import BusinessHours
from store.core.repository import TenantRepository
from store.tenants.accounts import AccountRepository
from store.tenants.tables import client_settings

_HOURS = client_settings.c.business_hours


class BusinessHoursRepository(TenantRepository):
    async def read(self) -> BusinessHours:
        """Return the client's business hours, or the defaults if it has none."""
        stored = await self._connection.scalar(
            sa.select(_HOURS).where(client_settings.c.client_id == self._tenant)
        )
        return _hours(stored)

    async def set(self, hours: BusinessHours, now: datetime) -> None:
        """Replace the client's business hours. Raises ClientNotFound if the client does not exist
        or is being erased."""
        await AccountRepository(self._connection, self._tenant).lock()
        values = {"business_hours": hours.model_dump(mode="json"), "updated_at": now}
        await self._connection.execute(
            insert(client_settings)
            .values(client_id=self._tenant, **values)
            .on_conflict_do_update(index_elements=[client_settings.c.client_id], set_=values)
        )


async def hours_of(
    connection: AsyncConnection, client_ids: Sequence[str]
) -> dict[str, BusinessHours]:
    """Return the business hours of these clients by client id. Requires a transaction that spans
    clients."""
    rows = await connection.execute(
        sa.select(client_settings.c.client_id, _HOURS).where(
            client_settings.c.client_id.in_(client_ids)
        )
    )
    stored = {row.client_id: row.business_hours for row in rows}
    return {client_id: _hours(stored.get(client_id)) for client_id in client_ids}


def _hours(stored: object) -> BusinessHours:
    return BusinessHours() if stored is None else BusinessHours.model_validate(stored)
