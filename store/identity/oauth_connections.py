"""API keys issued to OAuth clients."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.identity.grant import OAuthGrant
from domain.tenants.api_key import KeyMaterial
from domain.tenants.scopes import EVERY_SCOPE, Scope
from store.tenants.tables import api_keys


@dataclass(frozen=True, slots=True)
class OAuthConnection:
    """An active API key of an OAuth client. `scopes` are the scopes of the key, or None for all
    scopes."""

    key_id: str
    tenant: TenantId
    oauth_client_id: str
    scopes: tuple[Scope, ...] | None


class OAuthConnectionRepository:
    """The API keys of OAuth clients. Requires a transaction that spans clients."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def find(self, material: KeyMaterial) -> OAuthConnection | None:
        """Return the OAuth connection with this API key, or None. A key that a user created is not
        an OAuth connection."""
        rows = await self._connection.execute(
            sa.select(
                api_keys.c.id, api_keys.c.client_id, api_keys.c.oauth_client_id, api_keys.c.scopes
            ).where(
                api_keys.c.digest == material.digest,
                api_keys.c.is_active,
                api_keys.c.oauth_client_id.is_not(None),
            )
        )
        row = rows.one_or_none()
        if row is None:
            return None
        held = None if row.scopes is None else {*row.scopes}
        scopes = None if held is None else tuple(one for one in EVERY_SCOPE if one in held)
        return OAuthConnection(row.id, TenantId(row.client_id), row.oauth_client_id, scopes)

    async def same(self, grant: OAuthGrant) -> tuple[str, ...]:
        """Return the ids of the active API keys that the user has already granted to the same OAuth
        client. The caller must hold the account's lock."""
        found = await self._connection.scalars(
            sa.select(api_keys.c.id)
            .where(
                api_keys.c.client_id == grant.client_id,
                api_keys.c.user_id == grant.user_id,
                api_keys.c.oauth_client_id == grant.oauth_client_id,
                api_keys.c.is_active,
            )
            .order_by(api_keys.c.id)
        )
        return tuple(found)
