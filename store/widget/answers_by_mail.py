"""Select the widget answers to send by email: those that arrived after the visitor may have
left."""

from typing import Final

import sqlalchemy as sa

from domain.widget.answer_mail import LATE_AFTER, UnseenAnswer
from domain.widget.contracts import LateAnswer
from store.core.repository import TenantRepository


class AnswersByMailRepository(TenantRepository):
    async def late(self, event_id: str) -> LateAnswer | None:
        """Return the answer to an event in a widget session whose address is verified. Return None
        unless the answer was sent after a review, or after the visitor's request timed out."""
        row = (
            await self._connection.execute(
                _LATE, {"tenant": self._tenant, "event": event_id, "waits": LATE_AFTER}
            )
        ).one_or_none()
        return None if row is None else LateAnswer(session_id=row.session_id, number=row.number)

    async def automatic_run_of(self, answer: LateAnswer) -> str | None:
        """Return the id of the run that produced the answer. Return None if a human agent wrote the
        answer, or if the answer was erased."""
        found: str | None = await self._connection.scalar(
            _RUN_OF,
            {"tenant": self._tenant, "session": answer.session_id, "number": answer.number},
        )
        return found

    async def claim(self, answer: LateAnswer) -> UnseenAnswer | None:
        """Record that an answer is being emailed, and return the data for the email. If it was not
        sent, a retry can claim it again.

        Return None if the visitor has seen the answer, if a later one was emailed, or if the
        address or answer was erased.
        """
        row = (
            await self._connection.execute(
                _CLAIM,
                {
                    "tenant": self._tenant,
                    "session": answer.session_id,
                    "number": answer.number,
                },
            )
        ).one_or_none()
        if row is None:
            return None
        return UnseenAnswer(row.id, row.run_id, row.verified_email, row.language, row.body)


_LATE: Final = sa.text("""
    SELECT session.id AS session_id, answer.widget_number AS number
    FROM engine_messages answer
    JOIN engine_messages said ON said.client_id = answer.client_id
                             AND said.event_id = answer.event_id AND said.direction = 'inbound'
    JOIN widget_sessions session ON session.client_id = answer.client_id
                                AND session.id = answer.widget_session_id
    WHERE answer.client_id = :tenant AND answer.event_id = :event
      AND answer.direction = 'outbound' AND answer.widget_number IS NOT NULL
      AND session.verified_email IS NOT NULL
      AND (answer.created_at - said.created_at > :waits OR EXISTS (
          SELECT FROM engine_runs run
          JOIN escalation_tickets review ON review.client_id = run.client_id
                                        AND review.run_id = run.id
          WHERE run.client_id = answer.client_id AND run.event_id = answer.event_id))
""")
_RUN_OF: Final = sa.text("""
    SELECT run.id FROM engine_messages answer
    JOIN engine_runs run ON run.client_id = answer.client_id AND run.event_id = answer.event_id
    WHERE answer.client_id = :tenant AND answer.widget_session_id = :session
      AND answer.widget_number = :number AND answer.direction = 'outbound'
      AND answer.author = 'agent'
""")
_CLAIM: Final = sa.text("""
    UPDATE widget_sessions session SET mailed_number = :number
    FROM engine_messages answer
    LEFT JOIN conversation_replies reply ON reply.client_id = answer.client_id
                                        AND reply.id = answer.reply_id
    JOIN engine_runs run ON run.client_id = answer.client_id
                        AND run.event_id = coalesce(answer.event_id, reply.event_id)
    WHERE session.client_id = :tenant AND session.id = :session
      AND session.seen_number < :number AND session.mailed_number <= :number
      AND session.verified_email IS NOT NULL
      AND answer.client_id = session.client_id AND answer.widget_session_id = session.id
      AND answer.widget_number = :number AND answer.direction = 'outbound'
      AND answer.body <> ''
    RETURNING answer.id, run.id AS run_id, answer.body, session.verified_email, session.language
""")
