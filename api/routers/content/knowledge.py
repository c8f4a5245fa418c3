"""/api/dashboard/knowledge: the facts that a client's agent may use in answers."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import ManagerDep, MemberDep, PageDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.routers.content.saves import saving
from api.schemas.content.content import EntryBody, KnowledgePage, NewEntryBody
from api.schemas.core.client_query import cursor_after
from domain.content.content import KnowledgeEntry
from domain.content.errors import ContentNotFound
from services.content.knowledge import add_knowledge, change_knowledge, delete_knowledge
from store.content.content_changes import ContentChanges

router = APIRouter(route_class=DescribedRoute)

_KNOWLEDGE: Final = "/api/dashboard/knowledge"
_ENTRY: Final = f"{_KNOWLEDGE}/{{knowledge_id}}"
KnowledgeId = Annotated[str, Depends(PathId("knowledge_id", "entry", ContentNotFound))]


@router.get(
    _KNOWLEDGE,
    operation_id="knowledge.list",
    summary="List a client's knowledge entries, oldest first",
)
async def knowledge(page: PageDep, resources: ResourcesDep) -> KnowledgePage:
    """Any member of the client may call this operation."""
    async with resources.database.reading(page.tenant) as connection:
        found = await ContentChanges(connection, page.tenant).page(
            KnowledgeEntry, after=page.query.cursor, limit=page.query.limit + 1
        )
    return KnowledgePage(
        knowledge=found[: page.query.limit],
        next_cursor=cursor_after(found, page.query.limit, lambda last: last.id),
    )


@router.post(
    _KNOWLEDGE,
    operation_id="knowledge.create",
    summary="Add a knowledge entry",
    status_code=201,
    responses=errors(409),
)
async def create(
    request: Request,
    member: ManagerDep,
    body: Annotated[NewEntryBody, Depends(JsonBody(NewEntryBody))],
    resources: ResourcesDep,
) -> KnowledgeEntry:
    """Keyword search finds the entry immediately. If an embedding model is configured, semantic
    search finds it after the next sweep."""
    async with saving(request, member, resources) as work:
        return await add_knowledge(
            work, member.actor, title=body.title, body=body.body, language=body.language
        )


@router.get(_ENTRY, operation_id="knowledge.get", summary="Get a knowledge entry")
async def entry(
    member: MemberDep, knowledge_id: KnowledgeId, resources: ResourcesDep
) -> KnowledgeEntry:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        return await ContentChanges(connection, member.tenant).read(KnowledgeEntry, knowledge_id)


@router.patch(_ENTRY, operation_id="knowledge.update", summary="Change a knowledge entry")
async def change(
    request: Request,
    member: ManagerDep,
    knowledge_id: KnowledgeId,
    body: Annotated[EntryBody, Depends(JsonBody(EntryBody))],
    resources: ResourcesDep,
) -> KnowledgeEntry:
    """Keyword search finds the new text immediately. If an embedding model is configured, semantic
    search finds it after the next sweep."""
    async with saving(request, member, resources) as work:
        return await change_knowledge(work, member.actor, knowledge_id, body.change)


@router.delete(
    _ENTRY, operation_id="knowledge.delete", summary="Delete a knowledge entry", status_code=204
)
async def delete(
    request: Request, member: ManagerDep, knowledge_id: KnowledgeId, resources: ResourcesDep
) -> Response:
    """Permanently deletes the entry. Runs that cite the entry still contain its id and title."""
    async with saving(request, member, resources) as work:
        await delete_knowledge(work, member.actor, knowledge_id)
    return Response(status_code=204)
