"""Number the messages in a widget session, and notify the session's open streams."""

from typing import Final

import sqlalchemy as sa

from domain.widget.shown_message import MESSAGES_A_READ, ShownFile, ShownMessage
from store.core.repository import TenantRepository
from store.runs.tables import engine_messages

WIDGET_CHANNEL: Final = "widget"
"""The LISTEN and NOTIFY channel for changed widget sessions. The payload is `client_id/session_id`.
"""


class SessionMessageRepository(TenantRepository):
    async def number(self, event_id: str, direction: str) -> int | None:
        """Assign the event's message the next number in its widget session, once. Return None
        without an existing session.

        `direction` is inbound or outbound, and an answer belongs to its message's session. The
        session's row is locked until the commit, so that numbers follow the commit order. Call this
        last if the transaction takes other locks.
        """
        values = {"tenant": self._tenant, "event": event_id, "direction": direction}
        number: int | None = await self._connection.scalar(
            _NUMBER, {**values, "channel": WIDGET_CHANNEL}
        )
        return number

    async def number_reply(self, reply_id: str) -> int | None:
        """Assign a member's reply the next number in the widget session of the message that it
        answers, as `number` does. Return None if there is no such session."""
        number: int | None = await self._connection.scalar(
            _NUMBER_REPLY,
            {"tenant": self._tenant, "reply": reply_id, "channel": WIDGET_CHANNEL},
        )
        return number

    async def changed(self, session_id: str) -> None:
        """Notify the streams of a widget session that its state has changed. The notification is
        sent on commit."""
        await self._connection.execute(
            _NOTIFY, {"channel": WIDGET_CHANNEL, "session": f"{self._tenant}/{session_id}"}
        )

    async def changed_by(self, event_id: str) -> None:
        """Notify the streams of the widget session to which an event belongs. Do nothing for an
        event without a session."""
        await self._connection.execute(
            _NOTIFY_OF_EVENT,
            {"tenant": self._tenant, "event": event_id, "channel": WIDGET_CHANNEL},
        )

    async def changed_by_review(self, review_id: str) -> None:
        """Notify the streams of the widget session to which a review's message belongs."""
        await self._connection.execute(
            _NOTIFY_OF_REVIEW,
            {"tenant": self._tenant, "review": review_id, "channel": WIDGET_CHANNEL},
        )

    async def listed(self, session_id: str, after: int) -> tuple[ShownMessage, ...]:
        """Return the messages in a widget session with numbers above `after`, at most
        MESSAGES_A_READ."""
        found = await self._connection.execute(
            _LISTED, {"tenant": self._tenant, "session": session_id, "after": after}
        )
        rows = found.all()
        files = await self._files(session_id, [row.reply_id for row in rows if row.reply_id])
        return tuple(ShownMessage(*row[:-1], files.get(row.widget_number, ())) for row in rows)

    async def has_file(self, session_id: str, file_id: str) -> bool:
        """Return True if one of the session's messages contains the file."""
        values = {"tenant": self._tenant, "session": session_id, "file": file_id}
        return await self._connection.scalar(_FILE, values) is not None

    async def _files(
        self, session_id: str, reply_ids: list[str]
    ) -> dict[int, tuple[ShownFile, ...]]:
        """Return the files of these replies, keyed by message number."""
        if not reply_ids:
            return {}
        values = {"tenant": self._tenant, "session": session_id, "replies": reply_ids}
        shown: dict[int, tuple[ShownFile, ...]] = {}
        for number, *file in await self._connection.execute(_SHOWN_FILES, values):
            shown[number] = (*shown.get(number, ()), ShownFile(*file))
        return shown


_OF_EVENT: Final = """
        SELECT own.id, own.widget_number, said.widget_session_id AS session_id
        FROM engine_messages said
        JOIN engine_messages own ON own.client_id = said.client_id
                                AND own.event_id = said.event_id AND own.direction = :direction
        WHERE said.client_id = :tenant AND said.event_id = :event
          AND said.direction = 'inbound' AND said.widget_session_id IS NOT NULL"""
