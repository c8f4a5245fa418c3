"""Usage thresholds that are reached without a new ticket, because a limit was lowered."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.period import period_of
from domain.core.ports import NewId
from store.billing.usage import UsageRepository
from store.billing.usage_ledger import UsageLedger


async def note_reached(
    connection: AsyncConnection, tenant: TenantId, now: datetime, new_id: NewId
) -> tuple[str, ...]:
    """Record the usage thresholds newly reached this month, and write their webhook events. Return
    the ids of the deliveries to send. Raises ClientNotFound."""
    usage = await UsageRepository(connection, tenant).in_month(period_of(now))
    standing = usage.standing(now)
    return await UsageLedger(connection, tenant).note_thresholds(
        standing, standing.thresholds(), now=now, new_id=new_id
    )
