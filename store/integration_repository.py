"""A client's integrations. Credentials come sealed and stay sealed here, and go when it ends.

What merchants' systems are told of a connection is written with it, once for each end of it.
"""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.errors import IntegrationNotFound
from domain.ids import TenantId
from domain.integration import (
    SHOPS,
    Integration,
    IntegrationEntry,
    IntegrationStatus,
    Provider,
)
from domain.outbound_event import IntegrationConnected, IntegrationDisconnected
from domain.ports import NewId
from store.outbox import Outbox
from store.tables import integrations

REPLACED: Final = "replaced"
"""Reason of a disconnection: the client connected the same provider anew."""

BY_OPERATOR: Final = "disconnected"
"""Reason of a disconnection: somebody asked for it."""

_ERASED: Final = ""

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
_HAS_SHOP: Final = sa.select(
    sa.exists().where(
        integrations.c.client_id == sa.bindparam("tenant"),
        integrations.c.status != IntegrationStatus.DISCONNECTED,
        integrations.c.provider.in_(sorted(SHOPS)),
    )
)
_ENTRIES: Final = (
    sa.select(
        integrations.c.id,
        integrations.c.provider,
        integrations.c.status,
        integrations.c.settings,
        integrations.c.error_code,
        integrations.c.connected_at,
        integrations.c.disconnected_at,
    )
    .where(integrations.c.client_id == sa.bindparam("tenant"))
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

    async def has_shop(self) -> bool:
        """Whether a shop is connected, even one that refuses our credentials at the moment."""
        return bool(await self._connection.scalar(_HAS_SHOP, {"tenant": self._tenant}))

    async def entries(self) -> tuple[IntegrationEntry, ...]:
        """Every connection there is and was, the oldest first, without credentials."""
        rows = await self._connection.execute(_ENTRIES, {"tenant": self._tenant})
        return tuple(IntegrationEntry.model_validate(row, from_attributes=True) for row in rows)

    async def connect(self, integration: Integration, now: datetime, new_id: NewId) -> None:
        """Store a connection; one of the same provider that was there ends with it."""
        replaced = await self._connection.scalar(
            self._ending(now)
            .where(integrations.c.provider == integration.provider)
            .returning(integrations.c.id)
        )
        if replaced is not None:
            await self._tell_ended(replaced, integration.provider, REPLACED, now=now, new_id=new_id)
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
        await Outbox(self._connection, self._tenant).add(
            IntegrationConnected(integration_id=integration.id, provider=integration.provider),
            dedup_key=integration.id,
            now=now,
            new_id=new_id,
        )

    async def disconnect(self, integration_id: str, now: datetime, new_id: NewId) -> None:
        """End a connection and erase its credentials; one that has ended stays as it is."""
        provider = await self._connection.scalar(
            self._ending(now)
            .where(integrations.c.id == integration_id)
            .returning(integrations.c.provider)
        )
        if provider is not None:
            await self._tell_ended(
                integration_id, Provider(provider), BY_OPERATOR, now=now, new_id=new_id
            )

    async def fail(
        self, integration_id: str, code: str, now: datetime, new_id: NewId, *, run_id: str
    ) -> None:
        """Note that the other side no longer takes the credentials. `code`: why, stable. `run_id`:
        of the run that met it.

        Only a live connection can fail: another one may have taken its place meanwhile.
        """
        provider = await self._connection.scalar(
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.id == integration_id,
                integrations.c.status == IntegrationStatus.CONNECTED,
            )
            .values(status=IntegrationStatus.ERROR, error_code=code)
            .returning(integrations.c.provider)
        )
        if provider is not None:
            await self._tell_ended(
                integration_id, Provider(provider), code, now=now, new_id=new_id, run_id=run_id
            )

    def _ending(self, now: datetime) -> sa.Update:
        return (
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.status != IntegrationStatus.DISCONNECTED,
            )
            .values(status=IntegrationStatus.DISCONNECTED, sealed=_ERASED, disconnected_at=now)
        )

    async def _tell_ended(
        self,
        integration_id: str,
        provider: Provider,
        reason: str,
        *,
        now: datetime,
        new_id: NewId,
        run_id: str | None = None,
    ) -> None:
        """One that failed was told of then; its id keeps it from being told of again."""
        await Outbox(self._connection, self._tenant).add(
            IntegrationDisconnected(
                integration_id=integration_id, provider=provider, reason=reason
            ),
            dedup_key=integration_id,
            now=now,
            new_id=new_id,
            run_id=run_id,
        )


async def client_of(connection: AsyncConnection, integration_id: str) -> TenantId:
    """Whose integration it is, for operators. Raises IntegrationNotFound."""
    found = await connection.scalar(
        sa.select(integrations.c.client_id).where(integrations.c.id == integration_id)
    )
    if found is None:
        raise IntegrationNotFound(integration_id)
    return TenantId(found)
