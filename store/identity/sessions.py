"""Sign-in sessions, stored by the digest of their secret. The queries span clients because a
session belongs to a user."""

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
        """Store a session. `family`: for a refresh session, the digest shared by all its refresh
        tokens."""
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
        """Return the active session whose secret has this digest, or None."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN).where(sessions.c.digest == digest, sessions.c.ended_at.is_(None))
        )
        row = rows.one_or_none()
        found = None if row is None else _session(row)
        return found if found is not None and found.is_alive(now) else None

    async def seen(self, session_id: str, now: datetime) -> None:
        """Set the time of the session's last use to now."""
        await self._connection.execute(
            sa.update(sessions)
            .where(sessions.c.id == session_id, sessions.c.used_at < now)
            .values(used_at=now)
        )

    async def replace(self, presented: bytes, replacement: bytes, now: datetime) -> Session | None:
        """Replace the secret of an active refresh session, and record that the session was used.
        Return its previous state, or None if no active session has the presented secret."""
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
        """Return the active session of a refresh token family, and the digest of its current token.
        The session's `used_at` is the time of the last token rotation."""
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
        """Return the user's active sessions, sorted by last use, most recent first."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN)
            .where(sessions.c.user_id == user_id, sessions.c.ended_at.is_(None))
            .order_by(sessions.c.used_at.desc(), sessions.c.id)
        )
        return tuple(one for one in map(_session, rows) if one.is_alive(now))

    async def end(self, user_id: str, now: datetime, *, session_id: str | None = None) -> int:
        """End the session `session_id` of the user, or all without an id. Return the number of
        sessions ended."""
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
