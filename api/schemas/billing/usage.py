"""Response model for GET /api/billing/usage, as specified."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from domain.core.period import next_billing_date
from domain.tenants.client import Plan
from store.billing.usage import ClientUsage


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """A client's usage in the current calendar month, in UTC."""

    plan: Annotated[Plan, Field(description="Current plan.")]
    period: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$", examples=["2026-11"])]
    tickets_used: Annotated[int, Field(ge=0)]
    tickets_limit: Annotated[int, Field(ge=-1, description="Tickets per month; -1 if unlimited.")]
    voice_minutes_used: Literal[0]
    voice_minutes_limit: Literal[0]
    overage_tickets: Annotated[Literal[0], Field(deprecated=True)]
    overage_cost: Annotated[Literal[0], Field(deprecated=True)]
    quota_reached: bool
    credits_balance: Annotated[int, Field(ge=0)]
    trial_ends_at: Annotated[
        datetime | None, Field(description="End of the trial; null outside a trial.")
    ]
    next_billing_date: date


def usage_record(usage: ClientUsage, now: datetime) -> UsageRecord:
    """Return a client's usage in the month of `now`."""
    standing = usage.standing(now)
    return UsageRecord(
        plan=usage.subscription.plan_at(now),
        period=standing.period,
        tickets_used=standing.tickets_used,
        tickets_limit=standing.tickets_limit,
        voice_minutes_used=0,
        voice_minutes_limit=0,
        overage_tickets=0,
        overage_cost=0,
        quota_reached=standing.quota_reached,
        credits_balance=standing.credits_balance,
        trial_ends_at=usage.subscription.trial_end(now),
        next_billing_date=next_billing_date(now),
    )
