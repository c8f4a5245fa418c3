"""/api/dashboard/widget: a client's widget settings, key and secret."""

import secrets
from datetime import timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import ManagerDep, Member, MemberDep
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute, JsonBody
from api.schemas.widget.widget_settings import OverlapBody, WidgetBody, WidgetWithSecret
from domain.tenants.client_settings import WIDGET_KEY_BYTES, ClientSettings
from domain.widget.signed_user import SECRET_BYTES
from domain.widget.widget import WidgetSummary, summary_of
from services.widget.widget_settings import (
    change_widget,
    rotate_widget_key,
    rotate_widget_secret,
)
from store.tenants.client_settings import SettingsRepository
from store.widget.widgets import WidgetRepository

router = APIRouter(route_class=DescribedRoute)

_WIDGET: Final = "/api/dashboard/widget"

OverlapDep = Annotated[OverlapBody, Depends(JsonBody(OverlapBody, optional=True))]


@router.get(_WIDGET, operation_id="widget_settings.get", summary="Get a client's widget settings")
async def widget(member: MemberDep, resources: ResourcesDep) -> WidgetSummary:
    """Any member of the client may call this operation. The secret is shown only once, when it is
    created."""
    return await _summary(member, resources)


@router.patch(
    _WIDGET, operation_id="widget_settings.update", summary="Change a client's widget settings"
)
async def change(
    member: ManagerDep,
    body: Annotated[WidgetBody, Depends(JsonBody(WidgetBody))],
    resources: ResourcesDep,
) -> WidgetSummary:
    """The change takes effect with the next request. Omitted fields do not change."""
    wanted = body.change
    async with resources.work.of(member.tenant) as work:
        await change_widget(work, member.actor, wanted)
    return await _summary(member, resources)


@router.post(
    f"{_WIDGET}/secret",
    operation_id="widget_settings.rotate_secret",
    summary="Rotate the widget secret",
)
async def rotate_secret(
    member: ManagerDep, body: OverlapDep, resources: ResourcesDep
) -> WidgetWithSecret:
    """Only this response contains the new secret. Until the overlap ends, signatures with the
    previous secret are also accepted."""
    async with resources.work.of(member.tenant) as work:
        made = await rotate_widget_secret(
            work,
            member.actor,
            overlap=timedelta(hours=body.overlap_hours),
            sealer=resources.sealer,
            random_bytes=secrets.token_bytes(SECRET_BYTES),
        )
    return WidgetWithSecret(widget=await _summary(member, resources), secret=made.secret)


@router.post(
    "/api/dashboard/settings/widget-key",
    operation_id="widget_settings.rotate_key",
    summary="Rotate the widget key",
)
async def rotate_key(
    member: ManagerDep, body: OverlapDep, resources: ResourcesDep
) -> ClientSettings:
    """Creates a key if there is none. Until the overlap ends, the previous key also remains
    valid."""
    async with resources.work.of(member.tenant) as work:
        return await rotate_widget_key(
            work,
            member.actor,
            overlap=timedelta(hours=body.overlap_hours),
            random_bytes=secrets.token_bytes(WIDGET_KEY_BYTES),
        )


async def _summary(member: Member, resources: Resources) -> WidgetSummary:
    async with resources.database.reading(member.tenant) as connection:
        found = await WidgetRepository(connection, member.tenant).read()
        settings = await SettingsRepository(connection, member.tenant).read()
    return summary_of(
        found,
        settings.widget_key,
        origin=resources.settings.server.origin,
        now=resources.now(),
    )
