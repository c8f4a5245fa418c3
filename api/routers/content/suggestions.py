"""/api/dashboard/suggestions: content that AI assistants suggest, or that an import from a website
found. A member accepts or rejects each suggestion."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import ManagerDep, PageDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.content.suggestion import (
    AcceptSuggestionBody,
    RefuseSuggestionBody,
    SuggestionPage,
)
from api.schemas.core.client_query import cursor_after
from domain.content.content import KnowledgeEntry, TemplateEntry
from domain.content.errors import SuggestionNotFound
from services.content.suggestions import accept_suggestion, refuse_suggestion
from store.content.suggestions import SuggestionRepository

router = APIRouter(route_class=DescribedRoute)

_SUGGESTIONS: Final = "/api/dashboard/suggestions"
_SUGGESTION: Final = f"{_SUGGESTIONS}/{{suggestion_id}}"
SuggestionId = Annotated[str, Depends(PathId("suggestion_id", "suggestion", SuggestionNotFound))]


@router.get(
    _SUGGESTIONS,
    operation_id="suggestions.list",
    summary="List suggestions from AI assistants and websites, oldest first",
)
async def suggestions(page: PageDep, resources: ResourcesDep) -> SuggestionPage:
    """Any member of the client may call this operation. The list contains only open suggestions
    because suggestions are deleted once they are decided."""
    async with resources.database.reading(page.tenant) as connection:
        found = await SuggestionRepository(connection, page.tenant).page(
            after=page.query.cursor, limit=page.query.limit + 1
        )
    return SuggestionPage(
        suggestions=found[: page.query.limit],
        next_cursor=cursor_after(found, page.query.limit, lambda last: last.id),
    )


@router.post(
    f"{_SUGGESTION}/accept",
    operation_id="suggestions.accept",
    summary="Accept a suggestion and add its content",
    status_code=201,
    responses=errors(409),
)
async def accept(
    member: ManagerDep,
    suggestion_id: SuggestionId,
    body: Annotated[AcceptSuggestionBody, Depends(JsonBody(AcceptSuggestionBody, optional=True))],
    resources: ResourcesDep,
) -> KnowledgeEntry | TemplateEntry:
    """Returns the new or changed entry, or the new template. The agent may use it starting with the
    next message. The body contains the member's edits of a knowledge entry."""
    async with resources.work.of(member.tenant) as work:
        return await accept_suggestion(work, member.actor, suggestion_id, body.edit)


@router.post(
    f"{_SUGGESTION}/refuse",
    operation_id="suggestions.refuse",
    summary="Reject a suggestion",
    status_code=204,
)
async def refuse(
    member: ManagerDep,
    suggestion_id: SuggestionId,
    _: Annotated[RefuseSuggestionBody, Depends(JsonBody(RefuseSuggestionBody, optional=True))],
    resources: ResourcesDep,
) -> Response:
    """This operation requires the owner or admin role. It deletes the suggestion and its text. A
    website page is not suggested again until its text changes."""
    async with resources.work.of(member.tenant) as work:
        await refuse_suggestion(work, member.actor, suggestion_id)
    return Response(status_code=204)
