"""Every page with the demo's data, in Chromium: accessible, narrow, without errors or external
resources."""

import gzip
import re
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser

from api.dashboard.pages import LANGUAGES
from api.dashboard.static import StaticFiles
from tests.support.dashboard.chromium import AXE_OF_COLOURS, DESK, seated
from tests.support.dashboard.crawl import Crawl
from tests.support.dashboard.demo_pages import DemoPages, session_of
from tests.support.dashboard.html_check import CHECKER, html_findings
from tests.support.dashboard.machine_words import foreign_dates, machine_words
from tests.support.dashboard.page_list import page_routes
from tests.support.dashboard.visitors import form_of
from tests.support.tenants.shop import Shop, open_shop

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PHONES: Final = (390, 320)
DESKS: Final = (700, 900, DESK[0])
# Pages that no link in the demo's data leads to, or that a form leads to.
UNSEEN: Final = {
    "/app/attachments/{attachment_id}",
    "/app/billing/checkouts/{checkout_id}",
    "/app/conversations/{conversation_id}/templates",
    "/app/data-requests/{request_id}",
    "/app/data-requests/{request_id}/file.json",
    "/app/home/improvement",
    "/app/inbox/list",
    "/app/integrations/{integration_id}/inbound",
    "/app/integrations/{integration_id}/inbound/rotate",
    "/app/knowledge/site/{site_import_id}",
    "/app/members/keys",
    "/app/needs-you",
    "/app/palette",
    "/app/playbooks/{playbook_id}/diff",
    "/app/replays/{replay_id}",
    "/app/reviews/{review_id}/knowledge",
    "/app/reviews/{review_id}/templates",
    "/app/simulator/runs/{case_run_id}",
    "/app/tickets/new",
}
# Event types are the names that developers subscribe to.
FOR_DEVELOPERS: Final = ("/app/keys", "/app/webhooks")
# These pages show YAML, placeholders, ids for support, or settings to copy.
WITH_CODE: Final = (
    "/app/conversations",
    "/app/data",
    "/app/inbound",
    "/app/playbooks",
    "/app/policy",
    "/app/reviews",
    "/app/runs",
    "/app/settings",
    "/app/simulator",
    "/app/templates",
    "/app/widget",
)
HTML_AT_MOST: Final = 60_000
FILES_AT_MOST: Final = 60_000
FONT_AT_MOST: Final = 110_000
HOSTILE: Final = (
    "<script>window.hit=1</script><img src=x onerror=window.hit=1>"
    "<svg onload=window.hit=1><a href=javascript:window.hit=1>x</a>"
    "<div hx-get=/app hx-trigger=load hx-on::load=window.hit=1>"
    "{{ 7 * 7 }}'\" \u202egnp.exe\u202c \u2066\u2069 où est ma commande 1042 ?"
)


@pytest.fixture(scope="module")
async def crawled(demo: DemoPages) -> Crawl:
    return await demo.crawl()


def test_links_lead_to_every_page(crawled: Crawl) -> None:
    assert crawled.broken == [], "\n".join(crawled.broken)
    assert {*crawled.unseen} - UNSEEN == set()


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_page_for_everybody(
    browser: Browser, demo: DemoPages, crawled: Crawl, language: str
) -> None:
    """In both themes axe finds nothing; a phone does not scroll it sideways; no word is broken;
    nothing comes from another origin, violates the policy or fails."""
    wrong = []
    async with seated(browser, demo.url, demo.owner, language=language) as seat:
        for address in crawled.pages:
            answer = await seat.open(address)
            if answer.status != 200:
                wrong.append(f"{address}: {answer.status}")
            wrong += [f"{address}: {one}" for one in await seat.findings()]
            await seat.in_theme("dark")
            wrong += [f"{address}: dark: {one}" for one in await seat.findings(AXE_OF_COLOURS)]
            await seat.in_theme("light")
            for width in (*PHONES, *DESKS):
                await seat.of_width(width)
                if width in PHONES and (over := await seat.too_wide()) > 0:
                    wrong.append(f"{address}: {over} pixels wider than {width}")
                if hidden := await seat.hidden_parts() if width in (PHONES[0], DESK[0]) else []:
                    wrong.append(f"{address}: hides at {width} pixels: {', '.join(hidden)}")
                if broken := await seat.broken_words():
                    wrong.append(f"{address}: breaks at {width} pixels: {', '.join(broken)}")
        wrong += seat.complaints
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_identifier_of_the_machine_is_shown(
    demo: DemoPages, crawled: Crawl, language: str
) -> None:
    """Members see words, and no ULIDs, event types or variables. Code blocks are examined only on
    pages without code for developers."""
    wrong = []
    async with demo.visitor(demo.owner) as http:
        for route, addresses in crawled.found.items():
            if route.startswith(FOR_DEVELOPERS):
                continue
            verbatim = not route.startswith(WITH_CODE)
            for address in addresses:
                page = (await http.get(address, headers={"accept-language": language})).text
                found = dict.fromkeys(machine_words(page, verbatim=verbatim))
                wrong += [f"{address}: {one}" for one in found]
    assert wrong == [], "\n".join(wrong)


