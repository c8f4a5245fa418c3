"""Owners' journeys: plan and credits, export and erasure, and what each role may open."""

import json
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, expect

from adapters.system import new_ulid
from domain.reviews.unsubscribe import Subscriber, unsubscribe_link
from domain.tenants.client import Plan, Role
from store.billing.tables import checkouts, credit_ledger
from store.reviews.tables import member_notifications
from store.tenants.tables import clients
from tests.e2e.dashboard.conftest import Served
from tests.support.billing.payments import put_on, told
from tests.support.core.rows import only_row, rows
from tests.support.dashboard.chromium import seated
from tests.support.dashboard.page_list import seen_pages
from tests.support.inbound.log import logged
from tests.support.privacy.erasing import erase
from tests.support.reviews.replies import conversation_of
from tests.support.reviews.reviews import open_review
from tests.support.servers.stripe_account import session_event
from tests.support.tenants.shop import UNSURE_MESSAGE
from tests.support.webhooks.webhooks import subscribe

pytestmark = pytest.mark.slow

SCRIPTS = [True, False]
PLAN: Final = "/app/billing/plan"
CREDITS: Final = "/app/billing/credits"
DATA: Final = "/app/data"
ME: Final = "/app/me"
NOTIFICATIONS: Final = "/app/me/notifications"


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_credits_and_a_plan_are_bought_and_in_the_ledger(
    browser: Browser, served: Served, scripts: bool
) -> None:
    """Stripe sends each event twice."""
    engine = served.engine
    shop, secret = await served.owner()
    await put_on(engine.database, shop, Plan.STARTER)
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        for path, button in ((CREDITS, "Buy 100 credits"), (PLAN, "Buy Pro for")):
            await seat.open(path)
            await seat.press(button)
            pay = seat.page.locator('main a[href^="https://checkout.example/"]')
            await expect(pay).to_contain_text("Pay €")
            checkout = seat.page.url.rpartition("/")[2]
            assert (await only_row(engine.database, checkouts, id=checkout))["state"] == "open"
            paid = session_event(engine.stripe.pay(checkout))
            await told(engine, paid, paid)
            await seat.open(f"{PLAN}?checkout={checkout}")
            await expect(seat.page.locator(".note[role=status]")).to_contain_text("Paid")

        await expect(seat.page.locator("main")).to_contain_text("Current plan: Pro.")
        await seat.open(CREDITS)
        line = seat.page.locator("main tbody tr")
        await expect(line).to_have_count(1)
        await expect(line).to_contain_text("Purchase")
        await expect(line).to_contain_text("+100")
        assert seat.complaints == []
    row = await only_row(engine.database, clients, of=shop)
    assert (row["plan"], row["credits_balance"]) == ("pro", 100)
    entries = await rows(engine.database, credit_ledger, of=shop)
    assert [(one["amount"], one["reason"]) for one in entries] == [(100, "payment")]


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_customer_is_exported_and_erased(
    browser: Browser, served: Served, tmp_path: Path, scripts: bool
) -> None:
    """An operator erases what the page requests."""
    engine = served.engine
    shop, secret = await served.owner()
    customer, other = (f"{name}-{new_ulid().lower()}@example.com" for name in ("zita", "yves"))
    asked = (await engine.post(shop, message=UNSURE_MESSAGE, customer_email=customer)).json()
    talk = await conversation_of(engine.database, asked["event_id"])
    await engine.post(shop, message=UNSURE_MESSAGE, customer_email=other)
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        exports = []
        for number in (1, 2):
            await seat.open(DATA)
            async with seat.page.expect_download() as download:
                await seat.page.get_by_role("link", name="Download JSON").click()
            file = tmp_path / f"{number}.json"
            await (await download.value).save_as(file)
            exports.append(file.read_text())
            json.loads(exports[-1])
            if number == 2:
                break
            assert (await seat.open(f"/app/conversations/{talk}")).status == 200
            await seat.open(f"{DATA}/erasure")
            await seat.page.locator("#customer").fill(customer)
            await seat.press("Prepare request")
            request = await seat.page.locator("#mail").inner_text()
            assert f"delete the data of customer {customer} of the shop" in request
            assert shop.client_id in request
            await erase(engine, shop, customer)

        assert customer in exports[0]
        assert customer not in exports[1]
        assert other in exports[1]
        assert (await seat.open(f"/app/conversations/{talk}")).status == 404
        await seat.open(f"/app/find?q={customer}")
        await expect(seat.page.locator(f'main a[href="/app/conversations/{talk}"]')).to_have_count(
            0
        )
        assert seat.complaints == []


