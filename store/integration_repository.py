"""A client's integrations. Credentials come sealed and stay sealed here."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.ids import TenantId
from domain.integration import Integration, IntegrationStatus
from store.tables import integrations

_LIVE: Final = (
    sa.select(
        integrations.c.id,
        integrations.c.provider,
        integrations.c.settings,
        integrations.c.sealed,
    )
    .where(
        integrations.c.client_id == sa.bindparam("tenant"),
        integrations.c.status == IntegrationStatus.CONNECTED,
    )
    .order_by(integrations.c.connected_at, integrations.c.id)
)


class IntegrationRepository:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def connected(self) -> tuple[Integration, ...]:
        """What the client is connected to, the oldest connection first."""
        rows = await self._connection.execute(_LIVE, {"tenant": self._tenant})
        return tuple(Integration.model_validate(row, from_attributes=True) for row in rows)

    async def connect(self, integration: Integration, now: datetime) -> None:
        """Store a connection; one of the same provider that was there ends with it."""
        await self._connection.execute(
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.provider == integration.provider,
                integrations.c.status != IntegrationStatus.DISCONNECTED,
            )
            .values(status=IntegrationStatus.DISCONNECTED, disconnected_at=now)
        )
        await self._connection.execute(
            sa.insert(integrations).values(
                client_id=self._tenant,
                id=integration.id,
                provider=integration.provider,
                status=IntegrationStatus.CONNECTED,
                settings=integration.settings,
                sealed=integration.sealed,
                connected_at=now,
            )
        )
