"""Sentiment: a log with one row per message, and the current sentiment of each conversation."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.ports import NewId
from domain.runs.errors import RunNotFound
from domain.runs.sentiment import CRITICAL_AT, Scored, Zone, unnotified, zones
from domain.webhooks.outbound_event import SentimentNegative
from store.core.repository import TenantRepository
from store.runs.tables import sentiment_logs
from store.webhooks.outbox import Outbox

# The lock mode is NO KEY, so that log rows with a foreign key to the conversation can be inserted
# while the lock is held.
_LOCK: Final = sa.text("""
    SELECT conversation.id, inbound.created_at,
           coalesce(event.unified ->> 'customer_email', '') AS customer_email
    FROM ai_conversations AS conversation
    JOIN engine_messages AS inbound
      ON inbound.client_id = conversation.client_id AND inbound.conversation_id = conversation.id
    JOIN engine_events AS event
      ON event.client_id = inbound.client_id AND event.id = inbound.event_id
    WHERE inbound.client_id = :client_id AND inbound.event_id = :event_id
      AND inbound.direction = 'inbound'
    FOR NO KEY UPDATE OF conversation
""")

# The query starts at the last message before this one whose sentiment is not critical. Earlier
# messages cannot change the result.
_AROUND: Final = sa.text("""
    WITH since AS (
        (SELECT created_at, event_id FROM sentiment_logs
         WHERE client_id = :client_id AND conversation_id = :conversation_id AND NOT is_critical
           AND (created_at, event_id) < (:at, :event_id)
         ORDER BY created_at DESC, event_id DESC LIMIT 1)
        UNION ALL SELECT '-infinity', '' ORDER BY 1 DESC LIMIT 1
    )
    SELECT log.event_id, log.score, log.is_critical, notified.id IS NOT NULL AS notified,
           (log.created_at, log.event_id) < (:at, :event_id) AS is_earlier
    FROM since
    JOIN sentiment_logs AS log
      ON (log.created_at, log.event_id) >= (since.created_at, since.event_id)
    LEFT JOIN outbox AS notified
      ON notified.client_id = log.client_id AND notified.dedup_key = log.event_id
     AND notified.event = 'conversation.sentiment_negative'
    WHERE log.client_id = :client_id AND log.conversation_id = :conversation_id
    ORDER BY log.created_at, log.event_id
""")

# The statement also stores the score of the conversation's latest message in the conversation. The
# caller has read all later messages, so it knows which message is the latest.
_LOG: Final = sa.text("""
    WITH logged AS (
        INSERT INTO sentiment_logs
            (client_id, id, conversation_id, event_id, score, is_critical, created_at)
        VALUES (:client_id, :id, :conversation_id, :event_id, :score, :is_critical, :at)
    )
    UPDATE ai_conversations SET sentiment = :latest_score, is_critical = :latest_is_critical
    WHERE client_id = :client_id AND id = :conversation_id
""")


class SentimentRepository(TenantRepository):
    async def record(
        self,
        event_id: str,
        score: float,
        *,
        now: datetime,
        new_id: NewId,
        run_id: str | None = None,
    ) -> None:
        """Record the sentiment score (-1 to 1) of a normalized event's message, and write a webhook
        event for each entry into the critical range. Idempotent by event.

        The conversation's row is locked until the transaction ends, and messages are ordered by
        time. The result therefore does not depend on the order of processing. Raises RunNotFound if
        the message was erased.
        """
        mine = {"client_id": self._tenant, "event_id": event_id}
        conversation = await self._one(_LOCK, mine, RunNotFound(event_id))
        place = {**mine, "conversation_id": conversation.id, "at": conversation.created_at}
        earlier, later = await self._around(place)
        if any(message.event_id == event_id for message in later):
            return
        messages = [*earlier, Scored(event_id, score), *later]
        found = zones(messages)
        for message, zone in zip(messages, found, strict=True):
            if message.zone not in (None, zone):
                await self._move(message, zone)
        await self._connection.execute(
            _LOG,
            {
                **place,
                "id": new_id(),
                "score": score,
                "is_critical": found[len(earlier)] is Zone.CRITICAL,
                "latest_score": messages[-1].score,
                "latest_is_critical": found[-1] is Zone.CRITICAL,
            },
        )
        for number in unnotified(messages):
            event = SentimentNegative(
                conversation_id=conversation.id,
                customer_email=conversation.customer_email,
                score=messages[number].score,
                previous_score=messages[number - 1].score if number else None,
                threshold=CRITICAL_AT,
            )
            await Outbox(self._connection, self._tenant).add(
                event, dedup_key=messages[number].event_id, now=now, new_id=new_id, run_id=run_id
            )

    async def _around(self, place: dict[str, object]) -> tuple[list[Scored], list[Scored]]:
        """Return the scored messages before and after a message in its conversation, oldest
        first."""
        earlier: list[Scored] = []
        later: list[Scored] = []
        for row in await self._connection.execute(_AROUND, place):
            zone = Zone.CRITICAL if row.is_critical else Zone.CALM
            message = Scored(row.event_id, row.score, zone, row.notified)
            (earlier if row.is_earlier else later).append(message)
        return earlier, later

    async def _move(self, message: Scored, zone: Zone) -> None:
        await self._connection.execute(
            sa.update(sentiment_logs)
            .where(
                sentiment_logs.c.client_id == self._tenant,
                sentiment_logs.c.event_id == message.event_id,
            )
            .values(is_critical=zone is Zone.CRITICAL)
        )
