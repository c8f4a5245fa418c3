"""/api/dashboard/integrations/{id}/inbound: the endpoint to which a platform sends webhooks."""

import secrets
from datetime import timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import ManagerDep, MemberDep
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.inbound.inbound_endpoint import (
    EndpointAnswer,
    EndpointSecretBody,
    OpenedEndpoint,
    OpenEndpointBody,
    RotateEndpointBody,
)
from domain.inbound.endpoint import SECRET_BYTES, TOKEN_BYTES, EndpointEntry, endpoint_url
from domain.integrations.errors import IntegrationNotFound
from services.inbound.endpoints import (
    DrawnBytes,
    ShownEndpoint,
    close_endpoint,
    open_endpoint,
    rotate_endpoint,
    set_endpoint_secret,
)
from store.inbound.endpoints import EndpointRepository
from store.integrations.integrations import IntegrationRepository

router = APIRouter(route_class=DescribedRoute)

_INBOUND: Final = "/api/dashboard/integrations/{integration_id}/inbound"
_IntegrationId = Annotated[
    str, Depends(PathId("integration_id", "integration", IntegrationNotFound))
]


@router.get(
    _INBOUND,
    operation_id="inbound_endpoints.get",
    summary="Get a connection's webhook endpoint, without its secrets",
)
async def show(
    member: MemberDep, integration_id: _IntegrationId, resources: ResourcesDep
) -> EndpointAnswer:
    """Any member of the client may call this operation. The endpoint's URL is shown only once, when
    the endpoint is created."""
    async with resources.database.reading(member.tenant) as connection:
        await IntegrationRepository(connection, member.tenant).require(integration_id)
        found = await EndpointRepository(connection, member.tenant).find(integration_id)
    return EndpointAnswer(endpoint=found)


@router.post(
    _INBOUND,
    operation_id="inbound_endpoints.create",
    summary="Open a webhook endpoint for a platform",
    status_code=201,
    responses=errors(409),
)
async def open_one(
    member: ManagerDep,
    integration_id: _IntegrationId,
    body: Annotated[OpenEndpointBody, Depends(JsonBody(OpenEndpointBody, optional=True))],
    resources: ResourcesDep,
) -> OpenedEndpoint:
    """The endpoint's URL and the secret that the service generates are shown only in this response.
    If the platform issues the secret, every webhook is rejected until that secret is stored."""
    async with (
        resources.documents.admitted(
            member.tenant
        ),  # limits concurrent evaluations of the mapping's expressions
        resources.work.of(member.tenant) as work,
    ):
        shown = await open_endpoint(
            work, member.actor, integration_id, body.wanted, _drawn(), sealer=resources.sealer
        )
    return _opened(shown, resources)


@router.post(
    f"{_INBOUND}/rotate",
    operation_id="inbound_endpoints.rotate",
    summary="Rotate a connection's webhook endpoint",
)
async def rotate(
    member: ManagerDep,
    integration_id: _IntegrationId,
    body: Annotated[RotateEndpointBody, Depends(JsonBody(RotateEndpointBody, optional=True))],
    resources: ResourcesDep,
) -> OpenedEndpoint:
    """Generates a new URL. Also generates a new secret, unless the platform issues the secret.
    Earlier URLs and secrets stay valid for `overlap_hours`."""
    async with resources.work.of(member.tenant) as work:
        shown = await rotate_endpoint(
            work,
            member.actor,
            integration_id,
            _drawn(),
            sealer=resources.sealer,
            overlap=timedelta(hours=body.overlap_hours),
        )
    return _opened(shown, resources)


@router.put(
    f"{_INBOUND}/secret",
    operation_id="inbound_endpoints.update_secret",
    summary="Store a platform's signing secret",
)
async def put_secret(
    member: ManagerDep,
    integration_id: _IntegrationId,
    body: Annotated[EndpointSecretBody, Depends(JsonBody(EndpointSecretBody))],
    resources: ResourcesDep,
) -> EndpointEntry:
    """The endpoint's URL does not change. The previous secret is valid for another 24 hours."""
    async with resources.work.of(member.tenant) as work:
        return await set_endpoint_secret(
            work,
            member.actor,
            integration_id,
            body.secret.get_secret_value(),
            sealer=resources.sealer,
        )


@router.delete(
    _INBOUND,
    operation_id="inbound_endpoints.delete",
    summary="Close a connection's webhook endpoint",
    status_code=204,
)
async def close(
    member: ManagerDep, integration_id: _IntegrationId, resources: ResourcesDep
) -> Response:
    """Received webhooks stay in the log. The call has no effect if no endpoint is open."""
    async with resources.work.of(member.tenant) as work:
        await close_endpoint(work, member.actor, integration_id)
    return Response(status_code=204)


def _drawn() -> DrawnBytes:
    return DrawnBytes(secrets.token_bytes(TOKEN_BYTES), secrets.token_bytes(SECRET_BYTES))


def _opened(shown: ShownEndpoint, resources: Resources) -> OpenedEndpoint:
    origin = resources.settings.server.origin
    return OpenedEndpoint(
        endpoint=shown.entry,
        url=endpoint_url(origin, shown.entry.provider, shown.token),
        secret=shown.secret,
    )
