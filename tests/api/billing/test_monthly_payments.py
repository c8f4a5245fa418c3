"""Plans that are paid for monthly: renewals, ends and pages that do not fit one another."""

from domain.tenants.client import Plan
from store.billing.tables import checkouts, payment_events
from tests.support.billing.payments import (
    asked_plan,
    put_on,
    settled,
    show,
    told,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.servers.stripe_account import (
    ended_event,
    renewal_event,
    session_event,
)
from tests.support.tenants.shop import Shop


async def test_two_pages_for_one_plan_are_both_paid(front: LiveEngine, shop: Shop) -> None:
    """The second buys nothing that is not there: people give that money back."""
    await put_on(front.database, shop, Plan.FREE)
    first, second = [await asked_plan(front, shop, Plan.PRO) for _ in range(2)]
    events = [session_event(front.stripe.pay(one)) for one in (second, first)]

    await told(front, *events)

    assert await settled(front, events[1]) == ("people", "replaced_meanwhile")
    states = {one["id"]: one["renewal"] for one in await rows(front.database, checkouts, of=shop)}
    assert states == {first: None, second: "active"}


async def test_renewals_that_do_not_fit(front: LiveEngine, shop: Shop) -> None:
    await put_on(front.database, shop, Plan.FREE)
    checkout_id = await asked_plan(front, shop, Plan.PRO)
    session = front.stripe.pay(checkout_id)
    subscription = front.stripe.subscription_of(checkout_id)
    early, first_bill = renewal_event(subscription), renewal_event(subscription)
    first_bill["data"]["object"]["billing_reason"] = "subscription_create"
    await told(front, first_bill, early, session_event(session))
    assert await rows(front.database, payment_events, id=first_bill["id"]) == []
    assert await settled(front, early) == ("people", "not_renewed_here")

    fits, wrong = renewal_event(subscription), renewal_event(subscription, amount_paid=1)
    newer = renewal_event(subscription)
    thing = newer["data"]["object"]
    details = {"subscription": thing.pop("subscription"), **thing.pop("subscription_details")}
    thing["parent"] = {"subscription_details": details}
    await told(front, fits, wrong, newer, ended_event(subscription), renewal_event(subscription))
    assert await settled(front, fits) == await settled(front, newer) == ("noted", None)
    assert await settled(front, wrong) == ("people", "other_amount")
    latest = (await rows(front.database, payment_events, client_id=shop.client_id))[-1]
    assert latest["problem"] == "not_renewed_here"


async def test_its_end_is_told_before_its_beginning(front: LiveEngine, shop: Shop) -> None:
    await put_on(front.database, shop, Plan.FREE)
    checkout_id = await asked_plan(front, shop, Plan.PRO)
    session = front.stripe.pay(checkout_id)

    await told(front, ended_event(front.stripe.subscription_of(checkout_id)))
    assert (await show(front, shop, "plan"))["plan"] == "free"
    await told(front, session_event(session))

    shown = await show(front, shop, "plan")
    assert (shown["plan"], shown["next_plan"]) == ("pro", "free")


async def test_a_granted_plan_outlives_a_bought_one(front: LiveEngine, shop: Shop) -> None:
    await put_on(front.database, shop, Plan.FREE)
    checkout_id = await asked_plan(front, shop, Plan.PRO)
    await told(front, session_event(front.stripe.pay(checkout_id)))
    await put_on(front.database, shop, Plan.ENTERPRISE)

    await told(front, ended_event(front.stripe.subscription_of(checkout_id)))

    shown = await show(front, shop, "plan")
    assert (shown["plan"], shown["next_plan"]) == ("enterprise", None)
