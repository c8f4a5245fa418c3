"""A client's usage of the limit on unverified senders. The usage is read only when messages from
unverified senders are admitted."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.core.period import Period
from domain.intake.gateway_limits import PER_CLIENT
from store.core.repository import TenantRepository


class UnprovedUse(TenantRepository):
    """The usage of the limit on unverified senders. The caller must have locked the account in an
    earlier statement, so that each method sees all messages that earlier lock holders committed."""

    async def oldest(self, messages: int, now: datetime) -> datetime | None:
        """Return the time of the oldest of the latest `messages` messages that unverified senders
        sent in the past hour. If there are fewer messages, the limit has not been reached, and the
        result is None."""
        oldest: datetime | None = await self._connection.scalar(
            _OLDEST,
            {"tenant": self._tenant, "since": now - PER_CLIENT.window, "skip": messages - 1},
        )
        return oldest

    async def tickets(self, period: Period, at_most: int) -> int:
        """Return the number of tickets from unverified senders this month. Counting stops at
        `at_most`."""
        values = {"tenant": self._tenant, "period": period, "at_most": at_most}
        return int(await self._connection.scalar(_TICKETS, values) or 0)


# The message limit PER_CLIENT bounds the number of rows per hour, and the plan's quota bounds the
# number of rows per month.
_OLDEST: Final = sa.text("""
    SELECT message.created_at FROM engine_messages message
    JOIN engine_events event ON event.client_id = message.client_id AND event.id = message.event_id
    WHERE message.client_id = :tenant AND message.direction = 'inbound' AND message.is_claim
      AND event.received_by IS NOT NULL AND message.created_at > :since
    ORDER BY message.created_at DESC OFFSET :skip LIMIT 1
""")
_TICKETS: Final = sa.text("""
    SELECT count(*) FROM (
        SELECT FROM usage_ledger ticket
        JOIN engine_events event ON event.client_id = ticket.client_id
                                AND event.id = ticket.event_id
                                AND event.received_by IS NOT NULL
        JOIN engine_messages message ON message.client_id = ticket.client_id
                                    AND message.event_id = ticket.event_id
                                    AND message.direction = 'inbound' AND message.is_claim
        WHERE ticket.client_id = :tenant AND ticket.period = :period
          AND ticket.returned_at IS NULL
        LIMIT :at_most
    ) AS counted
""")
