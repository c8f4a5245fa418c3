"""/api/dashboard/templates: a client's own answer templates. The agent fills in the placeholders
for each customer."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import ManagerDep, MemberDep, PageDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.routers.content.saves import saving
from api.schemas.content.content import (
    AddedStarters,
    AddStartersBody,
    NewTemplateBody,
    TemplateBody,
    TemplatePage,
)
from api.schemas.core.client_query import cursor_after
from domain.content.content import TemplateEntry
from domain.content.errors import ContentNotFound
from services.content.templates import (
    add_starter_templates,
    add_template,
    change_template,
    delete_template,
)
from store.content.content_changes import ContentChanges

router = APIRouter(route_class=DescribedRoute)

_TEMPLATES: Final = "/api/dashboard/templates"
_TEMPLATE: Final = f"{_TEMPLATES}/{{template_id}}"
_STARTERS: Final = "/api/dashboard/starter-templates"
TemplateId = Annotated[str, Depends(PathId("template_id", "template", ContentNotFound))]


@router.get(
    _TEMPLATES, operation_id="templates.list", summary="List a client's templates, oldest first"
)
async def templates(page: PageDep, resources: ResourcesDep) -> TemplatePage:
    """Any member of the client may call this operation. Inactive templates are included."""
    async with resources.database.reading(page.tenant) as connection:
        found = await ContentChanges(connection, page.tenant).page(
            TemplateEntry, after=page.query.cursor, limit=page.query.limit + 1
        )
    return TemplatePage(
        templates=found[: page.query.limit],
        next_cursor=cursor_after(found, page.query.limit, lambda last: last.id),
    )


@router.post(
    _TEMPLATES,
    operation_id="templates.create",
    summary="Add a template",
    status_code=201,
    responses=errors(409),
)
async def create(
    request: Request,
    member: ManagerDep,
    body: Annotated[NewTemplateBody, Depends(JsonBody(NewTemplateBody))],
    resources: ResourcesDep,
) -> TemplateEntry:
    """The agent may use the template starting with the next message."""
    async with saving(request, member, resources) as work:
        return await add_template(work, member.actor, body.template)


@router.post(
    _STARTERS,
    operation_id="templates.add_starters",
    summary="Add the starter templates",
    responses=errors(409),
)
async def add_starters(
    request: Request,
    member: ManagerDep,
    _: Annotated[AddStartersBody, Depends(JsonBody(AddStartersBody, optional=True))],
    resources: ResourcesDep,
) -> AddedStarters:
    """Adds each starter template unless a template with the same intent and language exists."""
    async with saving(request, member, resources) as work:
        return AddedStarters(added=await add_starter_templates(work, member.actor))


@router.get(_TEMPLATE, operation_id="templates.get", summary="Get a template")
async def template(
    member: MemberDep, template_id: TemplateId, resources: ResourcesDep
) -> TemplateEntry:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        return await ContentChanges(connection, member.tenant).read(TemplateEntry, template_id)


@router.patch(
    _TEMPLATE,
    operation_id="templates.update",
    summary="Change a template, or activate or deactivate it",
)
async def change(
    request: Request,
    member: ManagerDep,
    template_id: TemplateId,
    body: Annotated[TemplateBody, Depends(JsonBody(TemplateBody))],
    resources: ResourcesDep,
) -> TemplateEntry:
    """Existing drafts do not change."""
    async with saving(request, member, resources) as work:
        return await change_template(work, member.actor, template_id, body.change)


@router.delete(
    _TEMPLATE, operation_id="templates.delete", summary="Delete a template", status_code=204
)
async def delete(
    request: Request, member: ManagerDep, template_id: TemplateId, resources: ResourcesDep
) -> Response:
    """Permanently deletes the template. Runs that used the template still contain its id and
    name."""
    async with saving(request, member, resources) as work:
        await delete_template(work, member.actor, template_id)
    return Response(status_code=204)
