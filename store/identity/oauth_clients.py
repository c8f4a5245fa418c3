"""Dynamically registered OAuth clients. The queries span tenants because no tenant is known at
registration."""

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
        """Remove expired registrations of OAuth clients that were never used, and return the number
        removed.

        Beyond `unused_at_most`, the oldest registrations of the networks with the most
        registrations are removed too. Locked rows are skipped.
        """
        its = oauth_clients.c
        # All networks share the limit. Each network's newest registration is kept first, then each
        # network's second newest, and so on.
        place = sa.func.row_number().over(partition_by=its.network, order_by=its.created_at.desc())
        surplus = (
            sa.select(its.id)
            .where(_UNUSED)
            .order_by(place, its.created_at.desc())
            .offset(unused_at_most)
        )
        going = (
            sa.select(its.id)
            .where(_UNUSED, sa.or_(its.created_at <= now - UNUSED_KEPT, its.id.in_(surplus)))
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
        """Mark an OAuth client as used after a user has consented, so that its registration is
        never removed."""
        await self._connection.execute(
            sa.update(oauth_clients)
            .where(oauth_clients.c.id == oauth_client_id, _UNUSED)
            .values(used_at=now)
        )
