"""/app/templates: a client's own answer templates. The agent fills in the placeholders for each
customer."""

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import ManagersPost, Post, Posted, version_of
from api.dashboard.routers.content.saved_content import (
    USED_WITHIN,
    ContentQuery,
    saved_at,
    try_on_cases,
)
from api.dashboard.routers.content.template_preview import preview_of
from api.dashboard.typed import SEEN, Typed
from api.route import PathId
from api.schemas.content.content import NewTemplateBody, TemplateBody
from api.schemas.core.client_query import cursor_after
from domain.agent.brain import Category, Language
from domain.agent.intent import Intent
from domain.content.content import TemplateEntry, unchosen_language
from domain.content.errors import ContentNotFound
from domain.simulation.variant import ContentVariant
from domain.tenants.actor import ANYONE, MANAGERS
from services.content.lost_outcomes import counting_lost
from services.content.templates import (
    add_starter_templates,
    add_template,
    change_template,
    delete_template,
)
from services.core.unit_of_work import UnitOfWork
from services.dashboard.forms import standing_in
from store.analytics.content_uses import ContentUses
from store.content.content_changes import ContentChanges
from store.tenants.client_settings import SettingsRepository

_LIST: Final = "/app/templates"
_NEW: Final = f"{_LIST}/new"
_TEMPLATE: Final = f"{_LIST}/{{template_id}}"
_ID: Final = PathId("template_id", "template", ContentNotFound)
_BLANK: Final = {
    "name": "",
    "category": Category.OTHER.value,
    "language": "",
    "body": "",
    "intent": "",
    "not_for": "",
    "is_active": "on",
}

router = APIRouter(include_in_schema=False)
TemplatePage = Annotated[Page, Depends(OnPage(ANYONE, _ID))]
TemplatePost = Annotated[Post, Depends(Posted(MANAGERS, _ID))]


@router.get(_LIST)
async def templates(page: AnyonesPage) -> Response:
    query = page.query(ContentQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await ContentChanges(connection, page.tenant).page(
            TemplateEntry, after=query.cursor, limit=query.limit + 1, language=query.language
        )
        shown = found[: query.limit]
        uses = await ContentUses(connection, page.tenant).since(
            page.now - USED_WITHIN, "template", [one.id for one in shown]
        )
    return page.render(
        "content/templates.html",
        templates=shown,
        uses=uses,
        chosen_language=query.language or "",
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        may_change=page.may(MANAGERS),
    )


@router.get(_NEW)
async def new(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    typed = await page.typed(_NEW, _BLANK)
    return await _editor(page, None, typed, _NEW, "")


@router.post(_NEW)
async def add(post: ManagersPost) -> Response:
    page = post.page
    if post.ticked("preview"):
        return await _editor(page, None, Typed(post.fields, None), _NEW, "")
    fields = _fields(post)
    body = post.body(NewTemplateBody, **{**fields, "intent": fields["intent"] or None}).template
    if post.ticked("try"):
        return await try_on_cases(post, ContentVariant(added=body.suggested))
    async with post.working() as work:
        async with counting_lost(work, page.resources.model) as lost:
            made = await add_template(work, page.actor, body)
        await post.leads_to(work, to := saved_at(f"{_LIST}/{made.id}", lost))
    return post.done(to, "content.template_added")


@router.post(f"{_LIST}/starters")
async def add_starters(post: ManagersPost) -> Response:
    async with post.working(_LIST) as work:
        added = await add_starter_templates(work, post.page.actor)
    return post.done(_LIST, "content.starters_added" if added else "content.no_starters_missing")


@router.get(_TEMPLATE)
async def template(page: TemplatePage) -> Response:
    found = await _read(page)
    form = f"{_LIST}/{found.id}"
    return await _editor(
        page, found, await page.typed(form, _typed(found)), form, version_of(found)
    )


@router.post(_TEMPLATE)
async def change(post: TemplatePost) -> Response:
    page = post.page
    if post.ticked("preview"):
        typed = Typed(post.fields, None)
        return await _editor(page, await _read(page), typed, post.form, post.text(SEEN))
    fields = _fields(post)
    wanted = post.body(TemplateBody, **{**fields, "intent": fields["intent"] or "none"}).change
    if post.ticked("try"):
        return await try_on_cases(post, ContentVariant(id=page.record_id, template=wanted))
    async with post.working() as work:
        await _check_seen(post, work)
        async with counting_lost(work, page.resources.model) as lost:
            await change_template(work, page.actor, page.record_id, wanted)
        await post.leads_to(work, to := saved_at(post.form, lost))
    return post.done(to, "content.template_saved")


@router.post(f"{_TEMPLATE}/delete")
async def delete(post: TemplatePost) -> Response:
    async with post.working(_LIST) as work:
        await _check_seen(post, work)
        await delete_template(work, post.page.actor, post.page.record_id)
    return post.done(_LIST, "content.deleted")


async def _read(page: Page) -> TemplateEntry:
    async with page.resources.database.reading(page.tenant) as connection:
        return await ContentChanges(connection, page.tenant).read(TemplateEntry, page.record_id)


async def _editor(
    page: Page, entry: TemplateEntry | None, typed: Typed, form: str, seen: str
) -> Response:
    """Return the page with the template's form, and a preview of the text for a sample order."""
    chosen = typed["language"] or unchosen_language((typed["body"],), page.language)
    language: Language = "en" if chosen == "en" else "fr"
    async with page.resources.database.reading(page.tenant) as connection:
        frame = (await SettingsRepository(connection, page.tenant).read()).frame
    return page.render(
        "content/template.html",
        entry=entry,
        stored=_typed(entry) if entry else {},
        typed=typed,
        form=form,
        seen=seen,
        preview=preview_of(
            typed["body"],
            language,
            brand_name=page.brand_name,
            frame=frame,
            today=page.now.date(),
        ),
        categories=list(Category),
        intents=list(Intent),
        may_change=page.may(MANAGERS),
    )


def _typed(entry: TemplateEntry) -> Mapping[str, str]:
    """Return the form fields of a template."""
    return {
        "name": entry.name,
        "category": entry.category.value,
        "language": entry.language,
        "body": entry.body,
        "intent": entry.intent or "",
        "not_for": "\n".join(entry.not_for),
        **({"is_active": "on"} if entry.is_active else {}),
    }


def _fields(post: Post) -> dict[str, object]:
    lines = (line.strip() for line in post.text("not_for").split("\n"))
    named = ("name", "category", "language", "body", "intent")
    fields = {name: post.text(name) for name in named}
    fields["language"] = fields["language"] or unchosen_language(
        (fields["body"],), post.page.language
    )
    return {
        **fields,
        "not_for": [line for line in lines if line],
        "is_active": post.ticked("is_active"),
    }


async def _check_seen(post: Post, work: UnitOfWork) -> None:
    """Raise ChangedMeanwhile if the template has changed since the form was rendered."""
    page = post.page
    there = await ContentChanges(standing_in(work), page.tenant).read(TemplateEntry, page.record_id)
    post.check_seen(version_of(there))
