"""/app/knowledge: the facts that the agent may answer from."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import ManagersPost, Post, Posted, version_of
from api.route import PathId
from api.schemas.content.content import EntryBody, NewEntryBody
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.content.content import KnowledgeEntry
from domain.content.errors import ContentNotFound
from domain.tenants.actor import ANYONE, MANAGERS
from services.content.knowledge import add_knowledge, change_knowledge, delete_knowledge
from store.content.content_changes import ContentChanges

_LIST: Final = "/app/knowledge"
_NEW: Final = f"{_LIST}/new"
_ENTRY: Final = f"{_LIST}/{{knowledge_id}}"
_ID: Final = PathId("knowledge_id", "entry", ContentNotFound)
_BLANK: Final = {"title": "", "body": "", "language": "fr"}

router = APIRouter(include_in_schema=False)
EntryPage = Annotated[Page, Depends(OnPage(ANYONE, _ID))]
EntryPost = Annotated[Post, Depends(Posted(MANAGERS, _ID))]


@router.get(_LIST)
async def entries(page: AnyonesPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await ContentChanges(connection, page.tenant).page(
            KnowledgeEntry, after=query.cursor, limit=query.limit + 1
        )
    return page.render(
        "content/knowledge.html",
        entries=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        may_change=page.may(MANAGERS),
    )


@router.get(_NEW)
async def new(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    typed = await page.typed(_LIST, _BLANK)
    return page.render("content/entry.html", entry=None, typed=typed, form=_LIST, seen="")


@router.post(_LIST)
async def add(post: ManagersPost) -> Response:
    body = post.body(
        NewEntryBody,
        title=post.text("title"),
        body=post.text("body"),
        language=post.text("language"),
    )
    async with post.working() as work:
        entry = await add_knowledge(
            work, post.page.actor, title=body.title, body=body.body, language=body.language
        )
        await post.leads_to(work, to := f"{_LIST}/{entry.id}")
    return post.done(to, "content.added")


@router.get(_ENTRY)
async def entry(page: EntryPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await ContentChanges(connection, page.tenant).read(KnowledgeEntry, page.record_id)
    form = f"{_LIST}/{found.id}"
    typed = await page.typed(
        form, {"title": found.title, "body": found.body, "language": found.language}
    )
    return page.render(
        "content/entry.html", entry=found, typed=typed, form=form, seen=version_of(found)
    )


@router.post(_ENTRY)
async def change(post: EntryPost) -> Response:
    page = post.page
    body = post.body(
        EntryBody,
        title=post.text("title"),
        body=post.text("body"),
        language=post.text("language"),
    )
    async with post.working(post.form) as work:
        there = await ContentChanges(work.connection, page.tenant).read(
            KnowledgeEntry, page.record_id
        )
        post.check_seen(version_of(there))
        await change_knowledge(work, page.actor, page.record_id, body.change)
    return post.done(post.form, "content.saved")


@router.post(f"{_ENTRY}/delete")
async def delete(post: EntryPost) -> Response:
    async with post.working(_LIST) as work:
        await delete_knowledge(work, post.page.actor, post.page.record_id)
    return post.done(_LIST, "content.deleted")
