"""/api/dashboard/case-file: export and import of all of a client's saved cases in one file."""

import asyncio
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import JsonValue
from starlette.responses import Response

from api.access import Asked, MemberDep, QueryInClient
from api.http.json_body import YAML
from api.resources import ResourcesDep
from api.route import DescribedRoute, errors
from api.routers.playbooks.body import PlaybookBody
from api.schemas.cases.case import CaseImportAnswer, CaseImportQuery, ImportedCase
from domain.cases.case import CaseSpec
from domain.cases.case_documents import (
    CaseFileShape,
    CaseImportOutcome,
    cases_in,
    write_cases,
)
from domain.core.document import DocumentKind
from domain.tenants.actor import REVIEWERS
from services.cases.saved_cases import import_cases
from store.cases.saved_cases import SavedCaseRepository

router = APIRouter(route_class=DescribedRoute)

_FILE: Final = "/api/dashboard/case-file"
_EXAMPLE: Final[JsonValue] = {
    "version": 1,
    "cases": [
        {
            "name": "Où est mon colis",
            "scenario": {"messages": [{"text": "Bonjour, où en est ma commande 1042 ?"}]},
            "expected": {"classification": "order_status"},
        }
    ],
}
_Cases = PlaybookBody(CaseFileShape, cases_in, _EXAMPLE, kind=DocumentKind.CASE_FILE)


@router.get(
    _FILE,
    operation_id="cases.export",
    summary="Export a client's saved cases as one YAML file",
    response_class=Response,
    responses={200: {"content": {YAML: {"schema": {"type": "string"}}}}},
)
async def export(member: MemberDep, resources: ResourcesDep) -> Response:
    """Any member of the client may call this operation. Importing an unchanged export has no
    effect."""
    async with resources.database.reading(member.tenant) as connection:
        found = await SavedCaseRepository(connection, member.tenant).all()
    headers = {"content-disposition": "attachment; filename=cases.yaml"}
    text = await asyncio.to_thread(write_cases, found)
    return Response(text, media_type=YAML, headers=headers)


@router.post(
    _FILE,
    operation_id="cases.import",
    summary="Import a client's saved cases from a file",
    responses=errors(409),
)
async def bring_in(
    asked: Annotated[Asked[CaseImportQuery], Depends(QueryInClient(CaseImportQuery, REVIEWERS))],
    specs: Annotated[tuple[CaseSpec, ...], Depends(_Cases)],
    resources: ResourcesDep,
) -> CaseImportAnswer:
    """Cases are matched by name. Either all cases in the file are imported or none. Existing cases
    that are missing from the file stay unchanged. Send JSON, or YAML with `Content-Type:
    application/yaml`."""
    dry_run = asked.query.dry_run
    async with resources.work.of(asked.tenant, dry_run=dry_run) as work:
        done = await import_cases(work, asked.actor, specs)
    return CaseImportAnswer(
        dry_run=dry_run,
        cases=tuple(
            ImportedCase(
                name=one.case.name,
                outcome=one.outcome,
                id=None if dry_run and one.outcome is CaseImportOutcome.CREATED else one.case.id,
            )
            for one in done
        ),
    )
