"""Thresholds of use that are reached without a ticket: when the limit falls below what was used."""

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
    """Note and tell what is reached now and was not noted this month. Returns the ids of the
    deliveries that are to be sent. Raises ClientNotFound."""
    usage = await UsageRepository(connection, tenant).in_month(period_of(now))
    standing = usage.standing(now)
    return await UsageLedger(connection, tenant).note_thresholds(
        standing, standing.thresholds(), now=now, new_id=new_id
    )
