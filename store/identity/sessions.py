"""Sessions, by the digest of their secret. They span clients: a session is a user's."""

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.identity.session import Session, SessionKind
from store.identity.tables import sessions

_SHOWN: Final = (
    sessions.c.id,
    sessions.c.user_id,
    sessions.c.kind,
    sessions.c.network,
    sessions.c.agent,
    sessions.c.created_at,
    sessions.c.used_at,
)


class SessionRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(self, session: Session, digest: bytes, family: bytes | None) -> None:
        """`family`: of a refresh session (`family_digest`)."""
        await self._connection.execute(
            sa.insert(sessions).values(
                id=session.id,
                user_id=session.user_id,
                kind=session.kind,
                digest=digest,
                family_digest=family,
                network=session.network,
                agent=session.agent,
                created_at=session.created_at,
                used_at=session.used_at,
            )
        )

    async def find(self, digest: bytes, now: datetime) -> Session | None:
        """The living session that has this secret."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN).where(sessions.c.digest == digest, sessions.c.ended_at.is_(None))
        )
        row = rows.one_or_none()
        found = None if row is None else _session(row)
        return found if found is not None and found.is_alive(now) else None

    async def seen(self, session_id: str, now: datetime) -> None:
        """Note that it is used."""
        await self._connection.execute(
            sa.update(sessions)
            .where(sessions.c.id == session_id, sessions.c.used_at < now)
            .values(used_at=now)
        )

    async def replace(self, presented: bytes, replacement: bytes, now: datetime) -> Session | None:
        """Give the living refresh session of this secret another one, and note the use."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN)
            .where(
                sessions.c.digest == presented,
                sessions.c.kind == SessionKind.REFRESH,
                sessions.c.ended_at.is_(None),
            )
            .with_for_update()
        )
        row = rows.one_or_none()
        found = None if row is None else _session(row)
        if found is None or not found.is_alive(now):
            return None
        await self._connection.execute(
            sa.update(sessions)
            .where(sessions.c.id == found.id)
            .values(digest=replacement, used_at=now)
        )
        return found

    async def of_family(self, family: bytes, now: datetime) -> tuple[Session, bytes] | None:
        """The living session whose refresh tokens have this in common, and the digest of the one
        that is good. Its `used_at` is when that one replaced another."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN, sessions.c.digest).where(
                sessions.c.family_digest == family, sessions.c.ended_at.is_(None)
            )
        )
        row = rows.one_or_none()
        if row is None:
            return None
        found = _session(row)
        return (found, row.digest) if found.is_alive(now) else None

    async def of_user(self, user_id: str, now: datetime) -> tuple[Session, ...]:
        """The user's living sessions, the one used last first."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN)
            .where(sessions.c.user_id == user_id, sessions.c.ended_at.is_(None))
            .order_by(sessions.c.used_at.desc(), sessions.c.id)
        )
        return tuple(one for one in map(_session, rows) if one.is_alive(now))

    async def end(self, user_id: str, now: datetime, *, session_id: str | None = None) -> int:
        """End one session of a user, or without `session_id` all. Returns how many ended."""
        ended = await self._connection.execute(
            sa.update(sessions)
            .where(
                sessions.c.user_id == user_id,
                sessions.c.ended_at.is_(None),
                *((sessions.c.id == session_id,) if session_id is not None else ()),
            )
            .values(ended_at=now)
        )
        return ended.rowcount


def _session(row: "sa.Row[*tuple[Any, ...]]") -> Session:
    return Session(
        row.id,
        row.user_id,
        SessionKind(row.kind),
        row.network,
        row.agent,
        row.created_at,
        row.used_at,
    )
