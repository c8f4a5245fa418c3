"""Read websites: fetch their pages, and parse them in child processes that can be killed."""

from typing import Final

from adapters.processes.process_pool import ProcessPool, WorkFailed
from adapters.sites.site_fetcher import SiteFetcher
from adapters.sites.site_wire import SiteAnswer, SiteRequest, SiteWork
from domain.content.site_import import PageNote
from domain.content.site_page import Fetched, PageText, PageUnreadable, RobotsRead, SitemapRead
from domain.core.errors import OverBudget

_CHILD: Final = "adapters.sites.site_child"
CPU_S: Final = 1.0
"""Maximum CPU time for parsing one page, in seconds. An ordinary page of the maximum size takes a
tenth of this time."""
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})


class WebSiteReader:
    """A `SiteReader` (`domain/content/ports.py`). `agent` is the service's name in robots.txt.
    Child processes start with the first page."""

    def __init__(self, fetcher: SiteFetcher, *, agent: str, cpu_s: float = CPU_S) -> None:
        self._fetcher = fetcher
        self._agent = agent
        self._processes = ProcessPool(_CHILD, cpu_s=cpu_s)

    async def fetch(self, client_id: str, url: str) -> Fetched:
        return await self._fetcher.fetch(client_id, url)

    async def robots(self, fetched: Fetched | None, start: str) -> RobotsRead:
        answer = await self._ask(SiteWork.ROBOTS, None, fetched, start)
        return answer.robots or RobotsRead()

    async def sitemap(self, fetched: Fetched, robots: Fetched | None, start: str) -> SitemapRead:
        answer = await self._ask(SiteWork.SITEMAP, fetched, robots, start)
        return answer.sitemap or SitemapRead()

    async def page(self, fetched: Fetched, robots: Fetched | None) -> PageText:
        if fetched.content_type not in _PAGES:
            raise PageUnreadable(PageNote.NOT_HTML)
        return await self._page(SiteWork.PAGE, fetched, robots)

    async def article(self, fetched: Fetched) -> PageText:
        return await self._page(SiteWork.ARTICLE, fetched, None)

    async def close(self) -> None:
        await self._processes.close()

    async def _page(self, work: SiteWork, fetched: Fetched, robots: Fetched | None) -> PageText:
        answer = await self._ask(work, fetched, robots, fetched.url)
        if answer.page is None:
            raise PageUnreadable(PageNote.EMPTY)
        return answer.page

    async def _ask(
        self, work: SiteWork, fetched: Fetched | None, robots: Fetched | None, start: str
    ) -> SiteAnswer:
        request = SiteRequest(
            work=work, fetched=fetched, robots=robots, start=start, agent=self._agent
        )
        try:
            came = await self._processes.ask(request.model_dump_json().encode())
        except OverBudget:
            raise PageUnreadable(PageNote.TOO_COSTLY) from None
        answer = SiteAnswer.model_validate_json(came)
        if answer.failed:
            raise WorkFailed(answer.failed)
        if answer.refused is not None:
            raise PageUnreadable(answer.refused)
        return answer
