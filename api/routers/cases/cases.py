"""/api/dashboard/cases: messages with their expected outcomes."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import JsonValue
from starlette.responses import Response

from api.access import MemberDep, PageDep, ReviewerDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.routers.playbooks.body import PlaybookBody
from api.schemas.cases.case import CaseOfRunBody, CasePage
from api.schemas.core.client_query import cursor_after
from domain.cases.case import CaseOrigin, CaseSpec, SavedCase
from domain.cases.case_documents import NewCaseShape, case_in, new_case_in
from domain.cases.errors import CaseNotFound
from domain.core.document import DocumentKind
from domain.runs.errors import RunNotFound
from services.cases.cases_from_runs import add_case_of_run
from services.cases.saved_cases import add_case, change_case, delete_case
from store.cases.saved_cases import SavedCaseRepository

router = APIRouter(route_class=DescribedRoute)

_CASES: Final = "/api/dashboard/cases"
_CASE: Final = f"{_CASES}/{{case_id}}"
CaseId = Annotated[str, Depends(PathId("case_id", "case", CaseNotFound))]

_EXAMPLE: Final[JsonValue] = {
    "name": "Où est mon colis",
    "scenario": {"messages": [{"text": "Bonjour, où en est ma commande 1042 ?"}]},
    "expected": {"classification": "order_status", "forbidden": ["refund"]},
}
_NewCase = PlaybookBody(NewCaseShape, new_case_in, _EXAMPLE, kind=DocumentKind.NEW_CASE)
_ChangedCase = PlaybookBody(CaseSpec, case_in, _EXAMPLE, kind=DocumentKind.CASE)


@router.get(_CASES, operation_id="cases.list", summary="List a client's saved cases, oldest first")
async def cases(page: PageDep, resources: ResourcesDep) -> CasePage:
    """Any member of the client may call this operation."""
    async with resources.database.reading(page.tenant) as connection:
        found = await SavedCaseRepository(connection, page.tenant).page(
            after=page.query.cursor, limit=page.query.limit + 1
        )
    return CasePage(
        cases=found[: page.query.limit],
        next_cursor=cursor_after(found, page.query.limit, lambda last: last.id),
    )


@router.post(
    _CASES,
    operation_id="cases.create",
    summary="Save a case",
    status_code=201,
    responses=errors(409),
)
async def create(
    member: ReviewerDep,
    new: Annotated[tuple[CaseSpec, CaseOrigin], Depends(_NewCase)],
    resources: ResourcesDep,
) -> SavedCase:
    """Send JSON, or YAML with `Content-Type: application/yaml`. To save a simulation, send its
    scenario and the `expected` field of its response."""
    spec, origin = new
    async with resources.work.of(member.tenant) as work:
        return await add_case(work, member.actor, spec, origin=origin)


@router.get(_CASE, operation_id="cases.get", summary="Get a saved case")
async def case(member: MemberDep, case_id: CaseId, resources: ResourcesDep) -> SavedCase:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        return await SavedCaseRepository(connection, member.tenant).read(case_id)


@router.put(
    _CASE, operation_id="cases.update", summary="Change a saved case", responses=errors(409)
)
async def change(
    member: ReviewerDep,
    case_id: CaseId,
    spec: Annotated[CaseSpec, Depends(_ChangedCase)],
    resources: ResourcesDep,
) -> SavedCase:
    """Replaces the entire case. Results of the previous version are no longer valid."""
    async with resources.work.of(member.tenant) as work:
        return await change_case(work, member.actor, case_id, spec)


@router.delete(_CASE, operation_id="cases.delete", summary="Delete a saved case", status_code=204)
async def delete(member: ReviewerDep, case_id: CaseId, resources: ResourcesDep) -> Response:
    """Permanently deletes the case and its results."""
    async with resources.work.of(member.tenant) as work:
        await delete_case(work, member.actor, case_id)
    return Response(status_code=204)


@router.post(
    "/api/dashboard/runs/{run_id}/case",
    operation_id="cases.create_from_run",
    summary="Save a run as a case",
    status_code=201,
    responses=errors(409),
)
async def create_of_run(
    member: ReviewerDep,
    run_id: Annotated[str, Depends(PathId("run_id", "run", RunNotFound))],
    body: Annotated[CaseOfRunBody, Depends(JsonBody(CaseOfRunBody, optional=True))],
    resources: ResourcesDep,
) -> SavedCase:
    """The case contains the conversation up to the run's message, with personal data replaced by
    sample values. The expected outcome is the decision of a human reviewer if there is one,
    otherwise the run's outcome."""
    async with resources.work.of(member.tenant) as work:
        return await add_case_of_run(work, member.actor, run_id, name=body.name)
