"""Customers' ratings of a client's answers."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.ratings.rating import GivenRating, Rating, RatingChannel
from store.core.repository import TenantRepository

# Each run has at most one rating. Customers whose data was erased can no longer rate answers.
_PUT: Final = sa.text("""
    INSERT INTO ratings (client_id, id, run_id, score, comment, channel, created_at)
    SELECT run.client_id, :id, run.id, :score, :comment, :channel, :now
    FROM engine_runs AS run
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    WHERE run.client_id = :client_id AND run.id = :run_id AND event.erased_at IS NULL
    ON CONFLICT (client_id, run_id) DO UPDATE
    SET score = excluded.score, comment = coalesce(excluded.comment, ratings.comment),
        channel = excluded.channel, updated_at = :now
    RETURNING ratings.*
""")
# The query excludes answers that only ask the customer a question. It also excludes conversations
# that have had another answer since `since`, unless that answer was a question.
_WANTED: Final = sa.text("""
    SELECT coalesce(run.language, '')
    FROM engine_runs AS run
    JOIN client_settings AS settings ON settings.client_id = run.client_id AND settings.ask_rating
    WHERE run.client_id = :client_id AND run.id = :run_id
      AND run.thread_after -> 'asked_number' IS NULL AND run.thread_after -> 'proposal' IS NULL
      AND NOT EXISTS (
        SELECT FROM engine_messages AS asked
        JOIN engine_messages AS answer
          ON answer.client_id = asked.client_id AND answer.conversation_id = asked.conversation_id
         AND answer.event_id <> asked.event_id AND answer.direction = 'outbound'
         AND answer.created_at > :since
        JOIN engine_runs AS other
          ON other.client_id = answer.client_id AND other.event_id = answer.event_id
        WHERE asked.client_id = run.client_id AND asked.event_id = run.event_id
          AND other.thread_after -> 'asked_number' IS NULL
          AND other.thread_after -> 'proposal' IS NULL)
""")
_LANGUAGE: Final = sa.text("""
    SELECT coalesce(run.language, '')
    FROM engine_runs AS run
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    WHERE run.client_id = :client_id AND run.id = :run_id AND event.erased_at IS NULL
""")
_ANSWERED: Final = sa.text("""
    SELECT run.id
    FROM engine_messages AS answer
    JOIN engine_runs AS run ON run.client_id = answer.client_id AND run.event_id = answer.event_id
    WHERE answer.client_id = :client_id AND answer.widget_session_id = :session_id
      AND answer.widget_number = :number AND answer.direction = 'outbound'
""")


class RatingRepository(TenantRepository):
    async def wanted(self, run_id: str, *, since: datetime) -> str | None:
        """Return the language in which to ask the customer to rate the run's answer, or "" if it is
        unknown.

        Return None if the client does not request ratings, if the answer is a question, or if
        another rateable answer followed since `since`.
        """
        language: str | None = await self._connection.scalar(
            _WANTED, {"client_id": self._tenant, "run_id": run_id, "since": since}
        )
        return language

    async def language(self, run_id: str) -> str | None:
        """Return the language of a run's customer, or an empty string if the language is unknown.
        Return None if the run or its customer's data has been erased."""
        language: str | None = await self._connection.scalar(
            _LANGUAGE, {"client_id": self._tenant, "run_id": run_id}
        )
        return language

    async def run_of_answer(self, session_id: str, number: int) -> str | None:
        """Return the id of the run whose answer is the message with this number in a widget
        session, or None."""
        found: str | None = await self._connection.scalar(
            _ANSWERED,
            {"client_id": self._tenant, "session_id": session_id, "number": number},
        )
        return found

    async def put(
        self,
        rating_id: str,
        run_id: str,
        given: GivenRating,
        channel: RatingChannel,
        now: datetime,
    ) -> Rating | None:
        """Store a customer's rating of a run's answer, replacing a previous rating. The previous
        comment is kept if there is no new comment. Return None if the data was erased."""
        row = (
            await self._connection.execute(
                _PUT,
                {
                    "client_id": self._tenant,
                    "id": rating_id,
                    "run_id": run_id,
                    "score": given.score,
                    "comment": given.comment,
                    "channel": channel,
                    "now": now,
                },
            )
        ).one_or_none()
        return None if row is None else Rating.model_validate(row, from_attributes=True)
