"""/api/dashboard/settings: a client's words to a language model, its looks, its widget's key."""

import secrets
from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import ManagerDep, MemberDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody
from api.schemas.tenants.settings import RotateKeyBody, SettingsBody
from domain.tenants.client_settings import WIDGET_KEY_BYTES, ClientSettings
from services.tenants.client_settings import change_settings, give_widget_key
from store.tenants.client_settings import SettingsRepository

router = APIRouter(route_class=DescribedRoute)

_SETTINGS: Final = "/api/dashboard/settings"


@router.get(_SETTINGS, summary="What a client has set")
async def settings(member: MemberDep, resources: ResourcesDep) -> ClientSettings:
    """For every member of the client."""
    async with resources.database.reading(member.tenant) as connection:
        return await SettingsRepository(connection, member.tenant).read()


@router.patch(_SETTINGS, summary="Change what a client has set")
async def change(
    member: ManagerDep,
    body: Annotated[SettingsBody, Depends(JsonBody(SettingsBody))],
    resources: ResourcesDep,
) -> ClientSettings:
    """From the next message on. What is left out stays; what is given takes its place whole."""
    wanted = body.change
    async with resources.work.of(member.tenant) as work:
        return await change_settings(work, member.actor, wanted)


@router.post(f"{_SETTINGS}/widget-key", summary="Give the widget a new key")
async def rotate_widget_key(
    member: ManagerDep,
    _: Annotated[RotateKeyBody, Depends(JsonBody(RotateKeyBody, optional=True))],
    resources: ResourcesDep,
) -> ClientSettings:
    """Its first one, if it has none. The key until now ends at once."""
    random = secrets.token_bytes(WIDGET_KEY_BYTES)
    async with resources.work.of(member.tenant) as work:
        return await give_widget_key(work, member.actor, random)
