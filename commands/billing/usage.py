"""usage: a client's usage in the current and earlier months."""

from typing import Annotated

import typer

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
from commands.core.listing import print_list
from domain.billing.quota import UNLIMITED
from domain.core.ids import parse_ulid
from domain.core.period import next_billing_date
from services.billing.standing import usage_standing


@synchronous
async def usage(
    client: ClientOption,
    history: Annotated[
        bool,
        typer.Option("--history", help="Also show previous months; --json always includes them."),
    ] = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's usage this month, its quota, and the day on which the quota is expected to
    run out."""
    now = utc_now()
    async with reading_client(data, parse_ulid(client) or client) as (connection, tenant):
        found = await usage_standing(connection, tenant, now)
    standing, subscription, ahead = (
        found.usage.standing(now),
        found.usage.subscription,
        found.forecast,
    )
    unlimited = standing.tickets_limit == UNLIMITED
    months = [{"period": one.period, "tickets_used": one.tickets_used} for one in found.history]
    answer(
        as_json,
        f"{standing.tickets_used} tickets used in {standing.period}.",
        client_id=tenant,
        plan=subscription.plan_at(now).value,
        trial_ends_at=subscription.trial_end(now),
        period=standing.period,
        tickets_used=standing.tickets_used,
        tickets_limit="unlimited" if unlimited and not as_json else standing.tickets_limit,
        quota_reached=standing.quota_reached,
        credits_balance=standing.credits_balance,
        next_billing_date=next_billing_date(now),
        tickets_per_day=ahead.tickets_per_day if ahead else None,
        quota_ends_on=ahead.quota_ends_on if ahead else None,
        credits_end_on=ahead.credits_end_on if ahead else None,
        **({"history": months} if as_json else {}),
    )
    if history and not as_json:
        print_list(
            ("month", "tickets"), [(one.period, str(one.tickets_used)) for one in found.history]
        )
