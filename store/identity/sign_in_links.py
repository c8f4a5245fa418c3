"""Single-use sign-in links, stored by the digest of their token. The queries span clients because
users do not belong to a client."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from store.identity.tables import sign_in_links


class SignInLinks:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, digest: bytes, user_id: str, expires_at: datetime) -> None:
        await self._connection.execute(
            sa.insert(sign_in_links).values(digest=digest, user_id=user_id, expires_at=expires_at)
        )

    async def is_open(self, digest: bytes, now: datetime) -> bool:
        """Return whether the sign-in link is valid and unused."""
        found = sa.select(sign_in_links.c.digest).where(_open(digest, now))
        return await self._connection.scalar(found) is not None

    async def use(self, digest: bytes, now: datetime) -> str | None:
        """Redeem a sign-in link once, and return its user. Return None if the link is invalid, used
        or expired."""
        user_id = await self._connection.scalar(
            sa.update(sign_in_links)
            .where(_open(digest, now))
            .values(used_at=now)
            .returning(sign_in_links.c.user_id)
        )
        return None if user_id is None else str(user_id)


def _open(digest: bytes, now: datetime) -> sa.ColumnElement[bool]:
    link = sign_in_links.c
    return sa.and_(link.digest == digest, link.used_at.is_(None), link.expires_at > now)
