"""The settings of a client's connections to shops and helpdesks, without their credentials."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from domain.integrations.errors import IntegrationNotFound
from domain.integrations.integration import IntegrationStatus
from domain.integrations.providers import Provider
from store.core.repository import TenantRepository
from store.integrations.tables import integrations


class ConnectionSettings(TenantRepository):
    async def last(self, provider: Provider) -> Mapping[str, str]:
        """Return the settings of the client's last connection to the provider, even if that
        connection has ended. Return an empty mapping if there was no such connection."""
        found: Mapping[str, str] | None = await self._connection.scalar(
            sa.select(integrations.c.settings)
            .where(integrations.c.client_id == self._tenant, integrations.c.provider == provider)
            .order_by(integrations.c.connected_at.desc(), integrations.c.id.desc())
            .limit(1)
        )
        return found or {}

    async def change(self, integration_id: str, settings: Mapping[str, str | None]) -> None:
        """Update these settings of a connection, and remove those that are None. Raises
        IntegrationNotFound, also for an ended connection."""
        merged = integrations.c.settings.op("||")(sa.cast(settings, JSONB))
        changed = await self._connection.execute(
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.id == integration_id,
                integrations.c.status != IntegrationStatus.DISCONNECTED,
            )
            .values(settings=sa.func.jsonb_strip_nulls(merged))
        )
        if not changed.rowcount:
            raise IntegrationNotFound(integration_id)
