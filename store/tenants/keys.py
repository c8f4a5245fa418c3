"""API keys by digest. Every request reads the row: a revoked key stops at once."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.tenants.api_key import KeyMaterial
from domain.tenants.errors import KeyNotFound
from store.core.repository import owner_of
from store.tenants.tables import api_keys, clients


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """A key as its client may see it: never the key, only how it begins."""

    id: str
    label: str
    prefix: str
    created_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class ActiveKey:
    """A key that was active when it was read. `scopes`: what it may do; None: all that keys may."""

    id: str
    client_id: str
    scopes: frozenset[str] | None = None


# Statements of the gateway's way are built once: building one costs as much as running it.
# A function of the database (`migrations/`), for no row may be read before the tenant is known.
_FIND_ACTIVE: Final = sa.text("SELECT id, client_id, scopes FROM active_key(:digest)")
_LOCK_ACCOUNT: Final = (
    sa.select(clients.c.id)
    .join(api_keys, api_keys.c.client_id == clients.c.id)
    .where(api_keys.c.id == sa.bindparam("key"))
    .with_for_update(key_share=True, of=clients)
)
_IS_ACTIVE: Final = sa.select(api_keys.c.is_active).where(api_keys.c.id == sa.bindparam("key"))


class KeyRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self,
        *,
        key_id: str,
        client_id: str,
        label: str,
        material: KeyMaterial,
        now: datetime,
        created_by: str | None = None,
        scopes: Collection[str] | None = None,
        user_id: str | None = None,
        oauth_client_id: str | None = None,
    ) -> None:
        """`created_by`: as an audit entry names them. `scopes`: what it may do, None for all.
        `user_id`, `oauth_client_id`: of a key that the OAuth flow made."""
        await self._connection.execute(
            sa.insert(api_keys).values(
                id=key_id,
                client_id=client_id,
                label=label,
                digest=material.digest,
                prefix=material.prefix,
                created_at=now,
                created_by=created_by,
                scopes=None if scopes is None else sorted(scopes),
                user_id=user_id,
                oauth_client_id=oauth_client_id,
            )
        )

    async def entries(self, client_id: str) -> tuple[KeyEntry, ...]:
        """The client's keys, revoked ones too, oldest first."""
        rows = await self._connection.execute(
            sa.select(
                api_keys.c.id,
                api_keys.c.label,
                api_keys.c.prefix,
                api_keys.c.created_at,
                api_keys.c.revoked_at,
            )
            .where(api_keys.c.client_id == client_id)
            .order_by(api_keys.c.created_at, api_keys.c.id)
        )
        return tuple(KeyEntry(*row) for row in rows)

    async def find_active(self, material: KeyMaterial) -> ActiveKey | None:
        row = (
            await self._connection.execute(_FIND_ACTIVE, {"digest": material.digest})
        ).one_or_none()
        if row is None:
            return None
        scopes = None if row.scopes is None else frozenset(row.scopes)
        return ActiveKey(row.id, row.client_id, scopes)

    async def is_active(self, key_id: str) -> bool:
        return bool(await self._connection.scalar(_IS_ACTIVE, {"key": key_id}))

    async def revoke(self, key_id: str, now: datetime) -> None:
        """Revoke for good; revoking again changes nothing. Raises KeyNotFound.

        Behind the account's lock: an admission comes wholly before it, or sees the key revoked.
        """
        await self._connection.execute(_LOCK_ACCOUNT, {"key": key_id})
        changed = await self._connection.execute(
            sa.update(api_keys)
            .where(api_keys.c.id == key_id)
            .values(is_active=False, revoked_at=sa.func.coalesce(api_keys.c.revoked_at, now))
        )
        if changed.rowcount == 0:
            raise KeyNotFound(key_id)


client_of: Final = owner_of(api_keys, KeyNotFound)
