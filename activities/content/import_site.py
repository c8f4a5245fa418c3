"""The activities of an import from a website or a connected system: find its pages, read them one
at a time, and end it."""

from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urljoin

from temporalio import activity

from activities.content.read_articles import Articles
from activities.runtime.heartbeat import beating
from activities.runtime.worker_slots import WorkerSlots
from domain.content.contracts import EndSiteImportInput, SiteProgress
from domain.content.errors import SiteDisallowed, SiteImportsBusy, SiteMoved, SiteUnreadable
from domain.content.ports import SiteReader
from domain.content.site_address import is_linked_page
from domain.content.site_import import (
    ARTICLE_PAUSE_S,
    LASTS,
    LISTING,
    MAX_BYTES,
    MAX_DEPTH,
    MAX_LISTED,
    MAX_SITEMAPS,
    MIN_TEXT,
    FoundPage,
    PageNote,
    PageState,
    SiteImport,
    SiteImportState,
    SitePage,
    SiteScope,
)
from domain.content.site_page import Fetched, PageText, PageUnreadable, RobotsRead
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock
from services.content.site_imports import ReadPage, keep_page, same_text
from services.core.unit_of_work import UnitsOfWork
from store.content.site_imports import PageOutcome, SiteImportRepository, SiteReading
from store.exports.payer import has_plan

MAX_ROBOTS: Final = 512 * 1024
"""Maximum size of a robots.txt, in bytes. The rest is ignored, as RFC 9309 permits."""

_ROBOTS_MISSING: Final = frozenset({PageNote.MISSING, PageNote.FORBIDDEN})
_FAILURES: Final = frozenset({
    PageNote.BLOCKED, PageNote.FORBIDDEN, PageNote.MISSING, PageNote.TOO_COSTLY, PageNote.TOO_SLOW,
    PageNote.UNREACHABLE,
})  # fmt: skip
_TRIES: Final = 8
"""Number of attempts to parse a page while no parsing process is free."""


