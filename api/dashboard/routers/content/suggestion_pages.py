"""/app/suggestions: additions to knowledge and templates from AI assistants, and pages of websites.
Members accept, edit or reject each suggestion."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.dashboard.post import Post, Posted
from api.route import PathId
from api.schemas.content.suggestion import AcceptSuggestionBody
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.content.content import KnowledgeEntry
from domain.content.errors import SuggestionNotFound
from domain.content.suggestion import SuggestedEntry, Suggestion
from domain.core.comparable import DiffBudget
from domain.learning.word_diff import Piece, word_diff
from domain.tenants.actor import MANAGERS
from services.content.suggestions import accept_suggestion, refuse_suggestion
from store.content.content_changes import ContentChanges
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
        shown = found[: query.limit]
        changed = [one.source.changes for one in shown if one.source and one.source.changes]
        entries = await ContentChanges(connection, page.tenant).some(changed)
    return page.render(
        "content/suggestions.html",
        suggestions=shown,
        entries=entries,
        diffs=_diffs(shown, entries),
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        may_change=page.may(MANAGERS),
    )


def _diffs(
    shown: Sequence[Suggestion], entries: Mapping[str, KnowledgeEntry]
) -> dict[str, tuple[Piece, ...]]:
    """Return the differences between entries and their suggested texts, by suggestion id."""
    budget, found = DiffBudget(), dict[str, tuple[Piece, ...]]()
    for one in shown:
        entry = entries.get(one.source.changes or "") if one.source else None
        if entry is not None and isinstance(one.proposed, SuggestedEntry):
            found[one.id] = word_diff(entry.body, one.proposed.body, budget)
    return found


@router.post(f"{_ONE}/accept")
async def accept(post: SuggestionPost) -> Response:
    title, text = post.text("title") or None, post.text("body") or None
    body = post.body(AcceptSuggestionBody, title=title, body=text)
    async with post.working() as work:
        made = await accept_suggestion(work, post.page.actor, post.page.record_id, body.edit)
        place = "knowledge" if isinstance(made, KnowledgeEntry) else "templates"
        await post.leads_to(work, to := f"/app/{place}/{made.id}")
    return post.done(to, "content.accepted")


@router.post(f"{_ONE}/refuse")
async def refuse(post: SuggestionPost) -> Response:
    async with post.working(_LIST) as work:
        await refuse_suggestion(work, post.page.actor, post.page.record_id)
    return post.done(_LIST, "content.refused")
