"""The content of Stripe's events and PrestaShop's form."""

from datetime import UTC, datetime

import pytest

from domain.core.money import Money
from domain.inbound.errors import WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.meaning import InboundTicket, OrderNews
from domain.inbound.platforms.prestashop import PrestaShopWebhooks
from domain.inbound.platforms.stripe import StripeWebhooks
from domain.inbound.ports import EndpointFacts
from domain.intake.normalization import normalize
from domain.integrations.order import OrderState
from domain.integrations.order_fact import OrderFact
from tests.support.core.each import each
from tests.support.inbound.shop_bodies import Body, stripe_charge, stripe_thing
from tests.support.inbound.shop_meaning import eur, fact, meaning
from tests.support.inbound.shop_requests import NOW, standard_request, stripe_request

STRIPE, PRESTASHOP = StripeWebhooks(), PrestaShopWebhooks()


def test_a_refunded_charge_of_stripe() -> None:
    told = fact(STRIPE, stripe_request("charge.refunded", stripe_charge()))
    assert told == OrderFact(
        order_id="pi_1",
        version=NOW,
        number="1001",
        customer_email="lea@example.com",
        total=eur(4990),
        refunded=eur(1500),
        placed_at=datetime(2026, 3, 1, 10, tzinfo=UTC),
    )


@each(
    [
        ("refund.created", stripe_thing(amount=500, status="succeeded"), {"refunded": eur(500)}),
        ("charge.dispute.created", stripe_thing(), {"is_disputed": True}),
        ("charge.dispute.closed", stripe_thing(status="lost"), {"is_disputed": True}),
        ("charge.dispute.closed", stripe_thing(status="won"), {"is_disputed": False}),
        (
            "payment_intent.payment_failed",
            stripe_thing(id="pi_1", payment_intent=None, charge=None),
            {"is_payment_failed": True, "total": eur(4990)},
        ),
        (
            "payment_intent.succeeded",
            stripe_thing(id="pi_1", payment_intent=None, charge=None),
            {"is_payment_failed": False, "total": eur(4990)},
        ),
        (
            "invoice.payment_failed",
            stripe_thing(id="in_1", amount=None, amount_due=700),
            {"is_payment_failed": True, "total": eur(700)},
        ),
    ]
)
def test_the_other_events_of_stripe(kind: str, thing: Body, said: Body) -> None:
    told = fact(STRIPE, stripe_request(kind, thing))
    assert told.order_id == "pi_1"
    fields = told.model_dump(exclude={"order_id", "version", "placed_at"}, exclude_defaults=True)
    assert fields == {k: v.model_dump() if isinstance(v, Money) else v for k, v in said.items()}


def test_no_event_of_another_account() -> None:
    request = stripe_request("charge.refunded", stripe_charge())
    told = InboundRequest(request.headers, request.body[:-1] + b',"account":"acct_2"}')
    mine = EndpointFacts("i", {"account": "acct_1"}, received_at=NOW)
    with pytest.raises(WebhookUnreadable, match="another_account"):
        meaning(STRIPE, told, mine)
    assert isinstance(meaning(STRIPE, told, EndpointFacts("i", {"account": "acct_2"})), OrderNews)


def test_an_order_of_prestashop() -> None:
    data = {
        "id": 5,
        "reference": "XKBKNABJK",
        "email": "lea@example.com",
        "state": "shipped",
        "total": "49.90",
        "currency": "EUR",
        "updated_at": "2026-03-02T09:30:00Z",
        "items": [{"name": "Thé vert", "quantity": 2}],
    }
    told = fact(PRESTASHOP, standard_request({"type": "order.updated", "data": data}))
    assert (told.order_id, told.number, told.state) == ("5", "XKBKNABJK", OrderState.SHIPPED)
    assert (told.total, told.refunded, told.items) == (eur(4990), None, ("2 × Thé vert",))


@each(
    [
        ({}, False),
        ({"customer_verified": True}, False),
        ({"email_confirmed": True}, False),
        ({"customer_verified": True, "email_confirmed": True}, True),
    ]
)
def test_a_message_of_prestashop(said: dict[str, bool], verified: bool) -> None:
    """A stranger opens an account under a guest's address and is signed in: the address is
    unverified until the shop confirms it."""
    data = {
        "id": "77",
        "email": "lea@example.com",
        "subject": "Colis",
        "message": "Où est ma commande ?\u0000",
        "order_reference": "XKBKNABJK",
        **said,
    }
    told = meaning(PRESTASHOP, standard_request({"type": "message.created", "data": data}))
    assert isinstance(told, InboundTicket)
    assert told.message_key == "message/77"
    event = normalize(told.event, fallback_ticket_id="t")
    assert (event.text, event.subject) == ("Où est ma commande ?", "Colis")
    assert (event.order_number, event.customer_verified) == ("XKBKNABJK", verified)