class ImportSites:
    """The activities of an import. `slots` limits the sites read at one time, so that a slow site
    does not occupy the shared activity slots."""

    def __init__(
        self, units: UnitsOfWork, reader: SiteReader, articles: Articles, now: Clock
    ) -> None:
        self.slots = WorkerSlots(SiteImportsBusy)
        self._units = units
        self._reader = reader
        self._articles = articles
        self._now = now

    @activity.defn(name=names.OPEN_SITE)
    async def open(self, work: BackgroundRef) -> SiteProgress:
        """Read the site's robots.txt and sitemaps, and list its pages, or list the articles of the
        connected system. Idempotency key: the import and the page's address.

        Raises SiteImportNotFound, SiteDisallowed, SiteMoved, SiteUnreadable, IntegrationNotFound,
        ArticlesRefused, ActionUnreachable, and SiteImportsBusy if the import must wait.
        """
        tenant = TenantId(work.client_id)
        site = (await self._reading(tenant, work.record_id)).site
        if site.is_over:
            return SiteProgress()
        if site.integration_id is not None:
            return await self._open_articles(tenant, site.id, site.integration_id)
        async with self._slot(tenant), beating():
            rules = await self._rules(tenant, site.url)
            read = await self._robots_read(rules, site.url)
            if not read.start_allowed:
                raise SiteDisallowed
            found, size = await self._listed(tenant, site, rules, read)
        size += 0 if rules is None else len(rules.body)
        async with self._units.of(tenant) as unit:
            imports = SiteImportRepository(unit.connection, tenant)
            await imports.open(
                site.id,
                robots=None if rules is None else rules.body,
                follows=site.scope is SiteScope.SITE and not found,
                pause_s=read.delay_s,
                size=size,
            )
            await imports.add_pages(site.id, found, depth=1)
        return await self._progress(tenant, site.id)

    @activity.defn(name=names.READ_SITE)
    async def read(self, work: BackgroundRef) -> SiteProgress:
        """Read the next page without an outcome, and store a suggestion. Idempotency key: the
        import and the page.

        Raises SiteImportNotFound, EngineUnavailable, IntegrationNotFound, ArticlesRefused,
        ActionUnreachable, and SiteImportsBusy if the page must wait.
        """
        tenant = TenantId(work.client_id)
        reading = await self._reading(tenant, work.record_id)
        page = reading.next_page
        if reading.site.is_over or page is None:
            return await self._progress(tenant, work.record_id)
        is_late = self._now() - reading.site.created_at > LASTS
        if is_late or reading.is_silent or reading.bytes_read >= MAX_BYTES:
            note = PageNote.GIVEN_UP if reading.is_silent else PageNote.LIMIT
            async with self._units.of(tenant) as unit:
                await SiteImportRepository(unit.connection, tenant).skip_rest(work.record_id, note)
            return await self._progress(tenant, work.record_id)
        async with self._slot(tenant), beating():
            await self._read(tenant, reading, page)
        return await self._progress(tenant, work.record_id)

    @activity.defn(name=names.END_SITE)
    async def end(self, step: EndSiteImportInput) -> None:
        """End the import as done or failed, once. Idempotency key: the import."""
        tenant = TenantId(step.client_id)
        state = SiteImportState.DONE if step.error_code is None else SiteImportState.FAILED
        async with self._units.of(tenant) as unit:
            await SiteImportRepository(unit.connection, tenant).end(
                step.record_id, state, step.error_code, unit.now
            )

    async def _open_articles(
        self, tenant: TenantId, import_id: str, integration_id: str
    ) -> SiteProgress:
        async with self._slot(tenant), beating():
            found = await self._articles.listed(tenant, integration_id)
        async with self._units.of(tenant) as unit:
            imports = SiteImportRepository(unit.connection, tenant)
            await imports.open(
                import_id, robots=None, follows=False, pause_s=ARTICLE_PAUSE_S, size=0
            )
            await imports.add_pages(import_id, found, depth=0)
        return await self._progress(tenant, import_id)

    @asynccontextmanager
    async def _slot(self, tenant: TenantId) -> AsyncIterator[None]:
        pays = await has_plan(self._units.database, tenant, self._now())
        with self.slots.slot(tenant, pays=pays):
            yield

    async def _reading(self, tenant: TenantId, import_id: str) -> SiteReading:
        async with self._units.database.reading(tenant) as connection:
            return await SiteImportRepository(connection, tenant).reading(import_id)

    async def _progress(self, tenant: TenantId, import_id: str) -> SiteProgress:
        reading = await self._reading(tenant, import_id)
        site = reading.site
        return SiteProgress(
            pages=site.pages,
            done=site.done,
            suggested=site.suggested,
            pause_s=reading.pause_s,
            has_more=not site.is_over and reading.next_page is not None,
        )

    async def _rules(self, tenant: TenantId, url: str) -> Fetched | None:
        """Return the site's robots.txt, or None if it has none. Raises SiteMoved, SiteUnreadable. A
        site that does not answer is not read, because its rules are unknown."""
        try:
            rules = await self._reader.fetch(tenant, urljoin(url, "/robots.txt"))
        except PageUnreadable as unreadable:
            if unreadable.note in _ROBOTS_MISSING:
                return None
            if unreadable.note is PageNote.ELSEWHERE:
                raise SiteMoved from None
            raise SiteUnreadable(unreadable.note.value) from None
        return rules.model_copy(update={"body": rules.body[:MAX_ROBOTS]})

    async def _robots_read(self, rules: Fetched | None, url: str) -> RobotsRead:
        try:
            return await self._reader.robots(rules, url)
        except PageUnreadable as unreadable:
            raise SiteUnreadable(unreadable.note.value) from None

    async def _listed(
        self, tenant: TenantId, site: SiteImport, rules: Fetched | None, read: RobotsRead
    ) -> tuple[Sequence[FoundPage], int]:
        """Return the pages in the site's sitemaps, and the size of the sitemaps. A sitemap that
        cannot be read is left out."""
        if site.scope is SiteScope.PAGE:
            return (), 0
        waiting = list(read.sitemaps or (urljoin(site.url, "/sitemap.xml"),))
        seen: set[str] = set()
        found: dict[str, FoundPage] = {}
        size, ends = 0, self._now() + LISTING
        while waiting and len(seen) < MAX_SITEMAPS and len(found) < MAX_LISTED:
            url = waiting.pop(0)
            if url in seen or size >= MAX_BYTES or self._now() >= ends:
                continue
            seen.add(url)
            try:
                file = await self._reader.fetch(tenant, url)
                size += len(file.body)
                listed = await self._reader.sitemap(file, rules, site.url)
            except PageUnreadable:
                continue
            found |= {one.url: one for one in listed.pages}
            waiting += listed.sitemaps
        others = [one for one in found.values() if one.url != site.url]
        return others[:MAX_LISTED], size

    async def _read(self, tenant: TenantId, reading: SiteReading, page: SitePage) -> None:
        site, size = reading.site, 0
        try:
            if site.integration_id is not None and page.reference is not None:
                article = await self._articles.read(tenant, site.integration_id, page.reference)
                fetched = article.as_page(page.url)
                size = len(fetched.body)
                text = article.text(await self._patiently(self._reader.article(fetched)))
            else:
                fetched = await self._reader.fetch(tenant, page.url)
                size = len(fetched.body)
                rules = _as_robots(reading.robots, site.url)
                if fetched.url != page.url:
                    await self._check_target(tenant, site, rules, fetched.url)
                text = await self._patiently(self._reader.page(fetched, rules))
            kept = await self._judged(tenant, fetched, text)
        except PageUnreadable as unreadable:
            note = unreadable.note
            state = PageState.FAILED if note in _FAILURES else PageState.SKIPPED
            await self._settle(tenant, site, page, PageOutcome(state, note, bytes_read=size))
            return
        async with self._units.of(tenant) as unit:
            if reading.follows and page.depth < MAX_DEPTH:
                depth = page.depth + 1
                linked = [one for one in text.links if is_linked_page(one.url, site.url, depth)]
                await SiteImportRepository(unit.connection, tenant).add_pages(
                    site.id, linked, depth=depth
                )
            if isinstance(kept, ReadPage):
                await keep_page(unit, site, page, kept)
                return
            outcome = PageOutcome(PageState.SKIPPED, kept, text.title, size)
            await SiteImportRepository(unit.connection, tenant).settle(
                site.id, page, outcome, unit.now
            )

    async def _check_target(
        self, tenant: TenantId, site: SiteImport, rules: Fetched | None, url: str
    ) -> None:
        """Raise PageUnreadable if a redirect leads to a page that is listed, or forbidden by
        robots.txt."""
        async with self._units.database.reading(tenant) as connection:
            if await SiteImportRepository(connection, tenant).lists(site.id, url):
                raise PageUnreadable(PageNote.TWICE)
        if not (await self._reader.robots(rules, url)).start_allowed:
            raise PageUnreadable(PageNote.ROBOTS)

    async def _patiently(self, reading: Awaitable[PageText]) -> PageText:
        """Return a page's text. Raises PageUnreadable, also after several failed attempts to parse
        the page, and EngineUnavailable. An unreadable page does not end the import."""
        try:
            return await reading
        except EngineUnavailable:
            if activity.info().attempt < _TRIES:
                raise
        raise PageUnreadable(PageNote.TOO_COSTLY)

    async def _judged(
        self, tenant: TenantId, fetched: Fetched, text: PageText
    ) -> ReadPage | PageNote:
        """Return the page to store, or the reason why the agent cannot use it as an article."""
        if len(text.body) < MIN_TEXT:
            return PageNote.EMPTY
        language = text.written_in()
        if language is None:
            return PageNote.LANGUAGE
        async with self._units.database.reading(tenant) as connection:
            same = await same_text(connection, tenant, fetched.url, text)
        return ReadPage(fetched.url, text, language, len(fetched.body), same)

    async def _settle(
        self, tenant: TenantId, site: SiteImport, page: SitePage, outcome: PageOutcome
    ) -> None:
        async with self._units.of(tenant) as unit:
            await SiteImportRepository(unit.connection, tenant).settle(
                site.id, page, outcome, unit.now
            )


def _as_robots(body: bytes | None, url: str) -> Fetched | None:
    return None if body is None else Fetched(url=urljoin(url, "/robots.txt"), status=200, body=body)
