"""Start imports of knowledge from websites and connected systems, and turn each page that they read
into a suggestion."""

import asyncio
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.brain import Language
from domain.content.article_source import address_of, has_articles
from domain.content.content import KnowledgeEntry
from domain.content.errors import (
    ContentNotFound,
    InvalidSite,
    NoArticles,
    SiteImportUnderWay,
    TooManySiteImports,
    TooManySuggestions,
)
from domain.content.near_same import same_as
from domain.content.site_address import is_loopback, page_address
from domain.content.site_import import (
    DAY,
    IMPORTS_A_DAY,
    PageNote,
    PageState,
    SiteImport,
    SiteImportState,
    SitePage,
    SiteScope,
)
from domain.content.site_page import PageText
from domain.content.suggestion import PageSource, SameText, SuggestedEntry, Suggestion
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.core.ids import TenantId
from domain.tenants.actor import MANAGERS, Actor
from domain.webhooks.errors import InvalidWebhook
from domain.webhooks.url import check_url
from services.core.unit_of_work import UnitOfWork
from store.content.content_changes import ContentChanges
from store.content.entry_sources import EntrySourceRepository
from store.content.site_imports import PageOutcome, SiteImportRepository
from store.content.suggestions import SuggestionRepository
from store.integrations.integrations import IntegrationRepository
from store.tenants.accounts import AccountRepository


def site_address(written: str, *, allow_loopback: bool) -> str:
    """Return a typed address in its normal form, with a scheme and without a fragment. Raises
    InvalidSite.

    If `allow_loopback` is true, sites on this machine are allowed, also without TLS, for tests and
    demos.
    """
    typed = written.strip().partition("#")[0]
    url = typed if "://" in typed else f"https://{typed}"
    if not (allow_loopback and is_loopback(url)):
        try:
            url = check_url(url, allow_private=False)
        except InvalidWebhook as error:
            raise InvalidSite(str(error), error.reason) from None
    found = page_address(url, url)
    if found is None:
        raise InvalidSite("url: not the address of a page", "url : pas l'adresse d'une page")
    return found


async def start_site_import(
    work: UnitOfWork,
    actor: Actor,
    url: str,
    scope: SiteScope = SiteScope.SITE,
    *,
    allow_loopback: bool = False,
) -> SiteImport:
    """Start an import after the commit. Its pages become suggestions.

    Raises RoleRequired, InvalidSite, ClientNotFound, SiteImportUnderWay and TooManySiteImports.
    """
    actor.require(MANAGERS)
    return await _start(work, actor, site_address(url, allow_loopback=allow_loopback), scope)


async def start_article_import(work: UnitOfWork, actor: Actor, integration_id: str) -> SiteImport:
    """Start an import of a connected system's articles after the commit. They become suggestions.

    Raises RoleRequired, IntegrationNotFound, NoArticles, ClientNotFound, SiteImportUnderWay and
    TooManySiteImports.
    """
    actor.require(MANAGERS)
    integrations = IntegrationRepository(work.connection, work.tenant)
    integration = await integrations.usable(integration_id)
    if not has_articles(integration):
        raise NoArticles(
            f"integration_id: {integration.provider} has no articles to read",
            "integration_id : cette intégration n'a pas d'articles à lire",
        )
    address = address_of(integration)
    return await _start(work, actor, address, SiteScope.SITE, integration.id)


async def _start(
    work: UnitOfWork, actor: Actor, url: str, scope: SiteScope, integration_id: str | None = None
) -> SiteImport:
    await AccountRepository(work.connection, work.tenant).lock()
    imports = SiteImportRepository(work.connection, work.tenant)
    if await imports.is_one_under_way():
        raise SiteImportUnderWay
    if await imports.started_since(work.now - DAY) >= IMPORTS_A_DAY:
        raise TooManySiteImports(IMPORTS_A_DAY)
    site = SiteImport(
        id=work.new_id(),
        url=url,
        scope=scope,
        integration_id=integration_id,
        state=SiteImportState.QUEUED,
        pages=0 if integration_id else 1,
        started_by=actor.known_as,
        created_at=work.now,
    )
    await imports.create(site)
    work.begin(names.IMPORT_SITE, BackgroundRef(client_id=work.tenant, record_id=site.id))
    work.note(actor, "site import started", site_import_id=site.id)
    return site


