"""/app/simulator/case-file: export and import of all saved cases as one YAML file."""

import asyncio
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import ReviewersPost
from api.dashboard.typed import Typed
from api.documents import read_yaml_document
from api.http.json_body import YAML
from domain.cases.case_documents import cases_in, write_cases
from domain.core.document import DocumentKind
from domain.tenants.actor import REVIEWERS
from services.cases.saved_cases import import_cases
from store.cases.saved_cases import SavedCaseRepository

_IMPORT: Final = "/app/simulator/case-file"
_LIST: Final = "/app/simulator/cases"

router = APIRouter(include_in_schema=False)


@router.get(f"{_IMPORT}/cases.yaml")
async def export(page: AnyonesPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await SavedCaseRepository(connection, page.tenant).all()
    headers = {
        "content-disposition": "attachment; filename=cases.yaml",
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff",
    }
    text = await asyncio.to_thread(write_cases, found)
    return Response(text, media_type=YAML, headers=headers)


@router.get(_IMPORT)
async def case_file(page: Annotated[Page, Depends(OnPage(REVIEWERS))]) -> Response:
    typed = await page.typed(_IMPORT, {"file": ""})
    return page.render("cases/case_file.html", typed=typed, changes=None)


@router.post(_IMPORT)
async def bring_in(post: ReviewersPost) -> Response:
    """Show a preview of the changes that the file would make. Nothing is stored at this point."""
    page = post.page
    value = await read_yaml_document(
        page.resources, page.tenant, DocumentKind.CASE_FILE, post.text("file").encode()
    )
    specs = cases_in(value)
    if not post.ticked("import"):
        async with page.resources.work.of(page.tenant, dry_run=True) as work:
            changes = await import_cases(work, page.actor, specs)
        typed = Typed.of({"file": post.text("file")}, None)
        return page.render("cases/case_file.html", typed=typed, changes=changes)
    async with post.working(_LIST) as work:
        done = await import_cases(work, page.actor, specs)
    return post.done(_LIST, "cases.imported", count=str(len(done)))
