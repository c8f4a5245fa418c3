"""The billing pages: usage, plans with their effective date, and purchases."""

import dataclasses

from domain.tenants.actor import Actor
from domain.tenants.client import Plan, Role
from services.billing.plans import give_trial
from tests.support.billing.payments import put_on
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop, open_shop

PLAN = "/app/billing/plan"
CREDITS = "/app/billing/credits"


async def test_credits_are_bought_at_the_price_that_was_seen(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        assert "No transactions yet" in await owner.see(CREDITS)
        stale = await owner.send(CREDITS, CREDITS, {"credits": "100", "_seen": "1 EUR"})
        assert "Someone else just edited this" in await owner.follow(stale)
        bought = await owner.send(CREDITS, CREDITS)
        page = await owner.follow(bought)
        assert "100 credits" in page
        assert "Pay " in page
        checkout = bought.headers["location"].rpartition("/")[2]
        back = await owner.see(PLAN, checkout=checkout)
        assert "Ready to pay." in back


async def test_a_plan_is_bought_and_a_lower_one_chosen_by_the_owner(
    front: LiveEngine, shop: Shop
) -> None:
    await put_on(front.database, shop, Plan.STARTER)
    async with at_pages(front, shop) as owner:
        page = await owner.see(PLAN)
        assert "Change to Free on" in page
        assert 'href="/app/usage" aria-current="page"' in page
        bought = await owner.send(PLAN, f"{PLAN}/buy")
        assert "Pro plan" in await owner.follow(bought)
        chosen = await owner.follow(await owner.send(PLAN, f"{PLAN}/choose", {"plan": "free"}))
        assert "Free starts" in chosen
        assert "Keep Starter" in chosen
    async with at_pages(front, shop, Role.ADMIN) as admin:
        page = await admin.see(PLAN)
        assert "Only the owner can change the plan" in page
        assert f"{PLAN}/buy" not in page


async def test_use_says_whether_it_will_last(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        page = await viewer.see("/app/usage")
        assert "Tickets this month" in page
        assert "Forecast" in page
        assert "Only owners and admins can buy credits" in await viewer.see(CREDITS)


async def test_another_clients_payment_is_not_there(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    async with at_pages(front, other) as owner:
        bought = (await owner.send(CREDITS, CREDITS)).headers["location"]
    async with at_pages(front, shop) as owner:
        assert (await owner.http.get(bought)).status_code == 404


async def test_without_a_payment_service_the_pages_name_whom_to_write_to(
    front: LiveEngine, shop: Shop
) -> None:
    """They also state what happens at the end of the trial."""
    unpayable = dataclasses.replace(front.app.state.resources, payments=None)
    front.app.state.resources = unpayable
    contact = f'href="mailto:{front.settings.mail.sender}?subject='
    await put_on(front.database, shop, Plan.FREE)
    async with at_pages(front, shop) as owner:
        page = await owner.see(PLAN)
        assert contact in page
        assert "Every plan includes all channels" in page
        assert "When the trial ends" not in page
        async with unpayable.work.of(shop.tenant) as work:
            await give_trial(work, Actor.system("test"), 14)
        page = await owner.see(PLAN)
        assert "When the trial ends" in page
        assert "You keep 50 tickets a month." in page
        assert "Your webhooks stop." in page
        assert "The trial costs nothing." in page
        page = await owner.see(CREDITS)
        assert contact in page
        assert "are not answered before" in page


async def test_with_a_payment_service_nobody_is_asked_to_write(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        assert "mailto:" not in await owner.see(PLAN)
        assert "mailto:" not in await owner.see(CREDITS)
