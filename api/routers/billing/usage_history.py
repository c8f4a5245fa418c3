"""GET /api/dashboard/usage: this month, the months before, and when the quota will end."""

from fastapi import APIRouter

from api.access import MemberDep
from api.resources import ResourcesDep
from api.route import DescribedRoute
from api.schemas.billing.usage_history import UsageAnswer, usage_answer
from services.billing.standing import usage_standing

router = APIRouter(route_class=DescribedRoute)


@router.get("/api/dashboard/usage", summary="Get a client's monthly usage and its forecast")
async def usage_history(member: MemberDep, resources: ResourcesDep) -> UsageAnswer:
    """Open to every member of the client. The forecast goes on at the mean of the last seven whole
    days, in UTC; a day that is null does not come this month."""
    now = resources.now()
    async with resources.database.reading(member.tenant) as connection:
        standing = await usage_standing(connection, member.tenant, now)
    return usage_answer(standing, now)
