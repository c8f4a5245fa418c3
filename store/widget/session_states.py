"""The state of a widget session: whether work is in progress, and which messages the visitor has
seen."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.reviews.escalation import CLAIM_LASTS
from domain.widget.shown_message import SessionState, masked
from domain.widget.widget_session import SESSION_LASTS, HeldSession
from store.core.repository import TenantRepository


@dataclass(frozen=True, slots=True)
class SessionStanding:
    """The state of a widget session. `last_number` is its latest message. `verified_email` is None
    for an unverified visitor."""

    last_number: int
    verified_email: str | None
    state: SessionState


class SessionStateRepository(TenantRepository):
    async def standing(self, session_id: str, now: datetime) -> SessionStanding | None:
        """Return the state of a widget session, or None if the session has not started yet or has
        ended."""
        row = (
            await self._connection.execute(
                _STANDING,
                {
                    **self._key(session_id),
                    "alive": now - SESSION_LASTS,
                    "claimed_since": now - CLAIM_LASTS,
                },
            )
        ).one_or_none()
        if row is None:
            return None
        email = None if row.verified_email is None else masked(row.verified_email)
        state = SessionState(row.thinking, row.waiting, row.reviewing, email)
        return SessionStanding(row.last_number, row.verified_email, state)

    async def seen(self, session: HeldSession, number: int, now: datetime) -> bool:
        """Record the number of the last message shown to the visitor. It never decreases, and never
        exceeds the session's last one.

        Return False if the session has not started or has ended, or if the token in `session` gives
        no access.
        """
        key = self._key(session.id)
        locked = (await self._connection.execute(_LOCK, key)).one_or_none()
        if locked is None or not session.opens(locked.verified_email):
            return False
        found = await self._connection.execute(
            _SEEN, {**key, "number": number, "alive": now - SESSION_LASTS}
        )
        return found.rowcount > 0

    def _key(self, session_id: str) -> dict[str, str]:
        return {"tenant": self._tenant, "session": session_id}


# Work in progress is always among the latest messages because messages sent during an open review
# join the review.
_STANDING: Final = sa.text("""
    SELECT session.last_number, session.verified_email,
           coalesce(bool_or(run.status = 'received'), false) AS thinking,
           coalesce(bool_or(review.id IS NOT NULL), false) AS waiting,
           coalesce(bool_or(review.status = 'claimed' AND review.claimed_at > :claimed_since),
                    false) AS reviewing
    FROM widget_sessions session
    LEFT JOIN engine_messages said
      ON said.client_id = session.client_id AND said.widget_session_id = session.id
     AND said.widget_number > session.last_number - 50 AND said.direction = 'inbound'
    LEFT JOIN engine_runs run
      ON run.client_id = said.client_id AND run.event_id = said.event_id
     AND run.status IN ('received', 'needs_review')
    LEFT JOIN escalation_tickets review
      ON review.client_id = run.client_id AND review.status IN ('pending', 'claimed')
     AND (review.run_id = run.id OR review.id = run.joined_review)
    WHERE session.client_id = :tenant AND session.id = :session AND session.used_at > :alive
    GROUP BY session.client_id, session.id
""")
# The lock keeps the verified address until the number is written.
_LOCK: Final = sa.text("""
    SELECT verified_email FROM widget_sessions
    WHERE client_id = :tenant AND id = :session FOR NO KEY UPDATE
""")
_SEEN: Final = sa.text("""
    UPDATE widget_sessions
    SET seen_number = greatest(seen_number, least(:number, last_number))
    WHERE client_id = :tenant AND id = :session AND used_at > :alive
""")
