"""Read the articles of a client's connected system, for an import."""

from contextlib import aclosing

from domain.content.article_source import SourceArticle
from domain.content.errors import ArticlesRefused, SiteUnreadable
from domain.content.ports import ArticleSource, ArticleSources
from domain.content.site_import import LISTING, MAX_LISTED, FoundPage, PageNote
from domain.content.site_page import PageUnreadable
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnreachable,
    NotAuthorized,
)
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository


class Articles:
    def __init__(self, database: Database, sources: ArticleSources, now: Clock) -> None:
        self._database = database
        self._sources = sources
        self._now = now

    async def listed(self, tenant: TenantId, integration_id: str) -> tuple[FoundPage, ...]:
        """Return the published articles, at most MAX_LISTED. Raises IntegrationNotFound,
        ArticlesRefused, SiteUnreadable, and ActionUnreachable if the system asks the service to
        wait."""
        found: dict[str, FoundPage] = {}
        ends = self._now() + LISTING
        try:
            source = await self._source(tenant, integration_id)
            async with aclosing(source.found()) as pages:
                async for page in pages:
                    found |= {one.url: one for one in page}
                    if len(found) >= MAX_LISTED or self._now() >= ends:
                        break
        except (ActionForbidden, ActionRefused) as error:
            raise ArticlesRefused(error.code) from None
        except ActionUnreachable as error:
            if error.retry_after_s is not None:
                raise
            raise SiteUnreadable(error.code) from None
        return tuple(found.values())[:MAX_LISTED]

    async def read(self, tenant: TenantId, integration_id: str, reference: str) -> SourceArticle:
        """Return an article. Raises PageUnreadable, IntegrationNotFound, ArticlesRefused if the
        credentials are rejected, and ActionUnreachable if the system asks the service to wait."""
        try:
            source = await self._source(tenant, integration_id)
            article = await source.read(reference)
        except NotAuthorized as error:
            raise ArticlesRefused(error.code) from None
        except ActionForbidden:
            raise PageUnreadable(PageNote.FORBIDDEN) from None
        except ActionRefused:
            raise PageUnreadable(PageNote.MISSING) from None
        except ActionUnreachable as error:
            if error.retry_after_s is not None:
                raise
            raise PageUnreadable(PageNote.UNREACHABLE) from None
        if article is None:
            raise PageUnreadable(PageNote.MISSING)
        return article

    async def _source(self, tenant: TenantId, integration_id: str) -> ArticleSource:
        async with self._database.reading(tenant) as connection:
            integration = await IntegrationRepository(connection, tenant).usable(integration_id)
        return self._sources.articles(integration)
