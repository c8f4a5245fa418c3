"""The content of webhooks from shops and payment providers."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import pytest

from domain.core.money import Money
from domain.inbound.errors import WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import WebhookKind
from domain.inbound.meaning import ComplianceKind, ComplianceRequest, Nothing
from domain.inbound.platforms.prestashop import PrestaShopWebhooks
from domain.inbound.platforms.shopify import ShopifyWebhooks
from domain.inbound.platforms.stripe import StripeWebhooks
from domain.inbound.platforms.woocommerce import WooCommerceWebhooks
from domain.inbound.ports import EndpointFacts, Platform
from domain.integrations.order import OrderState
from domain.integrations.order_fact import OrderFact
from tests.support.core.each import each
from tests.support.inbound.shop_bodies import (
    Body,
    shopify_order,
    shopify_parcel,
    shopify_refund,
    stripe_charge,
    stripe_thing,
    woocommerce_order,
)
from tests.support.inbound.shop_meaning import eur, fact, meaning
from tests.support.inbound.shop_requests import (
    NOW,
    shopify_request,
    standard_request,
    stripe_request,
    woocommerce_request,
)

SHOPIFY, STRIPE, WOO = ShopifyWebhooks(), StripeWebhooks(), WooCommerceWebhooks()
PRESTASHOP = PrestaShopWebhooks()
GID: Final = "gid://shopify/Order/820982911946154508"


def shopify_fact(topic: str, body: Body) -> OrderFact:
    return fact(SHOPIFY, shopify_request(topic, body))


def woo_fact(topic: str, body: Body) -> OrderFact:
    return fact(WOO, woocommerce_request(topic, body))


def test_an_order_of_shopify() -> None:
    assert shopify_fact("orders/create", shopify_order()) == OrderFact(
        order_id=GID,
        version=datetime(2026, 3, 2, 9, 30, tzinfo=UTC),
        number="1001",
        customer_email="lea@example.com",
        state=OrderState.OPEN,
        total=eur(4990),
        refunded=eur(0),
        placed_at=datetime(2026, 3, 1, 15, tzinfo=UTC),
        items=("2 × Thé vert", "1 × Tasse"),
    )


@each(
    [
        ({"fulfillment_status": "partial"}, OrderState.SHIPPED),
        ({"fulfillment_status": "fulfilled"}, OrderState.SHIPPED),
        ({"cancelled_at": "2026-03-02T04:00:00Z"}, OrderState.CANCELLED),
        (
            {
                "fulfillment_status": "fulfilled",
                "fulfillments": [
                    shopify_parcel(shipment_status="delivered"),
                    shopify_parcel(status="cancelled"),
                ],
            },
            OrderState.DELIVERED,
        ),
        (
            {
                "fulfillment_status": "fulfilled",
                "fulfillments": [shopify_parcel(shipment_status="delivered"), shopify_parcel()],
            },
            OrderState.SHIPPED,
        ),
    ]
)
def test_how_far_an_order_of_shopify_is(changed: Body, state: OrderState) -> None:
    assert shopify_fact("orders/updated", shopify_order(**changed)).state is state


@each(
    [
        ([shopify_refund("10.00"), shopify_refund("5.00")], 1500),
        ([shopify_refund("10.00", status="failure")], 0),
        # In the customer's payment currency, which the shop does not account in.
        ([shopify_refund("10.00", currency="USD")], None),
    ]
)
def test_what_shopify_gave_back(refunds: list[Body], minor: int | None) -> None:
    told = shopify_fact("orders/updated", shopify_order(refunds=refunds)).refunded
    assert told == (None if minor is None else eur(minor))


def test_a_parcel_of_shopify() -> None:
    sent = shopify_fact("fulfillments/create", shopify_parcel())
    assert (sent.order_id, sent.state) == (GID, OrderState.SHIPPED)
    assert sent.tracking_url == "https://track.example/6A123"
    # One delivered parcel does not mean that all are, and a script is not a URL.
    one = shopify_parcel(shipment_status="delivered", tracking_url="javascript:alert(1)")
    arrived = shopify_fact("fulfillments/update", one)
    assert (arrived.state, arrived.tracking_url) == (None, None)


def test_deleted_orders_are_as_old_as_their_deletion() -> None:
    gone = shopify_fact("orders/delete", {"id": 820982911946154508})
    assert (gone.order_id, gone.is_deleted) == (GID, True)
    assert gone.version == datetime(2026, 3, 2, 9, 59, 0, 123456, tzinfo=UTC)
    gone = woo_fact("order.deleted", {"id": 727})
    assert (gone.order_id, gone.version, gone.is_deleted) == ("727", NOW, True)
    assert not woo_fact("order.restored", woocommerce_order()).is_deleted
    with pytest.raises(WebhookUnreadable, match="no_time"):
        meaning(WOO, woocommerce_request("order.deleted", {"id": 727}), EndpointFacts("i"))


def test_an_order_is_no_deletion() -> None:
    """The topic is not signed: anyone with a signed body could send it under another topic."""
    for platform, request in (
        (SHOPIFY, shopify_request("orders/delete", shopify_order())),
        (SHOPIFY, shopify_request("orders/delete", shopify_parcel())),
        (WOO, woocommerce_request("order.deleted", woocommerce_order())),
    ):
        with pytest.raises(WebhookUnreadable, match="unknown_shape"):
            meaning(platform, request)


CUSTOMER = {"id": 1, "email": "lea@example.com", "phone": None}
SHOP = {"shop_id": 954889, "shop_domain": "acme.myshopify.com"}


@each(
    [
        (
            "customers/redact",
            {**SHOP, "customer": CUSTOMER, "orders_to_redact": [1, 2]},
            ComplianceRequest(
                ComplianceKind.REDACT_CUSTOMER,
                "lea@example.com",
                ("gid://shopify/Order/1", "gid://shopify/Order/2"),
            ),
        ),
        (
            "customers/redact",
            {**SHOP, "customer": {"id": 1, "email": None}, "orders_to_redact": [1]},
            ComplianceRequest(ComplianceKind.REDACT_CUSTOMER, None, ("gid://shopify/Order/1",)),
        ),
        (
            "customers/data_request",
            {**SHOP, "customer": CUSTOMER, "orders_requested": [3], "data_request": {"id": 9}},
            ComplianceRequest(
                ComplianceKind.CUSTOMER_DATA, "lea@example.com", ("gid://shopify/Order/3",)
            ),
        ),
        ("shop/redact", SHOP, ComplianceRequest(ComplianceKind.REDACT_SHOP)),
        (
            "app/uninstalled",
            {"id": 954889, "name": "Acme", "myshopify_domain": "acme.myshopify.com"},
            ComplianceRequest(ComplianceKind.DISCONNECT),
        ),
    ]
)
def test_the_duties_of_shopify(topic: str, body: Body, duty: ComplianceRequest) -> None:
    assert SHOPIFY.topics[topic] is WebhookKind.DUTY
    assert meaning(SHOPIFY, shopify_request(topic, body)) == duty


@each(
    [
        ("customers/redact", {"customer": CUSTOMER, "orders_requested": []}),
        ("customers/redact", {"customer": CUSTOMER, "data_request": {"id": 9}}),
        ("customers/data_request", {"customer": CUSTOMER, "orders_to_redact": []}),
        ("shop/redact", {"customer": CUSTOMER, "orders_to_redact": []}),
        ("shop/redact", {"myshopify_domain": "acme.myshopify.com"}),
        ("app/uninstalled", {"customer": CUSTOMER, "orders_requested": []}),
        ("app/uninstalled", {}),
    ]
)
def test_no_duty_from_the_body_of_another(topic: str, body: Body) -> None:
    """The signature covers the body, not the topic."""
    with pytest.raises(WebhookUnreadable, match="another_duty"):
        meaning(SHOPIFY, shopify_request(topic, {**SHOP, **body}))


@each(["customers/redact", "customers/data_request", "shop/redact", "app/uninstalled"])
def test_no_duty_about_another_shop(topic: str) -> None:
    """One secret signs for all shops with the app."""
    for body in ({"shop_domain": "other.myshopify.com", "customer": CUSTOMER}, {}):
        with pytest.raises(WebhookUnreadable, match="another_shop"):
            meaning(SHOPIFY, shopify_request(topic, body))


def test_an_order_of_woocommerce() -> None:
    refunds = [{"id": 1, "reason": "", "total": "-10.00"}, {"id": 2, "total": "-5.00"}]
    told = woo_fact("order.updated", woocommerce_order(refunds=refunds, status="completed"))
    assert told == OrderFact(
        order_id="727",
        version=datetime(2026, 3, 2, 9, 30, tzinfo=UTC),
        number="1001",
        customer_email="lea@example.com",
        state=OrderState.SHIPPED,
        total=eur(4990),
        refunded=eur(1500),
        placed_at=datetime(2026, 3, 1, 10, tzinfo=UTC),
        items=("2 × Thé vert", "1 × Tasse"),
        is_payment_failed=False,
    )


@each(
    [
        ("pending", OrderState.OPEN, False),
        ("on-hold", OrderState.OPEN, False),
        ("cancelled", OrderState.CANCELLED, False),
        ("refunded", OrderState.UNKNOWN, False),
        ("failed", OrderState.OPEN, True),
        ("delivered", OrderState.DELIVERED, False),
        ("packed-by-hand", OrderState.UNKNOWN, False),
    ]
)
def test_the_statuses_of_woocommerce(status: str, state: OrderState, failed: bool) -> None:
    told = woo_fact("order.updated", woocommerce_order(status=status))
    assert (told.state, told.is_payment_failed) == (state, failed)


def test_money_in_minor_units_of_its_currency() -> None:
    yen = woocommerce_order(currency="JPY", total="1200")
    assert woo_fact("order.created", yen).total == Money(minor=1200, currency="JPY")
    dinar = shopify_order(currency="KWD", total_price="1.234")
    assert shopify_fact("orders/create", dinar).total == Money(minor=1234, currency="KWD")
    # Stripe counts krónur in hundredths.
    charge = stripe_charge(currency="isk", amount=12300, amount_refunded=100)
    assert fact(STRIPE, stripe_request("charge.refunded", charge)).total == Money(
        minor=123, currency="ISK"
    )
    half = stripe_charge(currency="isk", amount=12350)
    with pytest.raises(WebhookUnreadable, match="amount"):
        fact(STRIPE, stripe_request("charge.refunded", half))


@each(
    [
        (STRIPE, stripe_request("refund.failed", stripe_thing(status="failed"))),
        (STRIPE, stripe_request("refund.created", stripe_thing(status="pending"))),
        (SHOPIFY, shopify_request("refunds/create", shopify_refund("1.00"))),
        (SHOPIFY, shopify_request("orders/edited", {"order_edit": {"id": 1}})),
    ]
)
def test_what_says_nothing_by_itself(platform: Platform, request: InboundRequest) -> None:
    assert isinstance(meaning(platform, request), Nothing)


def _broken(platform: Platform, request: Callable[[object], InboundRequest]) -> None:
    bodies: list[object] = [[], {}, {"id": "x"}, {"id": 10**30}]
    for body in (*bodies, {"type": "order.updated", "data": {}}):
        with pytest.raises(WebhookUnreadable):
            meaning(platform, request(body))


def test_what_is_no_known_shape() -> None:
    _broken(SHOPIFY, lambda body: shopify_request("orders/updated", body))
    _broken(WOO, lambda body: woocommerce_request("order.updated", body))
    _broken(PRESTASHOP, standard_request)
    for amount in ("NaN", "-1", "1e99", "1e999999", "", "1.234", "9" * 50):
        with pytest.raises(WebhookUnreadable):
            shopify_fact("orders/updated", shopify_order(total_price=amount))
        with pytest.raises(WebhookUnreadable):
            woo_fact("order.updated", woocommerce_order(total=amount))


def test_what_strangers_write_in_an_order_is_cleaned() -> None:
    items = [{"title": "Tea\u0000\r\nX: y" + "a" * 999, "quantity": 1}] * 500
    told = shopify_fact("orders/updated", shopify_order(line_items=items, email="a\nb@example.com"))
    assert told.items is not None
    assert len(told.items) == 100
    assert told.items[0].startswith("1 × Tea X: ya")
    assert len(told.items[0]) < 210
    assert told.customer_email == "lea@example.com"
