"""POST /api/payments/stripe/webhook: authentication, and effects of payments."""

import asyncio
import json
from typing import Any

import httpx
import pytest
import stripe

from adapters.system import new_ulid, utc_now
from domain.core.errors import DomainError
from domain.tenants.actor import Actor
from domain.tenants.client import Plan
from services.billing.credits import add_credits
from store.billing.tables import credit_ledger, payment_events
from store.core.tables import error_reports
from tests.support.billing.payments import (
    STRIPE_WEBHOOK,
    asked_credits,
    balance_of,
    put_on,
    settled,
    show,
    tell,
    tell_at_once,
    told,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.core.waiting import eventually
from tests.support.intake.admission import try_to_admit, used_before
from tests.support.reviews.dashboard import code
from tests.support.servers.stripe_account import (
    Event,
    an_event,
    session_event,
    signed,
)
from tests.support.tenants.shop import Shop, open_shop

CONCURRENT = 50


async def paid_credits(front: LiveEngine, shop: Shop, number: int = 100) -> Event:
    """Build the event of a completed payment that has not been reported yet."""
    return session_event(front.stripe.pay(await asked_credits(front, shop, number)))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"stripe-signature": ""},
        {"stripe-signature": "t=,v1="},
        {"stripe-signature": "v1=00"},
        {"stripe-signature": "t=soon,v1=00"},
        {"stripe-signature": "t=1,v1=00"},
        {"stripe-signature": "t=" + "9" * 5000},
    ],
)
async def test_without_a_signature_no_body_is_read(
    front: LiveEngine, headers: dict[str, str]
) -> None:
    async def endless() -> Any:
        yield b"{"
        raise AssertionError("the body was read")

    answer = await front.http.post(
        STRIPE_WEBHOOK, content=endless(), headers={"content-type": "application/json", **headers}
    )
    assert code(answer) == (400, "invalid_payment_signature")
    assert answer.json()["error"] == "Signature invalide."


async def test_what_stripe_did_not_sign(front: LiveEngine, shop: Shop) -> None:
    event = await paid_credits(front, shop)
    now = utc_now().timestamp()
    real = signed(event, at=now)
    body, header = real["content"], real["headers"]["stripe-signature"]
    forged = [
        signed(event, at=now, secret="whsec_of_somebody_else"),
        signed(event, at=now - 301),
        signed(event, at=now + 301),
        {**real, "content": body.replace(b"1200", b"9900")},
        {**real, "content": body + b" "},
        _with(real, header.replace("v1=", "v0=")),
        _with(real, header.replace("v1=", "v1=0")),
        _with(real, f"t={int(now)},{header}"),
    ]
    for request in forged:
        answer = await front.http.post(STRIPE_WEBHOOK, **request)
        assert code(answer) == (400, "invalid_payment_signature"), request["headers"]
    twice = [("stripe-signature", header)] * 2 + [("content-type", "application/json")]
    both = await front.http.post(STRIPE_WEBHOOK, content=body, headers=twice)
    assert both.status_code == 400
    assert await rows(front.database, payment_events, id=event["id"]) == []
    assert await balance_of(front.database, shop) == 0

    # During a secret rotation, there are two signatures.
    changing = _with(real, header.replace(",v1=", f",v1={'0' * 64},v1="))
    assert (await front.http.post(STRIPE_WEBHOOK, **changing)).status_code == 200
    assert await balance_of(front.database, shop) == 100


def _with(request: dict[str, Any], header: str) -> dict[str, Any]:
    return {**request, "headers": {**request["headers"], "stripe-signature": header}}


async def test_what_is_signed_and_no_event(front: LiveEngine) -> None:
    things: list[Any] = [[], {"type": "invoice.paid"}, an_event("invoice.paid", {"id": 7})]
    for thing in things:
        answer = await tell(front, thing)
        assert code(answer) == (400, "invalid_body"), thing
    # Irrelevant events are accepted and discarded.
    other = an_event("customer.created", {"id": "cus_1"})
    assert (await tell(front, other)).status_code == 200
    assert await rows(front.database, payment_events, id=other["id"]) == []


async def test_one_payment_told_often(front: LiveEngine, shop: Shop) -> None:
    """The same event repeatedly, and another event type for the same payment."""
    event = await paid_credits(front, shop)
    again = {**event, "id": f"{event['id']}b", "type": "checkout.session.async_payment_succeeded"}

    await told(front, event, event, again, again)

    assert await balance_of(front.database, shop) == 100
    assert await settled(front, event) == ("applied", None)
    assert await settled(front, again) == ("noted", None)


