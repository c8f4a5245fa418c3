"""Imports from a website with a real worker and a real website: what becomes a suggestion, what is
read again, and what the site forbids."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace

import pytest

from activities.runtime.worker_slots import AT_ONCE, WorkerSlots
from adapters.system import new_ulid, utc_now
from domain.content.content import KnowledgeChange, KnowledgeEntry
from domain.content.contracts import SiteProgress
from domain.content.errors import SiteImportsBusy
from domain.content.site_import import (
    MAX_SILENT,
    PageNote,
    PageState,
    SiteImport,
    SiteImportState,
    SitePage,
    SiteScope,
)
from domain.content.suggestion import SuggestedEntry, Suggestion
from domain.core import names
from domain.core.ids import TenantId
from domain.tenants.actor import Actor
from services.content.knowledge import add_knowledge
from services.content.site_imports import start_site_import
from services.content.suggestions import accept_suggestion, refuse_suggestion
from services.core.unit_of_work import UnitsOfWork
from store.content.content_changes import ContentChanges
from store.content.knowledge_search import KnowledgeSearch
from store.content.site_imports import SiteImportRepository
from store.content.suggestions import SuggestionRepository
from tests.support.core.engine import LiveEngine
from tests.support.core.waiting import eventually
from tests.support.servers.website import WebPage, Website, website
from tests.support.tenants.shop import Shop
from workflows import options

OPERATOR = Actor.operator("operator:test")
RETURNS = "You have thirty days from delivery to send an item back to our warehouse."
REFUND = "We refund the price of the item within five working days of its arrival."
SHIPPING = "Standard shipping costs 4.90 euros, and express shipping costs 9.90 euros."


@pytest.fixture
def site() -> Iterator[Website]:
    with website() as one:
        one.article("/help/returns", "Returns", RETURNS, REFUND)
        one.article("/help/shipping", "Shipping", SHIPPING)
        yield one


async def _imported(
    engine: LiveEngine, shop: Shop, url: str, scope: SiteScope = SiteScope.SITE
) -> tuple[SiteImport, dict[str, SitePage]]:
    return await _ended(engine, shop, await _started(engine, shop, url, scope))


async def _started(
    engine: LiveEngine, shop: Shop, url: str, scope: SiteScope = SiteScope.SITE
) -> str:
    units = UnitsOfWork(engine.database, engine.engine, utc_now, new_ulid)
    async with units.of(shop.tenant) as work:
        return (await start_site_import(work, OPERATOR, url, scope, allow_loopback=True)).id


async def _ended(
    engine: LiveEngine, shop: Shop, import_id: str
) -> tuple[SiteImport, dict[str, SitePage]]:
    async def over() -> tuple[SiteImport, dict[str, SitePage]] | None:
        async with engine.database.reading(shop.tenant) as connection:
            imports = SiteImportRepository(connection, shop.tenant)
            found = await imports.read(import_id)
            pages = await imports.pages(import_id)
        return (found, {_path(one.url): one for one in pages}) if found.is_over else None

    return await eventually(over)


def _path(url: str) -> str:
    return "/" + url.split("/", 3)[3]


async def _suggestions(engine: LiveEngine, shop: Shop) -> dict[str, Suggestion]:
    async with engine.database.reading(shop.tenant) as connection:
        found = await SuggestionRepository(connection, shop.tenant).page(after=None, limit=300)
    return {_title(one): one for one in found}


def _title(suggestion: Suggestion) -> str:
    assert isinstance(suggestion.proposed, SuggestedEntry)
    return suggestion.proposed.title


async def _accept(engine: LiveEngine, shop: Shop, suggestion: Suggestion) -> KnowledgeEntry:
    units = UnitsOfWork(engine.database, engine.engine, utc_now, new_ulid)
    async with units.of(shop.tenant) as work:
        made = await accept_suggestion(work, OPERATOR, suggestion.id)
    assert isinstance(made, KnowledgeEntry)
    return made


async def test_each_page_of_the_sitemap_becomes_a_suggestion(
    acting: LiveEngine, shop: Shop, site: Website
) -> None:
    site.sitemap("/help/returns", "/help/shipping", "/products/lamp")
    async with acting.working():
        done, pages = await _imported(acting, shop, f"{site.url}/help")
        found = await _suggestions(acting, shop)
        handle = acting.client.get_workflow_handle(
            names.background_id(names.IMPORT_SITE, shop.client_id, done.id)
        )
        progress = await handle.query(names.PROGRESS_QUERY, result_type=SiteProgress)

    assert (done.state, done.pages, done.done, done.suggested) == (SiteImportState.DONE, 3, 3, 2)
    assert (progress.pages, progress.done, progress.suggested) == (3, 3, 2)
    assert pages["/help"].note is PageNote.MISSING
    assert "/products/lamp" not in site.seen
    assert found.keys() == {"Returns", "Shipping"}
    proposed = found["Returns"].proposed
    assert isinstance(proposed, SuggestedEntry)
    assert (proposed.body, proposed.language) == (f"{RETURNS}\n\n{REFUND}", "en")
    source = found["Returns"].source
    assert source is not None
    assert (source.url, source.changes) == (f"{site.url}/help/returns", None)
    async with acting.database.reading(shop.tenant) as connection:
        assert not await KnowledgeSearch(connection, shop.tenant).find("days to send item back")


async def test_without_a_sitemap_linked_pages_below_the_address_are_read(
    acting: LiveEngine, shop: Shop, site: Website
) -> None:
    site.article("/help/", "Help", RETURNS, links=("returns", "/help/shipping#top", "/shop/lamp"))
    site.article("/help/returns", "Returns", REFUND, links=("/help/deep", "https://b.example/x"))
    site.article("/help/deep", "Deep", SHIPPING, links=("/help/too-deep",))
    site.article("/shop/lamp", "Lamp", SHIPPING)
    site.article("/help/too-deep", "Too deep", SHIPPING)
    async with acting.working():
        _, pages = await _imported(acting, shop, f"{site.url}/help/")

    assert pages.keys() == {"/help/", "/help/returns", "/help/shipping", "/help/deep"}


async def test_what_robots_txt_forbids_is_not_requested(
    acting: LiveEngine, shop: Shop, site: Website
) -> None:
    site.robots("User-agent: *\nDisallow: /help/ship*\nSitemap: /map.xml\n")
    site.sitemap("/help/returns", "/help/shipping", at="/map.xml")
    site.robots(f"User-agent: *\nDisallow: /help/ship*\nSitemap: {site.url}/map.xml\n")
    async with acting.working():
        done, pages = await _imported(acting, shop, f"{site.url}/help/returns")
        site.robots("User-agent: *\nDisallow: /\n")
        refused, _ = await _imported(acting, shop, f"{site.url}/help/returns", SiteScope.PAGE)
        site.pages["/robots.txt"] = WebPage(status=500)
        unknown, _ = await _imported(acting, shop, f"{site.url}/help/returns", SiteScope.PAGE)

    assert "/help/shipping" not in site.seen
    assert site.seen.count("/help/returns") == 1
    assert (done.state, pages["/help/returns"].state) == (
        SiteImportState.DONE, PageState.SUGGESTED
    )  # fmt: skip
    assert (refused.state, refused.error_code) == (SiteImportState.FAILED, "site_disallowed")
    assert (unknown.state, unknown.error_code) == (SiteImportState.FAILED, "site_unreadable")


async def test_a_second_reading_suggests_only_changes(
    acting: LiveEngine, shop: Shop, site: Website
) -> None:
    site.sitemap("/help/returns", "/help/shipping")
    async with acting.working():
        await _imported(acting, shop, f"{site.url}/help")
        found = await _suggestions(acting, shop)
        entry = await _accept(acting, shop, found["Returns"])
        units = UnitsOfWork(acting.database, acting.engine, utc_now, new_ulid)
        async with units.of(shop.tenant) as work:
            await refuse_suggestion(work, OPERATOR, found["Shipping"].id)

        same, pages = await _imported(acting, shop, f"{site.url}/help")
        after_same = await _suggestions(acting, shop)
        site.article("/help/returns", "Returns", RETURNS.replace("thirty", "sixty"), REFUND)
        _, changed_pages = await _imported(acting, shop, f"{site.url}/help/returns", SiteScope.PAGE)
        (change,) = (await _suggestions(acting, shop)).values()
        stale = await _entry(acting, shop, entry.id)
        await _accept(acting, shop, change)
        current = await _entry(acting, shop, entry.id)

    assert entry.source_url == f"{site.url}/help/returns"
    assert entry.source_read_at is not None
    assert (same.suggested, after_same) == (0, {})
    assert pages["/help/returns"].state is PageState.UNCHANGED
    assert pages["/help/shipping"].state is PageState.DISMISSED
    assert changed_pages["/help/returns"].state is PageState.CHANGED
    assert change.source is not None
    assert change.source.changes == entry.id
    assert stale.source_changed_at is not None
    assert "thirty" in stale.body
    assert "sixty" in current.body
    assert current.source_changed_at is None


async def _entry(engine: LiveEngine, shop: Shop, entry_id: str) -> KnowledgeEntry:
    async with engine.database.reading(shop.tenant) as connection:
        return await ContentChanges(connection, shop.tenant).read(KnowledgeEntry, entry_id)


async def test_a_text_that_the_client_has_already_is_marked(
    acting: LiveEngine, shop: Shop, site: Website
) -> None:
    site.sitemap("/help/returns", "/help/shipping")
    async with acting.working():
        units = UnitsOfWork(acting.database, acting.engine, utc_now, new_ulid)
        async with units.of(shop.tenant) as work:
            near = await add_knowledge(
                work, OPERATOR, title="Our rules", body=f"{RETURNS} {REFUND}", language="en"
            )
            named = await add_knowledge(
                work, OPERATOR, title="SHIPPING", body="Ask us by email.", language="en"
            )
        await _imported(acting, shop, f"{site.url}/help")
        found = await _suggestions(acting, shop)

    marks = {title: one.source and one.source.same_as for title, one in found.items()}
    assert {title: mark and mark.id for title, mark in marks.items()} == {
        "Returns": near.id, "Shipping": named.id
    }  # fmt: skip


async def test_an_edit_is_kept_when_a_page_is_accepted(
    acting: LiveEngine, shop: Shop, site: Website
) -> None:
    async with acting.working():
        await _imported(acting, shop, f"{site.url}/help/returns", SiteScope.PAGE)
        (one,) = (await _suggestions(acting, shop)).values()
        units = UnitsOfWork(acting.database, acting.engine, utc_now, new_ulid)
        async with units.of(shop.tenant) as work:
            made = await accept_suggestion(
                work, OPERATOR, one.id, KnowledgeChange(body="You have fourteen days to return it.")
            )
        again, _ = await _imported(acting, shop, f"{site.url}/help/returns", SiteScope.PAGE)

    assert isinstance(made, KnowledgeEntry)
    assert (made.title, made.body) == ("Returns", "You have fourteen days to return it.")
    assert again.suggested == 0


async def test_a_site_without_answers_is_given_up(
    acting: LiveEngine, shop: Shop, site: Website
) -> None:
    site.sitemap("/help/returns", *(f"/help/{number}" for number in range(20)))
    for number in range(20):
        site.pages[f"/help/{number}"] = WebPage(status=503)
    async with acting.working():
        done, pages = await _imported(acting, shop, f"{site.url}/help")

    notes = [one.note for one in pages.values()]
    assert done.state is SiteImportState.DONE
    assert notes.count(PageNote.UNREACHABLE) == MAX_SILENT
    assert notes.count(PageNote.GIVEN_UP) == 20 - MAX_SILENT
    assert pages["/help/returns"].state is PageState.SUGGESTED


async def test_an_address_that_leads_to_another_site_is_named_as_such(
    acting: LiveEngine, shop: Shop, site: Website
) -> None:
    site.pages["/robots.txt"] = WebPage(
        status=301, headers={"location": "https://www.shop.example/robots.txt"}
    )
    async with acting.working():
        failed, pages = await _imported(acting, shop, f"{site.url}/help/returns")

    assert (failed.state, failed.error_code) == (SiteImportState.FAILED, "site_moved")
    assert [one.note for one in pages.values()] == [PageNote.GIVEN_UP]
    assert site.seen == ["/robots.txt"]


async def test_a_page_waits_for_a_slot_in_temporal(
    acting: LiveEngine, shop: Shop, site: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A waiting page holds no activity slot. It waits longer than the attempts of one activity."""
    monkeypatch.setattr(SiteImportsBusy, "retry_after_s", 0.01)
    for how in (options.OPENING_SITE, options.READING_SITE):
        policy = how["retry_policy"]
        assert policy is not None
        monkeypatch.setitem(how, "retry_policy", replace(policy, maximum_attempts=2))
    slots = WorkerSlots(SiteImportsBusy)
    monkeypatch.setattr(acting.activities.import_sites, "slots", slots)
    refused, slot = 0, slots.slot

    def counted(tenant: TenantId, *, pays: bool) -> AbstractContextManager[None]:
        nonlocal refused
        refused += 1
        return slot(tenant, pays=pays)

    monkeypatch.setattr(slots, "slot", counted)

    async def waited_long() -> bool:
        return refused > 4

    async with acting.working():
        with ExitStack() as held:
            for number in range(AT_ONCE):
                held.enter_context(slot(TenantId(f"other {number}"), pays=True))
            import_id = await _started(acting, shop, f"{site.url}/help/returns")
            await eventually(waited_long)
            assert site.seen == []
        done, _ = await _ended(acting, shop, import_id)

    assert (done.state, done.suggested) == (SiteImportState.DONE, 1)