@pytest.mark.parametrize("role", [Role.ADMIN, Role.AGENT])
async def test_a_member_is_led_nowhere_forbidden(
    browser: Browser, served: Served, role: Role
) -> None:
    """Menu entries open, and each page of other roles is refused with an explanation."""
    secret = await served.member(role)
    refused = [
        one.path for one in seen_pages() if role not in (one.roles or ()) and not one.has_record
    ]
    assert refused
    async with seated(browser, served.url, secret) as seat:
        await seat.open("/app")
        links = await seat.page.locator("nav.menu a").evaluate_all(
            "all => all.map((one) => one.getAttribute('href'))"
        )
        assert {*links} & {*refused} == set()
        for link in links:
            assert (await seat.open(link)).status == 200, link
        for path in refused:
            assert (await seat.open(path)).status == 403, path
            await expect(seat.page.get_by_role("heading", level=1)).to_have_count(1)
            assert "owner" in (await seat.text()).lower(), path
        assert seat.complaints == []


async def test_another_shops_records_are_not_found(browser: Browser, served: Served) -> None:
    """An owner opens records of each kind that belong to another shop."""
    engine = served.engine
    theirs, _ = await served.owner()
    _, secret = await served.owner()
    told_ = (await engine.post(theirs, message=UNSURE_MESSAGE)).json()
    records = (
        f"/app/reviews/{await open_review(engine.database, theirs)}",
        f"/app/runs/{told_['run_id']}",
        f"/app/conversations/{await conversation_of(engine.database, told_['event_id'])}",
        f"/app/playbooks/{theirs.playbook_id}",
        f"/app/playbooks/{theirs.playbook_id}/edit",
        f"/app/webhooks/{(await subscribe(engine.database, theirs)).id}",
        f"/app/keys/{theirs.key_id}",
        f"/app/inbound/{await logged(engine.database, theirs)}",
    )
    async with (
        seated(browser, served.url, secret) as seat,
        seated(browser, served.url, await served.session(theirs)) as owner,
    ):
        for path in records:
            assert (await owner.open(path)).status == 200, path
            assert (await seat.open(path)).status == 404, path
            await expect(seat.page.get_by_role("heading", level=1)).to_have_count(1)
            assert UNSURE_MESSAGE not in await seat.page.content()
        assert seat.complaints + owner.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_member_chooses_emails_and_turns_them_off(
    browser: Browser, served: Served, scripts: bool
) -> None:
    engine = served.engine
    shop, secret = await served.owner()
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open(ME)
        await seat.page.select_option("[name=mode]", "digest")
        await seat.page.select_option("[name=digest_hour]", "7")
        await seat.send(NOTIFICATIONS)
        await expect(seat.page.locator("[name=mode]")).to_have_value("digest")
        await expect(seat.page.locator("[name=digest_hour]")).to_have_value("7")
        assert not scripts or await seat.findings() == []

        sealer = engine.app.state.resources.sealer
        member = Subscriber(shop.client_id, shop.owner_user_id)
        await seat.open(unsubscribe_link(sealer, "", member))
        assert not scripts or await seat.findings() == []
        await seat.press("Turn off emails")
        await expect(seat.page.locator("h1")).to_have_text("Email notifications are off")
        assert seat.complaints == []
    row = await only_row(engine.database, member_notifications, of=shop)
    assert (row["mode"], row["digest_hour"]) == ("none", 7)
