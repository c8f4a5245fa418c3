"""/app/knowledge: the facts that the agent may use in answers."""

from collections.abc import Set
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import ManagersPost, Post, Posted, version_of
from api.dashboard.routers.content.article_form import addition_of, change_in, entry_in
from api.dashboard.routers.content.article_trial import MAX_QUESTION, ArticleTrial, try_article
from api.dashboard.routers.content.saved_content import (
    USED_WITHIN,
    ContentQuery,
    saved_at,
    try_on_cases,
)
from api.dashboard.typed import SEEN, Typed
from api.route import PathId
from api.schemas.core.client_query import ClientQuery, cursor_after
from domain.agent.brain import Language
from domain.content.content import MAX_LINE, KnowledgeEntry
from domain.content.errors import ContentNotFound
from domain.core.ids import ULID
from domain.simulation.variant import ContentVariant
from domain.tenants.actor import ANYONE, MANAGERS
from services.content.knowledge import add_knowledge, change_knowledge, delete_knowledge
from services.content.lost_outcomes import counting_lost
from services.core.unit_of_work import UnitOfWork
from services.dashboard.forms import standing_in
from store.analytics.content_uses import ContentUses
from store.analytics.open_questions import OpenQuestions
from store.content.content_changes import ContentChanges

_LIST: Final = "/app/knowledge"
_NEW: Final = f"{_LIST}/new"
_ENTRY: Final = f"{_LIST}/{{knowledge_id}}"
_FEW: Final = 20
"""Number of articles from which the form for a new one no longer suggests common questions."""

_ID: Final = PathId("knowledge_id", "entry", ContentNotFound)

router = APIRouter(include_in_schema=False)
EntryPage = Annotated[Page, Depends(OnPage(ANYONE, _ID))]
EntryPost = Annotated[Post, Depends(Posted(MANAGERS, _ID))]


class NewEntryQuery(ClientQuery):
    """Query parameters that prefill the form for a new entry. `answer_of`: id of the run whose
    human answer becomes the entry's text."""

    title: Annotated[str, Field(max_length=MAX_LINE)] = ""
    language: Language | None = None
    answer_of: Annotated[str | None, Field(pattern=ULID)] = None


@router.get(_LIST)
async def entries(page: AnyonesPage) -> Response:
    query = page.query(ContentQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await ContentChanges(connection, page.tenant).page(
            KnowledgeEntry, after=query.cursor, limit=query.limit + 1, language=query.language
        )
        shown = found[: query.limit]
        uses = await ContentUses(connection, page.tenant).since(
            page.now - USED_WITHIN, "knowledge", [one.id for one in shown]
        )
    return page.render(
        "content/knowledge.html",
        entries=shown,
        uses=uses,
        chosen_language=query.language or "",
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        may_change=page.may(MANAGERS),
    )


@router.get(_NEW)
async def new(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    query = page.query(NewEntryQuery)
    body = await _human_answer(page, query.answer_of) if query.answer_of else ""
    typed = await page.typed(
        _LIST, {"title": query.title, "body": body, "language": query.language or ""}
    )
    if typed["title"].strip() or typed["body"].strip():
        return _new_editor(page, typed, None)
    titles = await _first_titles(page)
    return _new_editor(page, typed, None, titles if len(titles) < _FEW else None)


async def _first_titles(page: Page) -> Set[str]:
    """Return the titles of the client's first _FEW articles."""
    async with page.resources.database.reading(page.tenant) as connection:
        found = await ContentChanges(connection, page.tenant).page(
            KnowledgeEntry, after=None, limit=_FEW
        )
    return {one.title for one in found}


def _new_editor(
    page: Page, typed: Typed, trial: ArticleTrial | None, written: Set[str] | None = None
) -> Response:
    """Return the form for a new article. It suggests the common questions whose titles are not in
    `written`, or none if `written` is None."""
    return page.render(
        "content/entry.html",
        entry=None,
        typed=typed,
        form=_LIST,
        seen="",
        may_change=True,
        most=MAX_QUESTION,
        trial=trial,
        written=written,
    )


async def _human_answer(page: Page, run_id: str) -> str:
    """Return the answer that a human agent gave in a run, or an empty string."""
    async with page.resources.database.reading(page.tenant) as connection:
        found = await OpenQuestions(connection, page.tenant).answers([[run_id]])
    return found[0].text if found else ""


@router.post(_LIST)
async def add(post: ManagersPost) -> Response:
    page = post.page
    if post.ticked("ask"):
        trial = await try_article(post, lambda: addition_of(entry_in(post)))
        return _new_editor(page, Typed(post.fields, None), trial)
    body = entry_in(post)
    if post.ticked("try"):
        return await try_on_cases(post, addition_of(body))
    async with post.working() as work:
        async with counting_lost(work, page.resources.model) as lost:
            entry = await add_knowledge(
                work, page.actor, title=body.title, body=body.body, language=body.language
            )
        await post.leads_to(work, to := saved_at(f"{_LIST}/{entry.id}", lost))
    return await post.step_done(to, "content.added")


@router.get(_ENTRY)
async def entry(page: EntryPage) -> Response:
    return await _editor(page, None, None)


async def _editor(page: Page, post: Post | None, trial: ArticleTrial | None) -> Response:
    """Return a saved entry's page. `post`: the submitted form with the fields to show again."""
    async with page.resources.database.reading(page.tenant) as connection:
        found = await ContentChanges(connection, page.tenant).read(KnowledgeEntry, page.record_id)
        uses = await ContentUses(connection, page.tenant).since(
            page.now - USED_WITHIN, "knowledge", [found.id]
        )
    form = f"{_LIST}/{found.id}"
    saved = {"title": found.title, "body": found.body, "language": found.language}
    return page.render(
        "content/entry.html",
        entry=found,
        typed=Typed(post.fields, None) if post else await page.typed(form, saved),
        form=form,
        seen=post.text(SEEN) if post else version_of(found),
        used=uses.get(found.id, 0),
        may_change=page.may(MANAGERS),
        most=MAX_QUESTION,
        trial=trial,
    )


@router.post(_ENTRY)
async def change(post: EntryPost) -> Response:
    page = post.page

    def variant() -> ContentVariant:
        return ContentVariant(id=page.record_id, knowledge=change_in(post))

    if post.ticked("ask"):
        return await _editor(page, post, await try_article(post, variant))
    if post.ticked("try"):
        return await try_on_cases(post, variant())
    wanted = change_in(post)
    async with post.working() as work:
        await _check_seen(post, work)
        async with counting_lost(work, page.resources.model) as lost:
            await change_knowledge(work, page.actor, page.record_id, wanted)
        await post.leads_to(work, to := saved_at(post.form, lost))
    return post.done(to, "content.saved")


@router.post(f"{_ENTRY}/delete")
async def delete(post: EntryPost) -> Response:
    async with post.working(_LIST) as work:
        await _check_seen(post, work)
        await delete_knowledge(work, post.page.actor, post.page.record_id)
    return post.done(_LIST, "content.deleted")


async def _check_seen(post: Post, work: UnitOfWork) -> None:
    """Raise ChangedMeanwhile if the entry has changed since the form was rendered."""
    page = post.page
    there = await ContentChanges(standing_in(work), page.tenant).read(
        KnowledgeEntry, page.record_id
    )
    post.check_seen(version_of(there))
