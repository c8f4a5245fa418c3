"""Request and response models for the dashboard's plan, credit and payment routes."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody, Whole
from domain.billing.checkout import CheckoutState
from domain.billing.prices import PriceList
from domain.billing.quota import TICKETS
from domain.billing.subscription import Subscription
from domain.core.money import Money
from domain.tenants.client import Plan
from store.billing.credit_entries import CreditEntry


class PlanOffer(BaseModel):
    """A plan with its monthly quantities and its price."""

    plan: Plan
    tickets: int = Field(description="Tickets per month; -1 if unlimited.")
    features: list[Literal["webhooks"]]
    price: Money | None = Field(
        description="Price of the plan; null if this installation does not sell it."
    )


class PlanAnswer(BaseModel):
    plan: Plan = Field(description="Current plan; at least the pro plan during a trial.")
    trial_ends_at: datetime | None = Field(description="End of the trial; null outside a trial.")
    paid_plan: Plan = Field(description="Plan that applies after the trial.")
    next_plan: Plan | None = Field(
        description="Plan that takes effect at `next_plan_from`; null if no change is scheduled."
    )
    next_plan_from: datetime | None
    can_pay: bool = Field(description="True if this installation sells plans and credits.")
    offers: list[PlanOffer]


def plan_answer(
    subscription: Subscription, prices: PriceList, now: datetime, *, can_pay: bool
) -> PlanAnswer:
    """Return a client's plan at `now`."""
    settled = subscription.settled(now)
    return PlanAnswer(
        plan=settled.plan_at(now),
        trial_ends_at=settled.trial_end(now),
        paid_plan=settled.plan,
        next_plan=settled.next_plan,
        next_plan_from=settled.next_plan_from,
        can_pay=can_pay,
        offers=[
            PlanOffer(
                plan=plan,
                tickets=TICKETS[plan],
                features=["webhooks"] if Subscription(plan).includes_webhooks(now) else [],
                price=prices.plans.get(plan),
            )
            for plan in Plan
        ],
    )


class PlanBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"plan": "starter"}]})

    plan: Annotated[
        Plan, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Plan)})
    ]


class CreditsBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"credits": 100}]})

    credits: Whole = Field(
        ge=1,
        le=10**9,
        description="Number of credits, which must match one of the packs returned by `GET`.",
    )


class CheckoutAnswer(BaseModel):
    checkout_id: str
    url: str = Field(description="URL of the payment provider's checkout page.")
    expires_at: datetime = Field(
        description="Time at which the checkout page stops accepting payments."
    )


class CheckoutStatus(BaseModel):
    """The status of a checkout. `state` becomes `paid` when the payment provider confirms the
    payment."""

    checkout_id: str
    state: CheckoutState
    plan: Plan | None
    credits: int | None
    amount: Money
    monthly: Money | None = Field(
        description="Monthly amount, starting at `renews_at`; null for a one-time payment."
    )
    renews_at: datetime | None
    url: str | None = Field(
        description="URL of the checkout page; null if the checkout cannot be paid now."
    )
    expires_at: datetime


class CreditPack(BaseModel):
    credits: int
    price: Money


class CreditsAnswer(BaseModel):
    credits_balance: int
    packs: list[CreditPack]
    entries: list[CreditEntry] = Field(
        description="Ledger entries, newest first, each with the balance after the entry."
    )
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")
