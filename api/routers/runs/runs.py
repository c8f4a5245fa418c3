"""GET /api/dashboard/runs: the agent's runs, with each run's outcome and reasons."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import Asked, MemberDep, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute, PathId
from api.schemas.runs.run import RunPage, RunQuery
from domain.runs.errors import RunNotFound
from domain.runs.trace import RunTrace
from store.runs.run_lists import RunLists
from store.runs.traces import RunTraces

router = APIRouter(route_class=DescribedRoute)

_RUNS: Final = "/api/dashboard/runs"


@router.get(_RUNS, operation_id="runs.list", summary="List a client's runs, newest first")
async def list_runs(
    asked: Annotated[Asked[RunQuery], Depends(QueryInClient(RunQuery))], resources: ResourcesDep
) -> RunPage:
    """Any member of the client may call this operation with a session token."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        found, behind = await RunLists(connection, asked.tenant).page(
            query.wanted, limit=query.limit, before=query.cursor
        )
    return RunPage(runs=found, next_cursor=behind)


@router.get(
    f"{_RUNS}/{{run_id}}",
    operation_id="runs.get",
    summary="Get a run and the reasons for its outcome",
)
async def show_run(
    member: MemberDep,
    run_id: Annotated[str, Depends(PathId("run_id", "run", RunNotFound))],
    resources: ResourcesDep,
) -> RunTrace:
    """Any member of the client may call this operation with a session token. Returns 404 if the run
    belongs to another client."""
    async with resources.database.reading(member.tenant) as connection:
        return await RunTraces(connection, member.tenant).read(run_id)
