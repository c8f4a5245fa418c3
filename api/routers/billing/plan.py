"""/api/dashboard/plan: a client's current plan, and upgrades and downgrades."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import MemberDep, OwnerDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, errors
from api.schemas.billing.plan import CheckoutAnswer, PlanAnswer, PlanBody, plan_answer
from services.billing.checkouts import buy_plan
from services.billing.plans import choose_plan
from store.tenants.accounts import AccountRepository

router = APIRouter(route_class=DescribedRoute)

_PLAN: Final = "/api/dashboard/plan"
Body = Annotated[PlanBody, Depends(JsonBody(PlanBody))]


@router.get(_PLAN, operation_id="plan.get", summary="Get a client's plan and the available plans")
async def show(member: MemberDep, resources: ResourcesDep) -> PlanAnswer:
    """Any member of the client may call this operation. Prices are in minor currency units."""
    async with resources.database.reading(member.tenant) as connection:
        subscription = await AccountRepository(connection, member.tenant).subscription()
    return plan_answer(
        subscription,
        resources.settings.payments.prices,
        resources.now(),
        can_pay=resources.payments is not None,
    )


@router.post(
    f"{_PLAN}/checkout",
    operation_id="plan.checkout",
    summary="Create a checkout for a plan upgrade",
    status_code=201,
    responses=errors(409, 503),
)
async def buy(member: OwnerDep, body: Body, resources: ResourcesDep) -> CheckoutAnswer:
    """This operation requires the owner role. The upgrade takes effect when its payment is
    confirmed. The first payment covers the rest of this month. After that, the plan is billed
    monthly."""
    offered = await buy_plan(
        resources.work,
        member.actor,
        member.tenant,
        body.plan,
        prices=resources.settings.payments.prices,
        payments=resources.payments,
    )
    return CheckoutAnswer(
        checkout_id=offered.checkout_id, url=offered.url, expires_at=offered.expires_at
    )


@router.post(
    f"{_PLAN}/downgrade",
    operation_id="plan.downgrade",
    summary="Schedule a plan downgrade",
    responses=errors(409, 503),
)
async def choose(member: OwnerDep, body: Body, resources: ResourcesDep) -> PlanAnswer:
    """This operation requires the owner role. The downgrade takes effect at the end of the month.
    To cancel a scheduled downgrade, choose the current plan."""
    prices = resources.settings.payments.prices
    chosen = await choose_plan(
        resources.work,
        member.actor,
        member.tenant,
        body.plan,
        prices=prices,
        payments=resources.payments,
    )
    return plan_answer(chosen, prices, resources.now(), can_pay=resources.payments is not None)
