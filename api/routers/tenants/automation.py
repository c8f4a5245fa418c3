"""Routes that stop automation: /api/dashboard/automation for one client, and
/api/operator/automation for all clients."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import ManagerDep, MemberDep
from api.operator_access import OperatorDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, errors
from api.schemas.tenants.automation import AutomationBody, InstallationState
from domain.tenants.automation import AutomationState
from services.tenants.automation import (
    resume_automation,
    resume_installation,
    stop_automation,
    stop_installation,
)
from store.tenants.automation import AutomationStops, InstallationStops

router = APIRouter(route_class=DescribedRoute)

_CLIENT: Final = "/api/dashboard/automation"
_ALL: Final = "/api/operator/automation"
_NoBody = Annotated[AutomationBody, Depends(JsonBody(AutomationBody, optional=True))]


@router.get(
    _CLIENT,
    operation_id="automation.get",
    summary="Check whether automation is stopped for a client",
)
async def state(member: MemberDep, resources: ResourcesDep) -> AutomationState:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        return await AutomationStops(connection, member.tenant).read()


@router.post(
    f"{_CLIENT}/stop",
    operation_id="automation.stop",
    summary="Stop all automatic answers and actions",
)
async def stop(member: ManagerDep, _: _NoBody, resources: ResourcesDep) -> AutomationState:
    """The stop takes effect in all workers before the response is sent. Human agents can still send
    replies and approve actions."""
    async with resources.work.of(member.tenant) as work:
        return await stop_automation(work, member.actor)


@router.post(
    f"{_CLIENT}/resume",
    operation_id="automation.resume",
    summary="Resume a client's automation",
    responses=errors(409),
)
async def resume(member: ManagerDep, _: _NoBody, resources: ResourcesDep) -> AutomationState:
    """If another member stopped automation, it resumes when a second manager approves the change,
    or after one day. The same rule applies to every change that loosens a protection. Messages held
    during the stop remain in human review."""
    async with resources.work.of(member.tenant) as work:
        return await resume_automation(work, member.actor)


@router.get(
    _ALL,
    operation_id="automation.get_all",
    summary="Check whether automation is stopped for all clients",
)
async def all_state(_: OperatorDep, resources: ResourcesDep) -> InstallationState:
    """Only internal admins may call this operation."""
    async with resources.database.reading_across() as connection:
        return InstallationState.of(await InstallationStops(connection).read())


@router.post(
    f"{_ALL}/stop",
    operation_id="automation.stop_all",
    summary="Stop all automatic answers and actions for every client",
)
async def stop_all(operator: OperatorDep, _: _NoBody, resources: ResourcesDep) -> InstallationState:
    """This operation requires an internal admin. The stop takes effect in all workers before the
    response is sent."""
    async with resources.work.everywhere() as work:
        return InstallationState.of(await stop_installation(work, operator))


@router.post(
    f"{_ALL}/resume",
    operation_id="automation.resume_all",
    summary="Resume automation for all clients",
)
async def resume_all(
    operator: OperatorDep, _: _NoBody, resources: ResourcesDep
) -> InstallationState:
    """This operation requires an internal admin. Automation remains stopped for clients that have
    stopped it themselves."""
    async with resources.work.everywhere() as work:
        await resume_installation(work, operator)
    return InstallationState.of(None)
