"""GET /api/dashboard/checkouts/{checkout_id}: the state of a payment for a plan or for credits."""

from typing import Annotated

from fastapi import APIRouter, Depends

from api.access import InClientOf, MemberAt
from api.resources import ResourcesDep
from api.route import DescribedRoute, PathId
from api.schemas.billing.plan import CheckoutStatus
from domain.billing.checkout import CheckoutState
from domain.billing.errors import CheckoutNotFound
from domain.tenants.actor import ANYONE
from store.billing.checkouts import CheckoutRepository, client_of

router = APIRouter(route_class=DescribedRoute)

_ID = PathId("checkout_id", "checkout", CheckoutNotFound)


@router.get(
    "/api/dashboard/checkouts/{checkout_id}",
    operation_id="checkouts.get",
    summary="Get the status of a checkout",
)
async def show(
    member: Annotated[MemberAt, Depends(InClientOf(ANYONE, _ID, client_of))],
    resources: ResourcesDep,
) -> CheckoutStatus:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        found = await CheckoutRepository(connection, member.tenant).read(member.record_id)
    payable = found.state is CheckoutState.OPEN and resources.now() < found.expires_at
    return CheckoutStatus(
        checkout_id=found.id,
        state=found.state,
        plan=found.plan,
        credits=found.credits,
        amount=found.amount,
        monthly=found.monthly,
        renews_at=found.renews_at,
        url=found.url if payable else None,
        expires_at=found.expires_at,
    )
