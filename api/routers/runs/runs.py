"""GET /api/dashboard/runs: what the agent did, and why."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.dashboard_access import readable_tenant, signed_in
from api.http.json_body import json_response
from api.http.query import parse_query
from api.openapi import SESSION, dashboard_answers, path_parameters, query_parameters
from api.schemas.runs.run import RunPage, RunQuery, TraceQuery
from api.services import ServicesDep
from domain.core.ids import parse_ulid
from domain.runs.errors import RunNotFound
from domain.runs.trace import RunTrace
from store.runs.traces import RunTraces

router = APIRouter()

_RUN_ID: Final = path_parameters(run_id="run")


@router.get(
    "/api/dashboard/runs",
    summary="A client's runs, newest first",
    responses=dashboard_answers(RunPage),
    openapi_extra={"parameters": query_parameters(RunQuery), "security": SESSION},
)
async def list_runs(request: Request, services: ServicesDep) -> Response:
    """For every member of the client, by session token."""
    user = await signed_in(request, services)
    query = parse_query(RunQuery, request.query_params)
    tenant = await readable_tenant(user, query.client_id, services)
    async with services.database.tenant(tenant) as connection:
        # One more than is shown tells whether there is a next page.
        found = await RunTraces(connection, tenant).page(
            limit=query.limit + 1,
            before=query.cursor,
            status=query.status,
            classification=query.classification,
        )
    shown = found[: query.limit]
    more = len(found) > query.limit
    page = RunPage(runs=shown, next_cursor=shown[-1].run_id if more else None)
    return json_response(page.model_dump(mode="json"))


@router.get(
    "/api/dashboard/runs/{run_id}",
    summary="Why a run ended as it did",
    responses=dashboard_answers(RunTrace),
    openapi_extra={
        "parameters": [*_RUN_ID, *query_parameters(TraceQuery)],
        "security": SESSION,
    },
)
async def show_run(request: Request, services: ServicesDep) -> Response:
    """For every member of the client, by session token. Another client's run is no run."""
    user = await signed_in(request, services)
    query = parse_query(TraceQuery, request.query_params)
    tenant = await readable_tenant(user, query.client_id, services)
    wanted = parse_ulid(request.path_params["run_id"])
    if wanted is None:
        raise RunNotFound
    async with services.database.tenant(tenant) as connection:
        trace = await RunTraces(connection, tenant).read(wanted)
    return json_response(trace.model_dump(mode="json"))