_OF_REPLY: Final = """
        SELECT own.id, own.widget_number, said.widget_session_id AS session_id
        FROM conversation_replies reply
        JOIN engine_messages own ON own.client_id = reply.client_id AND own.reply_id = reply.id
        JOIN engine_messages said ON said.client_id = reply.client_id
                                 AND said.event_id = reply.event_id
        WHERE reply.client_id = :tenant AND reply.id = :reply
          AND said.direction = 'inbound' AND said.widget_session_id IS NOT NULL"""
# One statement does everything, so that the number, the message and the notification succeed or
# fail together.
_COUNTED: Final = """
    WITH its AS ({its}
    ), counted AS (
        UPDATE widget_sessions session SET last_number = session.last_number + 1
        FROM its
        WHERE session.client_id = :tenant AND session.id = its.session_id
          AND its.widget_number IS NULL
        RETURNING session.id AS session_id, session.last_number
    ), numbered AS (
        UPDATE engine_messages message
        SET widget_session_id = counted.session_id, widget_number = counted.last_number
        FROM its, counted
        WHERE message.client_id = :tenant AND message.id = its.id
        RETURNING message.widget_number,
                  pg_notify(:channel, message.client_id || '/' || counted.session_id)
    )
    SELECT widget_number FROM numbered
    UNION ALL
    SELECT widget_number FROM its WHERE widget_number IS NOT NULL
"""
_NUMBER: Final = sa.text(_COUNTED.format(its=_OF_EVENT))
_NUMBER_REPLY: Final = sa.text(_COUNTED.format(its=_OF_REPLY))
_NOTIFY: Final = sa.text("SELECT pg_notify(:channel, :session)")
_NOTIFY_OF_EVENT: Final = sa.text("""
    SELECT pg_notify(:channel, client_id || '/' || widget_session_id) FROM engine_messages
    WHERE client_id = :tenant AND event_id = :event AND direction = 'inbound'
      AND widget_session_id IS NOT NULL
""")
_NOTIFY_OF_REVIEW: Final = sa.text("""
    SELECT pg_notify(:channel, said.client_id || '/' || said.widget_session_id)
    FROM escalation_tickets review
    JOIN engine_runs run ON run.client_id = review.client_id AND run.id = review.run_id
    JOIN engine_messages said ON said.client_id = run.client_id
                             AND said.event_id = run.event_id AND said.direction = 'inbound'
    WHERE review.client_id = :tenant AND review.id = :review
      AND said.widget_session_id IS NOT NULL
""")
_SHOWN_FILES: Final = sa.text("""
    SELECT message.widget_number, file.id, file.name, file.size
    FROM engine_messages AS message
    JOIN attachments AS file
      ON file.client_id = message.client_id AND file.reply_id = message.reply_id
    WHERE message.client_id = :tenant AND message.widget_session_id = :session
      AND message.reply_id = ANY(:replies)
    ORDER BY file.id
""")
_FILE: Final = sa.text("""
    SELECT file.id FROM attachments AS file
    JOIN engine_messages AS message
      ON message.client_id = file.client_id AND message.reply_id = file.reply_id
    WHERE file.client_id = :tenant AND file.id = :file AND message.widget_session_id = :session
""")
_LISTED: Final = (
    sa.select(
        engine_messages.c.widget_number,
        engine_messages.c.author,
        engine_messages.c.body,
        engine_messages.c.created_at,
        engine_messages.c.reply_id,
    )
    .where(
        engine_messages.c.client_id == sa.bindparam("tenant"),
        engine_messages.c.widget_session_id == sa.bindparam("session"),
        engine_messages.c.widget_number > sa.bindparam("after"),
    )
    .order_by(engine_messages.c.widget_number)
    .limit(MESSAGES_A_READ)
)
