"""/api/dashboard/case-runs: runs of all saved cases."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import MemberDep, PageDep, ReviewerDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.cases.case import CaseResults, CaseRunBody, CaseRunPage
from api.schemas.core.client_query import cursor_after
from domain.cases.case_run import CaseRun
from domain.cases.errors import CaseRunNotFound
from services.cases.case_runs import start_case_run
from store.cases.case_runs import CaseRunRepository

router = APIRouter(route_class=DescribedRoute)

_CASE_RUNS: Final = "/api/dashboard/case-runs"


@router.get(
    _CASE_RUNS,
    operation_id="case_runs.list",
    summary="List the runs of a client's cases, newest first",
)
async def case_runs(page: PageDep, resources: ResourcesDep) -> CaseRunPage:
    """Any member of the client may call this operation."""
    async with resources.database.reading(page.tenant) as connection:
        found = await CaseRunRepository(connection, page.tenant).page(
            before=page.query.cursor, limit=page.query.limit + 1
        )
    return CaseRunPage(
        runs=found[: page.query.limit],
        next_cursor=cursor_after(found, page.query.limit, lambda last: last.id),
    )


@router.post(
    _CASE_RUNS,
    operation_id="case_runs.create",
    summary="Run all saved cases",
    status_code=202,
    responses=errors(404, 409),
)
async def start(
    member: ReviewerDep,
    body: Annotated[CaseRunBody, Depends(JsonBody(CaseRunBody, optional=True))],
    resources: ResourcesDep,
) -> CaseRun:
    """A client can have one run in progress at a time. The run's counts are updated while it is in
    progress. Cases do not use the ticket quota. Language model costs are charged to the client."""
    variant = body.variant
    async with resources.work.of(member.tenant) as work:
        return await start_case_run(work, member.actor, variant)


@router.get(
    f"{_CASE_RUNS}/{{case_run_id}}",
    operation_id="case_runs.get",
    summary="List the results of all cases in one run",
)
async def results(
    member: MemberDep,
    case_run_id: Annotated[str, Depends(PathId("case_run_id", "case run", CaseRunNotFound))],
    resources: ResourcesDep,
) -> CaseResults:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        runs = CaseRunRepository(connection, member.tenant)
        return CaseResults(
            run=await runs.read(case_run_id), results=await runs.results(case_run_id)
        )
