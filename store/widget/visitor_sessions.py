"""Widget sessions. A session's row is created together with its first message."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.ids import TenantId
from domain.widget.errors import SessionUnknown
from domain.widget.widget_session import SESSION_LASTS, VerifiedBy, WidgetSession
from store.core.repository import TenantRepository
from store.widget.tables import widget_sessions

_SHOWN: Final = (
    widget_sessions.c.id,
    widget_sessions.c.verified_email,
    widget_sessions.c.verified_by,
    widget_sessions.c.language,
    widget_sessions.c.last_number,
    widget_sessions.c.seen_number,
    widget_sessions.c.used_at,
)
_FIND: Final = sa.select(*_SHOWN).where(
    widget_sessions.c.client_id == sa.bindparam("tenant"),
    widget_sessions.c.id == sa.bindparam("session"),
    widget_sessions.c.used_at > sa.bindparam("since"),
)
_OPEN: Final = sa.text("""
    INSERT INTO widget_sessions (client_id, id, language, created_at, used_at)
    VALUES (:tenant, :session, :language, :now, :now)
    ON CONFLICT (client_id, id) DO UPDATE
    SET used_at = greatest(widget_sessions.used_at, excluded.used_at), language = excluded.language
    RETURNING id, verified_email, verified_by, language, last_number, seen_number, used_at
""")
_VERIFY: Final = sa.text("""
    UPDATE widget_sessions
    SET verified_email = :email, verified_by = :by, verified_at = :now
    WHERE client_id = :tenant AND id = :session
      AND (verified_email IS NULL OR verified_email = :email)
""")


class WidgetSessionRepository(TenantRepository):
    async def find(self, session_id: str, now: datetime) -> WidgetSession | None:
        """Return a widget session, or None if it has ended or has no message yet."""
        found = await self._connection.execute(
            _FIND, {**self._named(session_id), "since": now - SESSION_LASTS}
        )
        row = found.one_or_none()
        return None if row is None else WidgetSession.model_validate(row, from_attributes=True)

    async def open(self, session_id: str, language: str, now: datetime) -> WidgetSession:
        """Create or renew a widget session, lock its row until the transaction ends, and return
        it."""
        opened = await self._connection.execute(
            _OPEN, {**self._named(session_id), "language": language, "now": now}
        )
        return WidgetSession.model_validate(opened.one(), from_attributes=True)

    async def verify(self, session_id: str, email: str, by: VerifiedBy, now: datetime) -> None:
        """Record that the session's visitor owns this address.

        Raises SessionUnknown if the session is unknown or was verified for another address.
        """
        verified = await self._connection.execute(
            _VERIFY, {**self._named(session_id), "email": email, "by": by, "now": now}
        )
        if verified.rowcount == 0:
            raise SessionUnknown

    def _named(self, session_id: str) -> dict[str, TenantId | str]:
        return {"tenant": self._tenant, "session": session_id}