async def test_a_payment_that_takes_days(front: LiveEngine, shop: Shop) -> None:
    """A bank transfer: checkout completed, paid later or not at all. Events may arrive in any
    order."""
    for late, balance, state in (
        ("async_payment_succeeded", 100, "paid"),
        ("async_payment_failed", 100, "failed"),
    ):
        checkout_id = await asked_credits(front, shop)
        session = front.stripe.pay(checkout_id)
        await told(front, session_event(session, payment_status="unpaid"))
        assert (await show(front, shop, f"checkouts/{checkout_id}"))["state"] == "pending"
        paid = "paid" if state == "paid" else "unpaid"
        await told(front, session_event(session, late, payment_status=paid))
        assert await balance_of(front.database, shop) == balance
        # The earlier event arrives last and has no effect.
        await told(front, session_event(session, payment_status="unpaid"))
        await told(front, session_event(session, "expired", payment_status="unpaid"))
        assert (await show(front, shop, f"checkouts/{checkout_id}"))["state"] == state
        assert await balance_of(front.database, shop) == balance


async def test_what_does_not_fit_goes_to_people(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    session = front.stripe.pay(await asked_credits(front, shop))
    ours = session.metadata
    wrong: dict[str, list[dict[str, Any]]] = {
        "other_amount": [{"amount_total": 1199}, {"amount_total": 12000}, {"currency": "usd"}],
        "other_client": [{"metadata": {**ours, "client_id": other.client_id}}],
        "other_session": [{"id": "cs_test_another"}],
        "unknown_checkout": [
            {"metadata": {}},
            {"metadata": {**ours, "checkout_id": new_ulid()}},
            {"metadata": {**ours, "checkout_id": ours["checkout_id"].lower()}},
            {"metadata": {**ours, "checkout_id": "' OR 1=1\0"}},
        ],
    }
    for problem, changes in wrong.items():
        for changed in changes:
            event = session_event(session, **changed)
            await told(front, event, event)
            assert await settled(front, event) == ("people", problem), changed
    refund = an_event("charge.refunded", {"id": "ch_1", "amount_refunded": 1200, "metadata": ours})
    dispute = an_event("charge.dispute.created", {"id": "dp_1", "amount": 1200, "metadata": {}})
    await told(front, refund, dispute)
    for event in (refund, dispute):
        assert await settled(front, event) == ("people", "money_returned")

    assert await balance_of(front.database, shop) == 0
    assert await balance_of(front.database, other) == 0

    async def reported() -> bool:
        codes = [one["code"] for one in await rows(front.database, error_reports)]
        return {"payment_other_client", "payment_money_returned"} <= set(codes)

    await eventually(reported)


async def test_all_at_once(front: LiveEngine, shop: Shop) -> None:
    """Fifty duplicates under two event types, a grant by an operator, and tickets paid with
    credits: each counts once, and the balance equals the ledger's sum."""
    await put_on(front.database, shop, Plan.FREE)
    await used_before(front.database, shop, 50, utc_now())
    event = await paid_credits(front, shop)
    other = {**event, "id": f"{event['id']}b", "type": "checkout.session.async_payment_succeeded"}

    async def give() -> int:
        async with units_on(front.database).of(shop.tenant) as work:
            return await add_credits(work, Actor.operator("operator:test"), 10)

    given, statuses, admitted = await asyncio.gather(
        give(),
        tell_at_once(front, [event, other] * (CONCURRENT // 2)),
        asyncio.gather(*(_admitted(front, shop) for _ in range(20))),
    )
    # On a slow machine, some requests time out waiting for a connection. Stripe sends those events
    # again.
    assert set(statuses) <= {200, 500}
    again = await tell_at_once(front, [event, other])

    assert given >= 10
    assert again == [200, 200]
    assert await balance_of(front.database, shop) == 110 - sum(admitted)
    reasons = [one["reason"] for one in await rows(front.database, credit_ledger, of=shop)]
    assert reasons.count("payment") == 1


async def _admitted(front: LiveEngine, shop: Shop) -> bool:
    try:
        await try_to_admit(front.database, shop)
    except DomainError:
        return False
    return True


async def test_stripes_own_library_agrees(front: LiveEngine, shop: Shop) -> None:
    """Stripe's library accepts its own signatures, and rejects changed bodies."""
    event = await paid_credits(front, shop)
    secret = front.settings.payments.stripe_webhook_secret
    assert secret is not None
    body = json.dumps(event)
    header = stripe.WebhookSignature.generate_signature_header(body, secret.get_secret_value())
    for sent, good in ((body, True), (body.replace("1200", "9900"), False), (body + "\n", False)):
        try:
            stripe.Webhook.construct_event(sent, header, secret.get_secret_value())
            theirs = True
        except stripe.SignatureVerificationError:
            theirs = False
        answer: httpx.Response = await front.http.post(
            STRIPE_WEBHOOK,
            content=sent,
            headers={"content-type": "application/json", "stripe-signature": header},
        )
        assert theirs is good is (answer.status_code == 200)
    assert await balance_of(front.database, shop) == 100
