"""/app/suggestions: additions to knowledge and templates that AI assistants suggest. Members accept
or reject each suggestion."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.dashboard.post import Post, Posted
from api.route import PathId
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.content.content import KnowledgeEntry
from domain.content.errors import SuggestionNotFound
from domain.tenants.actor import MANAGERS
from services.content.suggestions import accept_suggestion, refuse_suggestion
from store.content.suggestions import SuggestionRepository

_LIST: Final = "/app/suggestions"
_ONE: Final = f"{_LIST}/{{suggestion_id}}"

router = APIRouter(include_in_schema=False)
SuggestionPost = Annotated[
    Post, Depends(Posted(MANAGERS, PathId("suggestion_id", "suggestion", SuggestionNotFound)))
]


@router.get(_LIST)
async def suggestions(page: AnyonesPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await SuggestionRepository(connection, page.tenant).page(
            after=query.cursor, limit=query.limit + 1
        )
    return page.render(
        "content/suggestions.html",
        suggestions=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        may_change=page.may(MANAGERS),
    )


@router.post(f"{_ONE}/accept")
async def accept(post: SuggestionPost) -> Response:
    async with post.working() as work:
        made = await accept_suggestion(work, post.page.actor, post.page.record_id)
        place = "knowledge" if isinstance(made, KnowledgeEntry) else "templates"
        await post.leads_to(work, to := f"/app/{place}/{made.id}")
    return post.done(to, "content.accepted")


@router.post(f"{_ONE}/refuse")
async def refuse(post: SuggestionPost) -> Response:
    async with post.working(_LIST) as work:
        await refuse_suggestion(work, post.page.actor, post.page.record_id)
    return post.done(_LIST, "content.refused")
