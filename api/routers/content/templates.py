"""/api/dashboard/templates: a client's own answers, filled in for each customer."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.content_access import CLIENT, PAGE, content_id, manager, note, page_reader, reader
from api.http.json_body import json_response, parse_body, read_body
from api.openapi import SESSION, dashboard_answers, path_parameters, request_body
from api.schemas.content.content import NewTemplateBody, TemplateBody, TemplatePage
from api.services import ServicesDep
from domain.agent.brain import Template
from domain.content.content import TemplateEntry, check_line, check_template_body
from store.content.content import ContentRepository
from store.content.content_changes import ContentChanges

router = APIRouter()

_TEMPLATES: Final = "/api/dashboard/templates"
_TEMPLATE: Final = f"{_TEMPLATES}/{{template_id}}"
_TEMPLATE_ID: Final = [*path_parameters(template_id="template"), *CLIENT]


@router.get(
    _TEMPLATES,
    summary="A client's templates, oldest first",
    responses=dashboard_answers(TemplatePage),
    openapi_extra={"parameters": PAGE, "security": SESSION},
)
async def templates(request: Request, services: ServicesDep) -> Response:
    """For every member of the client. Those that are off are there too."""
    tenant, query = await page_reader(request, services)
    async with services.database.tenant(tenant) as connection:
        found = await ContentChanges(connection, tenant).templates(
            after=query.cursor, limit=query.limit + 1
        )
    return json_response(TemplatePage.of(found, query.limit).model_dump(mode="json"))


@router.post(
    _TEMPLATES,
    summary="Add a template",
    status_code=201,
    responses=dashboard_answers(TemplateEntry, 408, 409, 413, 415, status=201),
    openapi_extra={
        "parameters": CLIENT,
        "requestBody": request_body(NewTemplateBody),
        "security": SESSION,
    },
)
async def create(request: Request, services: ServicesDep) -> Response:
    """The agent may use it from the next message on."""
    member = await manager(request, services)
    body = parse_body(NewTemplateBody, await read_body(request))
    template = Template(
        id=services.new_id(),
        name=check_line("name", body.name),
        category=body.category,
        language=body.language,
        body=check_template_body(body.body),
    )
    async with services.database.tenant(member.tenant) as connection:
        await ContentRepository(connection, member.tenant).add_template(
            template, services.now(), is_active=body.is_active
        )
        made = await ContentChanges(connection, member.tenant).template(template.id)
    note(member, "template created", template_id=template.id)
    return json_response(made.model_dump(mode="json"), status=201)


@router.get(
    _TEMPLATE,
    summary="One template",
    responses=dashboard_answers(TemplateEntry),
    openapi_extra={"parameters": _TEMPLATE_ID, "security": SESSION},
)
async def template(request: Request, services: ServicesDep) -> Response:
    """For every member of the client."""
    tenant = await reader(request, services)
    template_id = content_id(request, "template_id")
    async with services.database.tenant(tenant) as connection:
        found = await ContentChanges(connection, tenant).template(template_id)
    return json_response(found.model_dump(mode="json"))


@router.patch(
    _TEMPLATE,
    summary="Change a template, or turn it on or off",
    responses=dashboard_answers(TemplateEntry, 408, 413, 415),
    openapi_extra={
        "parameters": _TEMPLATE_ID,
        "requestBody": request_body(TemplateBody),
        "security": SESSION,
    },
)
async def change(request: Request, services: ServicesDep) -> Response:
    """What was drafted with it stays as it was drafted."""
    member = await manager(request, services)
    template_id = content_id(request, "template_id")
    wanted = parse_body(TemplateBody, await read_body(request)).change
    async with services.database.tenant(member.tenant) as connection:
        changed = await ContentChanges(connection, member.tenant).change_template(
            template_id, wanted, services.now()
        )
    note(member, "template changed", template_id=template_id)
    return json_response(changed.model_dump(mode="json"))


@router.delete(
    _TEMPLATE,
    summary="Delete a template",
    status_code=204,
    responses=dashboard_answers(None, status=204),
    openapi_extra={"parameters": _TEMPLATE_ID, "security": SESSION},
)
async def delete(request: Request, services: ServicesDep) -> Response:
    """For good. Runs that used it keep its id and name."""
    member = await manager(request, services)
    template_id = content_id(request, "template_id")
    async with services.database.tenant(member.tenant) as connection:
        await ContentRepository(connection, member.tenant).delete_template(template_id)
    note(member, "template deleted", template_id=template_id)
    return Response(status_code=204)
