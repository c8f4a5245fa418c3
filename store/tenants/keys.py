"""API keys, stored by digest. Every request reads the row of its key, so revoking a key takes
effect immediately."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.tenants.api_key import KeyMaterial
from domain.tenants.errors import KeyNotFound
from store.core.repository import owner_of
from store.tenants.tables import api_keys, clients


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """An API key as shown to the client's members, with only its prefix.

    `created_by` is the name in the audit log. `scopes` is None for all scopes. `last_used_at` is
    accurate to half a minute. `oauth_client_id` is the OAuth client that holds the key, or None.
    """

    id: str
    client_id: str
    label: str
    prefix: str
    is_active: bool
    created_at: datetime
    created_by: str | None
    scopes: tuple[str, ...] | None
    oauth_client_id: str | None
    last_used_at: datetime | None
    last_used_from: str | None
    revoked_at: datetime | None
    vouches: bool


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A use of an API key. `network` is the IP network, in the format of
    `api/http/client_address.py`."""

    key_id: str
    at: datetime
    network: str


@dataclass(frozen=True, slots=True)
class ActiveKey:
    """An API key that was active when it was read. `scopes` is None for all scopes. `vouches` means
    that the client's own system holds it and may vouch for a customer's address."""

    id: str
    client_id: str
    scopes: frozenset[str] | None = None
    vouches: bool = False


