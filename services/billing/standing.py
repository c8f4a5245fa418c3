"""A client's plan and usage, as shown in the dashboard and by the commands."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.billing.forecast import Forecast, forecast
from domain.billing.quota import UNLIMITED
from domain.core.ids import TenantId
from domain.core.period import period_of
from store.billing.usage import ClientUsage, UsageRepository
from store.billing.usage_history import UsageHistory, UsedMonth


@dataclass(frozen=True, slots=True)
class UsageStanding:
    """A client's usage, with the `history` of preceding months, newest first, and a `forecast` if
    possible."""

    usage: ClientUsage
    history: tuple[UsedMonth, ...]
    forecast: Forecast | None


async def usage_standing(
    connection: AsyncConnection, tenant: TenantId, now: datetime
) -> UsageStanding:
    """Return the client's usage in the current and earlier months, and the day on which the quota
    is expected to run out. Raises ClientNotFound."""
    usage = await UsageRepository(connection, tenant).in_month(period_of(now))
    history = UsageHistory(connection, tenant)
    standing = usage.standing(now)
    limited = standing.tickets_limit != UNLIMITED
    # For a client without a limit, the tickets of each day are not counted. There may be millions
    # of them, and no forecast is needed.
    daily = await history.latest_days(now) if limited else []
    return UsageStanding(usage, await history.months(now), forecast(standing, daily, now))
