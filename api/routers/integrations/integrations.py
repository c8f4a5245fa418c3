"""/api/dashboard/integrations: shops and helpdesks that a client's agent can query and act on."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import ChosenManagerDep, ManagerDep, PageDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId
from api.schemas.core.client_query import cursor_after
from api.schemas.integrations.integration import (
    ConnectBody,
    IntegrationPage,
    TrialAnswer,
    TrialBody,
)
from domain.integrations.errors import IntegrationNotFound
from domain.integrations.trial import TriedIntegration
from services.integrations.connections import disconnect_integration
from services.integrations.trials import connect_and_try, try_integration
from store.integrations.integrations import IntegrationRepository

router = APIRouter(route_class=DescribedRoute)

_INTEGRATIONS: Final = "/api/dashboard/integrations"
IntegrationId = Annotated[
    str, Depends(PathId("integration_id", "integration", IntegrationNotFound))
]


@router.get(
    _INTEGRATIONS,
    operation_id="integrations.list",
    summary="List a client's connections, without their credentials",
)
async def integrations(page: PageDep, resources: ResourcesDep) -> IntegrationPage:
    """Any member of the client may call this operation. Ended connections are included."""
    async with resources.database.reading(page.tenant) as connection:
        found = await IntegrationRepository(connection, page.tenant).page(
            after=page.query.cursor, limit=page.query.limit + 1
        )
    return IntegrationPage(
        integrations=found[: page.query.limit],
        next_cursor=cursor_after(found, page.query.limit, lambda last: last.id),
    )


@router.post(
    _INTEGRATIONS,
    operation_id="integrations.create",
    summary="Connect a shop or helpdesk",
    status_code=201,
)
async def connect(
    member: ChosenManagerDep,
    body: Annotated[ConnectBody, Depends(JsonBody(ConnectBody))],
    resources: ResourcesDep,
) -> TriedIntegration:
    """A member of several clients must specify the client. A new connection ends an existing
    connection to the same provider. The credentials are encrypted before they are stored, then
    tested with one inexpensive read request. The connection is stored even if the test fails.
    `problem` then states the reason."""
    credentials = {name: secret.get_secret_value() for name, secret in body.credentials.items()}
    return await connect_and_try(
        resources.work,
        member.actor,
        member.tenant,
        body.provider,
        settings=body.settings,
        credentials=credentials,
        sealer=resources.sealer,
        connectors=resources.connectors,
    )


@router.post(
    f"{_INTEGRATIONS}/{{integration_id}}/test",
    operation_id="integrations.test",
    summary="Test a connection with a read request",
)
async def try_one(
    member: ManagerDep,
    integration_id: IntegrationId,
    _: Annotated[TrialBody, Depends(JsonBody(TrialBody, optional=True))],
    resources: ResourcesDep,
) -> TrialAnswer:
    """The test changes nothing in the service or at the provider. Ended connections cannot be
    tested."""
    problem = await try_integration(
        resources.work,
        member.actor,
        member.tenant,
        integration_id,
        connectors=resources.connectors,
    )
    return TrialAnswer(problem=problem)


@router.delete(
    f"{_INTEGRATIONS}/{{integration_id}}",
    operation_id="integrations.delete",
    summary="End a connection and erase its credentials",
    status_code=204,
)
async def disconnect(
    member: ManagerDep, integration_id: IntegrationId, resources: ResourcesDep
) -> Response:
    """The call has no effect if the connection has already ended."""
    async with resources.work.of(member.tenant) as work:
        await disconnect_integration(work, member.actor, integration_id)
    return Response(status_code=204)
