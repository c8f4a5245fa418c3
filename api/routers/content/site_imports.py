"""/api/dashboard/site-imports: imports of knowledge from websites and connected systems."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import ManagerDep, MemberDep, PageDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.content.site_import import (
    SiteImportBody,
    SiteImportPage,
    SiteImportPages,
)
from api.schemas.core.client_query import cursor_after
from domain.content.errors import SiteImportNotFound
from domain.content.site_import import SiteImport
from domain.integrations.errors import IntegrationNotFound
from services.content.site_imports import start_article_import, start_site_import
from store.content.site_imports import SiteImportRepository

router = APIRouter(route_class=DescribedRoute)

_IMPORTS: Final = "/api/dashboard/site-imports"


@router.get(
    _IMPORTS,
    operation_id="site_imports.list",
    summary="List a client's imports of knowledge, newest first",
)
async def site_imports(page: PageDep, resources: ResourcesDep) -> SiteImportPage:
    """Any member of the client may call this operation."""
    async with resources.database.reading(page.tenant) as connection:
        found = await SiteImportRepository(connection, page.tenant).page(
            before=page.query.cursor, limit=page.query.limit + 1
        )
    return SiteImportPage(
        imports=found[: page.query.limit],
        next_cursor=cursor_after(found, page.query.limit, lambda last: last.id),
    )


@router.post(
    _IMPORTS,
    operation_id="site_imports.create",
    summary="Import knowledge from a website",
    status_code=202,
    responses=errors(409),
)
async def start(
    member: ManagerDep,
    body: Annotated[SiteImportBody, Depends(JsonBody(SiteImportBody))],
    resources: ResourcesDep,
) -> SiteImport:
    """Each page becomes a suggestion, which a member accepts or rejects. The agent uses no page
    before that. If a page is already an article, a changed text becomes a suggestion. A client can
    have one import in progress at a time."""
    async with resources.work.of(member.tenant) as work:
        return await start_site_import(
            work,
            member.actor,
            body.url,
            body.scope,
            allow_loopback=resources.settings.integrations.allow_loopback_targets,
        )


@router.post(
    "/api/dashboard/integrations/{integration_id}/article-imports",
    operation_id="site_imports.create_from_integration",
    summary="Import knowledge from a connected help center",
    status_code=202,
    responses=errors(409),
)
async def start_articles(
    member: ManagerDep,
    integration_id: Annotated[
        str, Depends(PathId("integration_id", "integration", IntegrationNotFound))
    ],
    resources: ResourcesDep,
) -> SiteImport:
    """Each article that everyone may read becomes a suggestion. Drafts and restricted articles are
    not read. The agent uses no article before a member accepts it."""
    async with resources.work.of(member.tenant) as work:
        return await start_article_import(work, member.actor, integration_id)


@router.get(
    f"{_IMPORTS}/{{site_import_id}}",
    operation_id="site_imports.get",
    summary="Get an import of knowledge and its pages",
)
async def pages(
    member: MemberDep,
    site_import_id: Annotated[str, Depends(PathId("site_import_id", "import", SiteImportNotFound))],
    resources: ResourcesDep,
) -> SiteImportPages:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        imports = SiteImportRepository(connection, member.tenant)
        return SiteImportPages(
            site_import=await imports.read(site_import_id),
            pages=await imports.pages(site_import_id),
        )
