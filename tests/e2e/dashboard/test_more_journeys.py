"""Further journeys: rarer or longer ones."""

import re

import pytest
from playwright.async_api import Browser, expect

from store.content.tables import knowledge_entries
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations
from tests.e2e.dashboard.conftest import Served
from tests.support.core.rows import only_row, rows
from tests.support.dashboard.chromium import seated
from tests.support.tenants.shop import UNSURE_MESSAGE

pytestmark = pytest.mark.slow

SCRIPTS = [True, False]
LIST = "/app/knowledge"


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_the_second_of_two_tabs_keeps_its_words(
    browser: Browser, served: Served, scripts: bool
) -> None:
    shop, secret = await served.owner()
    async with (
        seated(browser, served.url, secret, scripts=scripts) as first,
        seated(browser, served.url, secret, scripts=scripts) as second,
    ):
        await first.open(f"{LIST}/new")
        await first.send(LIST, {"title": "Delivery", "body": "3 days"})
        found = await rows(served.engine.database, knowledge_entries, client_id=shop.client_id)
        entry = f"{LIST}/{found[0]['id']}"
        for seat in (first, second):
            await seat.open(entry)
        await first.send(entry, {"body": "4 days, they say"})
        await second.send(entry, {"body": "5 days, I say"})

        said = await second.page.content()
        assert "4 days, they say" in said
        assert "5 days, I say" in said
        await expect(second.page.locator('textarea[name="body"]')).to_have_value("5 days, I say")
        now = await rows(served.engine.database, knowledge_entries, client_id=shop.client_id)
        assert now[0]["body"] == "4 days, they say"
        await second.send(entry)
        now = await rows(served.engine.database, knowledge_entries, client_id=shop.client_id)
        assert now[0]["body"] == "5 days, I say"
        assert first.complaints + second.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_of_two_reviewers_one_wins_and_one_reads_who(
    browser: Browser, served: Served, scripts: bool
) -> None:
    shop, secret = await served.owner()
    await served.engine.post(shop, message=UNSURE_MESSAGE)
    found = await rows(served.engine.database, escalation_tickets, client_id=shop.client_id)
    review = f"/app/reviews/{found[0]['id']}"
    async with (
        seated(browser, served.url, secret, scripts=scripts) as first,
        seated(browser, served.url, secret, scripts=scripts) as second,
    ):
        for seat in (first, second):
            await seat.open(review)
            await seat.page.locator('summary[data-key="reject"]').click()
        await first.send(f"{review}/reject", {})
        await second.send(f"{review}/reject", {})
        await second.open(review)
        assert "by you" in await second.text()
    found = await rows(served.engine.database, escalation_tickets, client_id=shop.client_id)
    assert [one["status"] for one in found] == ["rejected"]


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_webhook_s_secret_is_shown_once(
    browser: Browser, served: Served, scripts: bool
) -> None:
    _, secret = await served.owner()
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open("/app/webhooks/new")
        form = seat.page.locator('main form[action="/app/webhooks"]')
        await form.locator('[name="label"]').fill("ERP")
        await form.locator('[name="url"]').fill("https://erp.example.com/hook")
        await form.locator('input[type="checkbox"]').first.check()
        async with seat.page.expect_navigation():
            await form.locator("button").first.click()
        shown = await seat.page.content()
        assert "whsec_" in shown
        await seat.open("/app/webhooks")
        assert "whsec_" not in await seat.page.content()
        assert seat.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_conversation_is_taken_over_and_handed_back(
    browser: Browser, served: Served, scripts: bool
) -> None:
    shop, secret = await served.owner()
    await served.engine.post(shop, message=UNSURE_MESSAGE, customer_email="jo@free.example")
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        talk = (await only_row(served.engine.database, ai_conversations, of=shop))["id"]
        path = f"/app/conversations/{talk}"
        await seat.open("/app/inbox?view=all")
        async with seat.page.expect_navigation():
            await seat.page.locator("main a[data-row]").first.click()
        await expect(seat.page).to_have_url(re.compile("/app/reviews/"))
        await seat.open(path)
        await seat.send(f"{path}/take")
        await expect(seat.page.locator(f'form[action="{path}/hand-back"]')).to_have_count(1)
        await seat.send(f"{path}/hand-back")
        await expect(seat.page.locator(f'form[action="{path}/take"]')).to_have_count(1)
        assert seat.complaints == []
