"""Verification of shop webhooks: published vectors, and the senders' own libraries."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import stripe
from standardwebhooks import Webhook

from domain.inbound.errors import InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.platforms.generic import GenericWebhooks
from domain.inbound.platforms.prestashop import PrestaShopWebhooks
from domain.inbound.platforms.shopify import ShopifyWebhooks
from domain.inbound.platforms.stripe import StripeWebhooks
from domain.inbound.platforms.woocommerce import WooCommerceWebhooks, unescaped
from domain.inbound.ports import Platform
from domain.inbound.webhook_signature import hmac_sha256_hex
from tests.support.core.each import each
from tests.support.inbound.shop_bodies import shopify_order, stripe_charge, woocommerce_order
from tests.support.inbound.shop_requests import (
    NOW,
    SHOPIFY_SECRET,
    STANDARD_SECRET,
    STRIPE_SECRET,
    WOO_SECRET,
    a_request,
    shopify_request,
    signed_base64,
    standard_request,
    stripe_request,
    woocommerce_request,
)

SHOPIFY, STRIPE, WOO = ShopifyWebhooks(), StripeWebhooks(), WooCommerceWebhooks()
PRESTASHOP, GENERIC = PrestaShopWebhooks(), GenericWebhooks()
ORDER = shopify_request("orders/create", shopify_order())
CHARGE = stripe_request("charge.refunded", stripe_charge())
WOO_ORDER = woocommerce_request("order.created", woocommerce_order())
FORM = standard_request({"type": "contact", "message": "Bonjour"})

SIGNED: list[tuple[Platform, InboundRequest, str, str]] = [
    (SHOPIFY, ORDER, SHOPIFY_SECRET, "x-shopify-hmac-sha256"),
    (STRIPE, CHARGE, STRIPE_SECRET, "stripe-signature"),
    (WOO, WOO_ORDER, WOO_SECRET, "x-wc-webhook-signature"),
    (PRESTASHOP, FORM, STANDARD_SECRET, "webhook-signature"),
    (GENERIC, FORM, STANDARD_SECRET, "webhook-signature"),
]


def refusal(platform: Platform, request: InboundRequest, *secrets: str, now: datetime = NOW) -> str:
    try:
        platform.verify(request, secrets, now)
    except InboundRefused as error:
        return error.reason
    return ""


@each(SIGNED)
def test_only_what_was_signed_with_one_of_the_secrets(
    platform: Platform, request: InboundRequest, secret: str, header: str
) -> None:
    other = "whsec_" + "A" * 32
    assert refusal(platform, request, secret) == ""
    assert refusal(platform, request, other, secret) == ""
    assert refusal(platform, request, other) == RefusalReason.SIGNATURE_WRONG
    assert refusal(platform, request) == RefusalReason.SIGNATURE_WRONG
    changed = replace(request, body=request.body + b" ")
    assert refusal(platform, changed, secret) == RefusalReason.SIGNATURE_WRONG
    headers = {name: value for name, value in request.headers.items() if name != header}
    bare = replace(request, headers=headers)
    assert refusal(platform, bare, secret) == RefusalReason.SIGNATURE_MISSING
    for nonsense in ("é", "=", "v1,", "t=1,v1=", "," * 500, "v1,é v1=é"):
        odd = replace(request, headers={**headers, header: nonsense})
        assert refusal(platform, odd, secret) != ""


@each(
    [
        (STRIPE, CHARGE, STRIPE_SECRET, 300, ""),
        (STRIPE, CHARGE, STRIPE_SECRET, 301, RefusalReason.TIMESTAMP_OLD),
        # Stripe's own library checks only the age.
        (STRIPE, CHARGE, STRIPE_SECRET, -301, ""),
        (GENERIC, FORM, STANDARD_SECRET, 300, ""),
        (GENERIC, FORM, STANDARD_SECRET, 301, RefusalReason.TIMESTAMP_OLD),
        (GENERIC, FORM, STANDARD_SECRET, -301, RefusalReason.TIMESTAMP_OLD),
        (SHOPIFY, ORDER, SHOPIFY_SECRET, 86_400, ""),
        (WOO, WOO_ORDER, WOO_SECRET, 86_400, ""),
    ]
)
def test_each_provider_has_its_own_rule_of_time(
    platform: Platform, request: InboundRequest, secret: str, age_s: int, expected: str
) -> None:
    assert refusal(platform, request, secret, now=NOW + timedelta(seconds=age_s)) == expected


def test_published_vectors() -> None:
    """Standard Webhooks' own, with a widely copied wrong one, and GitHub's for HMAC."""
    stamp = 1614265330
    headers = {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": str(stamp)}
    then = datetime.fromtimestamp(stamp, UTC)
    for signature, expected in (
        ("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", ""),
        ("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OA=", RefusalReason.SIGNATURE_WRONG),
        ("v1a,xxx v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", ""),
        ("v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", RefusalReason.SIGNATURE_WRONG),
    ):
        request = a_request(b'{"test": 2432232314}', {**headers, "webhook-signature": signature})
        assert refusal(GENERIC, request, STANDARD_SECRET, now=then) == expected
    assert (
        hmac_sha256_hex("It's a Secret to Everybody", b"Hello, World!")
        == "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    )


def test_the_senders_own_libraries_agree() -> None:
    now = datetime.now(UTC)
    theirs = Webhook(STANDARD_SECRET).sign("msg_2", now, FORM.body.decode())
    stamp = str(int(now.timestamp()))
    headers = {"webhook-id": "msg_2", "webhook-timestamp": stamp, "webhook-signature": theirs}
    assert refusal(GENERIC, a_request(FORM.body, headers), STANDARD_SECRET, now=now) == ""

    svix = {name.replace("webhook-", "svix-"): value for name, value in headers.items()}
    assert refusal(GENERIC, a_request(FORM.body, svix), STANDARD_SECRET, now=now) == ""
    mixed = {**svix, "webhook-id": "msg_3"}
    assert refusal(GENERIC, a_request(FORM.body, mixed), STANDARD_SECRET, now=now) != ""

    event = stripe_request("charge.refunded", stripe_charge(), at=now)
    header = event.headers["stripe-signature"]
    stripe.WebhookSignature.verify_header(event.body.decode(), header, STRIPE_SECRET)
    assert refusal(STRIPE, event, STRIPE_SECRET, now=now) == ""


@each(
    [
        ("a secret", "a secret"),
        ("a&amp;b", "a&b"),
        ("a&amp;lt;b", "a&lt;b"),
        ("&lt;&gt;&quot;&#039;&#39;&#x27;&#X22;", "<>\"'''\""),
        ("&eacute;&apos;", "&eacute;&apos;"),
    ]
)
def test_a_secret_of_woocommerce_is_unescaped_as_wordpress_does(stored: str, key: str) -> None:
    assert unescaped(stored) == key
    body = woocommerce_order()
    assert refusal(WOO, woocommerce_request("order.created", body, secret=key), stored) == ""


def test_woocommerce_pings_unsigned_and_with_nothing_else() -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert WOO.is_ping(a_request(b"webhook_id=12", form))
    for body in (b"webhook_id=", b"webhook_id=12&x=1", b"{}", b"", b"webhook_id=" + b"1" * 50):
        assert not WOO.is_ping(a_request(body, form))
    signed = {"x-wc-webhook-signature": "x"}
    assert not WOO.is_ping(a_request(b"webhook_id=12", signed))
    assert not any(one.is_ping(a_request(b"webhook_id=12", {})) for one in (SHOPIFY, STRIPE))


def key_of(platform: Platform, request: InboundRequest) -> tuple[str, str]:
    try:
        identity = platform.identify(request)
    except WebhookUnreadable as error:
        return "", error.reason
    return identity.dedup_key, identity.topic


def test_what_a_delivery_is_known_by() -> None:
    first = key_of(SHOPIFY, ORDER)
    assert first == ("orders/create::e-1", "orders/create")
    # Two subscriptions to one event, by topic and by name.
    assert key_of(SHOPIFY, shopify_request("orders/paid", shopify_order())) != first
    named = replace(ORDER, headers={**ORDER.headers, "x-shopify-name": "second"})
    assert key_of(SHOPIFY, named) != first
    without = {k: v for k, v in ORDER.headers.items() if k != "x-shopify-event-id"}
    assert key_of(SHOPIFY, replace(ORDER, headers=without))[0] == "orders/create::w-1"

    assert key_of(STRIPE, CHARGE) == ("evt_1", "charge.refunded")

    # WooCommerce gives two orders in one second the same delivery id.
    other = woocommerce_request("order.created", woocommerce_order(id=728, number="1002"))
    assert key_of(WOO, WOO_ORDER) == key_of(
        WOO, woocommerce_request("order.created", woocommerce_order())
    )
    assert key_of(WOO, other) != key_of(WOO, WOO_ORDER)

    assert key_of(GENERIC, FORM) == ("msg_1", "contact")
    assert key_of(GENERIC, standard_request({"a": 1})) == ("msg_1", "event")


def test_the_new_events_of_shopify() -> None:
    body = ORDER.body
    headers = {
        "shopify-hmac-sha256": signed_base64(SHOPIFY_SECRET, body),
        "shopify-event-id": "e-9",
        "shopify-handle": "mine",
        "shopify-topic": "orders",
        "shopify-action": "create",
        "shopify-resource-id": "1",
    }
    assert refusal(SHOPIFY, a_request(body, headers), SHOPIFY_SECRET) == ""
    assert key_of(SHOPIFY, a_request(body, headers)) == ("orders/create:mine:e-9", "orders/create")


def test_a_thin_event_of_stripe_is_never_read() -> None:
    body = b'{"id":"evt_2","object":"v2.core.event","type":"charge.refunded"}'
    key, topic = key_of(STRIPE, a_request(body, {}))
    assert (key, topic) == ("evt_2", "v2.core.event/charge.refunded")
    assert topic not in STRIPE.topics


@each(
    [
        (SHOPIFY, lambda: a_request(b"{}", {}), "no_topic"),
        (SHOPIFY, lambda: a_request(b"{}", {"x-shopify-topic": "../x"}), "no_topic"),
        (
            SHOPIFY,
            lambda: shopify_request("orders/create", {}, event_id="x" * 999),
            "no_delivery_id",
        ),
        (STRIPE, lambda: a_request(b"[]", {}), "unknown_shape"),
        (STRIPE, lambda: a_request(b'{"id":"evt 1","type":"x"}', {}), "unknown_shape"),
        (WOO, lambda: woocommerce_request("order created", {}), "no_topic"),
        (WOO, lambda: woocommerce_request("order.created", {}, delivery=""), "no_delivery_id"),
        (GENERIC, lambda: a_request(b"{}", {}), "no_delivery_id"),
        (GENERIC, lambda: a_request(b"{", {"webhook-id": "x"}), "unknown_shape"),
        (PRESTASHOP, lambda: standard_request({}), "unknown_shape"),
    ]
)
def test_what_has_no_name(
    platform: Platform, request: Callable[[], InboundRequest], reason: str
) -> None:
    assert key_of(platform, request()) == ("", reason)
