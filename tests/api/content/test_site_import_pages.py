"""Imports from websites over HTTP and on the pages: limits, progress, edits, and the diff of a
changed page."""

from datetime import timedelta

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.content.site_import import (
    IMPORTS_A_DAY,
    KEPT_IMPORTS,
    MAX_ARTICLES,
    MAX_LISTED,
    MAX_PAGES,
    MAX_SITE_SUGGESTIONS,
    FoundPage,
    PageNote,
    PageState,
    SiteImportState,
)
from domain.content.suggestion import PageSource, SameText, SuggestedEntry, Suggestion
from domain.integrations.providers import Provider
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.content.knowledge import add_knowledge
from store.content.entry_sources import EntrySourceRepository
from store.content.site_imports import SiteImportRepository
from store.content.suggestions import SuggestionRepository
from store.content.tables import dismissed_pages, knowledge_entries, site_imports
from tests.support.agent.acting import connect
from tests.support.content.content import INTEGRATIONS
from tests.support.content.site_imports import SITE_IMPORTS, an_import
from tests.support.content.suggestions import SUGGESTIONS, suggested
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

SITE = "/app/knowledge/site"
URL = "https://help.example.com/returns"
EMAIL = "agent@acme.example"
BODY = "You have thirty days to return an item."


async def _page_suggestion(
    front: LiveEngine,
    shop: Shop,
    *,
    changes: str | None = None,
    same_as: SameText | None = None,
    body: str = BODY,
    url: str = URL,
) -> str:
    source = PageSource(
        url=url, read_at=utc_now(), import_id=new_ulid(), digest="d2", changes=changes,
        same_as=same_as,
    )  # fmt: skip
    one = Suggestion(
        id=new_ulid(),
        proposed=SuggestedEntry(title="Returns", body=body, language="en"),
        reason="",
        suggested_by="operator:test",
        created_at=utc_now(),
        source=source,
    )
    async with front.database.tenant(shop.tenant) as connection:
        await SuggestionRepository(connection, shop.tenant).add(one)
    return one.id


async def test_one_import_at_a_time_and_few_a_day(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    body = {"url": "help.example.com/fr#top"}
    started = await front.http.post(SITE_IMPORTS, json=body, headers=owner)
    again = await front.http.post(SITE_IMPORTS, json=body, headers=owner)

    assert started.status_code == 202
    shown = started.json()
    assert (shown["url"], shown["state"]) == ("https://help.example.com/fr", "queued")
    assert (again.status_code, again.json()["code"]) == (409, "site_import_under_way")
    one = await front.http.get(f"{SITE_IMPORTS}/{shown['id']}", headers=owner)
    assert [page["url"] for page in one.json()["pages"]] == ["https://help.example.com/fr"]

    async with front.database.tenant(shop.tenant) as connection:
        await SiteImportRepository(connection, shop.tenant).end(
            shown["id"], SiteImportState.DONE, None, utc_now()
        )
    for _ in range(IMPORTS_A_DAY - 1):
        await an_import(front.database, shop)
    over = await front.http.post(SITE_IMPORTS, json=body, headers=owner)
    assert (over.status_code, over.json()["code"]) == (429, "too_many_site_imports")

    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(site_imports)
            .where(site_imports.c.client_id == shop.client_id)
            .values(created_at=utc_now() - timedelta(days=2))
        )
    assert (await front.http.post(SITE_IMPORTS, json=body, headers=owner)).status_code == 202