async def check_entry(
    work: UnitOfWork, actor: Actor, entry_id: str, *, allow_loopback: bool = False
) -> SiteImport:
    """Import a knowledge entry's page again, or all articles of its integration. A changed text
    becomes a suggestion. Raises ContentNotFound if the entry is unknown or was not imported, and
    the errors of `start_site_import` or `start_article_import`."""
    entries = ContentChanges(work.connection, work.tenant)
    entry = await entries.read(KnowledgeEntry, entry_id)
    if entry.source_url is None:
        raise ContentNotFound(entry.id)
    if entry.source_integration_id is not None:
        return await start_article_import(work, actor, entry.source_integration_id)
    return await start_site_import(
        work, actor, entry.source_url, SiteScope.PAGE, allow_loopback=allow_loopback
    )


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page that was read. `url` is its address after redirects. `size` is in bytes. `same_as` is
    an article or suggestion with nearly the same text."""

    url: str
    text: PageText
    language: Language
    size: int
    same_as: SameText | None


async def same_text(
    connection: AsyncConnection, tenant: TenantId, url: str, text: PageText
) -> SameText | None:
    """Return an article or a pending suggestion with the title of a page or nearly its text, or
    None. The comparison runs in a thread because it takes tenths of a second for long texts."""
    known = await EntrySourceRepository(connection, tenant).comparable(
        url, text.title, len(text.body)
    )
    found = await asyncio.to_thread(same_as, text.title, text.body, known)
    return None if found is None else SameText(id=found.id, title=found.title)


async def keep_page(work: UnitOfWork, site: SiteImport, page: SitePage, read: ReadPage) -> None:
    """Store the outcome of a page, once. A new or changed page becomes a suggestion. For other
    pages, only the reading is recorded."""
    imports = SiteImportRepository(work.connection, work.tenant)
    # The account is locked first, as by every other change of the client's suggestions.
    await AccountRepository(work.connection, work.tenant).lock()
    state, note = await _outcome(work, site, read)
    outcome = PageOutcome(state, note, read.text.title, read.size)
    await imports.settle(site.id, page, outcome, work.now)


async def _outcome(
    work: UnitOfWork, site: SiteImport, read: ReadPage
) -> tuple[PageState, PageNote | None]:
    sources = EntrySourceRepository(work.connection, work.tenant)
    pending = SuggestionRepository(work.connection, work.tenant)
    digest = read.text.digest
    entry = await sources.entry_of(read.url)
    if entry is not None and entry.digest == digest:
        await sources.found_same(entry.id, work.now, site.integration_id)
        await pending.delete_of_page(read.url)
        return PageState.UNCHANGED, None
    if entry is not None:
        await sources.found_changed(entry.id, work.now, site.integration_id)
    if await sources.is_dismissed(read.url, digest):
        return PageState.DISMISSED, None
    waiting = await pending.of_page(read.url)
    if waiting is not None and waiting.digest == digest:
        return PageState.UNCHANGED, None
    await pending.delete_of_page(read.url)
    source = PageSource(
        url=read.url,
        read_at=work.now,
        import_id=site.id,
        integration_id=site.integration_id,
        digest=digest,
        changes=entry and entry.id,
        same_as=read.same_as,
    )
    suggestion = Suggestion(
        id=work.new_id(),
        proposed=SuggestedEntry(title=read.text.title, body=read.text.body, language=read.language),
        reason="",
        suggested_by=site.started_by,
        created_at=work.now,
        source=source,
    )
    try:
        await pending.add(suggestion)
    except TooManySuggestions:
        return PageState.SKIPPED, PageNote.NO_ROOM
    return (PageState.SUGGESTED if entry is None else PageState.CHANGED), None
