"""/api/dashboard/settings: a client's words to a language model, its looks, its widget's key."""

import secrets
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.content_access import CLIENT, manager, note, reader
from api.http.json_body import json_response, parse_body, read_body, read_optional_body
from api.openapi import SESSION, dashboard_answers, request_body
from api.schemas.tenants.settings import RotateKeyBody, SettingsBody
from api.services import ServicesDep
from domain.tenants.client_settings import WIDGET_KEY_BYTES, ClientSettings, widget_key_of
from store.tenants.client_settings import SettingsRepository

router = APIRouter()

_SETTINGS: Final = "/api/dashboard/settings"


@router.get(
    _SETTINGS,
    summary="What a client has set",
    responses=dashboard_answers(ClientSettings),
    openapi_extra={"parameters": CLIENT, "security": SESSION},
)
async def settings(request: Request, services: ServicesDep) -> Response:
    """For every member of the client."""
    tenant = await reader(request, services)
    async with services.database.tenant(tenant) as connection:
        found = await SettingsRepository(connection, tenant).read()
    return json_response(found.model_dump(mode="json"))


@router.patch(
    _SETTINGS,
    summary="Change what a client has set",
    responses=dashboard_answers(ClientSettings, 408, 413, 415),
    openapi_extra={
        "parameters": CLIENT,
        "requestBody": request_body(SettingsBody),
        "security": SESSION,
    },
)
async def change(request: Request, services: ServicesDep) -> Response:
    """From the next message on. What is left out stays; what is given takes its place whole."""
    member = await manager(request, services)
    body = parse_body(SettingsBody, await read_body(request))
    wanted = body.change
    async with services.database.tenant(member.tenant) as connection:
        changed = await SettingsRepository(connection, member.tenant).change(wanted, services.now())
    note(member, "settings changed", fields=" ".join(sorted(body.model_fields_set)))
    return json_response(changed.model_dump(mode="json"))


@router.post(
    f"{_SETTINGS}/widget-key",
    summary="Give the widget a new key",
    responses=dashboard_answers(ClientSettings, 408, 413, 415),
    openapi_extra={
        "parameters": CLIENT,
        "requestBody": request_body(RotateKeyBody),
        "security": SESSION,
    },
)
async def rotate_widget_key(request: Request, services: ServicesDep) -> Response:
    """Its first one, if it has none. The key until now ends at once."""
    member = await manager(request, services)
    parse_body(RotateKeyBody, await read_optional_body(request))
    key = widget_key_of(secrets.token_bytes(WIDGET_KEY_BYTES))
    async with services.database.tenant(member.tenant) as connection:
        changed = await SettingsRepository(connection, member.tenant).rotate_widget_key(
            key, services.now()
        )
    note(member, "widget key rotated")
    return json_response(changed.model_dump(mode="json"))
