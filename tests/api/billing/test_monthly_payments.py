"""Monthly plans: renewals, cancellations and conflicting checkout pages."""

import asyncio
from datetime import UTC, datetime

import httpx
import pytest

from domain.tenants.client import Plan, Role
from store.billing.tables import checkouts, payment_events
from tests.support.billing.payments import (
    DASHBOARD,
    asked_plan,
    buy,
    put_on,
    settled,
    show,
    told,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.reviews.dashboard import code, person, set_clock
from tests.support.servers.http_service import Fault
from tests.support.servers.stripe_account import (
    ended_event,
    renewal_event,
    session_event,
)
from tests.support.tenants.shop import Shop


async def test_two_pages_for_one_plan_are_both_paid(front: LiveEngine, shop: Shop) -> None:
    """The second payment buys nothing, so a human must refund it."""
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


async def choose(front: LiveEngine, shop: Shop, plan: Plan) -> httpx.Response:
    headers = await person(front, shop, Role.OWNER)
    return await front.http.post(
        f"{DASHBOARD}/plan/downgrade", json={"plan": plan}, headers=headers
    )


@pytest.mark.parametrize("plan", [Plan.PRO, Plan.STARTER])
async def test_what_is_no_longer_paid_for_is_not_chosen_for_nothing(
    front: LiveEngine, shop: Shop, plan: Plan
) -> None:
    """A failed card ends the subscription; the plan lasts until the end of the month."""
    await put_on(front.database, shop, Plan.FREE)
    checkout_id = await asked_plan(front, shop, Plan.PRO)
    await told(front, session_event(front.stripe.pay(checkout_id)))
    await told(front, ended_event(front.stripe.subscription_of(checkout_id)))

    assert code(await choose(front, shop, plan)) == (409, "not_a_lower_plan")

    shown = await show(front, shop, "plan")
    assert (shown["plan"], shown["next_plan"]) == ("pro", "free")
    assert (await choose(front, shop, Plan.FREE)).status_code == 200


async def test_a_higher_plan_after_a_lower_was_chosen(front: LiveEngine, shop: Shop) -> None:
    """The current month was paid at its own price, not at the next month's."""
    at = datetime(2026, 11, 21, 12, tzinfo=UTC)
    set_clock(front, at)
    with front.stripe.at(at.timestamp()):
        await put_on(front.database, shop, Plan.FREE)
        checkout_id = await asked_plan(front, shop, Plan.PRO)
        await told(front, session_event(front.stripe.pay(checkout_id)))
        assert (await choose(front, shop, Plan.STARTER)).status_code == 200

        answer = await buy(front, shop, "plan", plan=Plan.ENTERPRISE)

        assert answer.status_code == 201, answer.text
        # Ten of thirty days, of 499.00 - 149.00.
        session = front.stripe.session_of(answer.json()["checkout_id"])
        assert session.amount == 11_667


async def test_a_month_that_was_paid_in_advance(front: LiveEngine, shop: Shop) -> None:
    """In the last days of a month, the next month is paid too: it is neither paid twice nor
    lost."""
    at = datetime(2026, 11, 30, 12, tzinfo=UTC)
    set_clock(front, at)
    with front.stripe.at(at.timestamp()):
        await put_on(front.database, shop, Plan.FREE)
        lower = await asked_plan(front, shop, Plan.STARTER)
        await told(front, session_event(front.stripe.pay(lower)))
        higher = await asked_plan(front, shop, Plan.PRO)
        session = front.stripe.session_of(higher)
        # One of thirty days of 149.00 - 49.00, and December.
        assert session.amount == 334 + 10_000
        await told(front, session_event(front.stripe.pay(higher)))

        answer = await choose(front, shop, Plan.FREE)

        assert answer.json()["next_plan_from"] == "2027-01-01T00:00:00.000Z"


async def test_two_choices_at_once_end_as_one(front: LiveEngine, shop: Shop) -> None:
    """The price that Stripe charges from the next month matches the client's plan."""
    await put_on(front.database, shop, Plan.FREE)
    checkout_id = await asked_plan(front, shop, Plan.PRO)
    await told(front, session_event(front.stripe.pay(checkout_id)))
    subscription = front.stripe.subscription_of(checkout_id)
    front.stripe.fail_next(Fault.LATE, "POST", after=True)

    async def is_given_up() -> bool | None:
        return subscription.cancel_at_period_end or None

    given_up = asyncio.create_task(choose(front, shop, Plan.FREE))
    await eventually(is_given_up)
    lower = await choose(front, shop, Plan.STARTER)
    front.stripe.let_go.set()

    assert [lower.status_code, (await given_up).status_code] == [200, 200]
    front.stripe.let_go.clear()
    assert (await show(front, shop, "plan"))["next_plan"] == "free"
    assert subscription.cancel_at_period_end
