"""GET /api/dashboard/usage: usage of this month and earlier months, with a forecast of when the
quota is reached."""

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
    summary="Get a client's monthly usage and its forecast",
)
async def usage_history(member: MemberDep, resources: ResourcesDep) -> UsageAnswer:
    """Any member of the client may call this operation. The forecast extrapolates the mean of the
    last seven full days, in UTC. A forecast day is null if the quota is not reached this month."""
    now = resources.now()
    async with resources.database.reading(member.tenant) as connection:
        standing = await usage_standing(connection, member.tenant, now)
    return usage_answer(standing, now)
