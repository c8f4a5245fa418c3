"""The number of messages from a sender with a verified address. The number is read only when
messages from webhooks and polls are admitted."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from store.core.repository import TenantRepository


class SenderUse(TenantRepository):
    async def messages(
        self, customer: str, domain: str | None, *, since: datetime, at_most: int
    ) -> int:
        """Return the number of messages since `since` from the address `customer`, or from `domain`
        with its subdomains.

        Dots and plus suffixes before the "@" are ignored. Counting stops at `at_most`.
        """
        values = {"tenant": self._tenant, "since": since, "at_most": at_most}
        if domain is None:
            local, _, provider = customer.rpartition("@")
            mailbox = {"local": local.partition("+")[0].replace(".", ""), "provider": provider}
            found = await self._connection.scalar(_OF_MAILBOX, {**values, **mailbox})
        else:
            ends = {"at": f"@{domain}", "below": f".{domain}"}
            found = await self._connection.scalar(_OF_DOMAIN, {**values, **ends})
        return int(found or 0)


_COUNT: Final = """
    SELECT count(*) FROM (
        SELECT FROM engine_messages message
        JOIN engine_events event ON event.client_id = message.client_id
                                AND event.id = message.event_id AND event.received_by IS NOT NULL
        WHERE message.client_id = :tenant AND message.direction = 'inbound'
          AND NOT message.is_claim AND message.created_at > :since AND {of}
        LIMIT :at_most
    ) AS counted
"""
# PER_CLIENT bounds the number of rows per day.
_OF_MAILBOX: Final = sa.text(
    _COUNT.format(
        of="split_part(message.customer_key, '@', -1) = :provider AND replace(split_part("
        "split_part(message.customer_key, '@', 1), '+', 1), '.', '') = :local"
    )
)
_OF_DOMAIN: Final = sa.text(
    _COUNT.format(
        of="(right(message.customer_key, length(:at)) = :at"
        " OR right(message.customer_key, length(:below)) = :below)"
    )
)
