"""GET /api/dashboard/usage: usage in the current and earlier months, with a forecast of the day on
which the quota will be used up."""

from fastapi import APIRouter

from api.access import MemberDep
from api.resources import ResourcesDep
from api.route import DescribedRoute
from api.schemas.billing.usage_history import UsageAnswer, usage_answer
from services.billing.standing import usage_standing

router = APIRouter(route_class=DescribedRoute)


@router.get(
    "/api/dashboard/usage",
    operation_id="usage.history",
    summary="Get a client's monthly usage with a forecast",
)
async def usage_history(member: MemberDep, resources: ResourcesDep) -> UsageAnswer:
    """Any member of the client may call this operation. The forecast extrapolates from the mean of
    the last seven full days, in UTC. The forecast day is null if the quota will not be used up this
    month."""
    now = resources.now()
    async with resources.database.reading(member.tenant) as connection:
        standing = await usage_standing(connection, member.tenant, now)
    return usage_answer(standing, now)
