"""/api/dashboard/content-previews: the effect of a content change on the outcomes of the saved
cases."""

from typing import Annotated

from fastapi import APIRouter, Depends

from api.access import ManagerDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, errors
from api.schemas.cases.content_preview import ContentPreviewBody
from domain.cases.case_run import CaseRun
from services.cases.content_previews import preview_content

router = APIRouter(route_class=DescribedRoute)


@router.post(
    "/api/dashboard/content-previews",
    operation_id="content_previews.create",
    summary="Test a change to a template or knowledge entry on all saved cases",
    status_code=202,
    responses=errors(404, 409),
)
async def preview(
    member: ManagerDep,
    body: Annotated[ContentPreviewBody, Depends(JsonBody(ContentPreviewBody))],
    resources: ResourcesDep,
) -> CaseRun:
    """The change is not saved. For each case, the results state the outcome with and without the
    change. If you then save exactly this change, the results remain valid. A client can have one
    run in progress at a time."""
    change = body.variant
    async with resources.work.of(member.tenant) as work:
        return await preview_content(work, member.actor, change)
