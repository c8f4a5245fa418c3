"""The addresses of integrations. Tokens are digests here, and secrets come sealed and stay so."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.inbound.endpoint import EndpointEntry, OpenEndpoint
from domain.inbound.errors import EndpointNotFound
from domain.integrations.integration import IntegrationStatus, provider_of
from domain.integrations.provider import Provider
from store.core.repository import TenantRepository
from store.inbound.tables import inbound_endpoints
from store.integrations.tables import integrations

_OPEN: Final = sa.text(
    "SELECT client_id, integration_id, provider, sealed_secret, sealed_previous_secret,"
    " previous_until FROM inbound_endpoint(:digest, :at)"
).bindparams(
    sa.bindparam("digest", type_=sa.LargeBinary), sa.bindparam("at", type_=sa.DateTime(True))
)
_OF_ACCOUNT: Final = sa.text(
    "SELECT client_id, integration_id FROM integrations_of_account(:platform, :account)"
)
_endpoint = inbound_endpoints.c


@dataclass(frozen=True, slots=True)
class NewEndpoint:
    integration_id: str
    token_digest: bytes = field(repr=False)
    sealed_secret: str | None = field(repr=False)
    mapping: Mapping[str, str] | None = None


async def find_endpoint(
    connection: AsyncConnection, digest: bytes, now: datetime
) -> OpenEndpoint | None:
    """The endpoint that a token opens, whosever it is. For a connection without a client."""
    found = await connection.execute(_OPEN, {"digest": digest, "at": now})
    row = found.one_or_none()
    if row is None:
        return None
    return OpenEndpoint(
        tenant=TenantId(row.client_id),
        integration_id=row.integration_id,
        provider=provider_of(row.integration_id, row.provider),
        sealed_secret=row.sealed_secret,
        sealed_previous_secret=row.sealed_previous_secret,
        previous_until=row.previous_until,
    )


async def integrations_of_account(
    connection: AsyncConnection, provider: Provider, account: str
) -> tuple[tuple[TenantId, str], ...]:
    """Client and integration of each connection whose credentials have opened this account. For a
    connection without a client."""
    rows = await connection.execute(_OF_ACCOUNT, {"platform": provider, "account": account})
    return tuple((TenantId(row.client_id), row.integration_id) for row in rows)


class EndpointRepository(TenantRepository):
    async def entry(self, integration_id: str) -> EndpointEntry:
        """Raises EndpointNotFound."""
        found = await self._connection.execute(
            sa.select(
                _endpoint.integration_id,
                integrations.c.provider,
                _endpoint.sealed_secret.is_not(None).label("has_secret"),
                _endpoint.mapping,
                _endpoint.opened_at,
                _endpoint.rotated_at,
                _endpoint.previous_until,
            )
            .join(
                integrations,
                (integrations.c.client_id == _endpoint.client_id)
                & (integrations.c.id == _endpoint.integration_id),
            )
            .where(_endpoint.client_id == self._tenant, _endpoint.integration_id == integration_id)
        )
        row = found.one_or_none()
        if row is None:
            raise EndpointNotFound(integration_id)
        return EndpointEntry.model_validate(row, from_attributes=True)

    async def open(self, endpoint: NewEndpoint, now: datetime) -> bool:
        """Store one; False, and nothing, where the integration has one."""
        raise NotImplementedError

    async def rotate(
        self, endpoint: NewEndpoint, *, previous_until: datetime, now: datetime
    ) -> None:
        """Put a new token and secret in the place of those before, which are good until then. A
        third pair is never good. Raises EndpointNotFound."""
        raise NotImplementedError

    async def close(self, integration_id: str) -> bool:
        """Erase it with its secrets; False: there is none."""
        raise NotImplementedError

    async def of_live(self, integration_id: str) -> bool:
        raise NotImplementedError(IntegrationStatus)
