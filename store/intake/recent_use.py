"""A client's recent usage: the messages and tickets that count toward its limits."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.period import period_of
from domain.intake.gateway_limits import PER_CLIENT, PER_CUSTOMER
from domain.intake.limit_key import LimitKey


@dataclass(frozen=True, slots=True)
class RecentUse:
    """The values compared with a client's limits. `oldest_of_customer` and `oldest_of_client`: the
    time of the oldest message in a full window, or None if the window is not full."""

    key_is_active: bool
    oldest_of_customer: datetime | None
    oldest_of_client: datetime | None
    tickets_used: int
    threshold_noted: int


async def recent_use(
    connection: AsyncConnection,
    tenant: TenantId,
    customer: LimitKey | None,
    *,
    key_id: str | None,
    now: datetime,
) -> RecentUse:
    """Return the values to compare with the client's limits. One statement locks the account, and a
    later statement reads what previous lock holders committed."""
    row = (
        await connection.execute(
            _RECENT,
            {
                "tenant": tenant,
                "key": key_id,
                "customer": customer and customer.customer,
                "is_claim": customer is not None and customer.is_claim,
                "customer_since": now - PER_CUSTOMER.window,
                "customer_skip": PER_CUSTOMER.messages - 1,
                "client_since": now - PER_CLIENT.window,
                "client_skip": PER_CLIENT.messages - 1,
                "period": period_of(now),
            },
        )
    ).one()
    return RecentUse(
        key_is_active=bool(row.key_is_active),
        oldest_of_customer=row.oldest_of_customer,
        oldest_of_client=row.oldest_of_client,
        tickets_used=row.tickets_used or 0,
        threshold_noted=row.threshold_noted or 0,
    )


# Messages with a time in the future are included because they come from a machine whose clock is
# fast.
_RECENT: Final = sa.text("""
    SELECT
        (SELECT is_active FROM api_keys
         WHERE client_id = :tenant AND id = :key) AS key_is_active,
        (SELECT created_at FROM engine_messages
         WHERE client_id = :tenant AND direction = 'inbound' AND customer_key = :customer
           AND is_claim = :is_claim AND created_at > :customer_since
         ORDER BY created_at DESC OFFSET :customer_skip LIMIT 1) AS oldest_of_customer,
        (SELECT created_at FROM engine_messages
         WHERE client_id = :tenant AND direction = 'inbound' AND created_at > :client_since
         ORDER BY created_at DESC OFFSET :client_skip LIMIT 1) AS oldest_of_client,
        (SELECT tickets_used FROM usage_counters
         WHERE client_id = :tenant AND period = :period) AS tickets_used,
        (SELECT max(threshold) FROM thresholds_sent
         WHERE client_id = :tenant AND period = :period) AS threshold_noted
""")
