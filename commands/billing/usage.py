"""usage: what a client has used of its month."""

from adapters.system import utc_now
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    reading_client,
    synchronous,
)
from domain.billing.quota import UNLIMITED
from domain.core.ids import parse_ulid
from domain.core.period import next_billing_date, period_of
from store.billing.usage import UsageRepository


@synchronous
async def usage(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show what a client has used of this month, and what it may use."""
    now = utc_now()
    async with reading_client(data, parse_ulid(client) or client) as (connection, tenant):
        found = await UsageRepository(connection, tenant).in_month(period_of(now))
    standing = found.standing(now)
    unlimited = standing.tickets_limit == UNLIMITED
    answer(
        as_json,
        f"{standing.tickets_used} tickets used in {standing.period}.",
        client_id=tenant,
        plan=found.subscription.plan_at(now).value,
        trial_ends_at=found.subscription.trial_end(now),
        period=standing.period,
        tickets_used=standing.tickets_used,
        tickets_limit="unlimited" if unlimited and not as_json else standing.tickets_limit,
        quota_reached=standing.quota_reached,
        credits_balance=standing.credits_balance,
        next_billing_date=next_billing_date(now),
    )
