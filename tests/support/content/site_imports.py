"""Imports from websites that have a row but no workflow."""

from typing import Final

from adapters.system import new_ulid, utc_now
from domain.content.site_import import SiteImport, SiteImportState, SiteScope
from store.content.site_imports import SiteImportRepository
from store.core.database import Database
from tests.support.tenants.shop import Shop

SITE_IMPORTS: Final = "/api/dashboard/site-imports"


async def an_import(
    database: Database,
    shop: Shop,
    url: str = "https://help.example.com/",
    state: SiteImportState = SiteImportState.DONE,
    integration_id: str | None = None,
) -> str:
    """Create an import, and return its id."""
    site = SiteImport(
        id=new_ulid(),
        url=url,
        scope=SiteScope.SITE,
        integration_id=integration_id,
        state=state,
        started_by="operator:test",
        created_at=utc_now(),
    )
    async with database.tenant(shop.tenant) as connection:
        await SiteImportRepository(connection, shop.tenant).create(site)
    return site.id
