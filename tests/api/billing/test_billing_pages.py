"""The pages of billing: use, plans with their date of effect, and buying."""

from domain.tenants.client import Plan, Role
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
        assert "tickets this month" in page
        assert "Forecast" in page
        assert "Only owners and admins can buy credits" in await viewer.see(CREDITS)


async def test_another_clients_payment_is_not_there(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    async with at_pages(front, other) as owner:
        bought = (await owner.send(CREDITS, CREDITS)).headers["location"]
    async with at_pages(front, shop) as owner:
        assert (await owner.http.get(bought)).status_code == 404
