"""The widget's usage of its share of a client's limits. The usage is read only when visitors'
messages are admitted."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.period import Period, period_start
from domain.intake.gateway_limits import PER_CLIENT
from store.core.repository import TenantRepository


class ShareUse(TenantRepository):
    """The usage of the widget's share. The caller must have locked the account in an earlier
    statement, so that each method sees all messages that earlier lock holders committed."""

    async def oldest(self, messages: int, now: datetime) -> datetime | None:
        """Return the time of the oldest of the latest `messages` widget messages in the past hour.
        If there are fewer messages, the share has not been used up, and the result is None."""
        oldest: datetime | None = await self._connection.scalar(
            _OLDEST,
            {"tenant": self._tenant, "since": now - PER_CLIENT.window, "skip": messages - 1},
        )
        return oldest

    async def tickets(self, period: Period, at_most: int) -> int:
        """Return the number of tickets from the widget this month. Counting stops at `at_most`."""
        counted = await self._connection.scalar(
            _TICKETS,
            {
                "tenant": self._tenant,
                "since": period_start(period),
                "period": period,
                "at_most": at_most,
            },
        )
        return int(counted or 0)


# The conditions of the query must match those of the index ix_engine_messages_widget, so that
# PostgreSQL can use the index.
_OLDEST: Final = sa.text("""
    SELECT created_at FROM engine_messages
    WHERE client_id = :tenant AND direction = 'inbound' AND widget_session_id IS NOT NULL
      AND created_at > :since
    ORDER BY created_at DESC OFFSET :skip LIMIT 1
""")
_TICKETS: Final = sa.text("""
    SELECT count(*) FROM (
        SELECT FROM engine_messages message
        JOIN usage_ledger ticket ON ticket.client_id = message.client_id
                                AND ticket.event_id = message.event_id
                                AND ticket.period = :period
                                AND ticket.returned_at IS NULL
        WHERE message.client_id = :tenant AND message.direction = 'inbound'
          AND message.widget_session_id IS NOT NULL AND message.created_at >= :since
        LIMIT :at_most
    ) AS counted
""")
