"""Interfaces for the websites and connected systems from which knowledge is imported."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from domain.content.article_source import SourceArticle
from domain.content.site_import import FoundPage
from domain.content.site_page import Fetched, PageText, RobotsRead, SitemapRead
from domain.integrations.integration import Integration


class SiteReader(Protocol):
    """A reader of website pages. Responses are parsed in child processes that can be killed."""

    async def fetch(self, client_id: str, url: str) -> Fetched:
        """Return the response of a page. Redirects on the same origin are followed. Raises
        PageUnreadable."""

    async def robots(self, fetched: Fetched | None, start: str) -> RobotsRead:
        """Return the rules of a robots.txt for this service. `fetched` is None if the site has no
        robots.txt. Raises PageUnreadable, EngineUnavailable."""

    async def sitemap(self, fetched: Fetched, robots: Fetched | None, start: str) -> SitemapRead:
        """Return the addresses in a sitemap file that are on the origin of `start`. Pages are
        returned only if they are below `start`. Raises PageUnreadable, EngineUnavailable."""

    async def page(self, fetched: Fetched, robots: Fetched | None) -> PageText:
        """Return the text of a page and its links. Raises PageUnreadable, EngineUnavailable."""

    async def article(self, fetched: Fetched) -> PageText:
        """Return the whole text of a response that contains only an article. Raises PageUnreadable,
        EngineUnavailable."""


class ArticleSource(Protocol):
    """A connected system with articles. Only articles that everyone may read are returned.

    Both methods raise ActionRefused (NotAuthorized) and ActionUnreachable (ActionForbidden).
    """

    def found(self) -> AsyncGenerator[Sequence[FoundPage]]:
        """Yield the published articles in French and English, a page of the API at a time."""

    async def read(self, reference: str) -> SourceArticle | None:
        """Return an article, or None if it is no longer published."""


class ArticleSources(Protocol):
    def articles(self, integration: Integration) -> ArticleSource:
        """Return the articles of a connected system. Raises ActionRefused if the provider has no
        articles, and NotAuthorized if the credentials cannot be decrypted."""