async def test_french_pages_have_french_dates(demo: DemoPages, crawled: Crawl) -> None:
    """“12 nov. 2026 à 14:05”. Code and settings to copy keep their own form."""
    wrong = []
    async with demo.visitor(demo.owner) as http:
        for address in crawled.pages:
            page = (await http.get(address, headers={"accept-language": "fr"})).text
            wrong += [f"{address}: {one}" for one in dict.fromkeys(foreign_dates(page))]
    assert wrong == [], "\n".join(wrong)


async def test_pages_are_small_and_valid(demo: DemoPages, crawled: Crawl, tmp_path: Path) -> None:
    large = []
    async with demo.visitor(demo.owner) as http:
        for language in LANGUAGES:
            for number, address in enumerate(crawled.pages):
                page = (await http.get(address, headers={"accept-language": language})).content
                if len(page) > HTML_AT_MOST:
                    large.append((address, len(page)))
                (tmp_path / f"{language}-{number}.html").write_bytes(page)
    assert large == []
    if CHECKER is None:
        pytest.skip("no HTML checker on this machine: sh scripts/system_packages.sh")
    names = {
        f"{language}-{number}.html": address
        for language in LANGUAGES
        for number, address in enumerate(crawled.pages)
    }
    found = await html_findings(CHECKER, tmp_path)
    wrong = [f"{names[file]}: {text}" for file, text in found]
    assert wrong == [], "\n".join(wrong)


def test_all_files_together_are_small() -> None:
    files = StaticFiles().files
    fonts = {name for name in files if name.endswith(".woff2")}
    size = sum(len(gzip.compress(one.content)) for name, one in files.items() if name not in fonts)
    assert size <= FILES_AT_MOST
    assert sum(len(files[name].content) for name in fonts) <= FONT_AT_MOST


async def test_the_records_of_another_shop_are_not_there(demo: DemoPages, crawled: Crawl) -> None:
    """Each page and form of a record, for the owner of another shop."""
    shop, secret = await _stranger(demo)
    wrong = []
    async with demo.visitor(secret) as http:
        hidden = form_of((await http.get("/app/me")).text, "/app/me")
        for page, addresses in (crawled.found | crawled.files).items():
            if "{" in page and _has_record(addresses[0]):
                answer = await http.get(addresses[0])
                if answer.status_code != 404:
                    wrong.append(f"GET {addresses[0]}: {answer.status_code}")
        for route in page_routes():
            seen = _seen_below(route.path, crawled)
            if route.method == "POST" and route.roles is not None and seen is not None:
                once = shop.client_id[:-6] + "ABCDEF"
                fields = {**hidden, "_once": once, "_back": "/app", "_seen": ""}
                answer = await http.post(seen, data=fields)
                # A form whose page is gone redirects back; its effect is checked separately.
                if answer.status_code not in (303, 404):
                    wrong.append(f"POST {seen}: {answer.status_code}")
    assert wrong == []
    assert (await demo.crawl()).found.keys() >= crawled.found.keys()


def _has_record(address: str) -> bool:
    return bool(re.search(r"/[0-7][0-9A-HJKMNP-TV-Z]{25}(/|$|\?)", address))


def _seen_below(form: str, crawled: Crawl) -> str | None:
    """Return a form's URL, with the records of a page that may contain it."""
    for route, addresses in crawled.found.items():
        if "{" in route and form.startswith(route) and _has_record(addresses[0]):
            return addresses[0].partition("?")[0] + form.removeprefix(route)
    return None


async def test_what_strangers_write_is_text(browser: Browser, demo: DemoPages) -> None:
    """Markup, scripts, attributes of our own script, and characters that change the text
    direction."""
    shop, secret = await _stranger(demo)
    async with demo.visitor("") as http:
        for more in ({}, {"message": f"Une licorne bleue ? {HOSTILE}"}):
            body = {
                "client_id": shop.client_id,
                "event_type": "shopify.ticket.created",
                "customer_email": "o'x\"<b>@example.com",
                "message": HOSTILE,
                **more,
            }
            await http.post("/api/engine/gateway", json=body, headers=shop.headers)
    found = await demo.crawl(secret=secret)
    hit = []
    async with seated(browser, demo.url, secret) as seat:
        for address in found.pages:
            await seat.open(address)
            if await seat.page.evaluate("window.hit") is not None:
                hit.append(address)
        assert seat.complaints == []
    assert hit == []


async def _stranger(demo: DemoPages) -> tuple[Shop, str]:
    shop = await open_shop(demo.app.state.resources.database, brand="<b>Fée & Fils</b>")
    return shop, await session_of(demo.app, f"{shop.client_id.lower()}@example.com")
