"""/api/dashboard/business-hours: a client's business hours and its target for the first answer."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import ManagerDep, MemberDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody
from api.schemas.tenants.business_hours import BusinessHoursBody
from domain.tenants.business_hours import BusinessHours
from services.tenants.business_hours import read_business_hours, set_business_hours

router = APIRouter(route_class=DescribedRoute)

_HOURS: Final = "/api/dashboard/business-hours"


@router.get(_HOURS, operation_id="business_hours.get", summary="Get a client's business hours")
async def hours(member: MemberDep, resources: ResourcesDep) -> BusinessHours:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        return await read_business_hours(connection, member.tenant, member.actor)


@router.put(
    _HOURS, operation_id="business_hours.replace", summary="Replace a client's business hours"
)
async def replace(
    member: ManagerDep,
    body: Annotated[BusinessHoursBody, Depends(JsonBody(BusinessHoursBody))],
    resources: ResourcesDep,
) -> BusinessHours:
    """The new hours and the new target apply to all waiting messages immediately. The next nightly
    computation also applies them to the metrics of the latest days."""
    async with resources.work.of(member.tenant) as work:
        return await set_business_hours(work, member.actor, body.hours)
