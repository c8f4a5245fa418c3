"""/api/dashboard/integrations: the shops and helpdesks that a client's agent may ask and act in."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.content_access import CLIENT, PAGE, manager, note, page_reader
from api.http.json_body import json_response, parse_body, read_body
from api.openapi import SESSION, dashboard_answers, path_parameters, request_body
from api.resources import ResourcesDep
from api.schemas.integrations.integration import ConnectBody, IntegrationPage
from api.webhook_access import have_sent
from domain.core.ids import parse_ulid
from domain.integrations.credentials import new_integration
from domain.integrations.errors import IntegrationNotFound
from domain.integrations.integration import IntegrationEntry
from store.integrations.integrations import IntegrationRepository

router = APIRouter()

_INTEGRATIONS: Final = "/api/dashboard/integrations"


@router.get(
    _INTEGRATIONS,
    summary="A client's connections, without their credentials",
    responses=dashboard_answers(IntegrationPage),
    openapi_extra={"parameters": PAGE, "security": SESSION},
)
async def integrations(request: Request, resources: ResourcesDep) -> Response:
    """For every member of the client. Those that have ended are there too."""
    tenant, query = await page_reader(request, resources)
    async with resources.database.tenant(tenant) as connection:
        found = await IntegrationRepository(connection, tenant).page(
            after=query.cursor, limit=query.limit + 1
        )
    return json_response(IntegrationPage.of(found, query.limit).model_dump(mode="json"))


@router.post(
    _INTEGRATIONS,
    summary="Connect a shop or helpdesk",
    status_code=201,
    responses=dashboard_answers(IntegrationEntry, 408, 413, 415, status=201),
    openapi_extra={
        "parameters": CLIENT,
        "requestBody": request_body(ConnectBody),
        "security": SESSION,
    },
)
async def connect(request: Request, resources: ResourcesDep) -> Response:
    """A connection to the same provider that was there ends. Credentials are sealed before they are
    stored, and are not tried: the agent's first call tells whether they are good."""
    member = await manager(request, resources)
    body = parse_body(ConnectBody, await read_body(request))
    integration = new_integration(
        resources.new_id(),
        body.provider,
        body.settings,
        {name: secret.get_secret_value() for name, secret in body.credentials.items()},
        resources.sealer,
        by_operator=False,
    )
    async with resources.database.tenant(member.tenant) as connection:
        repository = IntegrationRepository(connection, member.tenant)
        deliveries = await repository.connect(integration, resources.now(), resources.new_id)
        made = await repository.entry(integration.id)
    note(member, "integration connected", integration_id=made.id, provider=made.provider)
    await have_sent(resources, member.tenant, *deliveries)
    return json_response(made.model_dump(mode="json"), status=201)


@router.delete(
    f"{_INTEGRATIONS}/{{integration_id}}",
    summary="End a connection, and erase its credentials",
    status_code=204,
    responses=dashboard_answers(None, status=204),
    openapi_extra={
        "parameters": [*path_parameters(integration_id="integration"), *CLIENT],
        "security": SESSION,
    },
)
async def disconnect(request: Request, resources: ResourcesDep) -> Response:
    """One that has ended stays as it is."""
    member = await manager(request, resources)
    integration_id = parse_ulid(request.path_params["integration_id"])
    if integration_id is None:
        raise IntegrationNotFound
    async with resources.database.tenant(member.tenant) as connection:
        repository = IntegrationRepository(connection, member.tenant)
        await repository.entry(integration_id)
        deliveries = await repository.disconnect(integration_id, resources.now(), resources.new_id)
    note(member, "integration disconnected", integration_id=integration_id)
    await have_sent(resources, member.tenant, *deliveries)
    return Response(status_code=204)
