"""Five daily journeys of a merchant's team in Chromium."""

import re

import pytest
from playwright.async_api import Browser, expect

from domain.tenants.client import Role
from store.reviews.tables import escalation_tickets
from tests.e2e.dashboard.conftest import Served
from tests.support.core.rows import rows
from tests.support.dashboard.chromium import seated
from tests.support.dashboard.page_list import seen_pages
from tests.support.tenants.shop import UNSURE_MESSAGE

NEW = "/app/knowledge/new"
LIST = "/app/knowledge"
ENTRY = {"title": "Delivery", "body": "It takes 3 days."}
SCRIPTS = [True, pytest.param(False, marks=pytest.mark.slow)]


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_the_queue_is_emptied_by_keyboard(
    browser: Browser, served: Served, scripts: bool
) -> None:
    """Without JavaScript, with buttons: the same forms."""
    shop, secret = await served.owner()
    for number in (1, 2):
        asked = await served.engine.post(shop, message=f"{UNSURE_MESSAGE} Merci {number}.")
        assert asked.json()["status"] == "needs_review"
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open("/app/inbox")
        link = seat.page.locator('main a[href^="/app/reviews/0"]').first
        async with seat.page.expect_navigation():
            if scripts:
                await seat.page.keyboard.press("j")
                await seat.page.keyboard.press("Enter")
            else:
                await link.click()
        for left in (1, 0):
            assert await _open_reviews(served, shop.client_id) == left + 1
            form = seat.page.locator('form[action$="/edit"]')
            words = form.locator("textarea")
            await seat.page.locator('summary[data-key="edit"]').wait_for()
            if scripts:
                await seat.page.keyboard.press("e")
            if not await words.is_visible():  # it is open if there is no draft to approve
                await (
                    seat.page.keyboard.press("Enter")
                    if scripts
                    else seat.page.locator('summary[data-key="edit"]').click()
                )
            await words.fill("We call you back.")
            async with seat.page.expect_navigation():
                await (
                    seat.page.keyboard.press("Control+Enter")
                    if scripts
                    else form.locator("button").first.click()
                )
            assert await _open_reviews(served, shop.client_id) == left
        assert seat.complaints == []


async def _open_reviews(served: Served, client_id: str) -> int:
    found = await rows(served.engine.database, escalation_tickets, client_id=client_id)
    return sum(one["status"] == "pending" for one in found)


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_words_outlive_the_session(browser: Browser, served: Served, scripts: bool) -> None:
    _, secret = await served.owner()
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open(NEW)
        await seat.sign_out()
        await seat.send(LIST, ENTRY)
        assert "/app/sign-in?next=" in seat.page.url
        await seat.sign_in(secret)
        await seat.open(NEW)
        await expect(seat.page.locator('textarea[name="body"]')).to_have_value(ENTRY["body"])
        await seat.open(LIST)
        assert ENTRY["title"] not in await seat.text()
        assert seat.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_double_click_and_a_reload_have_one_effect(
    browser: Browser, served: Served, scripts: bool
) -> None:
    _, secret = await served.owner()
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open(NEW)
        form = seat.page.locator(f'main form[action="{LIST}"]').first
        for name, value in ENTRY.items():
            await form.locator(f'[name="{name}"]').fill(value)
        await form.locator("button").first.dblclick(no_wait_after=True)
        # The second click may abort the first one's navigation, so wait for the final page.
        await expect(seat.page).not_to_have_url(re.compile(re.escape(NEW)))
        await seat.page.wait_for_load_state()
        await seat.page.reload()
        await seat.page.go_back()
        await seat.open(LIST)
        await expect(seat.page.get_by_role("link", name=ENTRY["title"], exact=True)).to_have_count(
            1
        )
        assert seat.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_key_is_shown_once_used_and_revoked(
    browser: Browser, served: Served, scripts: bool
) -> None:
    shop, secret = await served.owner()
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open("/app/keys/new")
        await seat.send("/app/keys", {"label": "Our ERP"})
        found = await seat.page.locator("main").inner_text()
        key = next(word for word in found.split() if word.startswith("ak_") and len(word) > 20)
        used = await served.usage(shop, key)
        assert used == 200

        await seat.open("/app/keys")
        assert key not in await seat.page.content()
        async with seat.page.expect_navigation():
            await seat.page.get_by_role("link", name="Our ERP").click()
        path = seat.page.url.removeprefix(served.url).partition("?")[0]
        await seat.send(f"{path}/revoke", {"confirm": "Our ERP"})
        used = await served.usage(shop, key)
        assert used == 401
        assert seat.complaints == []


async def test_a_viewer_is_led_nowhere_forbidden(browser: Browser, served: Served) -> None:
    """Menu entries open, and hidden pages are refused with an explanation."""
    secret = await served.member(Role.VIEWER)
    refused = [one.path for one in seen_pages() if Role.VIEWER not in (one.roles or ())]
    plain = [path for path in refused if "{" not in path]
    async with seated(browser, served.url, secret) as seat:
        await seat.open("/app")
        links = await seat.page.locator("nav.menu a").evaluate_all(
            "all => all.map((one) => one.getAttribute('href'))"
        )
        assert len(links) > 5
        assert {*links} & {*plain} == set()
        for link in links:
            assert (await seat.open(link)).status == 200, link
        answer = await seat.open(plain[0])
        assert answer.status == 403
        assert await seat.page.get_by_role("heading", level=1).count() == 1
        assert seat.complaints == []
