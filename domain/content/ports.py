"""Interfaces for the websites from which knowledge is imported."""

from typing import Protocol

from domain.content.site_page import Fetched, PageText, RobotsRead, SitemapRead


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
