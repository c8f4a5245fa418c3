"""GET /api/dashboard/runs: what the agent did, and why."""

from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from api.dashboard import EVERY_ROLE, dashboard_tenant
from api.openapi import RETRY_AFTER, UNAUTHENTICATED, Described
from api.schemas.error import ErrorBody
from api.schemas.run import MAX_PAGE, PAGE, RunPage, RunQuery
from api.services import ServicesDep
from domain.brain import Category
from domain.errors import RunNotFound
from domain.ids import parse_ulid
from domain.run import RunStatus
from domain.run_trace import RunTrace
from store.run_trace import RunTraces

router = APIRouter()

_ULID: Final = {"type": "string", "pattern": "^[0-7][0-9A-HJKMNP-TV-Z]{25}$"}
_CLIENT_ID: Final = {
    "name": "client_id",
    "in": "query",
    "required": False,
    "description": "ULID of the client. Absent: the user's own.",
    "schema": {"type": "string", "pattern": r"\S"},
    "example": "01J9ZQ4Z8N3V5X7B2C4D6E8F0G",
}
_ANSWERS: Final[dict[int | str, Described]] = {
    **{status: {"model": ErrorBody} for status in (400, 403, 404, 405, 500)},
    401: UNAUTHENTICATED,
    429: {"model": ErrorBody, "headers": RETRY_AFTER},
}


def _filter(name: str, schema: Mapping[str, object], description: str) -> dict[str, object]:
    return {"name": name, "in": "query", "schema": schema, "description": description}


@router.get(
    "/api/dashboard/runs",
    summary="A client's runs, newest first",
    responses={200: {"model": RunPage}, **_ANSWERS},
    openapi_extra={
        "parameters": [
            _CLIENT_ID,
            _filter("status", {"enum": list(RunStatus)}, "Only runs that stand so."),
            _filter("classification", {"enum": list(Category)}, "Only runs of this class."),
            _filter(
                "limit",
                {"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": PAGE},
                "At most so many.",
            ),
            _filter("cursor", _ULID, "`next_cursor` of the page before."),
        ],
        "security": [{"bearer": []}],
    },
)
async def list_runs(request: Request, services: ServicesDep) -> Response:
    """For every member of the client, by session token."""
    tenant, _ = await dashboard_tenant(request, services, roles=EVERY_ROLE)
    query = RunQuery.read(request.query_params)
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
    return _private(RunPage(runs=shown, next_cursor=shown[-1].run_id if more else None))


@router.get(
    "/api/dashboard/runs/{run_id}",
    summary="Why a run ended as it did",
    responses={200: {"model": RunTrace}, **_ANSWERS},
    openapi_extra={"parameters": [_CLIENT_ID], "security": [{"bearer": []}]},
)
async def show_run(run_id: str, request: Request, services: ServicesDep) -> Response:
    """For every member of the client, by session token. Another client's run is no run."""
    tenant, _ = await dashboard_tenant(request, services, roles=EVERY_ROLE)
    wanted = parse_ulid(run_id)
    if wanted is None:
        raise RunNotFound
    async with services.database.tenant(tenant) as connection:
        trace = await RunTraces(connection, tenant).read(wanted)
    return _private(trace)


def _private(content: BaseModel) -> Response:
    """JSON that nobody keeps: customers wrote some of it."""
    return Response(
        content.model_dump_json(),
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )
