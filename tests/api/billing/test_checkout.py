"""Purchases of plans and credits: requests, calls to Stripe, and the effect of a payment."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from adapters.system import new_ulid
from domain.billing.checkout import MAX_OPEN
from domain.tenants.client import Plan, Role
from store.billing.tables import checkouts, credit_ledger
from store.tenants.tables import clients
from tests.support.billing.payments import (
    DASHBOARD,
    asked_credits,
    asked_plan,
    balance_of,
    buy,
    put_on,
    show,
    tell,
    told,
)
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.reviews.dashboard import code, person, set_clock
from tests.support.servers.http_service import Fault
from tests.support.servers.stripe_account import (
    ended_event,
    renewal_event,
    session_event,
)
from tests.support.tenants.shop import Shop

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def at_noon(front: LiveEngine) -> Iterator[LiveEngine]:
    """Noon, with ten days of November left."""
    set_clock(front, NOW)
    with front.stripe.at(NOW.timestamp()):
        yield front


async def plan_of(front: LiveEngine, shop: Shop) -> tuple[str, str | None, str | None]:
    shown = await show(front, shop, "plan")
    return shown["plan"], shown["next_plan"], shown["next_plan_from"]


async def test_credits_come_with_their_payment(at_noon: LiveEngine, shop: Shop) -> None:
    # 500.0 equals 500: JSON has one number type.
    answer = await buy(at_noon, shop, "credits", Role.ADMIN, credits=500.0)
    assert answer.status_code == 201
    checkout_id = answer.json()["checkout_id"]
    session = at_noon.stripe.session_of(checkout_id)
    assert answer.json()["url"] == f"https://checkout.example/c/{session.id}"
    assert (session.form["mode"], session.amount) == ("payment", 5000)
    opened = await show(at_noon, shop, f"checkouts/{checkout_id}")
    assert (opened["state"], opened["url"]) == ("open", answer.json()["url"])
    assert await balance_of(at_noon.database, shop) == 0

    await told(at_noon, session_event(at_noon.stripe.pay(checkout_id)))

    assert await balance_of(at_noon.database, shop) == 500
    entry = await only_row(at_noon.database, credit_ledger, of=shop)
    assert (entry["amount"], entry["reason"]) == (500, "payment")
    paid = await show(at_noon, shop, f"checkouts/{checkout_id}")
    assert (paid["state"], paid["url"]) == ("paid", None)


async def test_a_plan_comes_with_its_payment(at_noon: LiveEngine, shop: Shop) -> None:
    await put_on(at_noon.database, shop, Plan.FREE)
    checkout_id = await asked_plan(at_noon, shop, Plan.STARTER)
    session = at_noon.stripe.session_of(checkout_id)
    # Ten of thirty days, and the full December.
    assert session.amount == 1634
    assert session.form["subscription_data[trial_end]"] == str(int(DECEMBER.timestamp()))
    assert await plan_of(at_noon, shop) == ("free", None, None)

    await told(at_noon, session_event(at_noon.stripe.pay(checkout_id)))
    assert await plan_of(at_noon, shop) == ("starter", None, None)

    await told(at_noon, renewal_event(at_noon.stripe.subscription_of(checkout_id)))
    assert await plan_of(at_noon, shop) == ("starter", None, None)


async def test_a_higher_plan_replaces_a_bought_one(at_noon: LiveEngine, shop: Shop) -> None:
    """Only the difference is charged for the rest of the month, and one subscription remains."""
    await put_on(at_noon.database, shop, Plan.FREE)
    lower = await asked_plan(at_noon, shop, Plan.STARTER)
    await told(at_noon, session_event(at_noon.stripe.pay(lower)))

    higher = await asked_plan(at_noon, shop, Plan.PRO)
    session = at_noon.stripe.session_of(higher)
    assert session.amount == 3334
    assert session.form["customer"] == f"cus_{at_noon.stripe.session_of(lower).id}"
    await told(at_noon, session_event(at_noon.stripe.pay(higher)))

    assert await plan_of(at_noon, shop) == ("pro", None, None)
    assert at_noon.stripe.subscription_of(lower).status == "canceled"
    assert at_noon.stripe.subscription_of(higher).status == "trialing"
    # Stripe reports the end of the replaced subscription, which has no other effect.
    await told(at_noon, ended_event(at_noon.stripe.subscription_of(lower)))
    assert await plan_of(at_noon, shop) == ("pro", None, None)


async def test_ending_what_is_replaced_is_tried_until_it_is_done(
    at_noon: LiveEngine, shop: Shop
) -> None:
    """Stripe sends the event again after an error response; the plan changes once."""
    await put_on(at_noon.database, shop, Plan.FREE)
    lower = await asked_plan(at_noon, shop, Plan.STARTER)
    await told(at_noon, session_event(at_noon.stripe.pay(lower)))
    higher = await asked_plan(at_noon, shop, Plan.PRO)
    event = session_event(at_noon.stripe.pay(higher))
    at_noon.stripe.fail_next(Fault.CUT, "DELETE")

    assert code(await tell(at_noon, event)) == (503, "payments_unreachable")
    assert at_noon.stripe.subscription_of(lower).status == "trialing"
    await told(at_noon, event)

    assert at_noon.stripe.subscription_of(lower).status == "canceled"
    states = {one["id"]: one["renewal"] for one in await rows(at_noon.database, checkouts, of=shop)}
    assert states == {lower: "ended", higher: "active"}


async def test_a_bought_plan_is_given_up_and_taken_back(at_noon: LiveEngine, shop: Shop) -> None:
    await put_on(at_noon.database, shop, Plan.FREE)
    checkout_id = await asked_plan(at_noon, shop, Plan.PRO)
    await told(at_noon, session_event(at_noon.stripe.pay(checkout_id)))
    subscription = at_noon.stripe.subscription_of(checkout_id)
    owner = await person(at_noon, shop, Role.OWNER)

    async def choose(plan: str) -> tuple[str, str | None, str | None]:
        answer = await at_noon.http.post(
            f"{DASHBOARD}/plan/downgrade", json={"plan": plan}, headers=owner
        )
        assert answer.status_code == 200, answer.text
        return answer.json()["plan"], answer.json()["next_plan"], answer.json()["next_plan_from"]

    assert await choose("free") == ("pro", "free", "2026-12-01T00:00:00.000Z")
    assert subscription.cancel_at_period_end
    assert await choose("pro") == ("pro", None, None)
    assert not subscription.cancel_at_period_end
    assert await choose("starter") == ("pro", "starter", "2026-12-01T00:00:00.000Z")
    assert (subscription.unit_amount, subscription.cancel_at_period_end) == (4900, False)

    # December: the lower plan is paid for.
    set_clock(at_noon, DECEMBER + timedelta(minutes=5))
    await told(at_noon, renewal_event(subscription))
    assert await plan_of(at_noon, shop) == ("starter", None, None)


async def test_a_plan_that_is_no_longer_paid_for(at_noon: LiveEngine, shop: Shop) -> None:
    """After a cancellation, it lasts until the end of the month. At the end of its term, it ends at
    once."""
    await put_on(at_noon.database, shop, Plan.FREE)
    checkout_id = await asked_plan(at_noon, shop, Plan.PRO)
    await told(at_noon, session_event(at_noon.stripe.pay(checkout_id)))
    subscription = at_noon.stripe.subscription_of(checkout_id)

    await told(at_noon, ended_event(subscription))
    assert await plan_of(at_noon, shop) == ("pro", "free", "2026-12-01T00:00:00.000Z")

    again = await buy(at_noon, shop, "plan", plan="pro")
    assert code(again) == (409, "not_for_sale")  # it is the current plan, and can be chosen
    subscription.cancel_at_period_end = True
    await told(at_noon, ended_event(subscription))
    assert await plan_of(at_noon, shop) == ("pro", "free", "2026-12-01T00:00:00.000Z")


async def test_the_time_that_was_paid_for_is_over(at_noon: LiveEngine, shop: Shop) -> None:
    """It was cancelled at Stripe, which does not know our billing months."""
    await put_on(at_noon.database, shop, Plan.FREE)
    checkout_id = await asked_plan(at_noon, shop, Plan.PRO)
    await told(at_noon, session_event(at_noon.stripe.pay(checkout_id)))
    subscription = at_noon.stripe.subscription_of(checkout_id)
    subscription.cancel_at_period_end = True
    set_clock(at_noon, DECEMBER + timedelta(minutes=5))

    await told(at_noon, ended_event(subscription))

    assert await plan_of(at_noon, shop) == ("free", None, None)


async def test_what_is_not_for_sale(at_noon: LiveEngine, shop: Shop) -> None:
    for what, body in (
        ("plan", {"plan": "pro"}),
        ("plan", {"plan": "starter"}),
        ("plan", {"plan": "free"}),
        ("credits", {"credits": 101}),
        ("credits", {"credits": 101.0}),
    ):
        assert code(await buy(at_noon, shop, what, **body)) == (409, "not_for_sale"), body
    owner = await person(at_noon, shop, Role.OWNER)
    higher = await at_noon.http.post(
        f"{DASHBOARD}/plan/downgrade", json={"plan": "enterprise"}, headers=owner
    )
    assert code(higher) == (409, "not_a_lower_plan")
    assert await rows(at_noon.database, checkouts, of=shop) == []


@pytest.mark.parametrize("fault", [Fault.CUT, Fault.GARBAGE])
@pytest.mark.parametrize("after", [False, True])
async def test_a_lost_answer_is_asked_for_again(
    at_noon: LiveEngine, shop: Shop, fault: Fault, after: bool
) -> None:
    """With the same idempotency key, Stripe creates one page, whether or not the first request
    reached it."""
    at_noon.stripe.fail_next(fault, "POST", after=after)

    checkout_id = await asked_credits(at_noon, shop)

    session = at_noon.stripe.session_of(checkout_id)
    keys = [one.headers.get("idempotency-key") for one in at_noon.stripe.seen]
    assert keys.count(checkout_id) == 2
    assert (await show(at_noon, shop, f"checkouts/{checkout_id}"))["url"].endswith(session.id)


@pytest.mark.parametrize("status", [400, 401, 500, 503])
async def test_stripe_refuses_or_is_away(at_noon: LiveEngine, shop: Shop, status: int) -> None:
    for _ in range(2):
        at_noon.stripe.fail_next(Fault.STATUS, "POST", status=status)

    answer = await buy(at_noon, shop, "credits", credits=100)
    at_noon.stripe.forget_faults()

    assert code(answer) == (503, "payments_unreachable")
    assert answer.headers["retry-after"] == "10"
    asked = await only_row(at_noon.database, checkouts, of=shop)
    assert (asked["state"], asked["url"]) == ("asked", None)
    assert await asked_credits(at_noon, shop) != asked["id"]


async def test_without_an_account_nothing_is_sold(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    async with live_engine(
        database_url,
        temporal.address,
        "default",
        stripe_secret_key=None,
        stripe_webhook_secret=None,
    ) as engine:
        for what, body in (("plan", {"plan": "enterprise"}), ("credits", {"credits": 100})):
            answer = await buy(engine, shop, what, **body)
            assert code(answer) == (409, "payments_unavailable")
            assert answer.json()["error"] == "Paiement non configuré."
        assert (await show(engine, shop, "plan"))["can_pay"] is False
        webhook = await engine.http.post("/api/payments/stripe/webhook", json={})
        assert code(webhook) == (409, "payments_unavailable")
        assert (await only_row(engine.database, clients, of=shop))["plan"] == "pro"


async def test_pages_that_nobody_pays(at_noon: LiveEngine, shop: Shop) -> None:
    """The number of unpaid pages per hour is limited, even for concurrent requests. A paid page
    frees its slot."""
    owner = await person(at_noon, shop, Role.OWNER)

    async def ask() -> int:
        answer = await at_noon.http.post(
            f"{DASHBOARD}/credits/checkout", json={"credits": 100}, headers=owner
        )
        return answer.status_code

    asked = Counter(await asyncio.gather(*(ask() for _ in range(MAX_OPEN + 5))))
    assert asked == {201: MAX_OPEN, 409: 5}
    assert code(await buy(at_noon, shop, "credits", credits=100)) == (409, "too_many_checkouts")

    one = (await rows(at_noon.database, checkouts, of=shop))[0]
    await told(at_noon, session_event(at_noon.stripe.pay(one["id"])))
    assert await ask() == 201
    set_clock(at_noon, NOW + timedelta(minutes=61))
    with at_noon.stripe.at(NOW.timestamp() + 3660):
        assert await ask() == 201


async def test_what_was_given_costs_nothing(at_noon: LiveEngine, shop: Shop) -> None:
    """An operator grants a plan above the purchased one: reverting a choice charges the previous
    price."""
    await put_on(at_noon.database, shop, Plan.FREE)
    checkout_id = await asked_plan(at_noon, shop, Plan.STARTER)
    await told(at_noon, session_event(at_noon.stripe.pay(checkout_id)))
    await put_on(at_noon.database, shop, Plan.ENTERPRISE)
    owner = await person(at_noon, shop, Role.OWNER)

    for plan, cancelled in (("free", True), ("enterprise", False)):
        answer = await at_noon.http.post(
            f"{DASHBOARD}/plan/downgrade", json={"plan": plan}, headers=owner
        )
        assert answer.status_code == 200, answer.text
        subscription = at_noon.stripe.subscription_of(checkout_id)
        assert (subscription.cancel_at_period_end, subscription.unit_amount) == (cancelled, 4900)


async def test_another_clients_checkout_is_none(at_noon: LiveEngine, shop: Shop) -> None:
    headers = await person(at_noon, shop, Role.OWNER)
    answer = await at_noon.http.get(f"{DASHBOARD}/checkouts/{new_ulid()}", headers=headers)
    assert code(answer) == (404, "checkout_not_found")
