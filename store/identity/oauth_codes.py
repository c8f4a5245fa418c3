"""OAuth authorization codes, stored by digest, with the users' consents. No tenant is known when a
code is redeemed."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.identity.grant import CODE_KEPT, CODE_LASTS, OAuthGrant
from domain.tenants.scopes import EVERY_SCOPE
from store.identity.tables import oauth_codes


@dataclass(frozen=True, slots=True)
class StoredCode:
    """A stored authorization code. `key_id` is the API key for which the code was exchanged, or
    None."""

    tenant: TenantId
    redirect_uri: str
    oauth_client_id: str
    is_used: bool
    key_id: str | None


class OAuthCodeRepository:
    """The stored authorization codes. Requires a transaction that spans clients."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(self, code_id: str, digest: bytes, grant: OAuthGrant, now: datetime) -> None:
        """Store an authorization code, and delete codes that expired long ago."""
        await self._connection.execute(
            sa.delete(oauth_codes).where(oauth_codes.c.created_at < now - CODE_KEPT)
        )
        await self._connection.execute(
            sa.insert(oauth_codes).values(
                client_id=grant.client_id,
                id=code_id,
                digest=digest,
                user_id=grant.user_id,
                oauth_client_id=grant.oauth_client_id,
                label=grant.label,
                redirect_uri=grant.redirect_uri,
                challenge=grant.challenge,
                scopes=None if grant.scopes is None else list(grant.scopes),
                created_at=now,
            )
        )

    async def find(self, digest: bytes) -> StoredCode | None:
        rows = await self._connection.execute(
            sa.select(
                oauth_codes.c.client_id,
                oauth_codes.c.redirect_uri,
                oauth_codes.c.oauth_client_id,
                oauth_codes.c.used_at,
                oauth_codes.c.key_id,
            ).where(oauth_codes.c.digest == digest)
        )
        row = rows.one_or_none()
        if row is None:
            return None
        return StoredCode(
            TenantId(row.client_id),
            row.redirect_uri,
            row.oauth_client_id,
            row.used_at is not None,
            row.key_id,
        )

    async def redeem(
        self,
        digest: bytes,
        *,
        oauth_client_id: str,
        redirect_uri: str,
        challenge: str,
        key_id: str,
        now: datetime,
    ) -> OAuthGrant | None:
        """Exchange an authorization code once for the API key `key_id`. Return None if the code was
        already used, has expired, or was issued for another client, redirect URI or challenge."""
        rows = await self._connection.execute(
            sa.update(oauth_codes)
            .where(
                oauth_codes.c.digest == digest,
                oauth_codes.c.used_at.is_(None),
                oauth_codes.c.created_at > now - CODE_LASTS,
                oauth_codes.c.oauth_client_id == oauth_client_id,
                oauth_codes.c.redirect_uri == redirect_uri,
                oauth_codes.c.challenge == challenge,
            )
            .values(used_at=now, key_id=key_id)
            .returning(oauth_codes)
        )
        row = rows.one_or_none()
        if row is None:
            return None
        held = None if row.scopes is None else {*row.scopes}
        return OAuthGrant(
            client_id=row.client_id,
            user_id=row.user_id,
            oauth_client_id=row.oauth_client_id,
            label=row.label,
            redirect_uri=row.redirect_uri,
            challenge=row.challenge,
            scopes=None if held is None else tuple(one for one in EVERY_SCOPE if one in held),
        )
