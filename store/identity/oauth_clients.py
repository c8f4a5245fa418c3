"""OAuth clients that registered themselves. They span clients of ours: no tenant is known yet."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.identity.oauth_client import UNUSED_AT_MOST, UNUSED_KEPT, OAuthClient
from store.identity.tables import oauth_clients

_UNUSED: Final = oauth_clients.c.used_at.is_(None)


class OAuthClientRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(self, client: OAuthClient, network: str, now: datetime) -> None:
        await self._connection.execute(
            sa.insert(oauth_clients).values(
                id=client.id,
                name=client.name,
                redirect_uris=list(client.redirect_uris),
                network=network,
                created_at=now,
            )
        )

    async def make_room(self, now: datetime, *, unused_at_most: int = UNUSED_AT_MOST) -> int:
        """Remove unused registrations that are too old, and the oldest of too many. Returns how
        many went. Some that another transaction is at are left to the next time."""
        surplus = (
            sa.select(oauth_clients.c.created_at)
            .where(_UNUSED)
            .order_by(oauth_clients.c.created_at.desc())
            .offset(unused_at_most)
            .limit(1)
            .scalar_subquery()
        )
        too_old = sa.literal(now - UNUSED_KEPT, oauth_clients.c.created_at.type)
        last = sa.func.greatest(too_old, surplus)  # a surplus that there is not counts for nothing
        going = (
            sa.select(oauth_clients.c.id)
            .where(_UNUSED, oauth_clients.c.created_at <= last)
            .with_for_update(skip_locked=True)
        )
        gone = await self._connection.execute(
            sa.delete(oauth_clients).where(oauth_clients.c.id.in_(going), _UNUSED)
        )
        return gone.rowcount

    async def find(self, oauth_client_id: str) -> OAuthClient | None:
        rows = await self._connection.execute(
            sa.select(
                oauth_clients.c.id, oauth_clients.c.name, oauth_clients.c.redirect_uris
            ).where(oauth_clients.c.id == oauth_client_id)
        )
        row = rows.one_or_none()
        return None if row is None else OAuthClient(row.id, row.name, tuple(row.redirect_uris))

    async def keep(self, oauth_client_id: str, now: datetime) -> None:
        """A user has consented: it is not removed any more."""
        await self._connection.execute(
            sa.update(oauth_clients)
            .where(oauth_clients.c.id == oauth_client_id, _UNUSED)
            .values(used_at=now)
        )