# Statements that run on every gateway request are built once, because building a statement is
# expensive compared with running it. This statement calls a database function (`migrations/`),
# because no row may be read before the tenant is known.
_FIND_ACTIVE: Final = sa.text("SELECT id, client_id, scopes, vouches FROM active_key(:digest)")
_LOCK_ACCOUNT: Final = (
    sa.select(clients.c.id)
    .join(api_keys, api_keys.c.client_id == clients.c.id)
    .where(api_keys.c.id == sa.bindparam("key"))
    .with_for_update(key_share=True, of=clients)
)
_SHOWN: Final = (
    api_keys.c.id,
    api_keys.c.client_id,
    api_keys.c.label,
    api_keys.c.prefix,
    api_keys.c.is_active,
    api_keys.c.created_at,
    api_keys.c.created_by,
    api_keys.c.scopes,
    api_keys.c.oauth_client_id,
    api_keys.c.last_used_at,
    api_keys.c.last_used_from,
    api_keys.c.revoked_at,
    api_keys.c.vouches,
)
# The rows are locked in order of id, so that two concurrent processes do not deadlock.
_USED: Final = sa.text("""
    WITH uses AS (
        SELECT * FROM unnest(
            CAST(:ids AS text[]), CAST(:times AS timestamptz[]), CAST(:networks AS text[])
        ) AS use (id, at, network)
    ), locked AS (
        SELECT id FROM api_keys WHERE id = ANY (:ids) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE api_keys AS key SET last_used_at = uses.at, last_used_from = uses.network
    FROM uses JOIN locked USING (id)
    WHERE key.id = uses.id AND (key.last_used_at IS NULL OR key.last_used_at < uses.at)
""")
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
        vouches: bool = True,
    ) -> None:
        """Store an API key.

        `created_by` is the name in the audit log. `scopes` is None for all scopes. `user_id` and
        `oauth_client_id` are set for a key from the OAuth flow. If `vouches` is true, the key may
        vouch for a customer's address.
        """
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
                vouches=vouches,
            )
        )

    async def vouch(self, client_id: str, key_id: str) -> None:
        """Allow the holder of an API key to vouch for customers' addresses. Raises KeyNotFound."""
        changed = await self._connection.execute(
            sa.update(api_keys)
            .where(api_keys.c.client_id == client_id, api_keys.c.id == key_id)
            .values(vouches=True)
        )
        if changed.rowcount == 0:
            raise KeyNotFound(key_id)

    async def entries(self, client_id: str) -> tuple[KeyEntry, ...]:
        """Return the client's API keys, including revoked ones, oldest first."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN)
            .where(api_keys.c.client_id == client_id)
            .order_by(api_keys.c.created_at, api_keys.c.id)
        )
        return tuple(map(_entry, rows))

    async def page(
        self, client_id: str, *, after: str | None, limit: int, revoked: bool | None = None
    ) -> tuple[KeyEntry, ...]:
        """Return at most `limit` API keys created before the key `after`, newest first: only
        revoked ones if `revoked`, else only active ones."""
        which = () if after is None else (api_keys.c.id < after,)
        if revoked is not None:
            which = (*which, api_keys.c.is_active.is_(not revoked))
        rows = await self._connection.execute(
            sa.select(*_SHOWN)
            .where(api_keys.c.client_id == client_id, *which)
            .order_by(api_keys.c.id.desc())
            .limit(limit)
        )
        return tuple(map(_entry, rows))

    async def read(self, client_id: str, key_id: str) -> KeyEntry:
        """Return one of the client's API keys. Raises KeyNotFound."""
        found = await self._connection.execute(
            sa.select(*_SHOWN).where(api_keys.c.client_id == client_id, api_keys.c.id == key_id)
        )
        row = found.one_or_none()
        if row is None:
            raise KeyNotFound(key_id)
        return _entry(row)

    async def active(self, client_id: str) -> int:
        """Return the number of active API keys that belong to the client."""
        return int(
            await self._connection.scalar(
                sa.select(sa.func.count())
                .select_from(api_keys)
                .where(api_keys.c.client_id == client_id, api_keys.c.is_active)
            )
            or 0
        )

    async def rename(self, client_id: str, key_id: str, label: str) -> None:
        """Change the label of an API key. Raises KeyNotFound."""
        changed = await self._connection.execute(
            sa.update(api_keys)
            .where(api_keys.c.client_id == client_id, api_keys.c.id == key_id)
            .values(label=label)
        )
        if changed.rowcount == 0:
            raise KeyNotFound(key_id)

    async def used(self, uses: Sequence[KeyUse]) -> None:
        """Record the last use of each of these API keys. If a later use is already recorded, the
        record stays unchanged."""
        await self._connection.execute(
            _USED,
            {
                "ids": [use.key_id for use in uses],
                "times": [use.at for use in uses],
                "networks": [use.network for use in uses],
            },
        )

    async def revoke_of_user(self, client_id: str, user_id: str, now: datetime) -> tuple[str, ...]:
        """Permanently revoke the API keys that the user granted to OAuth clients. Return the ids of
        the revoked keys."""
        revoked = await self._connection.scalars(
            sa.update(api_keys)
            .where(
                api_keys.c.client_id == client_id,
                api_keys.c.user_id == user_id,
                api_keys.c.is_active,
            )
            .values(is_active=False, revoked_at=now)
            .returning(api_keys.c.id)
        )
        return tuple(revoked)

    async def made_by(self, client_id: str, created_by: str) -> tuple[KeyEntry, ...]:
        """Return the active API keys that a member created for the client's own systems, oldest
        first. `created_by` is the member, in the form used by audit entries."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN)
            .where(
                api_keys.c.client_id == client_id,
                api_keys.c.created_by == created_by,
                api_keys.c.oauth_client_id.is_(None),
                api_keys.c.is_active,
            )
            .order_by(api_keys.c.created_at, api_keys.c.id)
        )
        return tuple(map(_entry, rows))

    async def find_active(self, material: KeyMaterial) -> ActiveKey | None:
        row = (
            await self._connection.execute(_FIND_ACTIVE, {"digest": material.digest})
        ).one_or_none()
        if row is None:
            return None
        scopes = None if row.scopes is None else frozenset(row.scopes)
        return ActiveKey(row.id, row.client_id, scopes, vouches=material.is_own and row.vouches)

    async def is_active(self, key_id: str) -> bool:
        return bool(await self._connection.scalar(_IS_ACTIVE, {"key": key_id}))

    async def revoke(self, key_id: str, now: datetime) -> None:
        """Permanently revoke an API key. Idempotent. Raises KeyNotFound.

        The account is locked, so a concurrent admission either commits before, or finds the key
        revoked.
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


def _entry(row: "sa.Row[*tuple[Any, ...]]") -> KeyEntry:
    return KeyEntry(
        id=row.id,
        client_id=row.client_id,
        label=row.label,
        prefix=row.prefix,
        is_active=row.is_active,
        created_at=row.created_at,
        created_by=row.created_by,
        scopes=None if row.scopes is None else tuple(row.scopes),
        oauth_client_id=row.oauth_client_id,
        last_used_at=row.last_used_at,
        last_used_from=row.last_used_from,
        revoked_at=row.revoked_at,
        vouches=row.vouches and row.oauth_client_id is None,
    )
