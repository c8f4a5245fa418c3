"""/api/dashboard/settings: a client's instructions for the language model, branding and other
settings."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import ManagerDep, MemberDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, errors
from api.schemas.tenants.settings import SettingsBody
from domain.tenants.client_settings import ClientSettings
from services.tenants.client_settings import change_settings
from store.tenants.client_settings import SettingsRepository

router = APIRouter(route_class=DescribedRoute)

_SETTINGS: Final = "/api/dashboard/settings"


@router.get(_SETTINGS, operation_id="settings.get", summary="Get a client's settings")
async def settings(member: MemberDep, resources: ResourcesDep) -> ClientSettings:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        return await SettingsRepository(connection, member.tenant).read()


@router.patch(
    _SETTINGS,
    operation_id="settings.update",
    summary="Change a client's settings",
    responses=errors(409),
)
async def change(
    member: ManagerDep,
    body: Annotated[SettingsBody, Depends(JsonBody(SettingsBody))],
    resources: ResourcesDep,
) -> ClientSettings:
    """The change takes effect with the next message. Omitted fields do not change. A given value
    replaces the current value entirely."""
    wanted = body.change
    async with resources.work.of(member.tenant) as work:
        return await change_settings(work, member.actor, wanted)