async def test_only_public_addresses_are_imported(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    for url in (
        "http://help.example.com/", "https://127.0.0.1/", "https://localhost/", "ftp://a.example/",
        "https://10.0.0.1/", "https://help.example.com:22/", "https://a.example/photo.jpg", "a b",
    ):  # fmt: skip
        answer = await front.http.post(SITE_IMPORTS, json={"url": url}, headers=owner)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_site"), url
    assert await rows(front.database, site_imports, of=shop) == []


async def test_an_endless_site_is_listed_up_to_a_limit(front: LiveEngine, shop: Shop) -> None:
    import_id = await an_import(front.database, shop, state=SiteImportState.RUNNING)
    found = [FoundPage(url=f"https://help.example.com/{n}", allowed=n != 1) for n in range(1_000)]
    async with front.database.tenant(shop.tenant) as connection:
        imports = SiteImportRepository(connection, shop.tenant)
        await imports.add_pages(import_id, found, depth=1)
        await imports.add_pages(import_id, found, depth=2)
        pages = await imports.pages(import_id)

    assert len(pages) == MAX_LISTED
    assert sum(one.state is PageState.WAITING for one in pages) == MAX_PAGES
    assert {one.note for one in pages} == {None, PageNote.ROBOTS, PageNote.LIMIT}


async def test_a_page_leaves_room_for_the_suggestions_of_assistants(
    front: LiveEngine, shop: Shop
) -> None:
    for number in range(MAX_SITE_SUGGESTIONS):
        await _page_suggestion(front, shop, url=f"{URL}/{number}")
    assert await suggested(front.database, shop)


async def test_the_import_page_starts_an_import_and_shows_its_pages(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        sent = await owner.send(SITE, SITE, {"url": "help.example.com", "scope": "site"})
        page = await owner.follow(sent)
        assert "https://help.example.com/" in page
        assert "Waiting" in page
        again = await owner.follow(await owner.send(SITE, SITE, {"url": "help.example.com"}))
        assert "already running" in again
        assert "https://help.example.com/" in await owner.see(SITE)
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert "<button>Start import" not in await viewer.see(SITE)


async def test_a_changed_page_is_shown_as_a_difference(front: LiveEngine, shop: Shop) -> None:
    async with units_on(front.database).of(shop.tenant) as work:
        entry = await add_knowledge(
            work, Actor.operator("operator:test"), title="Returns", body=BODY, language="en"
        )
        old = PageSource(url=URL, read_at=work.now, import_id=new_ulid(), digest="d1")
        await EntrySourceRepository(work.connection, shop.tenant).accept(entry.id, old)
    changed = BODY.replace("thirty", "sixty")
    change = await _page_suggestion(front, shop, changes=entry.id, body=changed)
    async with at_pages(front, shop) as owner:
        page = await owner.see("/app/suggestions")
        assert "<del>thirty</del><ins>sixty</ins>" in page
        assert URL in await owner.see(f"/app/knowledge/{entry.id}")
        await owner.send("/app/suggestions", f"/app/suggestions/{change}/accept")

    row = await only_row(front.database, knowledge_entries, of=shop)
    assert (row["id"], row["body"], row["source_digest"]) == (entry.id, changed, "d2")


async def test_a_page_is_edited_before_it_is_accepted(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    mark = SameText(id=new_ulid(), title="Our return rules")
    first = await _page_suggestion(front, shop, same_as=mark)
    second = await _page_suggestion(front, shop, url=f"{URL}/2")
    async with at_pages(front, shop) as member:
        page = await member.see("/app/suggestions")
        assert "Our return rules" in page
    edited = await front.http.post(
        f"{SUGGESTIONS}/{first}/accept", json={"body": "Thirty days for returns."}, headers=owner
    )
    refused = await front.http.post(f"{SUGGESTIONS}/{second}/refuse", headers=owner)

    assert edited.status_code == 201
    made = edited.json()
    assert (made["title"], made["body"]) == ("Returns", "Thirty days for returns.")
    assert (made["source_url"], made["source_changed_at"]) == (URL, None)
    assert refused.status_code == 204
    gone = await only_row(front.database, dismissed_pages, of=shop)
    assert (gone["url"], gone["digest"]) == (f"{URL}/2", "d2")


async def test_old_imports_are_deleted_but_not_the_latest(front: LiveEngine, shop: Shop) -> None:
    running = await an_import(front.database, shop, state=SiteImportState.RUNNING)
    made = [await an_import(front.database, shop) for _ in range(KEPT_IMPORTS + 2)]
    kept = {row["id"] for row in await rows(front.database, site_imports, of=shop)}
    assert kept == {running, *made[-KEPT_IMPORTS:]}


async def test_a_connected_help_center_is_imported(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    settings = {"subdomain": "acme", "email": EMAIL}
    zendesk = await connect(front, shop, Provider.ZENDESK, settings, '{"api_token": "t"}')
    gorgias = {"domain": "acme", "email": EMAIL}
    other = await connect(
        front, shop, Provider.GORGIAS, gorgias, f'{{"email": "{EMAIL}", "api_key": "k"}}'
    )
    refused = await front.http.post(f"{INTEGRATIONS}/{other}/article-imports", headers=owner)
    assert (refused.status_code, refused.json()["code"]) == (400, "no_articles")

    async with at_pages(front, shop) as member:
        page = await member.see(SITE)
        assert "Import from Zendesk" in page
        assert "Import from Gorgias" not in page
        sent = await member.send(SITE, f"{SITE}/integration", {"integration_id": zendesk})
        page = await member.follow(sent)
        assert "https://acme.zendesk.com/hc" in page
        assert "All public articles" in page
    again = await front.http.post(f"{INTEGRATIONS}/{zendesk}/article-imports", headers=owner)
    assert (again.status_code, again.json()["code"]) == (409, "site_import_under_way")
    (one,) = (await front.http.get(SITE_IMPORTS, headers=owner)).json()["imports"]
    assert (one["integration_id"], one["pages"]) == (zendesk, 0)


async def test_an_import_reads_a_limited_number_of_articles(front: LiveEngine, shop: Shop) -> None:
    import_id = await an_import(
        front.database, shop, state=SiteImportState.RUNNING, integration_id=new_ulid()
    )
    found = [
        FoundPage(url=f"https://acme.zendesk.com/hc/{n}", reference=f"fr/{n}") for n in range(1_000)
    ]
    async with front.database.tenant(shop.tenant) as connection:
        imports = SiteImportRepository(connection, shop.tenant)
        await imports.add_pages(import_id, found, depth=0)
        pages = await imports.pages(import_id)

    assert len(pages) == MAX_LISTED
    assert sum(one.state is PageState.WAITING for one in pages) == MAX_ARTICLES
    assert {one.note for one in pages} == {None, PageNote.LIMIT}
