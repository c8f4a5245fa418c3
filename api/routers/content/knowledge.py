"""/api/dashboard/knowledge: the facts that a client's agent may answer from."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.content_access import CLIENT, PAGE, content_id, manager, note, page_reader, reader
from api.http.json_body import json_response, parse_body, read_body
from api.openapi import SESSION, dashboard_answers, path_parameters, request_body
from api.schemas.content.content import EntryBody, KnowledgePage, NewEntryBody
from api.services import ServicesDep
from domain.content.content import KnowledgeEntry, check_body, check_line
from store.content.content import ContentRepository
from store.content.content_changes import ContentChanges

router = APIRouter()

_KNOWLEDGE: Final = "/api/dashboard/knowledge"
_ENTRY: Final = f"{_KNOWLEDGE}/{{knowledge_id}}"
_ENTRY_ID: Final = [*path_parameters(knowledge_id="entry"), *CLIENT]


@router.get(
    _KNOWLEDGE,
    summary="A client's knowledge, oldest first",
    responses=dashboard_answers(KnowledgePage),
    openapi_extra={"parameters": PAGE, "security": SESSION},
)
async def knowledge(request: Request, services: ServicesDep) -> Response:
    """For every member of the client."""
    tenant, query = await page_reader(request, services)
    async with services.database.tenant(tenant) as connection:
        found = await ContentChanges(connection, tenant).knowledge(
            after=query.cursor, limit=query.limit + 1
        )
    return json_response(KnowledgePage.of(found, query.limit).model_dump(mode="json"))


@router.post(
    _KNOWLEDGE,
    summary="Add an entry",
    status_code=201,
    responses=dashboard_answers(KnowledgeEntry, 408, 409, 413, 415, status=201),
    openapi_extra={
        "parameters": CLIENT,
        "requestBody": request_body(NewEntryBody),
        "security": SESSION,
    },
)
async def create(request: Request, services: ServicesDep) -> Response:
    """Found by its words at once, and by its meaning, where there is an embedding model, after the
    next sweep."""
    member = await manager(request, services)
    body = parse_body(NewEntryBody, await read_body(request))
    entry_id = services.new_id()
    title, text = check_line("title", body.title), check_body(body.body)
    async with services.database.tenant(member.tenant) as connection:
        await ContentRepository(connection, member.tenant).add_knowledge(
            entry_id=entry_id, title=title, body=text, language=body.language, now=services.now()
        )
        made = await ContentChanges(connection, member.tenant).entry(entry_id)
    note(member, "knowledge created", knowledge_id=entry_id)
    return json_response(made.model_dump(mode="json"), status=201)


@router.get(
    _ENTRY,
    summary="One entry",
    responses=dashboard_answers(KnowledgeEntry),
    openapi_extra={"parameters": _ENTRY_ID, "security": SESSION},
)
async def entry(request: Request, services: ServicesDep) -> Response:
    """For every member of the client."""
    tenant = await reader(request, services)
    entry_id = content_id(request, "knowledge_id")
    async with services.database.tenant(tenant) as connection:
        found = await ContentChanges(connection, tenant).entry(entry_id)
    return json_response(found.model_dump(mode="json"))


@router.patch(
    _ENTRY,
    summary="Change an entry",
    responses=dashboard_answers(KnowledgeEntry, 408, 413, 415),
    openapi_extra={
        "parameters": _ENTRY_ID,
        "requestBody": request_body(EntryBody),
        "security": SESSION,
    },
)
async def change(request: Request, services: ServicesDep) -> Response:
    """Its new text is found as that of a new entry is."""
    member = await manager(request, services)
    entry_id = content_id(request, "knowledge_id")
    wanted = parse_body(EntryBody, await read_body(request)).change
    async with services.database.tenant(member.tenant) as connection:
        changed = await ContentChanges(connection, member.tenant).change_entry(
            entry_id, wanted, services.now()
        )
    note(member, "knowledge changed", knowledge_id=entry_id)
    return json_response(changed.model_dump(mode="json"))


@router.delete(
    _ENTRY,
    summary="Delete an entry",
    status_code=204,
    responses=dashboard_answers(None, status=204),
    openapi_extra={"parameters": _ENTRY_ID, "security": SESSION},
)
async def delete(request: Request, services: ServicesDep) -> Response:
    """For good. Runs that cite it keep its id and title."""
    member = await manager(request, services)
    entry_id = content_id(request, "knowledge_id")
    async with services.database.tenant(member.tenant) as connection:
        await ContentRepository(connection, member.tenant).delete_knowledge(entry_id)
    note(member, "knowledge deleted", knowledge_id=entry_id)
    return Response(status_code=204)
