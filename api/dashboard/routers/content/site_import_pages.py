"""/app/knowledge/site: imports of knowledge from websites and connected systems, with their
progress."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import ManagersPost, Post, Posted
from api.route import PathId
from api.schemas.content.site_import import SiteImportBody
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.content.article_source import has_articles
from domain.content.errors import ContentNotFound, SiteImportNotFound
from domain.content.site_import import IMPORTS_A_DAY, MAX_ARTICLES, MAX_PAGES, SiteScope
from domain.tenants.actor import ANYONE, MANAGERS
from services.content.site_imports import check_entry, start_article_import, start_site_import
from store.content.site_imports import SiteImportRepository, client_of_site_import
from store.integrations.integrations import IntegrationRepository

_LIST: Final = "/app/knowledge/site"
_ID: Final = PathId("site_import_id", "import", SiteImportNotFound)
_ENTRY_ID: Final = PathId("knowledge_id", "entry", ContentNotFound)
_BLANK: Final = {"url": "", "scope": SiteScope.SITE.value}

router = APIRouter(include_in_schema=False)
ImportPage = Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of_site_import))]
EntryPost = Annotated[Post, Depends(Posted(MANAGERS, _ENTRY_ID))]


@router.get(_LIST)
async def site_imports(page: AnyonesPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await SiteImportRepository(connection, page.tenant).page(
            before=query.cursor, limit=query.limit + 1
        )
        connected = await IntegrationRepository(connection, page.tenant).connected()
    return page.render(
        "content/site_imports.html",
        imports=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        may_change=page.may(MANAGERS),
        typed=await page.typed(_LIST, _BLANK),
        form=_LIST,
        centers=[one for one in connected if has_articles(one)],
        most=MAX_PAGES,
        most_articles=MAX_ARTICLES,
        a_day=IMPORTS_A_DAY,
    )


@router.post(_LIST)
async def start(post: ManagersPost) -> Response:
    scope = post.text("scope") or SiteScope.SITE
    body = post.body(SiteImportBody, url=post.text("url").strip(), scope=scope)
    async with post.working() as work:
        site = await start_site_import(
            work, post.page.actor, body.url, body.scope, allow_loopback=_allows_loopback(post)
        )
        await post.leads_to(work, to := f"{_LIST}/{site.id}")
    return post.done(to, "content.site_started")


@router.post(f"{_LIST}/integration")
async def start_articles(post: ManagersPost) -> Response:
    async with post.working() as work:
        site = await start_article_import(work, post.page.actor, post.text("integration_id"))
        await post.leads_to(work, to := f"{_LIST}/{site.id}")
    return post.done(to, "content.site_started")


@router.get(f"{_LIST}/{{site_import_id}}")
async def site_import(page: ImportPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        imports = SiteImportRepository(connection, page.tenant)
        site = await imports.read(page.record_id)
        pages = await imports.pages(page.record_id)
    return page.render(
        "content/site_import.html", site=site, pages=pages, may_change=page.may(MANAGERS)
    )


@router.post("/app/knowledge/{knowledge_id}/check")
async def check(post: EntryPost) -> Response:
    """Read the page of an entry again. A changed text becomes a suggestion."""
    async with post.working() as work:
        site = await check_entry(
            work, post.page.actor, post.page.record_id, allow_loopback=_allows_loopback(post)
        )
        await post.leads_to(work, to := f"{_LIST}/{site.id}")
    return post.done(to, "content.site_started")


def _allows_loopback(post: Post) -> bool:
    return post.page.resources.settings.integrations.allow_loopback_targets
